package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
)

// checkCommand is "troupe check": everything that a run would need, resolved
// and validated, without a call of any model.
type checkCommand struct {
	*app
	cmd *cobra.Command
	teamFlags
	json bool
}

func (a *app) checkCommand() *cobra.Command {
	c := &checkCommand{app: a}
	c.cmd = &cobra.Command{
		Use: "check", Args: a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.Run(cmd.Context()) },
	}
	f := a.flags(c.cmd)
	f.text(&c.file, "file", "f")
	f.text(&c.model, "model", "m")
	f.list(&c.params, "param", "p")
	f.text(&c.runDir, "run-dir", "")
	f.text(&c.workDir, "workdir", "")
	f.flag(&c.json, "json", "")
	return c.cmd
}

// Run checks the team file and prints what it found.
func (c *checkCommand) Run(ctx context.Context) error {
	file, err := c.findTeam(c.file)
	if err != nil {
		return err
	}
	if file == "" {
		return usageError(c.words.noTeamFile, "troupe init")
	}
	t := &team{file: file}
	if t.settings, err = c.readSettings(file); err != nil {
		return err
	}
	if err := c.fromVariables(c.cmd, t.settings.fromFile, "file", "workdir"); err != nil {
		return err
	}
	opts, err := c.teamOptions(&c.teamFlags, t)
	if err != nil {
		return c.checkErrors(err)
	}
	l, loadErr := c.teamFrom(ctx, t, opts)
	found := c.finding(t, l)
	if err := c.print(found, t); err != nil {
		return err
	}
	return c.teamError(loadErr)
}

// finding is what check found, as JSON.
type finding struct {
	File     string          `json:"file"`
	Name     string          `json:"name,omitempty"`
	WorkDir  string          `json:"-"`
	Runs     string          `json:"runs"`
	OK       bool            `json:"ok"`
	Models   []modelFinding  `json:"models"`
	Roles    []roleFinding   `json:"roles"`
	Limits   *limitFinding   `json:"limits,omitempty"`
	Warnings []warnedFinding `json:"warnings"`
	Taken    string          `json:"model_taken,omitempty"`
}

type roleFinding struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Does  string   `json:"does,omitempty"`
	Model string   `json:"model,omitempty"`
	Tools []string `json:"tools"`
	// Remote is where the role runs elsewhere.
	Remote string `json:"remote,omitempty"`
}

// limitFinding is leader.Limits with durations as people write them; -1 is
// unlimited.
type limitFinding struct {
	leader.Limits
	Deadline    string `json:"deadline"`
	AskTimeout  string `json:"ask_timeout"`
	ToolTimeout string `json:"tool_timeout"`
}

type warnedFinding struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// finding puts together what the file says and what the team became; l is nil
// when it could not be made.
func (c *checkCommand) finding(t *team, l *leader.Leader) finding {
	read := t.config
	f := finding{
		File: t.file, Name: read.Name, Runs: t.runs, OK: l != nil, Taken: t.taken, Roles: []roleFinding{},
		Models: modelsOf(read, t.settings, c.model), Warnings: []warnedFinding{},
	}
	for _, w := range read.Warnings {
		f.Warnings = append(f.Warnings, warnedFinding{w.File, w.Line, w.Message, w.Hint})
	}
	if l == nil {
		for _, r := range read.Roles {
			found := roleFinding{ID: r.ID, Name: r.Name, Does: r.Does, Tools: r.Tools, Remote: placeText(leader.PlaceOf(r.Remote).Plain())}
			if found.Remote == "" {
				found.Model = cmp.Or(c.model, r.Model, read.Model)
			}
			f.Roles = append(f.Roles, found)
		}
		return f
	}
	for _, w := range l.Warnings() {
		f.Warnings = append(f.Warnings, warnedFinding{File: t.file, Message: w.Text})
	}
	resolved := l.Team()
	for _, r := range resolved.Roles {
		f.Roles = append(f.Roles, roleFinding{r.ID, r.Name, r.Does, r.Model.Name, r.Tools, placeText(r.Place)})
	}
	f.Limits = &limitFinding{
		Limits: resolved.Limits, Deadline: bound(resolved.Limits.Deadline),
		AskTimeout: bound(resolved.Limits.AskTimeout), ToolTimeout: bound(resolved.Limits.ToolTimeout),
	}
	if len(f.Models) == 0 {
		f.Models = []modelFinding{{Ref: resolved.Leader.Model.Name, Who: event.Leader}}
	}
	return f
}

