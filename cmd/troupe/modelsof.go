package main

import (
	"cmp"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/render"
)

// modelFinding is one model that a team names, and whether it can be used as
// far as one can tell without a call.
type modelFinding struct {
	Ref      string `json:"ref"`                // provider/model
	Who      string `json:"used_by"`            // the leader or role ids that use it
	BaseURL  string `json:"base_url,omitempty"` // where it is reached
	KeyEnv   string `json:"key_env,omitempty"`  // the variable of its key
	KeyFrom  string `json:"key_from,omitempty"` // environment or .env
	Scripted bool   `json:"scripted,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

// text is the finding in one line.
func (m modelFinding) text(w *words) string {
	parts := []string{render.CleanLine(m.Ref), m.Who}
	switch {
	case m.Scripted:
		parts = append(parts, w.scripted)
	case m.KeyEnv != "":
		parts = append(parts, m.KeyEnv+" ("+w.origin(m.KeyFrom)+")")
	}
	if m.BaseURL != "" {
		parts = append(parts, m.BaseURL)
	}
	if m.Problem != "" {
		parts = append(parts, render.CleanLine(m.Problem))
	}
	return strings.Join(parts, "  ")
}

// modelsOf lists the models that a team file names, each once, in the order
// leader, roles. over is a model that replaces them all.
func modelsOf(file *config.Team, s settings, over string) []modelFinding {
	var found []modelFinding
	use := func(who string, refs ...string) {
		ref := cmp.Or(append([]string{over}, refs...)...)
		if ref == "" {
			return
		}
		m := resolveModel(file, s, ref)
		for i := range found {
			if found[i].Ref == m.Ref && found[i].KeyEnv == m.KeyEnv {
				found[i].Who += " " + who
				return
			}
		}
		m.Who = who
		found = append(found, m)
	}
	byName, _ := s.lookup("OPENAI_MODEL")
	if byName != "" && !strings.Contains(byName, "/") {
		byName = "openai/" + byName
	}
	use(event.Leader, file.Leader.Model, file.Model, byName)
	for _, r := range file.Roles {
		if r.Remote.Kind != "" {
			continue
		}
		use(r.ID, r.Model, file.Model, byName)
	}
	return found
}

// resolveModel finds address and key of one reference of a team file.
func resolveModel(file *config.Team, s settings, ref string) modelFinding {
	m := modelFinding{Ref: ref}
	if alias, ok := file.ModelAliases[ref]; ok {
		ref = alias
	}
	entry, ok := file.Models[ref]
	if !ok {
		provider, name, err := model.ParseRef(ref)
		if err != nil {
			m.Problem = unpackaged(err)
			return m
		}
		entry = config.Model{Provider: provider, Model: name}
	}
	m.Ref = entry.Provider + "/" + entry.Model
	_, info, err := model.Open(model.Spec{
		Provider: entry.Provider, Model: entry.Model, BaseURL: entry.BaseURL, KeyEnv: entry.APIKeyEnv,
	}, s.lookup)
	if err != nil {
		m.Problem = unpackaged(err)
		return m
	}
	m.BaseURL, m.KeyEnv, m.Scripted = info.BaseURL, info.KeyEnv, info.Scripted
	m.KeyFrom = s.origin(info.KeyEnv)
	return m
}
