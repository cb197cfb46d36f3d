//go:build unix

package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// threeCrafts is the script of crafts with a role for each of the three workers.
func threeCrafts() string {
	text := strings.Replace(crafts, `{"role": "wri", "task": "write the second part"}`, `{"role": "pen", "task": "write the second part"}`, 1)
	begin, end := strings.Index(text, `"wri": [`), strings.Index(text, `"art": [`)
	return text[:begin] + text[begin:end] + strings.Replace(text[begin:end], `"wri"`, `"pen"`, 1) + text[end:]
}

const (
	homeCrafts = `version: 1
name: crafts
model: scripted/crafts.json
roles:
  wri: {name: Writer, does: Writes, code: wri, tools: [read_file, list_dir, write_file]}
  pen: {name: Penman, does: Writes too, code: pen, tools: [read_file, list_dir, write_file]}
  art: {name: Artist, does: Paints, code: art, tools: [write_file]}
`
	spreadCrafts = `version: 1
name: crafts
model: scripted/crafts.json
roles:
  wri: {name: Writer, does: Writes, code: wri, remote: {streams: writers}}
  pen: {name: Penman, does: Writes too, code: pen, remote: {streams: writers}}
  art: {name: Artist, does: Paints, code: art, remote: {streams: artists, redis: "${REDIS_URL}"}}
`
)

// startWorker starts a worker process in a folder; the end of the test stops it.
func (p *process) startWorker(t *testing.T, dir, agentType string) {
	t.Helper()
	cmd := p.program(context.WithoutCancel(t.Context()), t, "worker", "--agent-type", agentType, "--redis", p.vars["REDIS_URL"], "--drain", "1s",
		"--file", "home.yaml", "--run-dir", filepath.Join(dir, "runs-"+agentType), "--workdir", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Logf("worker %s: %v: %s", agentType, err, &stderr)
		}
	})
}

