package model

import "strings"

// windowFamily is what the models of one family can read. A name belongs to the
// family if it is the family's, or begins with it and a dash.
type windowFamily struct {
	name   string
	tokens int
}

// windows are the context windows that the providers document, in tokens. Where
// a name has meant models with different windows it is the smallest one that is
// still served. What is not here is not known, as of servers on one's own
// machine, whose windows are what they were started with.
var windows = map[string][]windowFamily{
	// platform.openai.com/docs/models
	providerOpenAI: {
		{"gpt-5", 400_000},
		{"gpt-5-chat", 128_000},
		{"gpt-5.1", 400_000},
		{"gpt-5.1-chat", 128_000},
		{"gpt-5.2", 400_000},
		{"gpt-5.2-chat", 128_000},
		{"gpt-4.1", 1_047_576},
		{"gpt-4o", 128_000},
		{"gpt-4-turbo", 128_000},
		{"gpt-3.5-turbo", 16_385},
		{"o1", 200_000},
		{"o1-mini", 128_000},
		{"o1-preview", 128_000},
		{"o3", 200_000},
		{"o4-mini", 200_000},
	},
	// api-docs.deepseek.com/quick_start/pricing: 128K
	"deepseek": {{"deepseek-chat", 128_000}, {"deepseek-reasoner", 128_000}},
	// help.aliyun.com/zh/model-studio/models
	"dashscope": {{"qwen-plus", 131_072}, {"qwen-turbo", 131_072}, {"qwen-max", 32_768}, {"qwen3-max", 262_144}},
	// www.volcengine.com/docs/82379/1330310: 256k
	"ark": {{"doubao-seed-1-6", 256_000}, {"doubao-1-5-pro-32k", 32_000}, {"doubao-1-5-pro-256k", 256_000}},
	// platform.moonshot.cn/docs/pricing/chat
	"moonshot": {
		{"kimi-k2-0711", 131_072},
		{"kimi-k2-0905", 262_144},
		{"kimi-k2-turbo", 262_144},
		{"kimi-k2-thinking", 262_144},
		{"kimi-k2.5", 262_144},
		{"moonshot-v1-8k", 8_192},
		{"moonshot-v1-32k", 32_768},
		{"moonshot-v1-128k", 131_072},
	},
	// docs.bigmodel.cn/cn/guide/start/model-overview: 128K and 200K
	"zhipu": {{"glm-4-plus", 128_000}, {"glm-4.5", 128_000}, {"glm-4.6", 200_000}, {"glm-4.7", 200_000}},
	// ai.google.dev/gemini-api/docs/models, input token limit
	"gemini": {
		{"gemini-2.0-flash", 1_048_576}, {"gemini-2.5-flash", 1_048_576}, {"gemini-2.5-pro", 1_048_576}, {"gemini-3-pro", 1_048_576},
	},
	// openrouter.ai/models, for those that only their makers serve
	"openrouter": {
		{"openai/gpt-4.1", 1_047_576},
		{"openai/gpt-4o", 128_000},
		{"openai/gpt-5", 400_000},
		{"openai/gpt-5-chat", 128_000},
		{"openai/o3", 200_000},
		{"openai/o4-mini", 200_000},
		{"anthropic/claude", 200_000},
		{"google/gemini-2.5-flash", 1_048_576},
		{"google/gemini-2.5-pro", 1_048_576},
	},
}

// ContextWindow is how many tokens a provider's model can read, prompt and reply
// together where the provider counts them so; 0 if it is not known.
func ContextWindow(provider, model string) int {
	best := windowFamily{}
	for _, f := range windows[provider] {
		rest, ok := strings.CutPrefix(model, f.name)
		if ok && (rest == "" || rest[0] == '-') && len(f.name) > len(best.name) {
			best = f
		}
	}
	return best.tokens
}
