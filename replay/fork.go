package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// ErrNoRecord is in the error of [Fork] for a place that the log does not have.
var ErrNoRecord = errors.New("the log has no such record")

// ForkOptions tune [Fork]. The zero value copies the whole run.
type ForkOptions struct {
	// From is the number of the last record that the new run has, from 1; 0 is
	// the last of all.
	From int64
	// Edits change what was copied, one after the other.
	Edits []Edit
	// Dir is the folder that the folder of the new run is made in; empty is the
	// one that the old run lies in.
	Dir string
	// Now is the clock, for the id of the new run; nil is [time.Now].
	Now func() time.Time
}

// Forked is a run that [Fork] made.
type Forked struct {
	RunID   string // of the new run
	Dir     string // its folder, for [leader.Resume]
	Records int64  // that it has
}

// Fork makes a new run that begins as another one: it has copies of the records
// up to ForkOptions.From, with their numbers and times, and of the files with
// huge results that they name. The header has a new id and says where the run
// came from; edits change what agents are to have said and heard. What stood
// behind never happened: [leader.Resume] goes on with the new run as after a
// crash at that record. Nothing else is copied, so files that agents wrote into
// their working folder since then are there.
//
// path is the folder of the old run or its log, which may be under way and is
// only read. It fails with [ErrNoRecord], an [*EditError], or a
// [*transcript.DamageError] for damage before that record.
func Fork(ctx context.Context, path string, o ForkOptions) (Forked, error) {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		if filepath.Base(path) != transcript.FileName {
			return Forked{}, fmt.Errorf("replay: fork: %s is no run: its file is not named %s", path, transcript.FileName)
		}
		dir = filepath.Dir(path)
	}
	records, err := head(ctx, filepath.Join(dir, transcript.FileName), o.From)
	if err != nil {
		return Forked{}, err
	}
	header, ok := records[0].Data.(event.RunStarted)
	if !ok || header.Import != nil {
		return Forked{}, errors.New("replay: fork: only a run of ours can go on, not one that was imported")
	}
	edited, err := edit(records, o.Edits)
	if err != nil {
		return Forked{}, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dir == "" {
		o.Dir = filepath.Dir(filepath.Clean(dir))
	}
	id := leader.NewRunID(o.Now())
	forked := Forked{RunID: id, Dir: filepath.Join(o.Dir, id), Records: int64(len(records))}
	rename(&records[0], id, forked.Records, edited)
	err = copyResults(dir, forked.Dir, records)
	if err == nil {
		err = transcript.Save(forked.Dir, all(records))
	}
	if err != nil {
		return Forked{}, errors.Join(fmt.Errorf("replay: fork: %w", err), os.RemoveAll(forked.Dir))
	}
	return forked, nil
}

// head reads the records of a log up to one of them; 0 is the last.
func head(ctx context.Context, path string, upTo int64) ([]event.Record, error) {
	var records []event.Record
	for rec, err := range transcript.ReadFile(ctx, path, transcript.ReadOptions{}) {
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
		if rec.Seq == upTo {
			break
		}
	}
	switch n := int64(len(records)); {
	case n == 0:
		return nil, fmt.Errorf("replay: fork %s: %w", path, transcript.ErrEmpty)
	case upTo < 0 || upTo > n:
		return nil, fmt.Errorf("replay: fork at record %d: %w; it ends at %d", upTo, ErrNoRecord, n)
	}
	return records, nil
}

func all(records []event.Record) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// rename makes a header that of a fork.
func rename(rec *event.Record, id string, seq int64, edited []int64) {
	header, _ := rec.Data.(event.RunStarted)
	header.Fork = &event.Origin{RunID: header.RunID, Seq: seq, Edited: edited}
	header.RunID, header.TraceID = id, leader.NewTraceID()
	rec.Data, rec.Raw = header, nil
}

// copyResults copies the files that records name. One that is gone was lost by
// the old run.
func copyResults(from, to string, records []event.Record) error {
	for _, rec := range records {
		d, ok := rec.Data.(event.ToolFinished)
		name := filepath.FromSlash(d.File)
		if !ok || d.File == "" || !filepath.IsLocal(name) {
			continue
		}
		err := copyFile(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyFile copies a file, unless it is there already: its name tells what it
// has.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
