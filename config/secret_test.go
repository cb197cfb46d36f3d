package config_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/config"
)

func TestKeysAreNeverShown(t *testing.T) {
	const key, plain, hex = "sk-abcdefghijklmnop1234", "AbCd0123EfGh4567IjKl8901", "0123456789abcdef0123456789abcdef"
	for _, text := range []string{
		"models: {a: {provider: openai, model: m, api_key_env: KEY}}",
		"models: {a: {provider: openai, model: m, api_key_env: 'two words KEY'}}",
		"models: {a: {provider: openai, model: m, api_key_env: {KEY: 1}}}",
		"models: {a: {provider: openai, model: m, api_key: KEY}}",
		"models: {a: {provider: openai, model: m, extra: [KEY]}}",
		"models:\n  a:\n    provider: openai\n    api_key:KEY\n",
		"models:\n  a:\n    api_key：KEY\n",
		"model: KEY", "name: [KEY]", "KEY: 1", "leader: {tools: KEY}", "roles: {a: {tools: [KEY]}}", "limits: {agents: KEY}",
		"name: ${KEY}", "name: \"KEY", "roles: {a: KEY}", "context: [KEY]", "base: http://me:KEY@host",
	} {
		for _, secret := range []string{key, plain, hex} {
			_, err := config.Parse("team.yaml", []byte(strings.ReplaceAll(text, "KEY", secret)), nil, known())
			if err == nil {
				t.Errorf("Parse(%s): no error, want one", text)
				continue
			}
			if said := err.Error(); strings.Contains(said, secret) || strings.Contains(said, secret[4:16]) {
				t.Errorf("Parse(%s) shows the key:\n%s", text, said)
			}
		}
	}
}
