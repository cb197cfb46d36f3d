package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// costCommand is "troupe runs cost": what runs took, by agent and by model.
type costCommand struct {
	*app
	runDir string
	json   bool
}

func (a *app) runsCostCommand() *cobra.Command {
	c := &costCommand{app: a}
	cmd := &cobra.Command{
		Use: "cost [RUN…]", Args: cobra.ArbitraryArgs, ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return c.Run(cmd.Context(), args) },
	}
	f := a.flags(cmd)
	f.text(&c.runDir, "run-dir", "")
	f.flag(&c.json, "json", "")
	return cmd
}

// bill is what some runs took.
type bill struct {
	Runs   []string    `json:"runs"`
	Agents []*expenses `json:"agents"`
	Models []*expenses `json:"models"`
	Total  expenses    `json:"total"`
}

// expenses are those of one agent, one model, or all.
type expenses struct {
	ID    string       `json:"id,omitempty"` // of the agent, or the model's name
	Name  string       `json:"name,omitempty"`
	Calls int          `json:"calls"`
	Usage event.Usage  `json:"usage"`
	Cost  []event.Cost `json:"cost"` // one a currency; empty: no price is known
	// Unpriced are calls with tokens but without a price, so Cost lacks them.
	Unpriced int `json:"unpriced_calls,omitempty"`
}

// add counts one call.
func (e *expenses) add(u event.Usage, c *event.Cost) {
	e.Calls++
	e.Usage = e.Usage.Add(u)
	switch {
	case c == nil || c.Currency == "":
		if u.Total() > 0 {
			e.Unpriced++
		}
		return
	}
	i := slices.IndexFunc(e.Cost, func(have event.Cost) bool { return have.Currency == c.Currency })
	if i < 0 {
		e.Cost = append(e.Cost, event.Cost{Currency: c.Currency})
		i = len(e.Cost) - 1
	}
	e.Cost[i].Amount += c.Amount
}

// Run prints the bill of the runs that args name, or of all.
func (c *costCommand) Run(ctx context.Context, args []string) error {
	runs, err := c.runsNamed(c.runDir, args)
	if err != nil {
		return err
	}
	b := &bill{Runs: []string{}, Agents: []*expenses{}, Models: []*expenses{}, Total: expenses{Cost: []event.Cost{}}}
	var unread error
	for _, run := range runs {
		if err := b.addRun(ctx, run); err != nil {
			if len(args) > 0 || ctx.Err() != nil {
				return err
			}
			c.warn(render.CleanLine(unpackaged(err)))
			unread = &failure{code: exitFailed, err: err} // it was told
		}
	}
	if c.json {
		err = writeJSON(c.Stdout, b)
	} else {
		_, err = io.WriteString(c.Stdout, c.text(b))
	}
	return errors.Join(err, unread)
}

// runsNamed finds the runs that args name, each once, or all when they name
// none.
func (a *app) runsNamed(runDir string, args []string) ([]transcript.Run, error) {
	dir, err := a.runsFolder(runDir)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return transcript.Runs(dir)
	}
	var runs []transcript.Run
	for _, ref := range args {
		run, err := transcript.Find(dir, ref)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(runs, func(have transcript.Run) bool { return have.Path == run.Path }) {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// addRun adds what the log of a run says, as far as it can be read.
func (b *bill) addRun(ctx context.Context, run transcript.Run) error {
	b.Runs = append(b.Runs, run.ID)
	agents, models := map[string]*expenses{}, map[string]*expenses{}
	for rec, err := range transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{}) {
		if err != nil {
			return err
		}
		switch d := rec.Data.(type) {
		case event.AgentCreated:
			agents[rec.Agent] = entryOf(&b.Agents, rec.Agent, d.Name)
			models[rec.Agent] = entryOf(&b.Models, d.Model, "")
		case event.ModelRequested:
			models[rec.Agent] = entryOf(&b.Models, d.Model, "")
		case event.ModelReplied:
			b.add(agents[rec.Agent], models[rec.Agent], d.Usage, d.Cost)
		case event.ModelFailed:
			b.add(agents[rec.Agent], models[rec.Agent], d.Usage, d.Cost)
		default: // costs nothing
		}
	}
	return nil
}

// add counts one call for all whom it concerns; an agent or a model whose
// record was lost is nil.
func (b *bill) add(agent, model *expenses, u event.Usage, c *event.Cost) {
	for _, e := range []*expenses{agent, model, &b.Total} {
		if e != nil {
			e.add(u, c)
		}
	}
}

// entryOf is the entry of list for an agent or a model, a new one if need be.
func entryOf(list *[]*expenses, id, name string) *expenses {
	for _, e := range *list {
		if e.ID == id && e.Name == name {
			return e
		}
	}
	e := &expenses{ID: id, Name: name, Cost: []event.Cost{}}
	*list = append(*list, e)
	return e
}

// text is the bill for a person.
func (c *costCommand) text(b *bill) string {
	w := c.words
	head := []string{w.colCalls, w.colInput, w.colCached, w.colOutput, w.colCost}
	agents := [][]string{append([]string{w.colAgent, w.colName}, head...)}
	for _, e := range b.Agents {
		agents = append(agents, append([]string{render.CleanLine(e.ID), render.CleanLine(e.Name)}, cellsOf(e)...))
	}
	models := [][]string{append([]string{w.colModel}, head...)}
	for _, e := range b.Models {
		models = append(models, append([]string{render.CleanLine(e.ID)}, cellsOf(e)...))
	}
	total := [][]string{
		append([]string{w.colTotal}, head...),
		append([]string{fmt.Sprintf(w.runsCounted, len(b.Runs))}, cellsOf(&b.Total)...),
	}
	return table(agents, 0) + "\n" + table(models, 0) + "\n" + table(total, 0)
}

// cellsOf are the figures of one row. What is estimated has a tilde before it;
// a dash stands where nothing is known.
func cellsOf(e *expenses) []string {
	about := ""
	if e.Usage.Estimated {
		about = "~"
	}
	count := func(n int) string {
		if e.Usage.Total() == 0 {
			return "—"
		}
		return about + strconv.Itoa(n)
	}
	var costs []string
	for _, c := range e.Cost {
		costs = append(costs, costText(&c, e.Usage.Estimated))
	}
	if e.Unpriced > 0 || len(costs) == 0 {
		costs = append(costs, "—")
	}
	return []string{
		strconv.Itoa(e.Calls), count(e.Usage.Input), count(e.Usage.CachedInput), count(e.Usage.Output), strings.Join(costs, " + "),
	}
}
