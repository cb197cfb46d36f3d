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
		{Name: providerOpenAI, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", urlEnv: "OPENAI_BASE_URL"},
		{Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY"},
		{Name: "dashscope", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyEnv: "DASHSCOPE_API_KEY"},
		{Name: "ark", BaseURL: "https://ark.cn-beijing.volces.com/api/v3", KeyEnv: "ARK_API_KEY"},
		{Name: "moonshot", BaseURL: "https://api.moonshot.cn/v1", KeyEnv: "MOONSHOT_API_KEY"},
		{Name: "zhipu", BaseURL: "https://open.bigmodel.cn/api/paas/v4", KeyEnv: "ZHIPUAI_API_KEY"},
		{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: "OPENROUTER_API_KEY"},
		{Name: providerOllama, BaseURL: "http://127.0.0.1:11434/v1", Local: true, start: "ollama serve"},
		{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1", Local: true, start: "llama-server -m MODEL.gguf --port 8080"},
		{Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", Local: true, start: "vllm serve MODEL"},
		{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1", Local: true, start: "lms server start"},
		{Name: providerAzure, KeyEnv: "AZURE_OPENAI_API_KEY", urlEnv: "AZURE_OPENAI_ENDPOINT"},
		{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: "GEMINI_API_KEY"},
		{Name: providerCompatible},
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
