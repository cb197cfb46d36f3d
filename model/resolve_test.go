package model_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// environment is a lookup over pairs of names and values.
func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestParseRef(t *testing.T) {
	tests := []struct{ ref, provider, model, err string }{
		{"deepseek/deepseek-chat", "deepseek", "deepseek-chat", ""},
		{" ollama/qwen3:8b ", "ollama", "qwen3:8b", ""},
		{"openrouter/openai/gpt-4o", "openrouter", "openai/gpt-4o", ""},
		{"scripted/dir/team.json", "scripted", "dir/team.json", ""},
		{"deepsek/deepseek-chat", "", "", "did you mean deepseek?"},
		{"OpenAI/gpt-4o", "", "", "did you mean openai?"},
		{"mainframe/x", "", "", "known are openai, deepseek,"},
		{"gpt-4o", "", "", "PROVIDER/MODEL"},
		{"deepseek/", "", "", "deepseek/MODEL"},
		{"deepseek", "", "", "deepseek/MODEL"},
		{"", "", "", "PROVIDER/MODEL"},
	}
	for _, tt := range tests {
		provider, name, err := model.ParseRef(tt.ref)
		if provider != tt.provider || name != tt.model {
			t.Errorf("ParseRef(%q) = %q, %q, want %q, %q", tt.ref, provider, name, tt.provider, tt.model)
		}
		if (tt.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("ParseRef(%q): error %v, want %q", tt.ref, err, tt.err)
		}
	}
}

func TestProviders(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range model.Providers() {
		if seen[p.Name] {
			t.Errorf("provider %s is listed twice", p.Name)
		}
		seen[p.Name] = true
		if p.Local && (p.KeyEnv != "" || !strings.HasPrefix(p.BaseURL, "http://127.0.0.1:")) {
			t.Errorf("local provider %+v, want a loopback address and no key", p)
		}
		if !p.Local && p.BaseURL != "" && (p.KeyEnv == "" || !strings.HasPrefix(p.BaseURL, "https://")) {
			t.Errorf("provider %+v, want https and a key", p)
		}
	}
	for _, name := range []string{"openai", "deepseek", "dashscope", "ark", "moonshot", "zhipu", "openrouter", "ollama", "llamacpp", "vllm", "lmstudio", "azure", "gemini", "openai-compatible", "scripted"} {
		if !seen[name] {
			t.Errorf("provider %s is missing", name)
		}
	}
}

