package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// busy is a script of a leader and three workers who look around for many
// steps; one asks another, one the leader. It has no memory but the
// conversation.
const busy = `{"defaults": {"delay": "1s"}, "roles": {
	"tl": [
		{"text": "I split the work.", "calls": [
			{"tool": "create_sub_agent", "args": {"role": "w", "task": "the first part"}},
			{"tool": "create_sub_agent", "args": {"role": "w", "task": "the second part"}},
			{"tool": "create_sub_agent", "args": {"role": "x", "task": "the third part"}}]},
		{"when": {"kind": "question"}, "calls": [
			{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "blue, <b>bold</b>"}}]},
		{"when": {}, "text": "all is done"}],
	"w": [
		{"when": {"number": "4"}, "calls": [{"tool": "ask_master", "args": {"question": "which colour?"}}]},
		{"when": {"number": "2-13"}, "text": "I look.", "calls": [{"tool": "look", "args": {"what": "step {{.Number}}"}}, {"tool": "look", "args": {"what": "again {{.Number}}"}}]},
		{"when": {"number": "1"}, "calls": [{"tool": "look", "args": {"what": "start"}}]},
		{"when": {}, "text": "{{.Agent}} is ready"}],
	"x": [
		{"when": {"kind": "question"}, "delay": "3s", "calls": [
			{"tool": "answer_other_agent", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "x knows"}}]},
		{"when": {"number": "1-9"}, "calls": [{"tool": "look", "args": {"what": "deep {{.Number}}"}}]},
		{"when": {}, "text": "x has looked"}]}}`

type lookArgs struct {
	What string `json:"what"`
}

// look is a tool that may run again, and sometimes brings much.
var look = tools.FuncCall("look", "looks", func(_ context.Context, _ tools.Call, in lookArgs) (string, error) {
	if in.What == "deep 2" {
		return strings.Repeat("deep ", 400), nil
	}
	return "seen: " + in.What, nil
}, tools.Pure)

// watched is a client that looks at each conversation it gets.
type watched struct {
	model.Client
	mu    sync.Mutex // guards all below
	bad   []error
	heard []string // the texts of the conversations of the last requests, by agent and message
}

func (w *watched) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	w.mu.Lock()
	if err := agent.CheckHistory(req.Messages); err != nil {
		w.bad = append(w.bad, fmt.Errorf("%s: %w", req.Agent, err))
	}
	for _, m := range req.Messages {
		w.heard = append(w.heard, req.Agent+" reads: "+m.Content)
	}
	w.mu.Unlock()
	return w.Client.Stream(ctx, req)
}

func busyModel(t testing.TB) *watched {
	t.Helper()
	script, err := model.ParseScript("busy.json", []byte(busy))
	if err != nil {
		t.Fatal(err)
	}
	return &watched{Client: model.NewScripted(script)}
}

// recordBusy performs the run once, and returns its folder and its records.
func recordBusy(t *testing.T) (dir string, records []event.Record) {
	t.Helper()
	runs := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		team := leader.Team{
			Model: leader.Model{Client: busyModel(t), Name: "test/busy", Scripted: true},
			Roles: []leader.Role{
				{ID: "w", Name: "Worker", Does: "works", Prompt: "You are careful.", Tools: []string{"look"}},
				{ID: "x", Name: "Explorer", Does: "explores", Tools: []string{"look"}},
			},
		}
		l, err := leader.New(team, leader.WithRunDir(runs), leader.WithWorkDir(runs), leader.WithTools(look), leader.WithMaxResult(1000))
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.Do(t.Context(), "look around")
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Dir(res.Log)
	})
	return dir, readRun(t, dir)
}

