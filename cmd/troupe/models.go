package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/render"
)

// modelsCommand is "troupe models": what could answer, and why.
type modelsCommand struct {
	*app
	file   string
	params []string
	json   bool
}

func (a *app) modelsCommand() *cobra.Command {
	m := &modelsCommand{app: a}
	list := func(cmd *cobra.Command, _ []string) error { return m.List(cmd.Context()) }
	models := &cobra.Command{Use: "models", RunE: list, Args: a.subcommand}
	ls := &cobra.Command{Use: "list", RunE: list, Args: a.args(0, 0)}
	for _, cmd := range []*cobra.Command{models, ls} {
		f := a.flags(cmd)
		f.text(&m.file, "file", "f")
		f.list(&m.params, "param", "p")
		f.flag(&m.json, "json", "")
	}
	a.below(models, ls, m.probeCommand())
	return models
}

// modelList is what was found, as JSON.
type modelList struct {
	Providers []providerFinding `json:"providers"`
	Local     []serverFinding   `json:"local"`
	File      string            `json:"file,omitempty"`
	Team      []modelFinding    `json:"team"`
}

type providerFinding struct {
	Name    string `json:"name"`
	BaseURL string `json:"base_url,omitempty"`
	KeyEnv  string `json:"key_env,omitempty"`
	KeyFrom string `json:"key_from,omitempty"` // environment or .env; empty when it is not set
	Local   bool   `json:"local,omitempty"`
	Usual   string `json:"usual_model,omitempty"` // taken when its key is the only one and no model is named
}

type serverFinding struct {
	Provider string   `json:"provider"`
	BaseURL  string   `json:"base_url"`
	Models   []string `json:"models"`
}

// List prints providers, local servers and the models of the team file.
func (m *modelsCommand) List(ctx context.Context) error {
	found := modelList{Team: []modelFinding{}, Local: []serverFinding{}}
	var err error
	if found.File, err = m.findTeam(m.file); err != nil {
		return err
	}
	s, err := m.readSettings(found.File)
	if err != nil {
		return err
	}
	if found.File != "" {
		params, err := m.parameters(m.params)
		if err != nil {
			return err
		}
		file, err := config.Load(found.File, leader.Known(s.lookup, params))
		if err != nil {
			return m.teamError(err)
		}
		found.Team = append(found.Team, modelsOf(file, s, "")...)
	}
	for _, p := range model.Providers() {
		found.Providers = append(found.Providers, providerFinding{
			p.Name, p.BaseURL, p.KeyEnv, s.origin(p.KeyEnv), p.Local, p.Usual,
		})
	}
	for _, f := range model.Local(ctx, s.lookup) {
		found.Local = append(found.Local, serverFinding(f))
	}
	if m.json {
		return writeJSON(m.Stdout, found)
	}
	_, err = io.WriteString(m.Stdout, m.text(found))
	return err
}

// text is the list for a person.
func (m *modelsCommand) text(found modelList) string {
	w := m.words
	answers := map[string]serverFinding{}
	for _, s := range found.Local {
		answers[s.Provider] = s
	}
	rows := [][]string{{w.colProvider, w.colKey, w.colFound, w.colAddress}}
	for _, p := range found.Providers {
		state, address := w.keyMissing, p.BaseURL
		switch {
		case p.Local && answers[p.Name].BaseURL != "":
			state, address = w.serverFound, answers[p.Name].BaseURL
		case p.Local:
			state = w.serverMissing
		case p.KeyFrom != "":
			state = w.origin(p.KeyFrom)
		case p.KeyEnv == "":
			state = "—"
		}
		rows = append(rows, []string{p.Name, orDash(p.KeyEnv), state, orDash(address)})
	}
	var b strings.Builder
	b.WriteString(table(rows, 0))
	for _, s := range found.Local {
		b.WriteString("\n" + s.Provider + "\n")
		for _, name := range s.Models {
			b.WriteString("  " + render.CleanLine(s.Provider+"/"+name) + "\n")
		}
	}
	if len(found.Team) > 0 {
		b.WriteString("\n" + found.File + "\n")
	}
	for _, t := range found.Team {
		b.WriteString("  " + t.text(w) + "\n")
	}
	return b.String()
}
