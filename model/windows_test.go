package model_test

import (
	"testing"

	"github.com/troupe-go/troupe/model"
)

func TestContextWindow(t *testing.T) {
	for _, tt := range []struct {
		provider, model string
		want            int
	}{
		{"openai", "gpt-4.1-mini", 1_047_576},
		{"openai", "gpt-4o-2024-11-20", 128_000},
		{"openai", "gpt-5-mini", 400_000},
		{"openai", "gpt-5-chat-latest", 128_000}, // the longest name decides
		{"openai", "o1-mini", 128_000},
		{"openai", "gpt-4", 0},
		{"openai", "gpt-5.9", 0}, // a part of a name is no family
		{"openai", "o30", 0},
		{"deepseek", "deepseek-chat", 128_000},
		{"moonshot", "kimi-k2-0905-preview", 262_144},
		{"zhipu", "glm-4.5-air", 128_000},
		{"zhipu", "glm-4.5v", 0},
		{"ark", "doubao-seed-1-6-lite-251015", 256_000},
		{"openrouter", "anthropic/claude-sonnet-4.5", 200_000},
		{"ollama", "gpt-4o", 0}, // a server of one's own
		{"openai-compatible", "gpt-4o", 0},
		{"nobody", "gpt-4o", 0},
	} {
		if got := model.ContextWindow(tt.provider, tt.model); got != tt.want {
			t.Errorf("%s/%s: %d tokens, want %d", tt.provider, tt.model, got, tt.want)
		}
	}
	for _, p := range model.Providers() {
		if p.Usual != "" && p.Usual != "openrouter/auto" && model.ContextWindow(p.Name, p.Usual) == 0 {
			t.Errorf("the window of the usual model of %s, %s, is not known", p.Name, p.Usual)
		}
	}
}
