//go:build unix

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

const (
	// farTeam is the team behind the doors of a second Troupe.
	farTeam = `version: 1
name: far
model: scripted/far.json
roles: {a: {name: Aid, does: helps}}
serve: {tokens: {home: FAR_TOKEN}, studio: {path: /studio}, envelope: {wait: 20s}}
`
	// farScript has a leader who asks its person for a colour, unless the task says
	// that nobody can be asked.
	farScript = `{"defaults": {"chunk": 4, "pace": "1ms"}, "roles": {"tl": [
		{"when": {"any": "draw alone"}, "text": "A grey page."},
		{"when": {"number": "1"}, "calls": [{"tool": "ask_user", "args": {"question": "Which colour?"}}]},
		{"when": {"any": "in blue"}, "text": "A blue page."},
		{"when": {}, "text": "No colour was told."}]}}`
	farToken = "far-token-0123456789"
	// nearScript gives one task to the role elsewhere and answers what it asks.
	nearScript = `{"roles": {"tl": [
		{"when": {"kind": "question"}, "calls": [{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "in blue"}}]},
		{"when": {"number": "1"}, "calls": [{"tool": "create_sub_agent", "args": {"role": "far", "task": "%s"}}]},
		{"when": {"kind": "completion"}, "text": "I have: {{.Last.Content}}"},
		{"when": {}, "text": "I wait."}]}}`
	nearTeam = "version: 1\nname: near\nmodel: scripted/near.json\nroles: {far: {name: Designer, does: draws, code: far, remote: {%s: %q, token_env: FAR_TOKEN}}}\n"
)

// TestRolesBehindDoors runs a team whose role is a whole team at "troupe serve" of
// a second process: its answer is the report and, by envelopes, its question to
// the person one to the leader. The run verifies and exports as others.
func TestRolesBehindDoors(t *testing.T) {
	for kind, c := range map[string]struct {
		task, report string
		questions    int
	}{
		"studio":   {task: "draw alone", report: "A grey page."},
		"envelope": {task: "draw a page", report: "A blue page.", questions: 1},
	} {
		t.Run(kind, func(t *testing.T) {
			p := newProcessBeside(t)
			p.vars["FAR_TOKEN"] = farToken
			put(t, p.in("far.json"), farScript)
			put(t, p.in("far.yaml"), farTeam)
			far := p.serve(t, "--file", "far.yaml")
			address := far.url
			if kind == "envelope" {
				address = "http" + strings.TrimPrefix(strings.TrimSuffix(address, "/studio"), "ws") + "/envelope"
			}
			put(t, p.in("near.json"), fmt.Sprintf(nearScript, c.task))
			put(t, p.in("near.yaml"), fmt.Sprintf(nearTeam, kind, address))
			w := p.workshop(t, "near")
			got, code := w.troupe(t.Context(), t, 0, "run", "--quiet", "-f", "../../near.yaml", "have a page drawn")
			if code != exitOK || !strings.Contains(got, "I have: "+c.report) {
				t.Errorf("exit code %d, stdout %q; the far side says %s", code, got, far.log())
			}
			if n := questionsIn(t, w); n != c.questions {
				t.Errorf("%d questions were answered, want %d", n, c.questions)
			}
			run := filepath.Dir(w.log())
			for _, args := range [][]string{{"replay", run, "--verify"}, {"runs", "show", run}, {"runs", "export", run}, {"replay", run, "--view", "lines"}} {
				if code := p.call(t.Context(), args...); code != exitOK || bytes.Contains(p.stdout.Bytes(), []byte(farToken)) {
					t.Errorf("%v: exit code %d: %s%s", args, code, &p.stdout, &p.stderr)
				}
			}
			if code := far.end(syscall.SIGTERM); code != exitOK {
				t.Errorf("the far side ends with exit code %d: %s", code, far.log())
			}
		})
	}
}

// questionsIn is how many questions of the run were answered.
func questionsIn(t *testing.T, w workshop) (n int) {
	t.Helper()
	for rec, err := range transcript.ReadFile(t.Context(), w.log(), transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := rec.Data.(event.QuestionClosed); ok && d.Outcome == event.Answered {
			n++
		}
	}
	return n
}
