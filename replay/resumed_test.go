package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// someCuts says at how many of the records runs are cut, as a divisor, besides the
// ends of turns.
const someCuts = 16

// TestMoreAfterACrash cuts the recorded runs after each end of a turn, and at
// other places, and gives what is left more to do: the run comes to an end by
// itself, the leader has read what the person wants, and the whole log is
// verified.
func TestMoreAfterACrash(t *testing.T) {
	for _, path := range recorded(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			records := load(t, path)
			for cut := 1; cut < len(records); cut++ {
				if records[cut-1].Type() == event.TypeTurnEnded || cut%someCuts == 0 {
					t.Run(fmt.Sprintf("cut=%d", cut), func(t *testing.T) { askMore(t, records[:cut]) })
				}
			}
		})
	}
}

// askMore resumes a run with more to do and looks at how it ends.
func askMore(t *testing.T, records []event.Record) {
	t.Helper()
	after, err := resumeWith(t, records)
	if e, ok := errors.AsType[*leader.Error](err); err != nil && (!ok || e.Code == "interrupted") {
		t.Errorf("the run ended with %v", err)
	}
	if t.Failed() {
		return
	}
	check(t, verify(t, after, nil))
	wanted := ""
	for _, rec := range after {
		switch d := rec.Data.(type) {
		case event.MessageSent:
			if d.From == event.Person && d.Content == more {
				wanted = d.ID
			}
		case event.MessageDelivered:
			if d.ID == wanted {
				wanted = ""
			}
		case event.RunSuspended: // the run waits for the person, who was not read yet
			wanted = ""
		default:
		}
	}
	if wanted != "" {
		t.Errorf("the leader has not read %s", wanted)
	}
}

const more = "and now in blue"

// resumeWith resumes a run of which there are these records with more to do, and
// returns all that it then has; the model of all is one that is soon done. A run
// that does not end by itself is interrupted.
func resumeWith(t *testing.T, records []event.Record, opts ...leader.Option) (after []event.Record, err error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := transcript.Save(dir, sequence(records)); err != nil {
		t.Fatal(err)
	}
	header, _ := records[0].Data.(event.RunStarted)
	var team leader.Team
	if err := json.Unmarshal(header.Team, &team); err != nil {
		t.Fatal(err)
	}
	done := leader.Model{Name: team.Model.Name, Client: modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
		return modeltest.Reply{Text: "done"}
	})}
	opts = append([]leader.Option{
		leader.WithTask(more), leader.WithWorkDir(dir), leader.WithSync("off"), leader.WithAttendance(leader.Unattended),
		leader.WithClient(done.Name, done),
	}, opts...)
	synctest.Test(t, func(t *testing.T) {
		const patience = 24 * time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var run *leader.Run
		if run, err = leader.Resume(ctx, dir, opts...); err == nil {
			_, err = run.Wait()
		}
	})
	return load(t, filepath.Join(dir, transcript.FileName)), err
}

// TestRepairedRuns loses each of the records by which turns begin, as a repair
// of a damaged log leaves it. Whether such a run can go on depends on what was
// lost; it is told, and ends.
func TestRepairedRuns(t *testing.T) {
	for _, path := range recorded(t) {
		records := load(t, path)
		for i, rec := range records {
			d, ok := rec.Data.(event.AgentState)
			if !ok || !d.To.Busy() || d.From.Busy() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(path), i+1), func(t *testing.T) {
				rest := slices.Clone(records)
				rest[i].Agent, rest[i].Turn, rest[i].Data = "", 0, event.Warning{Code: transcript.CodeRecordLost}
				_, err := resumeWith(t, rest)
				if e, ok := errors.AsType[*leader.Error](err); err != nil && (!ok || e.Code == "interrupted") {
					t.Errorf("the run ended with %v", err)
				}
				if _, err := replay.Verify(t.Context(), sequence(rest), replay.VerifyOptions{}); err != nil {
					t.Errorf("verify: %v", err)
				}
			})
		}
	}
}

// TestPastTheDeadline resumes what is left of the recorded runs when its time is
// up, so that every turn under way is cut short at once. Every message and
// question comes to its end, and each turn ends as it was reported.
func TestPastTheDeadline(t *testing.T) {
	for _, path := range recorded(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			records := load(t, path)
			for cut := 4; cut < len(records); cut += 4 {
				after, err := resumeWith(t, records[:cut], leader.WithTask(""), leader.WithOverride(func(team *leader.Team) {
					team.Limits.Deadline = time.Nanosecond
				}))
				broken, failed := replay.Check(sequence(after))
				if failed != nil {
					t.Fatal(failed)
				}
				for _, x := range broken {
					if x.Rule != replay.RuleCycle { // of a question that was to be refused
						t.Errorf("cut after record %d: %+v; the run ended with %v", cut, x, err)
					}
				}
			}
		})
	}
}