// TestRolesAtOtherWorkers runs a team whose three roles are lent by two worker
// processes over a real Redis: stdout and files are as at home. A home that is
// killed and resumed ends the same, with nothing doubled.
func TestRolesAtOtherWorkers(t *testing.T) {
	p := newProcessBeside(t)
	p.vars["REDIS_URL"] = realRedis(t)
	put(t, p.in("crafts.json"), threeCrafts())
	put(t, p.in("home.yaml"), homeCrafts)
	put(t, p.in("spread.yaml"), spreadCrafts)
	home := p.workshop(t, "home")
	want, code := home.troupe(t.Context(), t, 0, "run", "--quiet", "-f", "../../home.yaml", "write it all")
	if code != exitOK {
		t.Fatalf("at home: exit code %d", code)
	}
	files := home.files(t)
	far := p.workshop(t, "far")
	there := workshop{p, far.dir}
	p.startWorker(t, filepath.Join(there.dir, "work"), "writers")
	p.startWorker(t, filepath.Join(there.dir, "work"), "artists")
	began := time.Now()
	w := p.workshop(t, "whole")
	got, code := w.troupe(t.Context(), t, 0, "run", "--quiet", "-f", "../../spread.yaml", "write it all")
	took := time.Since(began)
	if code != exitOK || got != want {
		t.Fatalf("exit code %d, stdout %q, want %q", code, got, want)
	}
	if diff := cmp.Diff(files, there.files(t)); diff != "" {
		t.Errorf("files (-home +far):\n%s", diff)
	}
	if here := w.files(t); len(here) > 0 {
		t.Errorf("files were written at home: %v", here)
	}
	checkLogOf(t, w)
	if text, err := os.ReadFile(w.log()); err != nil || bytes.Contains(text, []byte("hunter2")) {
		t.Errorf("the password stands in the log: %v", err)
	}
	if code := p.call(t.Context(), "replay", filepath.Dir(w.log()), "--verify"); code != exitOK {
		t.Errorf("verify: exit code %d: %s%s", code, &p.stdout, &p.stderr)
	}
	for range 3 {
		k := p.workshop(t, "killed")
		after := time.Duration(1 + rand.Int64N(int64(took)))
		k.troupe(t.Context(), t, after, "run", "--quiet", "-f", "../../spread.yaml", "write it all")
		if !k.ended(t) {
			got, code := k.troupe(t.Context(), t, 0, "resume", "last", "--quiet", "-f", "../../spread.yaml")
			if code != exitOK || got != want {
				t.Errorf("killed after %s: exit code %d, stdout %q, want %q", after, code, got, want)
			}
		}
		checkLogOf(t, k)
		if diff := cmp.Diff(files, there.files(t)); diff != "" {
			t.Errorf("killed after %s: files (-home +far):\n%s", after, diff)
		}
		if err := os.RemoveAll(k.dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckShowsRolesElsewhere checks a team with roles elsewhere: no server is
// asked, and nothing secret is shown.
func TestCheckShowsRolesElsewhere(t *testing.T) {
	p := newProcess(t)
	p.vars["REDIS_URL"] = "redis://:hunter2@127.0.0.1:1/0"
	put(t, "crafts.json", threeCrafts())
	put(t, "team.yaml", spreadCrafts)
	for _, args := range [][]string{{"check"}, {"check", "--json"}} {
		code := p.call(t.Context(), args...)
		text := p.stdout.String()
		if code != exitOK || !strings.Contains(text, "streams/writers") || !strings.Contains(text, "streams/artists") || strings.Contains(text, "hunter2") {
			t.Errorf("%v: exit code %d: %s%s", args, code, text, &p.stderr)
		}
	}
	put(t, "team.yaml", strings.NewReplacer("{streams: writers}", "{studio: \"ws://127.0.0.1:1/studio\"}", "{streams: artists", "{envelope: \"http://127.0.0.1:1/e\", token_env: POST_TOKEN", `, redis: "${REDIS_URL}"}`, "}").Replace(spreadCrafts))
	if code := p.call(t.Context(), "check"); code == exitOK || !strings.Contains(p.stderr.String(), "POST_TOKEN") {
		t.Errorf("a token that is not set: exit code %d: %s%s", code, &p.stdout, &p.stderr)
	}
	p.vars["POST_TOKEN"] = "hunter2hunter2"
	if code := p.call(t.Context(), "check"); code != exitOK || !strings.Contains(p.stdout.String(), "envelope/http://127.0.0.1:1/e") || !strings.Contains(p.stdout.String(), "studio/ws://") {
		t.Errorf("studio and envelope: exit code %d: %s%s", code, &p.stdout, &p.stderr)
	}
	put(t, "team.yaml", strings.ReplaceAll(spreadCrafts, "{streams: writers}", "{streams: writers, redis: \"redis://h:x\"}"))
	if code := p.call(t.Context(), "check"); code == exitOK {
		t.Errorf("an address that cannot be read passes: %s", &p.stdout)
	}
}

// circle is a script of three workers: b asks c, who asks back while b waits.
const circle = `{"roles": {
	"tl": [
		{"when": {"number": "1"}, "text": "I split the work.", "calls": [
			{"tool": "create_sub_agent", "args": {"role": "aa", "task": "part a"}},
			{"tool": "create_sub_agent", "args": {"role": "bb", "task": "part b"}},
			{"tool": "create_sub_agent", "args": {"role": "cc", "task": "part c"}}]},
		{"when": {"kind": "question"}, "calls": [{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "blue"}}]},
		{"when": {"number": "2"}, "calls": [{"tool": "wait_sub_agent_output", "args": {"until": "all"}}]},
		{"when": {}, "text": "all parts are there"}],
	"aa": [
		{"when": {"number": "1"}, "calls": [{"tool": "ask_master", "args": {"question": "which colour?"}}]},
		{"when": {}, "text": "a is ready"}],
	"bb": [
		{"when": {"number": "1"}, "delay": "1s", "calls": [{"tool": "ask_other_agent", "args": {"agent": "cc_1", "question": "how far are you?"}}]},
		{"when": {}, "text": "b is ready"}],
	"cc": [
		{"when": {"kind": "question"}, "calls": [{"tool": "ask_other_agent", "args": {"agent": "bb_1", "question": "and you?"}}]},
		{"when": {"tool": "ask_other_agent"}, "calls": [{"tool": "answer_other_agent", "args": {"question_id": "ask_bb_001", "answer": "half-way"}}]},
		{"when": {"number": "1"}, "delay": "3s", "calls": [{"tool": "list_dir", "args": {"path": "."}}]},
		{"when": {}, "text": "c is ready"}]}}`

// TestACircleBetweenWorkers lets a role at one worker process ask one at another,
// which asks back: the question is answered, and the circle refused.
func TestACircleBetweenWorkers(t *testing.T) {
	p := newProcessBeside(t)
	p.vars["REDIS_URL"] = realRedis(t)
	put(t, p.in("circle.json"), circle)
	team := "version: 1\nname: circle\nmodel: scripted/circle.json\nroles:\n"
	home, spread := team, team
	for role, agentType := range map[string]string{"aa": "one", "bb": "one", "cc": "two"} {
		home += "  " + role + ": {does: part, code: " + role + "}\n"
		spread += "  " + role + ": {does: part, code: " + role + ", remote: {streams: " + agentType + "}}\n"
	}
	put(t, p.in("home.yaml"), home)
	put(t, p.in("spread.yaml"), spread)
	here := p.workshop(t, "here")
	want, _ := here.troupe(t.Context(), t, 0, "run", "--quiet", "-f", "../../home.yaml", "go")
	far := p.workshop(t, "far")
	p.startWorker(t, filepath.Join(far.dir, "work"), "one")
	p.startWorker(t, filepath.Join(far.dir, "work"), "two")
	w := p.workshop(t, "whole")
	got, code := w.troupe(t.Context(), t, 0, "run", "--quiet", "-f", "../../spread.yaml", "go")
	if code != exitOK || got != want || got != "all parts are there\n" {
		t.Errorf("exit code %d, stdout %q, at home %q", code, got, want)
	}
	for _, run := range []workshop{here, w} {
		ends := map[event.Outcome]int{}
		for rec, err := range transcript.ReadFile(t.Context(), run.log(), transcript.ReadOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := rec.Data.(event.QuestionClosed); ok {
				ends[d.Outcome]++
			}
		}
		if diff := cmp.Diff(map[event.Outcome]int{event.Answered: 2, event.RefusedCycle: 1}, ends); diff != "" {
			t.Errorf("%s: questions (-want +got):\n%s", run.dir, diff)
		}
	}
}
