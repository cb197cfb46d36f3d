package model

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/internal/nearest"
)

// ParseRef splits a reference such as "deepseek/deepseek-chat" at its first
// slash. It fails for an unknown provider, with the nearest known one, and for
// a reference without a model.
func ParseRef(ref string) (provider, model string, err error) {
	provider, model, ok := strings.Cut(strings.TrimSpace(ref), "/")
	if _, known := FindProvider(provider); known {
		if model == "" {
			return "", "", fmt.Errorf("model: reference %q names no model; write %s/MODEL", ref, provider)
		}
		return provider, model, nil
	}
	if !ok {
		return "", "", fmt.Errorf("model: reference %q names no provider; write PROVIDER/MODEL, for example deepseek/deepseek-chat", ref)
	}
	return "", "", unknownProvider(provider)
}

func unknownProvider(name string) error {
	var known []string
	for _, p := range Providers() {
		known = append(known, p.Name)
	}
	if near := nearest.Of(name, known); near != "" {
		return fmt.Errorf("model: unknown provider %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("model: unknown provider %q; known are %s", name, strings.Join(known, ", "))
}
