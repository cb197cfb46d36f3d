package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/render"
)

func (m *modelsCommand) probeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "probe [MODEL]", Args: m.args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.Probe(cmd.Context(), strings.Join(args, ""))
		},
	}
	f := m.flags(cmd)
	f.text(&m.file, "file", "f")
	f.list(&m.params, "param", "p")
	f.flag(&m.json, "json", "")
	return cmd
}

// probeFinding is what an endpoint answered, as JSON.
type probeFinding struct {
	Ref      string          `json:"ref"`
	BaseURL  string          `json:"base_url"`
	OK       bool            `json:"ok"` // a team can use it
	Checks   []checkedAnswer `json:"checks"`
	Profile  map[string]any  `json:"profile"`
	Learned  []learnedSwitch `json:"learned"`
	Tokens   int             `json:"tokens"`
	Problem  string          `json:"problem,omitempty"`
	switches string          // of the profile, for people
	write    string          // what the team file should say; empty if nothing
}

type checkedAnswer struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Detail   string `json:"detail,omitempty"`
	Duration int64  `json:"duration_ms"`
}

type learnedSwitch struct {
	Switch string `json:"switch"`
	Value  string `json:"value"`
	Why    string `json:"why"`
}

// Probe asks the endpoint of a model a few questions and prints what works. An
// empty ref is the model that a run would take.
func (m *modelsCommand) Probe(ctx context.Context, ref string) error {
	endpoint, info, err := m.endpoint(ctx, ref)
	if err != nil {
		return m.teamError(err)
	}
	report, probeErr := model.Probe(ctx, endpoint)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	found := findingOf(report, info, probeErr)
	if m.json {
		err = writeJSON(m.Stdout, found)
	} else {
		_, err = io.WriteString(m.Stdout, m.probeText(found))
	}
	return cmp.Or(m.probeError(probeErr), err)
}

// endpoint finds the endpoint to ask.
func (m *modelsCommand) endpoint(ctx context.Context, ref string) (model.Endpoint, model.Info, error) {
	var none model.Endpoint
	path, err := m.findTeam(m.file)
	if err != nil {
		return none, model.Info{}, err
	}
	s, err := m.readSettings(path)
	if err != nil {
		return none, model.Info{}, err
	}
	file := &config.Team{}
	if path != "" {
		params, err := m.parameters(m.params)
		if err != nil {
			return none, model.Info{}, err
		}
		if file, err = config.Load(path, leader.Known(s.lookup, params)); err != nil {
			return none, model.Info{}, err
		}
	}
	if ref = cmp.Or(ref, file.Leader.Model, file.Model, modelByName(s)); ref == "" {
		taken, err := m.choose(ctx, s)
		if err != nil {
			return none, model.Info{}, err
		}
		ref = taken.ref
	}
	spec, err := leader.ModelSpec(file, ref)
	if err != nil {
		return none, model.Info{}, err
	}
	if spec.Provider == "scripted" {
		return none, model.Info{}, usageError(fmt.Sprintf(m.words.probeScript, ref), "")
	}
	return model.Resolve(spec, s.lookup)
}

// modelByName is the model that OPENAI_MODEL names; empty if it names none.
func modelByName(s settings) string {
	name, _ := s.lookup("OPENAI_MODEL")
	if name != "" && !strings.Contains(name, "/") {
		name = "openai/" + name
	}
	return name
}

// findingOf puts a report into the words of the JSON.
func findingOf(r model.ProbeReport, info model.Info, err error) probeFinding {
	found := probeFinding{
		Ref: info.Ref, BaseURL: info.BaseURL, OK: err == nil, Tokens: r.Usage.Total(), switches: r.Found.String(),
		Checks: []checkedAnswer{}, Learned: []learnedSwitch{}, Profile: map[string]any{},
	}
	if err != nil {
		found.Problem = model.AsFailure(err).String()
	}
	for _, c := range r.Checks {
		found.Checks = append(found.Checks, checkedAnswer{c.Name, c.OK, c.Detail, c.Took.Milliseconds()})
	}
	for _, s := range r.Found.Switches() {
		found.Profile[s.Name] = s.Value
	}
	for _, l := range r.Learned {
		found.Learned = append(found.Learned, learnedSwitch{l.Switch, l.Value, l.Why})
	}
	if r.Found != r.Family {
		found.write = r.Found.Text(r.Family)
	}
	return found
}

// probeText is the finding for a person.
func (m *modelsCommand) probeText(f probeFinding) string {
	w := m.words
	rows := [][]string{{w.colCheck, w.colResult, w.colDetail}}
	for _, c := range f.Checks {
		result := w.probeFails
		if c.OK {
			result = w.probeWorks
		}
		detail := render.CleanLine(c.Detail)
		if c.Duration > 0 {
			took := time.Duration(c.Duration) * time.Millisecond
			detail = strings.TrimSpace(detail + "  " + took.String())
		}
		rows = append(rows, []string{c.Name, result, detail})
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s  %s\n\n%s", render.CleanLine(f.Ref), f.BaseURL, table(rows, 0))
	profile := f.switches
	if profile == "{}" {
		profile = w.probeUsual
	}
	line(w.probeProfile, profile)
	for _, l := range f.Learned {
		line(w.probeLearned, l.Switch, l.Value, render.CleanLine(l.Why))
	}
	if f.write != "" {
		line(w.probeWrite, f.write)
	}
	if f.Tokens > 0 {
		line(w.probeTokens, f.Tokens)
	}
	return b.String()
}

// probeError gives the error of an endpoint that cannot be used its exit code.
func (m *modelsCommand) probeError(err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	return &failure{code: exitCode(&leader.Error{Failure: e.Failure()}), text: e.Message, hint: e.Hint, err: err}
}
