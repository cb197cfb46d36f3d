package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
)

// The forms of the result on stdout.
const (
	formText  = "text"
	formJSON  = "json"
	formJSONL = "jsonl"
)

// runCommand is "troupe run": one task with the team, to its end.
type runCommand struct {
	*app
	cmd *cobra.Command
	teamFlags
	viewFlags
	output string // a file for the answer
	form   string
	quiet  bool
	lost   error // why records did not reach stdout
	told   bool  // the result object has been written

	pending []leader.Pending // what waited for the person at the end

	cut    func()      // what a second Ctrl-C does; nil ends the program
	listen listener    // to the person while the team works; may be nil
	typed  chan []byte // what the person types, when somebody listens
}

func (a *app) newRun() *runCommand {
	r := &runCommand{app: a}
	r.attends = r.asks
	return r
}

func (a *app) runCommand() *cobra.Command {
	r := a.newRun()
	r.cmd = &cobra.Command{
		Use: "run [TASK…]",
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.refused(cmd.Context(), r.Run(cmd.Context(), args))
		},
	}
	f := a.flags(r.cmd)
	f.text(&r.file, "file", "f")
	f.list(&r.params, "param", "p")
	f.flag(&r.demo, "demo", "")
	r.declareShared(f)
	return r.cmd
}

// declareShared declares the flags of all commands that let a team work.
func (r *runCommand) declareShared(f flags) {
	f.text(&r.model, "model", "m")
	f.text(&r.output, "output", "o")
	f.list(&r.limits, "limits", "")
	r.declare(f)
	f.text(&r.form, "output-format", "")
	f.text(&r.runDir, "run-dir", "")
	f.text(&r.workDir, "workdir", "")
	f.text(&r.sync, "sync", "")
	f.flag(&r.quiet, "quiet", "q")
}

// Run runs the task that args name.
func (r *runCommand) Run(ctx context.Context, args []string) error {
	if err := r.checkFlags(); err != nil {
		return err
	}
	t, err := r.loadTeam(ctx, r.cmd, &r.teamFlags)
	if err != nil {
		return err
	}
	if err := r.checkFlags(); err != nil { // the .env file may have set more
		return err
	}
	options, err := r.viewOptions(r.Stderr, r.viewFlags, t.config.Display)
	if err != nil {
		return err
	}
	task, err := r.task(ctx, args, t)
	if err != nil {
		return err
	}
	r.retain(t, r.quiet)
	run, err := t.leader.Start(ctx, task)
	if err != nil {
		return err
	}
	return r.perform(ctx, t, run, 0, options)
}

// perform shows a run behind the record after, to its end, and writes what it
// brought.
func (r *runCommand) perform(ctx context.Context, t *team, run *leader.Run, after int64, options render.Options) error {
	t.works = run.Team()
	r.banner(t, run)
	r.show(ctx, run, after, options)
	r.stop.onFirst(nil)
	res, err := run.Wait()
	r.pending = run.Pending()
	return r.conclude(ctx, t, res, err, options)
}

// asks reports whether the person can be asked while the run is shown.
func (r *runCommand) asks() bool {
	return r.interactive() && r.get("TERM") != "dumb" && !r.quiet
}

// checkFlags refuses what would fail only when the work is done.
func (r *runCommand) checkFlags() error {
	if r.form == "stream-json" {
		r.form = formJSONL
	}
	if err := r.oneOf("output-format", r.form); err != nil {
		return err
	}
	if _, err := r.viewOptions(r.Stderr, r.viewFlags, config.Display{}); err != nil || r.output == "" {
		return err
	}
	info, err := os.Stat(filepath.Dir(r.output))
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: %s", filepath.Dir(r.output), r.words.notAFolder)
	}
	if info, statErr := os.Stat(r.output); statErr == nil && info.IsDir() {
		err = fmt.Errorf("%s: %s", r.output, r.words.isAFolder)
	}
	if err != nil {
		return usageError(fmt.Sprintf(r.words.badOutput, err), "")
	}
	return nil
}

