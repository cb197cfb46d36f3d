//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// crafts is a script of a leader and three workers who write files and ask: one
// another worker, one the leader. What they say follows from the conversation
// alone, and what they write does not depend on who was faster.
const crafts = `{"defaults": {"delay": "15ms", "chunk": 6, "pace": "3ms"}, "roles": {
	"tl": [
		{"text": "I split the work.", "calls": [
			{"tool": "create_sub_agent", "args": {"role": "wri", "task": "write the first part"}},
			{"tool": "create_sub_agent", "args": {"role": "wri", "task": "write the second part"}},
			{"tool": "create_sub_agent", "args": {"role": "art", "task": "choose the colours"}}]},
		{"when": {"kind": "question"}, "calls": [
			{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "In short words."}}]},
		{"when": {}, "text": "All parts are written."}],
	"wri": [
		{"text": "I ask how.", "calls": [{"tool": "ask_master", "args": {"question": "How shall I write?"}}]},
		{"when": {"number": "2"}, "calls": [{"tool": "ask_other_agent", "args": {"agent": "Artist_1", "question": "Which colour?", "expects": "answer"}}]},
		{"when": {"number": "3-5"}, "text": "I write.", "calls": [{"tool": "write_file", "args": {"path": "{{.Agent}}-{{.Number}}.md", "content": "{{.Task}}, page {{.Number}}\n"}}]},
		{"when": {"number": "6"}, "calls": [{"tool": "list_dir", "args": {"path": "."}}, {"tool": "read_file", "args": {"path": "{{.Agent}}-3.md"}}]},
		{"when": {}, "text": "{{.Agent}} has done: {{.Task}}"}],
	"art": [
		{"text": "I paint.", "calls": [
			{"tool": "write_file", "args": {"path": "colour-1.md", "content": "blue\n"}},
			{"tool": "write_file", "args": {"path": "colour-2.md", "content": "sky blue\n"}},
			{"tool": "write_file", "args": {"path": "colour-3.md", "content": "navy blue\n"}}]},
		{"when": {"kind": "question"}, "calls": [
			{"tool": "answer_other_agent", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "Blue."}}]},
		{"when": {}, "text": "the colours are chosen"}]}}`

const craftsTeam = `version: 1
name: crafts
model: scripted/crafts.json
roles:
  wri: {name: Writer, does: Writes, tools: [read_file, list_dir, write_file]}
  art: {name: Artist, does: Paints, tools: [write_file]}
`

// workshop is a folder of its own for one run, with its own runs.
type workshop struct {
	*process
	dir string
}

func (p *process) workshop(t *testing.T, name string) workshop {
	t.Helper()
	dir := p.in(name)
	put(t, filepath.Join(dir, "work", ".keep"), "")
	return workshop{p, dir}
}

// troupe runs the program in the folder and returns stdout and the exit code.
// It kills the program after a time unless that is 0, counted from the first
// record of a log.
func (w workshop) troupe(ctx context.Context, t *testing.T, after time.Duration, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := w.program(ctx, t, append(args, "--run-dir", filepath.Join(w.dir, "runs"))...)
	cmd.Dir = filepath.Join(w.dir, "work")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return "", -1
	}
	if after > 0 {
		w.await(t)
		<-time.After(after)
		_ = cmd.Process.Kill()
	}
	_ = cmd.Wait()
	if code = cmd.ProcessState.ExitCode(); code > 0 {
		t.Errorf("%s: exit code %d: %s", args[0], code, &stderr)
	}
	return out.String(), code
}

// await waits until the run has a log with a header.
func (w workshop) await(t *testing.T) {
	t.Helper()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range 20_000 {
		if text, err := os.ReadFile(w.log()); err == nil && bytes.Contains(text, []byte("\n")) {
			return
		}
		<-ticker.C
	}
	t.Error("no log came")
}

func (w workshop) log() string {
	found, _ := filepath.Glob(filepath.Join(w.dir, "runs", "*", transcript.FileName))
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// files has what the agents wrote.
func (w workshop) files(t *testing.T) map[string]string {
	t.Helper()
	return filesIn(t, filepath.Join(w.dir, "work"))
}

// filesIn has the documents in a folder.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Error(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found
}

