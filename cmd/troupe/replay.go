package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// replayCommand is "troupe replay": a run of the past, or one that another
// process has under way, shown again. No model is called.
type replayCommand struct {
	*app
	viewFlags
	runDir   string
	speed    string
	idle     string
	step     bool
	only     []string
	json     bool
	noFollow bool
}

func (a *app) replayCommand() *cobra.Command {
	r := &replayCommand{app: a}
	cmd := &cobra.Command{
		Use: "replay RUN|FILE", Args: a.args(1, 1), ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return r.Run(cmd.Context(), args) },
	}
	f := a.flags(cmd)
	f.text(&r.speed, "speed", "")
	f.text(&r.idle, "idle", "")
	f.flag(&r.step, "step", "")
	f.list(&r.only, "only", "")
	f.flag(&r.json, "json", "")
	f.flag(&r.noFollow, "no-follow", "")
	r.declare(f)
	f.text(&r.runDir, "run-dir", "")
	return cmd
}

// Run shows the run that args name.
func (r *replayCommand) Run(ctx context.Context, args []string) error {
	pace, err := r.pace()
	if err != nil {
		return err
	}
	o, err := r.viewOptions(r.Stdout, r.viewFlags, config.Display{})
	if err != nil {
		return err
	}
	o.Only = r.only
	runs, err := r.runsFolder(r.runDir)
	if err != nil {
		return err
	}
	run, err := transcript.Find(runs, args[0])
	if err != nil {
		return err
	}
	records := r.masked(r.recordsOf(ctx, run, !r.noFollow))
	if r.json {
		return r.writeRecords(records)
	}
	return r.play(ctx, records, o, pace)
}

// writeRecords writes the records as they stand in the log.
func (r *replayCommand) writeRecords(records iter.Seq2[event.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		if len(r.only) > 0 && rec.Agent != "" && !r.wanted(rec.Agent) {
			continue
		}
		line, err := rec.MarshalJSON()
		if err != nil {
			return err
		}
		if _, err := r.Stdout.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// wanted reports whether --only names the agent by its id or its code.
func (r *replayCommand) wanted(id string) bool {
	code := id
	if i := strings.LastIndexByte(id, '_'); i > 0 {
		code = id[:i]
	}
	return slices.Contains(r.only, id) || slices.Contains(r.only, code)
}

// play shows the records at the pace that was asked for, then the answer.
func (r *replayCommand) play(ctx context.Context, records iter.Seq2[event.Record, error], o render.Options, p *pace) error {
	n := newNarrator(o)
	var answer string
	seen, ids := map[string]bool{}, []string{} // by what --only may say, and in the order of their creation
	for rec, err := range records {
		if err != nil {
			return err
		}
		switch d := rec.Data.(type) {
		case event.AgentCreated:
			seen[rec.Agent], seen[d.Code], seen[strings.ToLower(d.Name)] = true, true, true
			seen["leader"] = true // as the lines call it
			ids = append(ids, rec.Agent)
		case event.MessageSent: // the person and the runtime speak too
			seen[d.From], seen[strings.ToLower(d.FromName)] = true, true
		case event.RunFinished:
			answer = d.Answer
		case event.RunResumed:
			answer = ""
		default:
		}
		text := n.text(rec)
		if err := p.wait(ctx, rec.Time, text != ""); err != nil {
			return err
		}
		if _, err := io.WriteString(r.Stdout, text); err != nil {
			return err
		}
	}
	if answer = render.Clean(answer); answer != "" {
		_, _ = io.WriteString(r.Stdout, strings.TrimSuffix(answer, "\n")+"\n")
	}
	for _, who := range r.only {
		if !seen[strings.ToLower(who)] {
			return usageError(fmt.Sprintf(r.words.noAgent, who), fmt.Sprintf(r.words.agentsAre, strings.Join(ids, ", ")))
		}
	}
	return nil
}

// pace reads the flags that say how fast the run is played.
func (r *replayCommand) pace() (*pace, error) {
	p := &pace{idle: 2 * time.Second}
	if r.idle != "" {
		var err error
		if p.idle, err = time.ParseDuration(r.idle); err != nil || p.idle < 0 {
			return nil, usageError(fmt.Sprintf(r.words.badValue, "idle", r.idle, "2s, 500ms, …"), "")
		}
	}
	switch {
	case r.step:
		if !r.interactive() {
			return nil, usageError(r.words.stepNeedsTerminal, "")
		}
		p.key = r.nextKey
		r.say(r.words.stepHelp)
	case r.speed == "":
		if r.IsTerminal(r.Stdout) && !r.json {
			p.speed = 8
		}
	case r.speed != "max":
		var err error
		p.speed, err = strconv.ParseFloat(strings.TrimSuffix(r.speed, "x"), 64)
		if err != nil || p.speed < 0 || p.speed != p.speed {
			return nil, usageError(fmt.Sprintf(r.words.badValue, "speed", r.speed, "1, 8, 0.5, max"), "")
		}
	}
	return p, nil
}

// nextKey waits for a key; q, Escape and Ctrl-C end the replay.
func (r *replayCommand) nextKey(ctx context.Context) error {
	restore, err := r.Raw()
	if err != nil {
		return err
	}
	defer func() { _ = restore() }()
	key := make([]byte, 1)
	err = await(ctx, nil, func() error { _, err := r.Stdin.Read(key); return err })
	switch {
	case errors.Is(err, io.EOF), err == nil && (key[0] == 'q' || key[0] == 0x1b):
		return &failure{code: exitOK}
	case err == nil && key[0] == 0x03:
		return &failure{code: exitInterrupted}
	}
	return err
}

// recordsOf yields the records of a run; of one that is being written it waits
// for more until the run has ended or its process is gone.
func (a *app) recordsOf(ctx context.Context, run transcript.Run, follow bool) iter.Seq2[event.Record, error] {
	switch {
	case run.Status != transcript.StatusRunning:
		torn := func(n int64) { a.say(fmt.Sprintf(a.words.tornTail, n)) }
		return transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{Torn: torn})
	case !follow:
		return transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{})
	}
	return func(yield func(event.Record, error) bool) {
		ctx, gone := context.WithCancelCause(ctx)
		defer gone(nil)
		go watchWriter(ctx, run.Path, gone)
		var last int64
		for rec, err := range transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{Follow: true}) {
			if errors.Is(err, errWriterGone) {
				break
			}
			last = rec.Seq
			if !yield(rec, err) || err != nil || ends(rec) {
				return
			}
		}
		// What came between the last look and the end of the writer.
		for rec, err := range transcript.ReadFile(context.WithoutCancel(ctx), run.Path, transcript.ReadOptions{After: last}) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// ends reports whether rec is the end of a run.
func ends(rec event.Record) bool {
	switch rec.Data.(type) {
	case event.RunFinished, event.RunFailed, event.RunSuspended:
		return true
	default:
		return false
	}
}

// errWriterGone says that nobody writes the log any more.
var errWriterGone = errors.New("the process that wrote the log is gone")

// watchWriter looks once a second whether the log at path is still being
// written, and tells when it is not.
func watchWriter(ctx context.Context, path string, gone context.CancelCauseFunc) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			run, err := transcript.Find("", path)
			if errors.Is(err, os.ErrNotExist) || err == nil && run.Status != transcript.StatusRunning {
				gone(errWriterGone)
				return
			}
		}
	}
}
