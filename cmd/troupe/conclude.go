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
		return &failure{code: exitFailed, text: err.Error(), err: err}
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

// ending is what the closing lines tell.
func (r *runCommand) ending(t *team, end outcome) render.End {
	e := render.End{
		Status: render.EndFinished, RunID: end.RunID, Duration: end.Duration, Usage: end.Usage, Cost: end.Cost,
		Artifacts: end.Artifacts, Log: end.Log, Next: []string{r.replayCommandLine(t, end.Result)},
	}
	switch end.Status {
	case leader.StatusFinished:
	case leader.StatusPartial:
		e.Status, e.Reason = render.EndPartial, end.Limit
	case leader.StatusSuspended:
		e.Status = render.EndInterrupted
		if len(end.Pending) > 0 {
			e.Status, e.Reason = render.EndSuspended, about(end.Pending[0])
			e.Next = append(answerLines(r.nameOfRun(end.RunID, end.Log, t.runs), end.Pending), e.Next...)
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

// replayCommandLine is the command that shows the run again.
func (r *runCommand) replayCommandLine(t *team, res leader.Result) string {
	return "troupe replay " + r.nameOfRun(res.RunID, cmp.Or(res.Log, res.RunID), t.runs)
}