// TestKilledRunResumes kills a run with SIGKILL at random moments, some of them
// again while it is resumed. Each time it goes on to the same answer and the
// same files, and its log is that of one run.
func TestKilledRunResumes(t *testing.T) {
	kills, side := 20, 4
	if os.Getenv("TROUPE_SOAK") != "" {
		kills = 200
	}
	p := newProcessBeside(t)
	put(t, p.in("crafts.json"), crafts)
	put(t, p.in("team.yaml"), craftsTeam)
	whole := p.workshop(t, "whole")
	began := time.Now()
	const file = "../../team.yaml"
	answer, _ := whole.troupe(t.Context(), t, 0, "run", "--quiet", "-f", file, "write it all")
	took, files := time.Since(began), whole.files(t)
	if answer != "All parts are written.\n" || len(files) != 9 {
		t.Fatalf("the undisturbed run says %q and writes %v", answer, files)
	}
	checkLogOf(t, whole)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d; the undisturbed run took %s", seed, took)
	random := rand.New(rand.NewPCG(seed, 0))
	moments := make(chan [2]time.Duration, kills) // as many as there are, so that making them needs no one else
	for i := range kills {
		m := [2]time.Duration{time.Duration(1 + random.Int64N(int64(took)))}
		if i%4 == 0 {
			m[1] = time.Duration(1 + random.Int64N(int64(took)/2))
		}
		moments <- m
	}
	close(moments)
	var all sync.WaitGroup
	for i := range side {
		all.Go(func() {
			n := 0
			for m := range moments {
				n++
				w := p.workshop(t, fmt.Sprintf("killed-%d-%d", i, n))
				w.troupe(t.Context(), t, m[0], "run", "--quiet", "-f", file, "write it all")
				if m[1] > 0 && !w.ended(t) {
					w.troupe(t.Context(), t, m[1], "resume", "last", "--quiet")
				}
				if w.ended(t) {
					continue // before it was killed
				}
				got, code := w.troupe(t.Context(), t, 0, "resume", "last", "--quiet")
				if got != answer || code != exitOK {
					t.Errorf("killed after %v: exit code %d, stdout %q, want %q", m, code, got, answer)
				}
				if diff := cmp.Diff(files, w.files(t)); diff != "" {
					t.Errorf("killed after %v: files (-undisturbed +resumed):\n%s", m, diff)
				}
				checkLogOf(t, w)
			}
		})
	}
	all.Wait()
}

// ended reports whether the run has finished.
func (w workshop) ended(t *testing.T) bool {
	t.Helper()
	run, err := transcript.Find("", w.log())
	if err != nil {
		t.Error(err)
	}
	return run.Status == transcript.StatusFinished
}

// checkLogOf looks that the log is that of one run: each message was sent once
// and delivered once, each question closed once, each call has one result, and
// nobody is left at work.
func checkLogOf(t *testing.T, w workshop) {
	t.Helper()
	sent, delivered, opened, closed, called, results := counts{}, counts{}, counts{}, counts{}, counts{}, counts{}
	states := map[string]event.State{}
	last := event.Type("")
	for rec, err := range transcript.ReadFile(t.Context(), w.log(), transcript.ReadOptions{}) {
		if err != nil {
			t.Error(err)
			return
		}
		last = rec.Type()
		switch d := rec.Data.(type) {
		case event.MessageSent:
			sent[d.ID]++
		case event.MessageDelivered:
			delivered[d.ID]++
		case event.QuestionOpened:
			opened[d.ID]++
		case event.QuestionClosed:
			closed[d.ID]++
		case event.ModelReplied:
			for _, c := range d.Calls {
				called[rec.Agent+"/"+c.ID]++
			}
		case event.ToolFinished:
			results[rec.Agent+"/"+d.CallID]++
		case event.AgentState:
			states[rec.Agent] = d.To
		default:
		}
	}
	for what, pair := range map[string][2]counts{
		"messages, sent and delivered": {sent, delivered}, "questions, opened and closed": {opened, closed}, "calls and results": {called, results},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s: %s:\n%s", w.log(), what, diff)
		}
		for id, n := range pair[0] {
			if n != 1 {
				t.Errorf("%s: %s: %s is there %d times", w.log(), what, id, n)
			}
		}
	}
	if len(states) != 4 || last != event.TypeRunFinished {
		t.Errorf("%s: the run ends with %s, and %d agents", w.log(), last, len(states))
	}
	for agent, state := range states {
		if state != event.Idle {
			t.Errorf("%s: %s is left %s", w.log(), agent, state)
		}
	}
	broken, err := replay.Check(transcript.ReadFile(t.Context(), w.log(), transcript.ReadOptions{}))
	if err != nil || len(broken) > 0 {
		t.Errorf("%s: the log breaks rules: %v, %v", w.log(), broken, err)
	}
	if text, err := os.ReadFile(w.log()); err != nil || !strings.HasSuffix(string(text), "\n") {
		t.Errorf("%s: the last line is torn, %v", w.log(), err)
	}
}

// counts is how often each id was seen.
type counts map[string]int
