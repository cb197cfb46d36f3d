package model

// Provider is a family of endpoints that speak the OpenAI chat protocol.
type Provider struct {
	// Name is the first part of a reference such as "deepseek/deepseek-chat".
	Name string
	// BaseURL is the usual address; empty where it must be given.
	BaseURL string
	// KeyEnv is the usual variable of the key; empty where none is needed.
	KeyEnv string
	// Local marks servers that run on one's own machine and need no key.
	Local bool
	// Usual is the model that is taken when there is a key and nobody named a
	// model; empty where there is none.
	Usual string

	urlEnv string // a variable that replaces BaseURL
	start  string // the command that starts a local server
}

// Names of providers that are treated in a way of their own.
const (
	providerOpenAI     = "openai"
	providerAzure      = "azure"
	providerOllama     = "ollama"
	providerCompatible = "openai-compatible"
	providerScripted   = "scripted"
)

// Providers lists the providers that a reference or a team file can name.
func Providers() []Provider {
	return []Provider{
		{Name: providerOpenAI, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Usual: "gpt-4.1-mini", urlEnv: "OPENAI_BASE_URL"},
		{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY", Usual: "deepseek-chat"},
		{Name: "dashscope", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyEnv: "DASHSCOPE_API_KEY", Usual: "qwen-plus"},
		{Name: "ark", BaseURL: "https://ark.cn-beijing.volces.com/api/v3", KeyEnv: "ARK_API_KEY", Usual: "doubao-seed-1-6-lite-251015"},
		{Name: "moonshot", BaseURL: "https://api.moonshot.cn/v1", KeyEnv: "MOONSHOT_API_KEY", Usual: "kimi-k2-0905-preview"},
		{Name: "zhipu", BaseURL: "https://open.bigmodel.cn/api/paas/v4", KeyEnv: "ZHIPUAI_API_KEY", Usual: "glm-4.6"},
		{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY", Usual: "openrouter/auto"},
		{Name: providerOllama, BaseURL: "http://127.0.0.1:11434/v1", Local: true, start: "ollama serve"},
		{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1", Local: true, start: "llama-server -m MODEL.gguf --port 8080"},
		{Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", Local: true, start: "vllm serve MODEL"},
		{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1", Local: true, start: "lms server start"},
		{Name: providerAzure, KeyEnv: "AZURE_OPENAI_API_KEY", urlEnv: "AZURE_OPENAI_ENDPOINT"},
		{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY", Usual: "gemini-2.5-flash"},
		{Name: providerCompatible, urlEnv: "OPENAI_BASE_URL"},
		{Name: providerScripted},
	}
}

// FindProvider returns the provider of that name.
func FindProvider(name string) (Provider, bool) {
	for _, p := range Providers() {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}
