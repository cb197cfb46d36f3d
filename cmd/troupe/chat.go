package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// chatCommand is "troupe chat": several turns with the same team, in one log.
type chatCommand struct {
	*resumeCommand
	resume string // a run, to come back to
	team   *team
	view   render.Options
	begun  bool  // there is a run
	end    error // of the last turn, with the exit code

	waiting []leader.Pending // what the last turn left for the person
	mistake bool             // a line was no command
}

func (a *app) chatCommand() *cobra.Command {
	c := &chatCommand{resumeCommand: &resumeCommand{runCommand: a.newRun()}}
	c.cmd = &cobra.Command{
		Use: "chat [RUN]", Args: a.args(0, 1), ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return c.Run(cmd.Context(), args) },
	}
	f := a.flags(c.cmd)
	f.text(&c.resume, "resume", "")
	c.cmd.Flags().Lookup("resume").NoOptDefVal = "last"
	f.text(&c.file, "file", "f")
	f.list(&c.params, "param", "p")
	f.text(&c.model, "model", "m")
	f.flag(&c.demo, "demo", "")
	f.list(&c.limits, "limits", "")
	c.declare(f)
	f.text(&c.runDir, "run-dir", "")
	f.text(&c.workDir, "workdir", "")
	f.text(&c.sync, "sync", "")
	f.flag(&c.quiet, "quiet", "q")
	return c.cmd
}

// Run talks until the person leaves.
func (c *chatCommand) Run(ctx context.Context, args []string) error {
	if err := c.checkFlags(); err != nil {
		return err
	}
	if len(args) > 0 {
		if c.resume == "" {
			return usageError(fmt.Sprintf(c.words.extraArgument, c.cmd.CommandPath(), args[0]), "troupe chat --resume "+shellWord(args[0]))
		}
		c.resume = args[0]
	}
	if err := c.open(ctx); err != nil {
		return err
	}
	var err error
	if c.view, err = c.viewOptions(c.Stderr, c.viewFlags, c.team.config.Display); err != nil {
		return err
	}
	if c.begun {
		if err := c.recall(ctx); err != nil {
			return err
		}
	}
	if c.asks() {
		err = newChatTerminal(c).run(ctx)
	} else {
		err = c.readLines(ctx)
	}
	if err != nil {
		return err
	}
	c.leave()
	return c.end
}

// open makes the team, or finds the run to come back to.
func (c *chatCommand) open(ctx context.Context) (err error) {
	if c.resume != "" {
		c.begun = true
		c.team, err = c.find(c.resume)
		return err
	}
	c.team, err = c.loadTeam(ctx, c.cmd, &c.teamFlags)
	return err
}

// readLines takes a line of stdin for each turn, and puts the answers on
// stdout.
func (c *chatCommand) readLines(ctx context.Context) error {
	for {
		line, err := readLine(ctx, c.Stdin)
		if errors.Is(err, io.EOF) {
			if c.end == nil && c.mistake {
				c.end = &failure{code: exitUsage}
			}
			return nil
		}
		if err != nil {
			return err
		}
		if leave, err := c.line(ctx, line, nil); leave || err != nil {
			return err
		}
		if errors.Is(c.end, errTurnStopped) {
			return nil
		}
	}
}

// errTurnStopped is the cause of a turn that Ctrl-C stopped.
var errTurnStopped = errors.New("the turn was stopped")

// line does what a line asks for: a command, or a turn of the team. leave says
// that the person is done.
func (c *chatCommand) line(ctx context.Context, line string, at *chatTerminal) (leave bool, err error) {
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		return false, nil
	case strings.HasPrefix(line, "/"):
		leave, text := c.command(ctx, line, nil)
		if text != "" {
			_, _ = io.WriteString(c.Stderr, text)
		}
		return leave, nil
	}
	return false, c.turn(ctx, line, at)
}

// turn lets the team work on a message, to its end.
func (c *chatCommand) turn(ctx context.Context, text string, at *chatTerminal) error {
	turnCtx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	c.cut = func() { cut(errInterrupted) }
	run, after, err := c.start(turnCtx, text)
	if err != nil {
		return c.told(ctx, err)
	}
	if at != nil {
		c.listen = at.listen
	}
	c.team.works = run.Team()
	if after == 0 {
		c.banner(c.team, run)
	}
	c.show(turnCtx, run, after, c.view)
	c.stop.onFirst(nil)
	res, err := run.Wait()
	c.waiting = run.Pending()
	if res.Log == "" {
		return errors.New("chat: the run has no log")
	}
	var lookErr error
	if c.run, lookErr = transcript.Find(c.team.runs, res.Log); lookErr != nil {
		return lookErr
	}
	c.begun = true
	return c.answered(ctx, res, err)
}

