package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/nearest"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// answerCommand is "troupe answer": what a person says to a run that waits.
type answerCommand struct {
	*app
	runDir string
}

func (a *app) answerCommand() *cobra.Command {
	r := &answerCommand{app: a}
	cmd := &cobra.Command{
		Use: "answer RUN ID TEXT…", Args: a.args(2, maxWords), ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return r.Run(cmd.Context(), args[0], args[1], args[2:]) },
	}
	f := a.flags(cmd)
	f.text(&r.runDir, "run-dir", "")
	return cmd
}

// maxWords bounds a text that is given as arguments.
const maxWords = 1 << 20

// Run answers the question or decides about the approval id of a run that is
// not under way.
func (r *answerCommand) Run(ctx context.Context, ref, id string, words []string) error {
	dir, err := r.runsFolder(r.runDir)
	if err != nil {
		return err
	}
	run, err := transcript.Find(dir, ref)
	if err != nil {
		return err
	}
	if err := r.isInFolder(run); err != nil {
		return err
	}
	pending, err := leader.PendingIn(ctx, run.Path)
	if err != nil {
		return err
	}
	text, err := r.text(ctx, words)
	if err != nil {
		return err
	}
	if err := r.write(run, id, text, pending); err != nil {
		return r.explainAnswer(err, run, id, pending)
	}
	left := slices.DeleteFunc(pending, func(p leader.Pending) bool { return p.ID == id })
	if len(left) > 0 {
		r.say(fmt.Sprintf(r.words.stillWaits, len(left)))
	}
	for _, line := range r.waitingLines(left) {
		r.say("  " + line)
	}
	r.say("  → troupe resume " + r.nameOfRun(run.ID, run.Path, run.Dir))
	return nil
}

// text is the answer: the arguments, or stdin for "-".
func (r *answerCommand) text(ctx context.Context, words []string) (string, error) {
	text := strings.Join(words, " ")
	if len(words) == 1 && words[0] == "-" {
		input, err := r.input(ctx, true)
		if err != nil {
			return "", err
		}
		text = strings.TrimRight(input, "\r\n")
	}
	if blank(text) {
		return "", usageError(r.words.emptyAnswer, "troupe answer RUN ID TEXT")
	}
	return text, nil
}

// write puts the answer or the decision into the log.
func (r *answerCommand) write(run transcript.Run, id, text string, pending []leader.Pending) error {
	if !strings.HasPrefix(id, "apr_") {
		return leader.Answer(run.Path, id, text)
	}
	at := slices.IndexFunc(pending, func(p leader.Pending) bool { return p.ID == id })
	d, ok := decision(text)
	if at >= 0 && !ok {
		return usageError(fmt.Sprintf(r.words.noDecision, text), r.words.decisionHint)
	}
	return leader.Decide(run.Path, id, d)
}

// explainAnswer words why an answer was not taken.
func (r *answerCommand) explainAnswer(err error, run transcript.Run, id string, pending []leader.Pending) error {
	if _, ok := errors.AsType[*failure](err); ok {
		return err
	}
	f := &failure{code: exitUsage, err: err, hint: strings.Join(r.waitingLines(pending), "\n")}
	switch {
	case errors.Is(err, transcript.ErrLocked):
		f.code, f.text, f.hint = exitFailed, fmt.Sprintf(r.words.runIsLive, run.ID), ""
	case errors.Is(err, mailbox.ErrClosedQuestion), errors.Is(err, leader.ErrDecided):
		f.text = fmt.Sprintf(r.words.answeredBefore, id)
	case errors.Is(err, mailbox.ErrNotYours):
		f.text = fmt.Sprintf(r.words.notToYou, id)
	case errors.Is(err, mailbox.ErrUnknownQuestion), errors.Is(err, leader.ErrNoApproval):
		f.text = fmt.Sprintf(r.words.nothingWaits, id)
		var ids []string
		for _, p := range pending {
			ids = append(ids, p.ID)
		}
		if near := nearest.Of(id, ids); near != "" {
			f.hint = fmt.Sprintf(r.words.didYouMean, near) + "\n" + f.hint
		}
	case errors.Is(err, leader.ErrNoRule):
		f.text, f.hint = r.words.noAlways, r.words.decisionHint
	default:
		return err
	}
	if f.hint == "" && f.code == exitUsage {
		f.hint = r.words.noneWaits
	}
	return f
}

// waitingLines tell what waits, one line each.
func (a *app) waitingLines(pending []leader.Pending) []string {
	var lines []string
	for _, p := range pending {
		lines = append(lines, render.Cut(p.ID+"  "+p.Name+"  "+about(p), plainLines, 1))
	}
	return lines
}

// about is what waits, in one line.
func about(p leader.Pending) string {
	if p.IsApproval() {
		return render.CleanLine(p.Tool + " " + p.Arguments)
	}
	return render.CleanLine(p.Text)
}

// nameOfRun is how a command line names a run: by its id, if it lies where
// runs usually are.
func (a *app) nameOfRun(id, log, dir string) string {
	usual, err := a.runsFolder("")
	if rel, relErr := filepath.Rel(usual, dir); err == nil && relErr == nil && filepath.IsLocal(rel) {
		return id
	}
	return shellWord(log)
}

// decision reads what a person says to an approval.
func decision(text string) (d leader.Decision, ok bool) {
	said, always, ok := event.ReadDecision(text)
	return leader.Decision{Allow: said.Decision == event.DecisionAllow, Always: always, Reason: said.Reason}, ok
}

// answerLines are the commands that answer what waits.
func answerLines(run string, pending []leader.Pending) []string {
	var lines []string
	for _, p := range pending {
		text := "TEXT"
		if p.IsApproval() {
			text = "allow|deny"
		}
		lines = append(lines, "troupe answer "+run+" "+p.ID+" "+text)
	}
	return append(lines, "troupe resume "+run)
}