func TestResolve(t *testing.T) {
	env := environment(
		"OPENAI_API_KEY", "sk-open", "OPENAI_BASE_URL", "https://gateway.test/v1",
		"DEEPSEEK_API_KEY", " sk-deep\n", "HOUSE_KEY", "sk-house", "OLLAMA_HOST", "0.0.0.0", "MOONSHOT_API_KEY", "")
	tests := []struct {
		name string
		spec model.Spec
		want model.Info
	}{
		{
			"key",
			model.Spec{Provider: "deepseek", Model: "deepseek-chat"},
			model.Info{Ref: "deepseek/deepseek-chat", BaseURL: "https://api.deepseek.com/v1", KeyEnv: "DEEPSEEK_API_KEY", Key: "sk-deep"},
		},
		{
			"address from the environment",
			model.Spec{Provider: "openai", Model: "gpt-4o"},
			model.Info{Ref: "openai/gpt-4o", BaseURL: "https://gateway.test/v1", KeyEnv: "OPENAI_API_KEY", Key: "sk-open"},
		},
		{
			"own key and address",
			model.Spec{Provider: "deepseek", Model: "m", KeyEnv: "HOUSE_KEY", BaseURL: "https://u:p@house.test/v1?key=x"},
			model.Info{Ref: "deepseek/m", BaseURL: "https://house.test/v1", KeyEnv: "HOUSE_KEY", Key: "sk-house"},
		},
		{
			"local",
			model.Spec{Provider: "ollama", Model: "qwen3:8b"},
			model.Info{Ref: "ollama/qwen3:8b", BaseURL: "http://127.0.0.1:11434/v1", Local: true},
		},
		{
			"any endpoint, named by the environment with its key",
			model.Spec{Provider: "openai-compatible", Model: "m"},
			model.Info{Ref: "openai-compatible/m", BaseURL: "https://gateway.test/v1", KeyEnv: "OPENAI_API_KEY", Key: "sk-open"},
		},
		{
			"no key wanted",
			model.Spec{Provider: "openai-compatible", Model: "m", BaseURL: "http://localhost:9999/v1"},
			model.Info{Ref: "openai-compatible/m", BaseURL: "http://localhost:9999/v1", Local: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, info, err := model.Resolve(tt.spec, env)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, info); diff != "" {
				t.Errorf("info (-want +got):\n%s", diff)
			}
			if e.Key != info.Key || e.Provider != tt.spec.Provider || e.Model != tt.spec.Model {
				t.Errorf("endpoint %+v does not fit %+v", e, info)
			}
		})
	}
	for name, spec := range map[string]model.Spec{
		"MOONSHOT_API_KEY": {Provider: "moonshot", Model: "kimi"},
		"NO_SUCH_KEY":      {Provider: "ollama", Model: "m", KeyEnv: "NO_SUCH_KEY"},
	} {
		_, _, err := model.Resolve(spec, env)
		missing, ok := errors.AsType[*model.KeyError](err)
		if !ok || missing.Env != name || !strings.Contains(err.Error(), name+" is not set") || !strings.Contains(missing.Hint(), "set "+name) {
			t.Errorf("error %v, want a *model.KeyError that names %s and a way out", err, name)
		}
	}
	if _, _, err := model.Resolve(model.Spec{Provider: "openai-compatible", Model: "m"}, environment()); err == nil ||
		!strings.Contains(err.Error(), "needs an address; set base_url or OPENAI_BASE_URL") {
		t.Errorf("error %v, want one that names both ways to give an address", err)
	}
	for says, spec := range map[string]model.Spec{
		"did you mean ollama?":              {Provider: "olama", Model: "m"},
		"without a model":                   {Provider: "ollama"},
		"set base_url or AZURE_OPENAI_ENDP": {Provider: "azure", Model: "m"},
		"(for ollama/m)":                    {Provider: "ollama", Model: "m", BaseURL: "house"},
		"no endpoint":                       {Provider: "scripted", Model: "a.json"},
	} {
		if _, _, err := model.Resolve(spec, env); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

func TestOllamaHost(t *testing.T) {
	for host, want := range map[string]string{
		"":                       "http://127.0.0.1:11434/v1",
		"0.0.0.0":                "http://127.0.0.1:11434/v1",
		"[::]:4000":              "http://127.0.0.1:4000/v1",
		":4000":                  "http://127.0.0.1:4000/v1",
		"box":                    "http://box:11434/v1",
		"box:4000":               "http://box:4000/v1",
		"::1":                    "http://[::1]:11434/v1",
		"http://box":             "http://box:80/v1",
		"https://box/":           "https://box:443/v1",
		"https://box:8443/proxy": "https://box:8443/proxy/v1",
	} {
		_, info, err := model.Resolve(model.Spec{Provider: "ollama", Model: "m"}, environment("OLLAMA_HOST", host))
		if err != nil || info.BaseURL != want {
			t.Errorf("OLLAMA_HOST=%s: address %s, error %v, want %s", host, info.BaseURL, err, want)
		}
	}
}

func TestOpen(t *testing.T) {
	s := modeltest.NewServer(t, say("from the server"))
	spec := model.Spec{Provider: "openai-compatible", Model: "m", BaseURL: s.URL, Transport: s.Endpoint().Transport}
	c, info, err := model.Open(spec, environment())
	if err != nil || info.Scripted {
		t.Fatalf("info %+v, error %v, want a real model", info, err)
	}
	if got := ask(t, c); got.Text != "from the server" {
		t.Errorf("got %+v, want the server's reply", got)
	}

	file := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(file, []byte(`{"roles": {"*": [{"text": "from the script"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	spec = model.Spec{Provider: "scripted", Model: "team.json", File: file}
	c, info, err = model.Open(spec, environment())
	if err != nil || !info.Scripted || info.Ref != "scripted/team.json" {
		t.Fatalf("info %+v, error %v, want a scripted model", info, err)
	}
	if got := ask(t, c); got.Text != "from the script" {
		t.Errorf("got %+v, want the script's reply", got)
	}
	spec.Model, spec.File = filepath.Join(t.TempDir(), "none.json"), ""
	if _, _, err := model.Open(spec, environment()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want the missing file", err)
	}
	if _, _, err := model.Open(model.Spec{Provider: "deepseek", Model: "m"}, environment()); err == nil {
		t.Error("opened a model without its key")
	}
}
