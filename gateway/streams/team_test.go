package streams_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
)

// survey is a leader who does what the task says: asks the user, asks for leave,
// hires a worker, takes long, or answers.
const survey = `{"defaults": {"chunk": 6}, "roles": {
	"tl": [
		{"when": {"last": "^ask"}, "calls": [{"tool": "ask_user", "args": {"question": "Which colour?"}}]},
		{"when": {"last": "^write"}, "calls": [{"tool": "write_file", "args": {"path": "a.md", "content": "x"}}]},
		{"when": {"last": "^hire"}, "text": "I split the work.", "calls": [{"tool": "create_sub_agent", "args": {"role": "aid", "task": "work"}}]},
		{"when": {"last": "^slow"}, "text": "slowly done", "delay": "60s"},
		{"when": {}, "text": "answer: {{.Last.Content}}"}],
	"aid": [
		{"text": "I work.", "calls": [{"tool": "write_file", "args": {"path": "b.md", "content": "{{.Agent}}"}}]},
		{"when": {}, "text": "worked"}]}}`

// troupe is a process with teams.
type troupe struct {
	*streams.Teams
	close context.CancelFunc
	ended chan error
}

// teams begins to serve teams whose logs and files are in dir.
func teams(t testing.TB, dir, script string, set ...func(*streams.TeamOptions)) *troupe {
	t.Helper()
	s, err := model.ParseScript("survey", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	m, err := session.New(session.Options{Dir: dir, Team: func(map[string]string) (leader.Team, []leader.Option, error) {
		return leader.Team{
			Model:       leader.Model{Client: model.NewScripted(s), Name: "scripted/survey", Scripted: true},
			Leader:      leader.Lead{Tools: []string{"write_file"}},
			Roles:       []leader.Role{{ID: "aid", Name: "Aid", Does: "helps", Tools: []string{"write_file"}}},
			Permissions: leader.Permissions{Ask: []string{"write_file(a.md)"}, Headless: leader.HeadlessSuspend},
		}, []leader.Option{leader.WithWorkDir(work), leader.WithSync("off")}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := streams.TeamOptions{Sessions: m, Close: cancel}
	for _, f := range set {
		f(&o)
	}
	h, err := streams.NewTeams(o)
	if err != nil {
		t.Fatal(err)
	}
	p := &troupe{Teams: h, close: cancel, ended: make(chan error, 1)}
	go func() { p.ended <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-p.ended
	})
	return p
}

func TestTeamAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "signup", teams(t, t.TempDir(), survey))
		for _, text := range []string{"one", "two"} { // two turns of one session
			sent := r.send("signup", "sess", text)
			r.status("sess", sent.MessageID, streams.Completed)
			r.expectTold("sess", sent.MessageID,
				"state working", "text answer: "+text, "state idle", "answer answer: "+text, "end ")
		}
		r.nothingPending("signup")
	})
}

var kinds = map[streams.Kind]string{
	streams.KindOther: "other", streams.KindText: "text", streams.KindLog: "log", streams.KindState: "state",
	streams.KindArtifact: "artifact", streams.KindQuestion: "question", streams.KindAnswer: "answer", streams.KindEnd: "end",
}

// told lists the events of a task and its sub-steps, pieces of a text joined:
// what it is, in which sub-step, and the text. Calls of tools are named.
func (r *rig) told(session, message string) []string {
	r.t.Helper()
	entries, err := r.rdb.XRange(context.Background(), r.schema.DataStream(session), "-", "+").Result()
	if err != nil {
		r.t.Fatal(err)
	}
	var lines []string
	last := ""
	for _, m := range entries {
		text, _ := m.Values["data"].(string)
		e, err := streams.DecodeEvent([]byte(text))
		if err != nil {
			r.t.Fatal(err)
		}
		step, of := strings.CutPrefix(e.MessageID, message)
		if !of {
			continue
		}
		head := kinds[e.Kind()] + step + " "
		delta := e.Data.Choices[0].Delta
		switch joins := e.Kind() == streams.KindText || e.Kind() == streams.KindLog; {
		case len(delta.ToolCalls) > 4: // not null
			lines = append(lines, "calls"+step+" "+names(delta.ToolCalls))
			head = ""
		case len(delta.ToolResponses) > 4:
			lines = append(lines, "results"+step+" "+names(delta.ToolResponses))
			head = ""
		case joins && head == last:
			lines[len(lines)-1] += e.Text()
		default:
			lines = append(lines, head+e.Text())
		}
		last = head
	}
	return lines
}

// names are the names of the tools in calls or results.
func names(list json.RawMessage) string {
	var found []string
	for _, name := range regexp.MustCompile(`"name":"[^"]*"`).FindAllString(string(list), -1) {
		found = append(found, strings.Trim(name[len(`"name":`):], `"`))
	}
	return strings.Join(found, " ")
}

func (r *rig) expectTold(session, message string, want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.told(session, message)); diff != "" {
		r.t.Errorf("what was told of the task (-want +got):\n%s", diff)
	}
}