// start begins the run with the first message and goes on with it for all
// others. What the last turn left for the person is answered by the message.
func (c *chatCommand) start(ctx context.Context, text string) (run *leader.Run, after int64, err error) {
	if !c.begun {
		run, err = c.team.leader.Start(ctx, text)
		return run, 0, err
	}
	if c.header, _, err = transcript.Header(c.run.Path); err != nil {
		return nil, 0, err
	}
	task := text
	if len(c.waiting) > 0 {
		if err := c.reply(c.waiting[0], text); err != nil {
			return nil, 0, err
		}
		task = ""
	}
	opts, err := c.options(c.team, task)
	if err != nil {
		return nil, 0, err
	}
	run, err = leader.Resume(ctx, c.run.Path, opts...)
	return run, c.run.Records, err
}

// reply answers what waits for the person.
func (c *chatCommand) reply(to leader.Pending, text string) error {
	if !to.IsApproval() {
		return leader.Answer(c.run.Path, to.ID, text)
	}
	d, ok := decision(text)
	if !ok {
		return usageError(fmt.Sprintf(c.words.noDecision, text), c.words.decisionHint)
	}
	return leader.Decide(c.run.Path, to.ID, d)
}

// told tells of an error with which no turn began. The chat goes on, unless it
// has not begun.
func (c *chatCommand) told(ctx context.Context, err error) error {
	if ctx.Err() != nil || !c.begun {
		return err
	}
	c.end = &failure{code: c.report(ctx, c.refusal(c.team, err))}
	return nil
}

// answered writes what a turn brought.
func (c *chatCommand) answered(ctx context.Context, res leader.Result, runErr error) error {
	c.end = nil
	end := outcome{Result: res}
	if e, ok := errors.AsType[*leader.Error](runErr); ok {
		end.ExitCode, end.Error = exitCode(e), &e.Failure
		c.end = &failure{code: end.ExitCode, err: runErr}
	} else if runErr != nil {
		return runErr
	}
	if err := c.answer(end); err != nil {
		return &failure{code: exitFailed, text: unpackaged(err), err: err}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case end.Error == nil:
	case len(c.waiting) > 0:
		for _, line := range c.waitingLines(c.waiting[:1]) {
			c.say(line)
		}
	case res.Status == leader.StatusSuspended:
		c.say(c.words.turnStopped)
		c.end = &failure{code: end.ExitCode, err: errTurnStopped}
	default:
		c.say(c.paint(c.Stderr, render.StyleError, "troupe:") + " " + render.Clean(end.Error.Message))
		if end.Error.Hint != "" {
			c.say("  → " + render.Clean(end.Error.Hint))
		}
	}
	return nil
}

// shownTurns is how many of the turns before are shown to who comes back.
const shownTurns = 2

// recall shows the last turns of the run that the person comes back to.
func (c *chatCommand) recall(ctx context.Context) error {
	type exchange struct{ said, answer string }
	var all []exchange
	for rec, err := range c.masked(transcript.RunRecords(c.run.Path)) {
		if err != nil {
			return c.refusal(c.team, err)
		}
		switch d := rec.Data.(type) {
		case event.RunStarted:
			all = append(all, exchange{said: d.Task})
		case event.RunResumed:
			all = append(all, exchange{said: d.Task})
		case event.RunFinished:
			all[len(all)-1].answer = d.Answer
		default: // no words of a turn
		}
	}
	pending, err := leader.PendingIn(ctx, c.run.Path)
	if err != nil {
		return c.refusal(c.team, err)
	}
	c.waiting = pending
	if c.quiet {
		return nil
	}
	c.say(c.paint(c.Stderr, render.StyleDim, fmt.Sprintf(c.words.chatBack, c.run.ID, len(all))))
	const most = 200 // columns of a text
	for _, e := range all[max(0, len(all)-shownTurns):] {
		if e.said != "" {
			c.say(c.sign() + render.Cut(render.CleanLine(e.said), most, 1))
		}
		if e.answer != "" {
			c.say(render.Cut(render.CleanLine(e.answer), most, 1))
		}
	}
	for _, line := range c.waitingLines(c.waiting[:min(1, len(c.waiting))]) {
		c.say(line)
	}
	return nil
}

// sign stands before what the person types.
func (c *chatCommand) sign() string {
	if c.view.ASCII {
		return "> "
	}
	return "› "
}

// leave says how to come back.
func (c *chatCommand) leave() {
	if c.begun && !c.quiet {
		c.say(c.paint(c.Stderr, render.StyleDim, fmt.Sprintf(c.words.chatNext, c.commandLine(c.team, "chat --resume", c.run.ID, c.run.Path))))
	}
}
