package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/model"
)

// choice is a model that nobody named.
type choice struct {
	ref string // provider/model
	why string // the key or the server that it was found by
}

// keysFound lists the providers whose key is set.
func keysFound(s settings) []model.Provider {
	var found []model.Provider
	for _, p := range model.Providers() {
		if p.KeyEnv != "" && s.origin(p.KeyEnv) != "" {
			found = append(found, p)
		}
	}
	return found
}

// choose finds a model for a team that names none: by the one key that is
// set, else by the first local server that lists a model.
func (a *app) choose(ctx context.Context, s settings) (choice, error) {
	keys := keysFound(s)
	switch {
	case len(keys) > 1:
		var names []string
		for _, p := range keys {
			names = append(names, p.KeyEnv)
		}
		return choice{}, &failure{
			code: exitNoModel, text: fmt.Sprintf(a.words.manyKeys, strings.Join(names, ", ")), hint: a.words.nameModel,
		}
	case len(keys) == 1:
		return a.usual(keys[0], s)
	}
	for _, server := range model.Local(ctx, s.lookup) {
		if name := chatModel(server.Models); name != "" {
			return choice{server.Provider + "/" + name, server.BaseURL}, nil
		}
	}
	if err := context.Cause(ctx); err != nil {
		return choice{}, err
	}
	return choice{}, &failure{code: exitNoModel, text: a.words.noModel, hint: a.words.noModelHint + "\n" + a.words.demoHint}
}

// usual is the usual model of the provider whose key is set.
func (a *app) usual(p model.Provider, s settings) (choice, error) {
	elsewhere := p.Name == "openai" && s.origin("OPENAI_BASE_URL") != ""
	if p.Usual == "" || elsewhere {
		return choice{}, &failure{code: exitNoModel, text: fmt.Sprintf(a.words.noUsual, p.KeyEnv), hint: a.words.nameModel}
	}
	return choice{p.Name + "/" + p.Usual, fmt.Sprintf("%s (%s)", p.KeyEnv, s.origin(p.KeyEnv))}, nil
}

// chatModel is the first model of a server that is not made for something
// else than talking.
func chatModel(names []string) string {
	for _, name := range names {
		if !strings.Contains(name, "embed") && !strings.Contains(name, "rerank") {
			return name
		}
	}
	return ""
}