func readRun(t testing.TB, dir string) []event.Record {
	t.Helper()
	var records []event.Record
	for rec, err := range transcript.ReadFile(t.Context(), filepath.Join(dir, transcript.FileName), transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// logLines are the lines of a log.
func logLines(t *testing.T, dir string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, transcript.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(bytes.Lines(text))
}

// goOn resumes a fork to its end and returns what its model was asked.
func goOn(t *testing.T, dir string, opts ...leader.Option) (leader.Result, *watched, error) {
	t.Helper()
	var res leader.Result
	var end error
	client := busyModel(t)
	synctest.Test(t, func(t *testing.T) {
		run, err := leader.Resume(t.Context(), dir, append([]leader.Option{
			leader.WithClient("test/busy", leader.Model{Client: client, Name: "test/busy", Scripted: true}), leader.WithTools(look), leader.WithSync("off"),
		}, opts...)...)
		if err != nil {
			end = err
			return
		}
		res, end = run.Wait()
	})
	return res, client, end
}

// files has the content of all files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestForkAtEveryRecord forks a run at each of its records and goes on: every
// conversation is valid, the end is the same, and the old run stays as it was.
func TestForkAtEveryRecord(t *testing.T) {
	t.Parallel()
	dir, records := recordBusy(t)
	t.Logf("%d records", len(records))
	if len(records) < 300 {
		t.Fatalf("the run has only %d records", len(records))
	}
	before, whole := files(t, dir), logLines(t, dir)
	const side = 4 // of them write and fold their logs while others wait for the disk
	t.Run("at", func(t *testing.T) {
		for first := range int64(side) {
			t.Run(fmt.Sprint(first+1), func(t *testing.T) {
				t.Parallel()
				for n := first + 1; n <= int64(len(records)); n += side {
					forkAt(t, dir, records, whole, n)
				}
			})
		}
	})
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("the old run was changed (-before +after):\n%s", diff)
	}
}

// forkAt forks the run in dir at record n and goes on to the end.
func forkAt(t *testing.T, dir string, records []event.Record, whole [][]byte, n int64) {
	t.Helper()
	forked, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: n, Dir: t.TempDir()})
	if err != nil || forked.Records != n || forked.Dir != filepath.Join(filepath.Dir(forked.Dir), forked.RunID) {
		t.Fatalf("fork at record %d: %+v, %v", n, forked, err)
	}
	if copied := logLines(t, forked.Dir); int64(len(copied)) != n || !slices.EqualFunc(copied[1:], whole[1:n], bytes.Equal) {
		t.Fatalf("fork at record %d: the records behind the header are not those of the old run", n)
	}
	res, client, err := goOn(t, forked.Dir)
	if n == int64(len(records)) {
		if !errors.Is(err, leader.ErrFinished) {
			t.Errorf("a fork of the whole run: %v", err)
		}
		return
	}
	if err != nil || res.Status != leader.StatusFinished || res.Answer != "all is done" || res.RunID != forked.RunID {
		t.Errorf("fork at record %d (%s of %s): %+v, %v", n, records[n-1].Type(), records[n-1].Agent, res, err)
	}
	for _, err := range client.bad {
		t.Errorf("fork at record %d: %v", n, err)
	}
	broken, err := replay.Check(replayed(readRun(t, forked.Dir)))
	if err != nil || len(broken) > 0 {
		t.Errorf("fork at record %d: the log breaks rules: %v, %v", n, broken, err)
	}
}

// TestVerifyFollowsAChangedTeam goes on with a run under another limit, which
// its agents meet, and runs each of them again from the log.
func TestVerifyFollowsAChangedTeam(t *testing.T) {
	t.Parallel()
	dir, _ := recordBusy(t)
	forked, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: 120, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	res, _, err := goOn(t, forked.Dir, leader.WithOverride(func(t *leader.Team) { t.Roles[0].MaxSteps = 9 }))
	if err != nil || res.Status != leader.StatusFinished {
		t.Fatalf("the fork ended %s, %v", res.Status, err)
	}
	records := readRun(t, forked.Dir)
	if !slices.ContainsFunc(records, func(r event.Record) bool { return r.Type() == event.TypeLimitReached }) {
		t.Error("nobody meets the limit")
	}
	v, err := replay.Verify(t.Context(), replayed(records), replay.VerifyOptions{Tools: []tools.Tool{look}})
	if err != nil || len(v.Violations) > 0 {
		t.Errorf("verified: %v, %v", err, v.Violations)
	}
	for _, a := range v.Agents {
		if a.Mismatch != nil {
			t.Errorf("%s: %+v", a.Agent, a.Mismatch)
		}
	}
}

