package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
)

// outcome is the result object of --output-format json.
type outcome struct {
	leader.Result
	ExitCode int            `json:"exit_code"`
	Error    *event.Failure `json:"error,omitempty"`
	// Pending is what waits for a person, when that suspended the run.
	Pending []leader.Pending `json:"pending,omitempty"`
}

// conclude writes the answer and the closing lines. Its error has been told
// and carries the exit code only.
func (r *runCommand) conclude(ctx context.Context, t *team, res leader.Result, runErr error, o render.Options) error {
	end := outcome{Result: res}
	if e, ok := errors.AsType[*leader.Error](runErr); ok {
		end.ExitCode, end.Error = exitCode(e), &e.Failure
		if e.Code == leader.CodeWaiting {
			end.Pending = r.pending
		}
	} else if runErr != nil {
		return runErr
	}
	if res.Status == leader.StatusSuspended && errors.Is(context.Cause(ctx), errTerminated) {
		end.ExitCode = exitTerminated
	}
	if err := r.answer(end); err != nil {
		return &failure{code: exitFailed, text: unpackaged(err), err: err}
	}
	if !r.quiet {
		if r.IsTerminal(r.Stdout) && r.IsTerminal(r.Stderr) {
			r.say("")
		}
		_, _ = io.WriteString(r.Stderr, render.Summary(r.ending(t, end), o))
	}
	if end.ExitCode == exitOK {
		return nil
	}
	told := &failure{code: end.ExitCode, err: runErr}
	if r.quiet {
		told.text, told.hint = end.Error.Message, end.Error.Hint
	}
	return told
}

// answer writes the result to stdout and to the file that was asked for.
func (r *runCommand) answer(end outcome) error {
	text := end.Answer
	if end.Status == leader.StatusSuspended || end.Status == leader.StatusFailed {
		text = "" // what was said so far is no answer
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var err error
	switch r.form {
	case formJSONL: // the records have been written, as far as they could
		err = r.lost
	case formJSON:
		r.told = true
		err = writeJSON(r.Stdout, end)
	default:
		if r.IsTerminal(r.Stdout) {
			_, err = io.WriteString(r.Stdout, render.Clean(text))
			break
		}
		_, err = io.WriteString(r.Stdout, text)
	}
	if err != nil || r.output == "" || text == "" {
		return err
	}
	if err := os.WriteFile(r.output, []byte(text), 0o644); err != nil { //nolint:gosec // as the shell's > makes it
		return fmt.Errorf(r.words.badOutput, err)
	}
	return nil
}

// refused passes on why a run did not begin. Who asked for the result object
// gets one all the same.
func (r *runCommand) refused(ctx context.Context, err error) error {
	if err == nil || r.form != formJSON || r.told {
		return err
	}
	f := r.explain(ctx, err)
	end := outcome{Result: leader.Result{Status: leader.StatusFailed}, ExitCode: f.code, Error: &event.Failure{
		Code: codeOf(f.code), Who: "client", Message: f.text, Hint: f.hint,
	}}
	if e, ok := errors.AsType[*leader.Error](err); ok {
		end.Error = &e.Failure
	}
	if e := writeJSON(r.Stdout, end); e != nil {
		return errors.Join(err, e)
	}
	return err
}

// codeOf is the code of an error that has none but the exit code.
func codeOf(exit int) string {
	switch exit {
	case exitUsage:
		return "usage"
	case exitNoModel:
		return "no_model"
	case exitInterrupted, exitTerminated:
		return event.CodeInterrupted
	}
	return "failed"
}

// ending is what the closing lines tell.
func (r *runCommand) ending(t *team, end outcome) render.End {
	e := render.End{
		Status: render.EndFinished, RunID: end.RunID, Duration: end.Duration, Usage: end.Usage, Cost: end.Cost,
		Artifacts: end.Artifacts, Log: end.Log, Next: []string{
			r.commandLine(t, "replay", end.RunID, end.Log), r.commandLine(t, "resume", end.RunID, end.Log) + r.wayOn(t, end),
		},
	}
	switch end.Status {
	case leader.StatusFinished:
	case leader.StatusPartial:
		e.Status, e.Reason = render.EndPartial, end.Limit
	case leader.StatusSuspended:
		e.Status = render.EndInterrupted
		if len(end.Pending) > 0 {
			e.Status, e.Reason = render.EndSuspended, about(end.Pending[0])
			e.Next = append(answerLines(r.nameOfRun(end.RunID, end.Log, t.runs), end.Pending), e.Next[0]) // they say how to go on
		}
	case leader.StatusFailed:
		e.Status = render.EndFailed
	}
	if e.Status == render.EndFailed && end.Error != nil {
		e.Reason = end.Error.Code + ": " + end.Error.Message
	}
	if end.Error != nil && end.Error.Hint != "" {
		e.Next = append([]string{end.Error.Hint}, e.Next...)
	}
	return e
}

// wayOn is what a person adds to the command that goes on with a run.
func (r *runCommand) wayOn(t *team, end outcome) string {
	switch {
	case end.Status == leader.StatusFinished, end.Limit == "repeated_call":
		return ` "…"`
	case end.Limit != "":
		return " --limits " + doubled(t.works, end.Limit)
	}
	return ""
}

// doubled sets a limit that the leader reached to twice its value.
func doubled(t leader.Team, limit string) string {
	switch limit {
	case "tokens":
		return fmt.Sprintf("tokens=%d", 2*t.Limits.Tokens)
	case "steps":
		return fmt.Sprintf("steps=%d", 2*t.Limits.Steps)
	case "budget":
		return fmt.Sprintf("budget=%g", 2*t.Limits.Budget)
	case "deadline":
		return "deadline=" + (2 * t.Limits.Deadline).String()
	}
	return fmt.Sprintf("leader.max_steps=%d", 2*t.Leader.MaxSteps)
}

// commandLine is the command that does something with a run, to copy.
func (a *app) commandLine(t *team, command, id, log string) string {
	return "troupe " + command + " " + a.nameOfRun(id, cmp.Or(log, id), t.runs)
}