// banner says who works, before anything is shown of the work.
func (r *runCommand) banner(t *team, run *leader.Run) {
	if r.quiet {
		return
	}
	for _, w := range t.config.Warnings {
		r.say(r.paint(r.Stderr, render.StyleWarn, r.words.warning) + " " + render.Clean(w.String()))
	}
	if t.taken != "" {
		r.say(t.taken)
	}
	if t.demo {
		r.say(r.paint(r.Stderr, render.StyleWarn, r.words.demoBanner))
	}
	text := fmt.Sprintf(r.words.banner, render.CleanLine(teamName(t.works.Name, t.file)), t.works.Leader.Model.Name, run.ID())
	if t.works.Leader.Model.Scripted {
		text += "  " + r.words.scripted
	}
	r.say(r.paint(r.Stderr, render.StyleDim, text))
}

// teamName is the team's name, or that of its file.
func teamName(name, file string) string {
	switch {
	case name != "":
		return name
	case file != "":
		return file
	}
	return "troupe"
}

// show follows the run to its end. It does so also when ctx has ended,
// because the run still tells how it ends. Of records up to after nothing is
// shown but what they say of the agents.
func (r *runCommand) show(ctx context.Context, run *leader.Run, after int64, o render.Options) {
	shown, finish := r.screen(ctx, run, o)
	defer finish()
	r.stop.onFirst(func() {
		run.Pause(errInterrupted.Error())
		r.stop.onFirst(r.cut)
		shown(event.Record{}, r.words.stopping+"\n")
	})
	n := newNarrator(o)
	for rec, err := range r.masked(run.Events(context.WithoutCancel(ctx))) {
		if err != nil {
			shown(event.Record{}, unpackaged(err)+"\n")
			return
		}
		text := n.text(rec)
		if rec.Seq > 0 && rec.Seq <= after {
			n.skipped(rec)
			shown(rec, "")
			continue
		}
		if r.form == formJSONL && rec.Seq > 0 && r.lost == nil {
			r.lost = writeJSON(r.Stdout, rec)
		}
		shown(rec, text)
	}
}

// screen is where text of the run goes, with status rows if a person looks
// on. finish takes the rows away.
func (r *runCommand) screen(ctx context.Context, run *leader.Run, o render.Options) (shown func(event.Record, string), finish func()) {
	switch {
	case r.quiet:
		return func(event.Record, string) {}, func() {}
	case r.asks():
		l := startLive(r.Env, o, limitsShown(run.Team()))
		return r.asking(ctx, run, l, o)
	}
	p := &plain{w: r.Stderr}
	return p.add, func() {}
}

// asking lets the person answer below what is shown of the run.
func (r *runCommand) asking(ctx context.Context, run *leader.Run, l *live, o render.Options) (shown func(event.Record, string), finish func()) {
	p := newPrompter(r.app, run, l, o)
	if r.listen != nil {
		p.listen, p.keys = r.listen, r.typed
		p.reading.Do(func() {}) // somebody reads already
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var serving sync.WaitGroup
	serving.Go(func() { p.serve(ctx) })
	return l.add, func() {
		stop()
		serving.Wait()
		l.close()
	}
}

// limitsShown are the limits that stand beside what was spent.
func limitsShown(t leader.Team) render.Total {
	shown := render.Total{MaxTokens: max(0, t.Limits.Tokens), Deadline: max(0, t.Limits.Deadline)}
	if p := t.Leader.Model.Price; p != nil && t.Limits.Budget > 0 {
		shown.Budget = &event.Cost{Currency: p.Currency, Amount: t.Limits.Budget}
	}
	return shown
}

// plain writes text as it comes. Records and signals bring some at once.
type plain struct {
	mu sync.Mutex // guards w
	w  io.Writer
}

func (p *plain) add(_ event.Record, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.w, text)
}
