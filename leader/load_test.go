package leader_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// env looks variables up in pairs of name and value.
func env(pairs ...string) leader.Option {
	return leader.WithEnv(func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	})
}

func teamFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const someRoles = "roles:\n  uio: {name: UI Operator, does: designs}\n"

func TestLoadFindsTheModel(t *testing.T) {
	named := "version: 1\nmodel: fast\nmodels:\n  fast: {provider: deepseek, model: deepseek-chat, price: {currency: CNY, input: 2, output: 8}}\n" + someRoles
	for _, tt := range []struct {
		name, file string
		opts       []leader.Option
		want       string
	}{
		{"the file's", named, []leader.Option{env("DEEPSEEK_API_KEY", "sk-secret-1234")}, "deepseek/deepseek-chat"},
		{"the option's", named, []leader.Option{env(), leader.WithModel("ollama/qwen3:8b")}, "ollama/qwen3:8b"},
		{"an alias", "version: 1\nmodel: \"火山引擎:doubao\"\nmodel_aliases: {\"火山引擎:doubao\": ollama/doubao}\n" + someRoles, []leader.Option{env()}, "ollama/doubao"},
		{"OPENAI_MODEL", "version: 1\n" + someRoles, []leader.Option{env("OPENAI_MODEL", "gpt-5", "OPENAI_API_KEY", "sk-secret-1234")}, "openai/gpt-5"},
		{"the default", "version: 1\n" + someRoles, []leader.Option{env(), leader.WithDefaultModel("ollama/llama")}, "ollama/llama"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := leader.Load(teamFile(t, tt.file), tt.opts...)
			if err != nil {
				t.Fatal(err)
			}
			team := l.Team()
			for _, m := range []leader.Model{team.Model, team.Leader.Model, team.Roles[0].Model} {
				if m.Name != tt.want {
					t.Errorf("model %q, want %q", m.Name, tt.want)
				}
			}
			if tt.name == "the file's" && (team.Model.Price == nil || team.Model.Price.CachedInput != 2) {
				t.Errorf("price %+v; cached input costs what input does when nothing else is said", team.Model.Price)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Run("a bad file", func(t *testing.T) {
		_, err := leader.Load(teamFile(t, "version: 1\nmodell: x\nroles:\n  uio: {name: User, tools: [fly]}\n"), env())
		bad, ok := errors.AsType[*config.Error](err)
		if !ok || len(bad.Problems) < 3 {
			t.Errorf("got %v, want every problem of the file", err)
		}
	})
	t.Run("no model", func(t *testing.T) {
		if _, err := leader.Load(teamFile(t, "version: 1\n"+someRoles), env()); !errors.Is(err, leader.ErrNoModel) {
			t.Errorf("got %v, want ErrNoModel", err)
		}
	})
	t.Run("no key", func(t *testing.T) {
		_, err := leader.Load(teamFile(t, "version: 1\nmodel: deepseek/deepseek-chat\n"+someRoles), env())
		missing, ok := errors.AsType[*model.KeyError](err)
		if !ok || missing.Env != "DEEPSEEK_API_KEY" {
			t.Errorf("got %v, want the missing key", err)
		}
		if err != nil && strings.Count(err.Error(), "DEEPSEEK_API_KEY") != 1 {
			t.Errorf("the missing key is told more than once: %v", err)
		}
	})
	t.Run("no file", func(t *testing.T) {
		if _, err := leader.Load(filepath.Join(t.TempDir(), "team.yaml"), env()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want not-exist", err)
		}
	})
	t.Run("a folder of runs that cannot be made", func(t *testing.T) {
		l, err := leader.New(leader.Team{Model: leader.Model{Client: script}}, leader.WithRunDir("/dev/null/runs"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Start(t.Context(), "task"); err == nil {
			t.Error("a run started without its log")
		}
	})
	t.Run("a bad language", func(t *testing.T) {
		if _, err := leader.New(leader.Team{Model: leader.Model{Client: script}}, leader.WithLang("fr")); err == nil {
			t.Error("language fr was accepted")
		}
	})
	t.Run("every mistake of a team", func(t *testing.T) {
		_, err := leader.New(leader.Team{
			Limits: leader.Limits{Depth: 3},
			Roles: []leader.Role{
				{Name: "UI Operator", Tools: []string{"fly"}},
				{Name: "ui  operator", MayAsk: []string{"nobody"}},
				{Name: "Troupe"},
				{Name: "<x>"},
				{Name: "Helper", Code: "tl"},
			},
		})
		if err == nil {
			t.Fatal("accepted")
		}
		for _, want := range []string{"no model", "depth", "fly", "same name, id or code", "nobody", "kept for", "display name", "reserved"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("the error has no %q:\n%v", want, err)
			}
		}
	})
}

// TestKeysNeverReachTheLog hides the key of the team file's model wherever it
// turns up.
func TestKeysNeverReachTheLog(t *testing.T) {
	const key = "sk-very-secret-1234567890"
	l, err := leader.Load(teamFile(t, "version: 1\nmodel: deepseek/deepseek-chat\n"+someRoles),
		env("DEEPSEEK_API_KEY", key), leader.WithWorkDir(t.TempDir()), leader.WithRunDir(t.TempDir()),
		leader.WithClient("deepseek/deepseek-chat", leader.Model{Client: echo{}, Name: "own/echo"}), leader.WithSecrets(key))
	if err != nil {
		t.Fatal(err)
	}
	res, err := l.Do(t.Context(), "my key is "+key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(res.Log)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), key) || !strings.Contains(string(text), "[masked]") {
		t.Errorf("the log has the key:\n%s", text)
	}
	if strings.Contains(res.Answer, key) {
		t.Errorf("the model read the key: %q", res.Answer)
	}
}

// TestPermissionsOfATeamFile reads rules, and tells where one is wrong.
func TestPermissionsOfATeamFile(t *testing.T) {
	load := func(rules string) (*leader.Leader, error) {
		text := "version: 1\nmodel: scripted/survey\npermissions:\n" + rules + "roles: {a: {name: A, does: x}}\n"
		return leader.Load(teamFile(t, text), leader.WithWorkDir(t.TempDir()))
	}
	l, err := load("  deny: [write_file(.env)]\n  allow: [\"read_file(**)\"]\n  ask: [edit_file]\n  headless: suspend\n")
	if err != nil {
		t.Fatal(err)
	}
	want := leader.Permissions{
		Deny: []string{"write_file(.env)"}, Allow: []string{"read_file(**)"}, Ask: []string{"edit_file"}, Headless: leader.HeadlessSuspend,
	}
	if diff := cmp.Diff(want, l.Team().Permissions); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	_, err = load("  deny: [writ_file(.env), 'read_file(a[)', run_command(sudo *)]\n")
	for _, want := range []string{
		"team.yaml:4:10: permissions.deny[0]", `hint: did you mean "write_file"?`,
		"team.yaml:4:39: permissions.deny[1]", "permissions.deny[2]", `there is no tool "run_command"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
