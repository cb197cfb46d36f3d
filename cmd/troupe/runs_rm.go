package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// rmCommand is "troupe runs rm": remove runs for good.
type rmCommand struct {
	*app
	cmd       *cobra.Command
	runDir    string
	olderThan string
	yes       bool
}

func (a *app) runsRmCommand() *cobra.Command {
	r := &rmCommand{app: a}
	r.cmd = &cobra.Command{
		Use: "rm RUN…", Args: cobra.ArbitraryArgs, ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return r.Run(cmd.Context(), args) },
	}
	f := a.flags(r.cmd)
	f.text(&r.runDir, "run-dir", "")
	f.text(&r.olderThan, "older-than", "")
	f.flag(&r.yes, "yes", "")
	return r.cmd
}

// Run removes the runs that args name, or those that ended long ago, when the
// person agrees.
func (r *rmCommand) Run(ctx context.Context, args []string) error {
	runs, err := r.chosen(args)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if err := r.isInFolder(run); err != nil {
			return err
		}
		if run.Status == transcript.StatusRunning {
			return usageError(fmt.Sprintf(r.words.rmLive, run.ID), "troupe replay "+run.ID)
		}
	}
	if len(runs) == 0 {
		r.say(r.words.rmNone)
		return nil
	}
	agreed, err := r.agreed(ctx, runs)
	if err != nil {
		return err
	}
	if !agreed {
		r.say(r.words.rmKept)
		return nil
	}
	for _, run := range runs {
		if err := transcript.Remove(run.Dir); err != nil {
			return err
		}
		r.say(fmt.Sprintf(r.words.rmDone, run.ID))
	}
	return nil
}

// chosen are the runs to remove.
func (r *rmCommand) chosen(args []string) ([]transcript.Run, error) {
	switch {
	case r.olderThan == "" && len(args) == 0:
		return nil, usageError(fmt.Sprintf(r.words.missingArgument, r.cmd.CommandPath()), "troupe runs rm RUN…\ntroupe runs rm --older-than 30d")
	case r.olderThan == "":
		return r.runsNamed(r.runDir, args)
	case len(args) > 0:
		return nil, usageError(fmt.Sprintf(r.words.extraArgument, r.cmd.CommandPath(), args[0]), "troupe runs rm --older-than "+r.olderThan)
	}
	age, ok := config.ParseAge(r.olderThan)
	if !ok {
		return nil, usageError(fmt.Sprintf(r.words.badValue, "older-than", r.olderThan, "30d, 12h, …"), "")
	}
	dir, err := r.runsFolder(r.runDir)
	if err != nil {
		return nil, err
	}
	old, err := transcript.Old(dir, r.Now().Add(-age))
	if err != nil {
		return nil, err
	}
	ended, open := split(old)
	if len(open) > 0 {
		r.say(fmt.Sprintf(r.words.rmResumable, ids(open)))
	}
	return ended, nil
}

// split tells runs that ended from those that can go on or may be repaired.
func split(runs []transcript.Run) (ended, open []transcript.Run) {
	for _, run := range runs {
		if run.Status == transcript.StatusFinished || run.Status == transcript.StatusFailed {
			ended = append(ended, run)
		} else {
			open = append(open, run)
		}
	}
	return ended, open
}

// ids lists the ids of runs.
func ids(runs []transcript.Run) string {
	list := make([]string, len(runs))
	for i, run := range runs {
		list[i] = run.ID
	}
	if len(list) > shownLines {
		list = append(list[:shownLines], "…")
	}
	return strings.Join(list, ", ")
}

// agreed shows what would be removed and asks, unless --yes did. When nobody
// can be asked, nothing is removed.
func (r *rmCommand) agreed(ctx context.Context, runs []transcript.Run) (bool, error) {
	if r.yes {
		return true, nil
	}
	rows := [][]string{}
	for _, run := range runs {
		rows = append(rows, []string{
			"  " + run.ID, run.Started.Local().Format("2006-01-02 15:04"), r.words.status(run.Status),
			render.Cut(render.CleanLine(firstLine(run.Task)), 60, 1),
		})
	}
	_, _ = io.WriteString(r.Stderr, table(rows, 0))
	if !r.interactive() {
		return false, usageError(r.words.rmNeedsYes, "--yes")
	}
	_, _ = io.WriteString(r.Stderr, r.words.rmAsk+" ")
	answer, err := readLine(ctx, r.Stdin)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil && strings.TrimSpace(answer) != "" && isYes(answer), err
}

// retain removes runs of the team that ended longer ago than its file wants to
// keep them, and says so in one line. Runs that can go on are kept.
func (a *app) retain(t *team, quiet bool) {
	keep := t.config.Transcript.Keep
	if keep <= 0 {
		return
	}
	old, err := transcript.Old(t.runs, a.Now().Add(-keep))
	old = slices.DeleteFunc(old, func(run transcript.Run) bool { return run.Team != t.leader.Team().Name })
	ended, open := split(old)
	for i, run := range ended {
		if err = transcript.Remove(run.Dir); err != nil {
			ended = ended[:i]
			break
		}
	}
	if err != nil { // never a reason not to work
		a.warn(render.CleanLine(unpackaged(err)))
	}
	var parts []string
	if len(ended) > 0 {
		parts = append(parts, fmt.Sprintf(a.words.keptRemoved, ageText(keep), ids(ended)))
	}
	if len(open) > 0 {
		parts = append(parts, fmt.Sprintf(a.words.rmResumable, ids(open)))
	}
	if len(parts) > 0 && !quiet {
		a.say(strings.Join(parts, "  "))
	}
}

// ageText is an age as the team file has it.
func ageText(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}
