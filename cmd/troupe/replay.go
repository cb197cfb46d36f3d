package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// replayCommand is "troupe replay": a run of the past, or one that another
// process has under way, shown again. No model is called.
type replayCommand struct {
	*app
	viewFlags
	runDir, format   string
	speed, idle      string
	from, to         string
	only             []string
	step, json       bool
	verify           bool
	follow, noFollow bool
	filter           *filter
	span             span
	pace             *pace
	options          render.Options
}

func (a *app) replayCommand() *cobra.Command {
	r := &replayCommand{app: a}
	cmd := &cobra.Command{
		Use: "replay RUN|FILE", ValidArgsFunction: a.completeRuns,
		Args: func(cmd *cobra.Command, args []string) error {
			most := 1
			if r.verify {
				most = math.MaxInt
			}
			return a.args(1, most)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.verify {
				return verifyCommand{r}.Run(cmd.Context(), cmd, args)
			}
			return r.Run(cmd.Context(), args[0])
		},
	}
	f := a.flags(cmd)
	f.text(&r.speed, "speed", "")
	f.text(&r.idle, "idle-cap", "")
	f.flag(&r.step, "step", "")
	f.text(&r.from, "from", "")
	f.text(&r.to, "to", "")
	f.list(&r.only, "only", "")
	f.flag(&r.json, "json", "")
	f.flag(&r.follow, "follow", "")
	f.flag(&r.noFollow, "no-follow", "")
	f.text(&r.format, "from-format", "")
	r.declare(f)
	f.text(&r.runDir, "run-dir", "")
	f.flag(&r.verify, "verify", "")
	return cmd
}

// Run shows the run that ref names.
func (r *replayCommand) Run(ctx context.Context, ref string) error {
	if err := r.settle(); err != nil {
		return err
	}
	rec, err := r.recordingOf(ref, r.runDir, r.format)
	if err != nil {
		return err
	}
	follow := followLive
	switch {
	case r.follow:
		follow = followAlways
	case r.noFollow:
		follow = followNever
	}
	open := func() iter.Seq2[event.Record, error] { return r.masked(rec.records(ctx, follow)) }
	switch {
	case r.json:
		return r.writeRecords(ctx, open())
	case r.step:
		return r.stepThrough(ctx, open)
	}
	return r.play(ctx, open())
}

// settle reads the flags.
func (r *replayCommand) settle() error {
	if r.follow && r.noFollow {
		return usageError(fmt.Sprintf(r.words.notBoth, "--follow", "--no-follow"), "")
	}
	var err error
	if r.pace, err = r.newPace(); err != nil {
		return err
	}
	if r.filter, err = r.newFilter(r.only); err != nil {
		return err
	}
	if r.options, err = r.viewOptions(r.Stdout, r.viewFlags, config.Display{}); err != nil {
		return err
	}
	r.options.Only = r.filter.agents
	r.options.Verbose = r.options.Verbose || len(r.filter.types) > 0
	r.span = span{from: newPoint(r.from), to: newPoint(r.to)}
	return nil
}

// newPace reads the flags that say how fast the run is played.
func (r *replayCommand) newPace() (*pace, error) {
	p := &pace{idle: 2 * time.Second}
	if r.idle != "" {
		var err error
		if p.idle, err = time.ParseDuration(r.idle); err != nil || p.idle < 0 {
			return nil, usageError(fmt.Sprintf(r.words.badSample, "idle-cap", r.idle, "2s, 500ms"), "")
		}
	}
	switch {
	case r.step && !r.interactive():
		return nil, usageError(r.words.stepNeedsTerminal, "")
	case r.step:
	case r.speed == "":
		if r.IsTerminal(r.Stdout) && !r.json {
			p.speed = 8
		}
	case r.speed != "max":
		var err error
		p.speed, err = strconv.ParseFloat(strings.TrimSuffix(r.speed, "x"), 64)
		if err != nil || p.speed < 0 || p.speed != p.speed {
			return nil, usageError(fmt.Sprintf(r.words.badSample, "speed", r.speed, "1, 8, 0.5, max"), "")
		}
	}
	return p, nil
}

// writeRecords writes the records as they stand in the log.
func (r *replayCommand) writeRecords(ctx context.Context, records iter.Seq2[event.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		r.filter.learn(rec)
		begun := r.span.begun(rec)
		if begun && r.filter.wantsRecord(rec) {
			if err := r.pace.wait(ctx, rec.Time); err != nil {
				return err
			}
			if err := writeRecord(r.Stdout, rec); err != nil {
				return err
			}
		}
		if begun && r.span.over(rec) {
			break
		}
	}
	return r.check()
}

// writeRecord writes one record as a line.
func writeRecord(w io.Writer, rec event.Record) error {
	line, err := rec.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// play shows the records at the pace that was asked for, then the answer.
func (r *replayCommand) play(ctx context.Context, records iter.Seq2[event.Record, error]) error {
	n := newNarrator(r.options)
	answer := ""
	for rec, err := range records {
		if err != nil {
			return err
		}
		switch d := rec.Data.(type) {
		case event.RunFinished:
			answer = d.Answer
		case event.RunResumed:
			answer = ""
		default: // has no answer
		}
		text, begun := r.text(n, rec), r.span.begun(rec)
		if begun && text != "" {
			if err := r.pace.wait(ctx, rec.Time); err != nil {
				return err
			}
			if _, err := io.WriteString(r.Stdout, text); err != nil {
				return err
			}
		}
		if begun && r.span.over(rec) {
			return r.check()
		}
	}
	if err := r.span.check(r.words); err != nil {
		return err
	}
	if answer = render.Clean(answer); answer != "" && len(r.filter.types) == 0 {
		_, _ = io.WriteString(r.Stdout, strings.TrimSuffix(answer, "\n")+"\n")
	}
	return r.check()
}

// text is what one record shows. The narrator sees all of them.
func (r *replayCommand) text(n *narrator, rec event.Record) string {
	r.filter.learn(rec)
	text := n.text(rec)
	switch {
	case !r.filter.wantsType(rec):
		return ""
	case text == "" && len(r.filter.types) > 0 && r.filter.wantsRecord(rec):
		// It was asked for by its type, and no view has words for it.
		if line, err := rec.MarshalJSON(); err == nil {
			return render.CleanLine(string(line)) + "\n"
		}
	}
	return text
}

// check complains of places and agents that the run did not have.
func (r *replayCommand) check() error {
	if err := r.span.check(r.words); err != nil {
		return err
	}
	return r.filter.check(r.words)
}
