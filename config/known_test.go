package config_test

import (
	"errors"
	"strings"

	"github.com/troupe-go/troupe/config"
)

// known is what a program with a few tools and providers knows.
func known() config.Known {
	env := map[string]string{"QUEUE": "redis://:pass@queue:6379/1", "HOUSE_URL": "https://house.example.invalid/v1", "EMPTY": "", "AGENTS": "7", "SECRET": "hunter2-hunter2"}
	return config.Known{
		Tools:        []string{"read_file", "write_file", "edit_file", "list_dir", "search_files", "run_command"},
		LeaderTools:  []string{"read_file", "list_dir", "search_files", "ask_user"},
		Providers:    []string{"openai", "deepseek", "ollama", "openai-compatible", "scripted"},
		BuiltinRoles: []string{"researcher"},
		Models: func(ref string) error {
			if strings.HasSuffix(ref, "/nope") {
				return errors.New("model nope is not served by the provider")
			}
			return nil
		},
		Rule: func(rule string) *config.RuleFault {
			if at := strings.Index(rule, "["); at >= 0 {
				return &config.RuleFault{At: at, Message: "the pattern is not closed", Hint: "close it"}
			}
			if !strings.Contains(rule, "_") {
				return &config.RuleFault{Message: "there is no such tool"}
			}
			return nil
		},
		LookupEnv: func(name string) (string, bool) {
			v, ok := env[name]
			return v, ok
		},
	}
}