func replayed(records []event.Record) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// TestForkHeader looks at what the header of a fork says, and at the files that
// come with it.
func TestForkHeader(t *testing.T) {
	t.Parallel()
	dir, records := recordBusy(t)
	old, _ := records[0].Data.(event.RunStarted)
	forked, err := replay.Fork(t.Context(), filepath.Join(dir, transcript.FileName), replay.ForkOptions{
		Edits: []replay.Edit{{Seq: 1, Text: "look elsewhere"}}, Now: func() time.Time { return time.UnixMilli(7) },
	})
	if err != nil {
		t.Fatal(err)
	}
	header, rec, err := transcript.Header(filepath.Join(forked.Dir, transcript.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(forked.Dir) != filepath.Dir(dir) || header.RunID != forked.RunID || !strings.HasPrefix(forked.RunID, "0000000007") {
		t.Errorf("the fork is %+v, its header has the id %s", forked, header.RunID)
	}
	task := slices.IndexFunc(records, func(r event.Record) bool { return r.Type() == event.TypeMessageSent })
	want := &event.Origin{RunID: old.RunID, Seq: int64(len(records)), Edited: []int64{1, int64(task + 1)}}
	if diff := cmp.Diff(want, header.Fork); diff != "" {
		t.Errorf("origin (-want +got):\n%s", diff)
	}
	if header.TraceID == old.TraceID || len(header.TraceID) != 32 || !rec.Time.Equal(records[0].Time) || header.Task != "look elsewhere" {
		t.Errorf("the header is %+v of %s", header, rec.Time)
	}
	have := func(dir string) (names []string) {
		for path := range files(t, filepath.Join(dir, transcript.FilesName)) {
			names = append(names, filepath.Base(path))
		}
		return names
	}
	if was, is := have(dir), have(forked.Dir); len(was) != 1 || !slices.Equal(was, is) {
		t.Errorf("the files are %v, those of the fork %v", was, is)
	}
}

func TestForkRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const line = `{"v":1,"seq":1,"ts":"2026-03-01T12:00:00Z","type":"run.started","data":{"run_id":"r","task":"t","model_kind":"real"%s}}` + "\n"
	write := func(name, text string) string {
		run := filepath.Join(dir, name)
		if err := os.MkdirAll(run, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run, transcript.FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return run
	}
	whole := write("whole", fmt.Sprintf(line, ""))
	imported := write("imported", fmt.Sprintf(line, `,"import":{"format":"openai"}`))
	damaged := write("damaged", fmt.Sprintf(line, "")+"no record\n")
	before := files(t, dir)
	for _, tt := range []struct {
		path string
		from int64
		want string
	}{
		{whole, 2, "ends at 1"},
		{whole, -1, "ends at 1"},
		{imported, 1, "imported"},
		{damaged, 2, "transcript: "},
		{filepath.Join(dir, "none"), 1, "no such file"},
		{write("empty", ""), 1, "no records"},
	} {
		_, err := replay.Fork(t.Context(), tt.path, replay.ForkOptions{From: tt.from})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("fork of %s at %d: %v, want %q", filepath.Base(tt.path), tt.from, err, tt.want)
		}
		if missing := tt.path == whole; missing != errors.Is(err, replay.ErrNoRecord) {
			t.Errorf("fork of %s at %d: %v", filepath.Base(tt.path), tt.from, err)
		}
	}
	delete(before, "")
	after := files(t, dir)
	delete(after, filepath.Join(dir, "empty", transcript.FileName))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("something is left behind (-before +after):\n%s", diff)
	}
	if _, err := replay.Fork(t.Context(), damaged, replay.ForkOptions{From: 1}); err != nil {
		t.Errorf("a fork before the damage: %v", err)
	}
	if !bytes.Equal([]byte(before[filepath.Join(whole, transcript.FileName)]), fmt.Appendf(nil, line, "")) {
		t.Error("the old run was changed")
	}
}
