package model

// FamilyProfile returns the profile of a provider's endpoints as long as
// nothing else is known of them; base URL and key variable of the family are
// those of [FindProvider]. It is never the zero value, and an unknown provider
// has that of openai-compatible.
func FamilyProfile(provider string) Profile {
	p := Profile{MaxTokensField: "max_tokens"}
	switch provider {
	case providerOpenAI, providerAzure:
		p.MaxTokensField = "max_completion_tokens"
	case "deepseek", "moonshot", "zhipu", "ark", "openrouter":
		// Their thinking models want, or make use of, the reasoning of the tool
		// loop that is under way; the others have none.
		p.EchoReasoning = EchoToolLoop
	case "dashscope":
		p.ContentWithCalls = ContentEmpty
		p.NoRequiredToolChoice = true
	case "gemini":
		p.ContentWithCalls = ContentEmpty
		p.SchemaDialect = DialectBasic
		p.NoParallelToolCalls = true
	case providerOllama:
		// It takes a required tool choice without a word and ignores it.
		p.ReasoningTags = TagsPaired
		p.ContentWithCalls = ContentEmpty
		p.NoRequiredToolChoice = true
	case "llamacpp", "lmstudio", "vllm":
		// Templates of many models refuse a system message that is not the first.
		p.ReasoningTags = TagsPaired
		p.ContentWithCalls = ContentEmpty
		p.SingleSystem = true
	}
	return p
}
