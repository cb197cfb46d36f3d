package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// diffCommand is "troupe diff": where two runs first went apart, per agent,
// and what it cost.
type diffCommand struct {
	*app
	runDir  string
	only    []string
	context int
	json    bool
}

func (a *app) diffCommand() *cobra.Command {
	d := &diffCommand{app: a}
	cmd := &cobra.Command{
		Use: "diff A B", Args: a.args(2, 2), ValidArgsFunction: a.completeTwoRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return d.Run(cmd.Context(), cmd, args) },
	}
	f := a.flags(cmd)
	f.list(&d.only, "only", "")
	f.number(&d.context, "context")
	f.flag(&d.json, "json", "")
	f.text(&d.runDir, "run-dir", "")
	return cmd
}

// completeTwoRuns completes the first and the second run.
func (a *app) completeTwoRuns(cmd *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.completeRuns(cmd, nil, start)
}

// Run compares the runs that args name. Different runs are exit code 1.
func (d *diffCommand) Run(ctx context.Context, cmd *cobra.Command, args []string) error {
	lines := d.context
	switch {
	case lines < 0:
		return usageError(fmt.Sprintf(d.words.badSample, "context", fmt.Sprint(lines), "0, 3"), "")
	case lines == 0 && cmd.Flags().Changed("context"):
		lines = -1 // none
	}
	dir, err := d.runsFolder(d.runDir)
	if err != nil {
		return err
	}
	var runs [2]transcript.Run
	for i, ref := range args {
		if runs[i], err = transcript.Find(dir, ref); err != nil {
			return err
		}
		if _, _, err = transcript.Header(runs[i].Path); err != nil { // nothing to compare
			return err
		}
	}
	mask, err := d.mask()
	if err != nil {
		return err
	}
	open := func(run transcript.Run) replay.Recording {
		return func() iter.Seq2[event.Record, error] {
			return mask.Records(recording{run: run}.records(ctx, followNever))
		}
	}
	found, err := replay.Diff(open(runs[0]), open(runs[1]), replay.DiffOptions{Context: lines})
	if err != nil {
		return err
	}
	if err := d.restrict(&found); err != nil {
		return err
	}
	d.notices(found, runs)
	if d.json {
		err = writeJSON(d.Stdout, found)
	} else {
		err = d.write(found, runs)
	}
	if err == nil && !found.Equal {
		return &failure{code: exitFailed}
	}
	return err
}

// restrict leaves the agents that --only names. The runs are then equal if
// these are.
func (d *diffCommand) restrict(found *replay.Difference) error {
	only := listed(d.only)
	if len(only) == 0 {
		return nil
	}
	for _, who := range only {
		if !slices.ContainsFunc(found.Agents, func(a replay.AgentDiff) bool { return isMeant(a, who) }) {
			var ids []string
			for _, a := range found.Agents {
				ids = append(ids, a.ID())
			}
			return usageError(fmt.Sprintf(d.words.noAgent, who), fmt.Sprintf(d.words.agentsAre, strings.Join(ids, ", ")))
		}
	}
	found.Agents = slices.DeleteFunc(found.Agents, func(a replay.AgentDiff) bool {
		return !slices.ContainsFunc(only, func(who string) bool { return isMeant(a, who) })
	})
	found.Equal = !slices.ContainsFunc(found.Agents, func(a replay.AgentDiff) bool { return a.Divergence != nil })
	return nil
}

// isMeant reports whether an agent is named by its id in either run, by its
// role's code, or by its display name.
func isMeant(a replay.AgentDiff, who string) bool {
	if strings.EqualFold(who, a.Name) {
		return true
	}
	for _, id := range []string{a.A, a.B} {
		code, _, _ := strings.Cut(id, "_")
		if id != "" && (who == id || who == code) {
			return true
		}
	}
	return false
}

// notices says on stderr what the comparison could not see.
func (d *diffCommand) notices(found replay.Difference, runs [2]transcript.Run) {
	w := d.words
	for i, side := range []replay.RunSide{found.A, found.B} {
		name := sides[i]
		switch {
		case side.Damage != "":
			d.say(w.warning + " " + fmt.Sprintf(w.diffDamaged, name, side.Records, render.CleanLine(side.Damage)))
		case side.End == "":
			d.say(w.warning + " " + fmt.Sprintf(w.diffNoEnd, name, w.status(runs[i].Status), side.Records))
		}
	}
	if a, b := found.A.Program, found.B.Program; a != b {
		d.say(w.warning + " " + fmt.Sprintf(w.diffPrograms, render.CleanLine(a), render.CleanLine(b)))
	}
	if found.Equal {
		d.say(fmt.Sprintf(w.diffEqual, len(found.Agents)))
	}
}

// write prints the difference for a person.
func (d *diffCommand) write(found replay.Difference, runs [2]transcript.Run) error {
	if found.Equal {
		return nil
	}
	p := diffPrinter{
		words: d.words, width: d.width(d.Stdout, render.Lines),
		paint: func(s render.Style, text string) string { return d.paint(d.Stdout, s, text) },
	}
	_, err := io.WriteString(d.Stdout, p.text(found, [2]string{runs[0].Status, runs[1].Status}))
	return err
}