// bound is a limit of time as people write it.
func bound(d time.Duration) string {
	if d < 0 {
		return string(config.Unlimited)
	}
	return d.String()
}

// print writes the finding to stdout.
func (c *checkCommand) print(f finding, t *team) error {
	if c.json {
		return writeJSON(c.Stdout, f)
	}
	_, err := io.WriteString(c.Stdout, c.text(f, t))
	return err
}

// text is the finding for a person.
func (c *checkCommand) text(f finding, t *team) string {
	w := c.words
	rows := [][]string{
		{w.colTeam, cmp.Or(render.CleanLine(f.Name), "—") + "  " + f.File},
		{w.colRuns, f.Runs},
	}
	for i, m := range f.Models {
		label := ""
		if i == 0 {
			label = w.colModel
		}
		rows = append(rows, []string{label, m.text(w)})
	}
	if f.Taken != "" {
		rows = append(rows, []string{"", f.Taken})
	}
	var b strings.Builder
	b.WriteString(table(rows, 0) + "\n")
	roles := [][]string{{w.colRole, w.colName, w.colModel, w.colTools}}
	for _, r := range f.Roles {
		row := []string{r.ID, render.CleanLine(r.Name), orDash(r.Model), toolsText(w, r.Tools)}
		if r.Remote != "" {
			row[2], row[3] = render.CleanLine(r.Remote), w.ownTools
		}
		roles = append(roles, row)
	}
	b.WriteString(table(roles, 0))
	if f.Limits != nil {
		b.WriteString("\n" + w.colLimits + "  " + limitsText(f.Limits) + "\n")
	}
	for _, p := range t.config.Warnings {
		b.WriteString("\n" + w.warning + " " + render.Clean(p.String()) + "\n")
	}
	for _, p := range f.Warnings {
		if p.Line == 0 { // about the team, not about a place in its files
			b.WriteString("\n" + w.warning + " " + render.Clean(p.Message) + "\n")
		}
	}
	if f.OK {
		b.WriteString("\n" + w.checkOK + "\n")
	}
	return b.String()
}

// placeText is where a role runs elsewhere; empty for here.
func placeText(p leader.Place) string {
	if p.Kind == "" {
		return ""
	}
	return p.String()
}

func toolsText(w *words, tools []string) string {
	if tools == nil {
		return w.defaultTools
	}
	return orDash(strings.Join(tools, " "))
}

// limitsText lists the limits by the names of the team file.
func limitsText(l *limitFinding) string {
	number := func(n int) string {
		if n < 0 {
			return string(config.Unlimited)
		}
		return strconv.Itoa(n)
	}
	budget := "—"
	if l.Budget > 0 {
		budget = strconv.FormatFloat(l.Budget, 'f', -1, 64)
	}
	return fmt.Sprintf("agents %s  spawns %s  max_steps %s  steps %s  tokens %s  budget %s  deadline %s  "+
		"parallel %s  inbox %s  ask_timeout %s  tool_timeout %s",
		number(l.Agents), number(l.Spawns), number(l.MaxSteps), number(l.Steps), number(l.Tokens), budget, l.Deadline,
		number(l.Parallel), number(l.Inbox), l.AskTimeout, l.ToolTimeout)
}

// checkErrors are the mistakes of a file as JSON, for check --json.
func (c *checkCommand) checkErrors(err error) error {
	e, ok := errors.AsType[*config.Error](err)
	if !ok || !c.json {
		return err
	}
	type mistake struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Path    string `json:"path,omitempty"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}
	out := struct {
		OK     bool      `json:"ok"`
		Errors []mistake `json:"errors"`
	}{}
	for _, p := range e.Problems {
		out.Errors = append(out.Errors, mistake{p.File, p.Line, p.Column, p.Path, p.Message, p.Hint})
	}
	text, jsonErr := json.Marshal(out)
	if jsonErr != nil {
		return jsonErr
	}
	_, _ = c.Stdout.Write(append(text, '\n'))
	return err
}
