package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay/foreign"
	"github.com/troupe-go/troupe/transcript"
)

// recording is a run of the past: a log, or the records that a transcript of
// another system was read as.
type recording struct {
	run      transcript.Run
	imported []event.Record // nil for a log
	torn     func(bytes int64)
}

// recordingOf finds what ref names: a run in the folder of runs, or a file,
// which may be a transcript of another system.
func (a *app) recordingOf(ref, runDir, format string) (recording, error) {
	if err := a.oneOf("from-format", format); err != nil {
		return recording{}, err
	}
	if format != "" && format != "auto" && format != string(foreign.FormatTroupe) {
		return a.foreign(ref, foreign.Format(format))
	}
	if format != string(foreign.FormatTroupe) && isFile(ref) {
		found, err := foreign.DetectFile(ref)
		if err != nil {
			return recording{}, usageError(unpackaged(err), "")
		}
		if found != "" && found != foreign.FormatTroupe {
			return a.foreign(ref, found)
		}
	}
	dir, err := a.runsFolder(runDir)
	if err != nil {
		return recording{}, err
	}
	run, err := transcript.Find(dir, ref)
	if err != nil {
		return recording{}, err
	}
	var once sync.Once // a log may be read again
	torn := func(n int64) { once.Do(func() { a.say(fmt.Sprintf(a.words.tornTail, n)) }) }
	return recording{run: run, torn: torn}, nil
}

// foreign reads a transcript of another system. Whoever shows the records masks
// them, as those of a log.
func (a *app) foreign(path string, format foreign.Format) (recording, error) {
	records, err := foreign.ImportFile(path, foreign.ImportOptions{Format: format})
	switch {
	case errors.Is(err, foreign.ErrFormat), errors.Is(err, foreign.ErrTooLarge), errors.Is(err, fs.ErrNotExist):
		return recording{}, usageError(unpackaged(err), fmt.Sprintf(a.words.formatsAre, path))
	case err != nil:
		return recording{}, err
	}
	return recording{run: runOf(path, records), imported: records}, nil
}

// runOf is what can be told of imported records as of a run.
func runOf(path string, records []event.Record) transcript.Run {
	first, last := records[0], records[len(records)-1]
	run := transcript.Run{
		Path: path, Dir: filepath.Dir(path), Started: first.Time, Updated: last.Time, Records: last.Seq,
		Status: transcript.StatusInterrupted,
	}
	if head, ok := first.Data.(event.RunStarted); ok {
		run.ID, run.Task = head.RunID, head.Task
	}
	if last.Type() == event.TypeRunFinished {
		run.Status = transcript.StatusFinished
	}
	return run
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// The ways to go on at the end of a log.
const (
	followLive   = iota // while a process writes it
	followNever         // not at all
	followAlways        // until the run has ended, whoever writes it
)

// records yields the records from the first one on.
func (r recording) records(ctx context.Context, follow int) iter.Seq2[event.Record, error] {
	switch {
	case r.imported != nil:
		return func(yield func(event.Record, error) bool) {
			for _, rec := range r.imported {
				if !yield(rec, context.Cause(ctx)) || ctx.Err() != nil {
					return
				}
			}
		}
	case follow == followAlways && !slices.Contains([]string{transcript.StatusFinished, transcript.StatusFailed}, r.run.Status):
		return r.toTheEnd(ctx)
	case r.run.Status != transcript.StatusRunning:
		return transcript.ReadFile(ctx, r.run.Path, transcript.ReadOptions{Torn: r.torn})
	case follow != followLive:
		return transcript.ReadFile(ctx, r.run.Path, transcript.ReadOptions{})
	}
	return r.live(ctx)
}

// live waits for more at the end until the run has ended or its process is
// gone.
func (r recording) live(ctx context.Context) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		ctx, gone := context.WithCancelCause(ctx)
		defer gone(nil)
		go watchWriter(ctx, r.run.Path, gone)
		var last int64
		for rec, err := range r.toTheEnd(ctx) {
			if errors.Is(err, errWriterGone) {
				break
			}
			last = rec.Seq
			if !yield(rec, err) || err != nil {
				return
			}
		}
		// What came between the last look and the end of the writer.
		for rec, err := range transcript.ReadFile(context.WithoutCancel(ctx), r.run.Path, transcript.ReadOptions{After: last}) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// toTheEnd waits for more until the run has ended.
func (r recording) toTheEnd(ctx context.Context) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range transcript.ReadFile(ctx, r.run.Path, transcript.ReadOptions{Follow: true}) {
			if !yield(rec, err) || err != nil || ends(rec) && !r.goesOn(ctx, rec.Seq) {
				return
			}
		}
	}
}

// goesOn reports whether the run was resumed after the record that ended it.
func (r recording) goesOn(ctx context.Context, seq int64) bool {
	for _, err := range transcript.ReadFile(ctx, r.run.Path, transcript.ReadOptions{After: seq}) {
		return err == nil
	}
	return false
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
