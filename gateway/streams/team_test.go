package streams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
		{"when": {"new": "^hello"}, "text": "answer: hello"},
		{"when": {"tool": "ask_user"}, "text": "answer: {{.Result \"ask_user\"}}"},
		{"when": {"tool": "write_file"}, "text": "written: {{.Result \"write_file\"}}"},
		{"when": {"new": "^ask"}, "calls": [{"tool": "ask_user", "args": {"question": "Which colour?"}}]},
		{"when": {"new": "^write"}, "calls": [{"tool": "write_file", "args": {"path": "a.md", "content": "x"}}]},
		{"when": {"new": "^hire"}, "text": "I split the work.", "calls": [{"tool": "create_sub_agent", "args": {"role": "aid", "task": "work"}}]},
		{"when": {"new": "^slow"}, "text": "slowly done", "delay": "60s"},
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
	var events []streams.Event
	for _, m := range entries {
		text, _ := m.Values["data"].(string)
		e, err := streams.DecodeEvent([]byte(text))
		if err != nil {
			r.t.Fatal(err)
		}
		events = append(events, e)
	}
	return toldBy(events, message)
}

// toldBy is what events tell of a task.
func toldBy(events []streams.Event, message string) []string {
	var lines []string
	last := ""
	for _, e := range events {
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

// answer says something to a task that waits.
func (r *rig) answer(session, message, text string) {
	r.t.Helper()
	_, err := r.client.Resume(context.Background(), streams.Answer{SessionID: session, MessageID: message, Content: streams.TextContent(text)})
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestTeamAsks lets a team ask its user. A second task of the session is told
// that the user has to answer first; one after that begins.
func TestTeamAsks(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "signup", teams(t, t.TempDir(), survey))
		sent := r.send("signup", "sess", "ask me")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		early := r.send("signup", "sess", "hello")
		rec := r.status("sess", early.MessageID, streams.Failed)
		if want := "the session waits for the user: Team Leader: Which colour? (answer or cancel task " + sent.MessageID + " first)"; rec.ErrorMessage != want {
			t.Errorf("got %q, want %q", rec.ErrorMessage, want)
		}
		r.answer("sess", sent.MessageID, "blue")
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectTold("sess", sent.MessageID,
			"state working", "calls ask_user", "state waiting", "state working", "question Which colour?",
			"results ask_user", "text answer: "+blue, "state idle", "answer answer: "+blue, "end ")
		late := r.send("signup", "sess", "hello")
		r.status("sess", late.MessageID, streams.Completed)
		r.nothingPending("signup")
	})
}

// blue is how a team reads the answer of its user.
const blue = "来自 User 的回答\nid: ans_user_001\n\n<User>\n<Answer question_id=\"ask_tl_001\">\nblue\n</Answer>\n</User>"

// TestTeamAsksForLeave decides about a call with words of both languages, and
// one that decides nothing.
func TestTeamAsksForLeave(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		english, chinese := teams(t, t.TempDir(), survey), teams(t, t.TempDir(), survey, func(o *streams.TeamOptions) { o.Lang = "zh" })
		r.worker("w-1", "signup", english)
		r.worker("w-2", "signup-zh", chinese)
		for agentType, tt := range map[string]struct{ ask, unread, no, refused string }{
			"signup": {
				"question Team Leader asks for leave to run:\nwrite_file {\"content\":\"x\",\"path\":\"a.md\"}\nAnswer yes, or no with a reason, or always (write_file(a.md))",
				"question The answer was not understood.\n", "no not that file", "not that file",
			},
			"signup-zh": {
				"question Team Leader 请求允许运行：\nwrite_file {\"content\":\"x\",\"path\":\"a.md\"}\n请回答“是”，或“否”加理由，或“总是” (write_file(a.md))",
				"question 没有看懂这个回答。\n", "否 不要这个文件", "不要这个文件",
			},
		} {
			sent := r.send(agentType, agentType, "write it")
			r.status(agentType, sent.MessageID, streams.WaitingUser)
			r.answer(agentType, sent.MessageID, "why?")
			eventually(t, "the second question", func() error {
				if told := r.told(agentType, sent.MessageID); !strings.HasPrefix(told[len(told)-1], tt.unread) {
					return fmt.Errorf("told %q", told)
				}
				return nil
			})
			r.status(agentType, sent.MessageID, streams.WaitingUser)
			r.answer(agentType, sent.MessageID, tt.no)
			r.status(agentType, sent.MessageID, streams.Completed)
			told := r.told(agentType, sent.MessageID)
			if !slices.Contains(told, tt.ask) {
				t.Errorf("%s: told %q, want %q", agentType, told, tt.ask)
			}
			if last := told[len(told)-2]; !strings.Contains(last, tt.refused) {
				t.Errorf("%s: the team was not told why: %s", agentType, last)
			}
			always := r.send(agentType, agentType, "write it")
			r.status(agentType, always.MessageID, streams.WaitingUser)
			r.answer(agentType, always.MessageID, map[string]string{"signup": "Always.", "signup-zh": "总是"}[agentType])
			r.status(agentType, always.MessageID, streams.Completed)
			third := r.send(agentType, agentType, "write it")
			r.status(agentType, third.MessageID, streams.Completed)
			if got := strings.Join(r.told(agentType, third.MessageID), "\n"); !strings.Contains(got, "artifact a.md") {
				t.Errorf("%s: no file after always:\n%s", agentType, got)
			}
		}
	})
}

// TestSubAgentsAreSubSteps hires a worker.
func TestSubAgentsAreSubSteps(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "signup", teams(t, t.TempDir(), survey))
		sent := r.send("signup", "sess", "hire one")
		r.status("sess", sent.MessageID, streams.Completed)
		var leader, aid []string
		for _, line := range r.told("sess", sent.MessageID) {
			if step, text, _ := strings.Cut(line, " "); strings.HasSuffix(step, "/aid_1") {
				aid = append(aid, strings.TrimSuffix(step, "/aid_1")+" "+text)
			} else {
				leader = append(leader, line)
			}
		}
		want := []string{
			"log Aid_1", "state working", "log I work.", "calls write_file", "artifact b.md", "results write_file", "log worked", "state idle",
		}
		if diff := cmp.Diff(want, aid); diff != "" {
			t.Errorf("what the sub-agent did (-want +got):\n%s", diff)
		}
		if got := strings.Join(leader, "\n"); !strings.HasPrefix(got, "state working\ntext I split the work.\ncalls create_sub_agent\nresults create_sub_agent") ||
			!strings.HasSuffix(got, "answer answer: worked\nend ") {
			t.Errorf("what the leader did:\n%s", got)
		}
		entries := r.rdb.XRange(t.Context(), r.schema.DataStream("sess"), "-", "+").Val()
		var last streams.Mark
		marked := map[streams.Mark]int{}
		for _, m := range entries {
			e, err := streams.DecodeEvent([]byte(m.Values["data"].(string)))
			if err != nil {
				t.Fatal(err)
			}
			mark, ok := e.Mark()
			if !ok {
				continue
			}
			if mark.Run == "" || mark.Seq < last.Seq {
				t.Errorf("mark %+v after %+v", mark, last)
			}
			marked[mark]++
			last = mark
		}
		for mark, n := range marked {
			if n != 1 {
				t.Errorf("mark %+v stands %d times", mark, n)
			}
		}
	})
}

// TestCancelOfATeam cancels a turn under way and one that waits; the next turn of
// the session begins each time.
func TestCancelOfATeam(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "signup", teams(t, t.TempDir(), survey))
		for text, status := range map[string]streams.Status{"slow": streams.Running, "ask me": streams.WaitingUser, "write it": streams.WaitingUser} {
			sent := r.send("signup", "sess", text)
			r.status("sess", sent.MessageID, status)
			if _, err := r.client.Cancel(t.Context(), "sess", sent.MessageID, "enough"); err != nil {
				t.Fatal(err)
			}
			r.status("sess", sent.MessageID, streams.Cancelled)
			next := r.send("signup", "sess", "hello")
			r.status("sess", next.MessageID, streams.Completed)
			if told := r.told("sess", next.MessageID); !slices.Contains(told, "answer answer: hello") {
				t.Errorf("after %s: told %q", text, told)
			}
		}
		r.nothingPending("signup")
	})
}

// TestTasksOfASessionTakeTurns gives four tasks at once: each has a turn of its
// own. Tasks of a group have sessions of their own.
func TestTasksOfASessionTakeTurns(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "signup", teams(t, t.TempDir(), survey))
		var sent []streams.Sent
		for i := range 4 {
			sent = append(sent, r.send("signup", "sess", fmt.Sprint("n ", i)))
		}
		for i, s := range sent {
			r.status("sess", s.MessageID, streams.Completed)
			if told := r.told("sess", s.MessageID); !slices.Contains(told, fmt.Sprint("answer answer: n ", i)) {
				t.Errorf("task %d: told %q", i, told)
			}
		}
	})
}

// TestTheLogIsNotHere takes over a task whose log is elsewhere.
func TestTheLogIsNotHere(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		first := r.worker("w-1", "signup", teams(t, t.TempDir(), survey))
		sent := r.send("signup", "sess", "slow")
		eventually(t, "the team to work", func() error {
			if len(r.told("sess", sent.MessageID)) == 0 {
				return errors.New("nothing was told")
			}
			return nil
		})
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		r.worker("w-2", "signup", teams(t, t.TempDir(), survey))
		rec := r.status("sess", sent.MessageID, streams.Failed)
		if !strings.Contains(rec.ErrorMessage, "is not here (give all workers of the agent type the same --run-dir)") {
			t.Errorf("got %q", rec.ErrorMessage)
		}
	})
}

// TestTakeOver hands a task back in the middle of a turn: another worker goes on
// with the log, what was told stays told, and each call had its effect once.
func TestTakeOver(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		const script = `{"roles": {
			"tl": [
				{"calls": [{"tool": "write_file", "args": {"path": "c.md", "content": "x"}}]},
				{"when": {"number": "2"}, "text": "slowly", "delay": "1500ms", "calls": [{"tool": "write_file", "args": {"path": "d.md", "content": "x"}}]},
				{"when": {}, "text": "done"}]}}`
		first := r.worker("w-1", "signup", teams(t, dir, script))
		sent := r.send("signup", "sess", "go")
		eventually(t, "the first file", func() error {
			if !slices.Contains(r.told("sess", sent.MessageID), "artifact c.md") {
				return errors.New("not yet")
			}
			return nil
		})
		if err := first.stop(); err != nil {
			t.Fatal(err)
		}
		r.worker("w-2", "signup", teams(t, dir, script))
		rec := r.status("sess", sent.MessageID, streams.Completed)
		if rec.WorkerID != "w-2" {
			t.Errorf("done by %s", rec.WorkerID)
		}
		r.expectTold("sess", sent.MessageID,
			"state working", "calls write_file", "artifact c.md", "results write_file",
			"text slowly", "calls write_file", "artifact d.md", "results write_file", "text done", "state idle", "answer done", "end ")
		r.nothingPending("signup")
	})
}

// TestTeamWhileRedisIsAway takes Redis away from a team at work: what a reader gets
// of it is what one gets of a team that nobody disturbed.
func TestTeamWhileRedisIsAway(t *testing.T) {
	const script = `{"defaults": {"chunk": 4, "pace": "20ms"}, "roles": {
		"tl": [
			{"text": "First I write the one file, and I say so at length.", "calls": [{"tool": "write_file", "args": {"path": "c.md", "content": "x"}}]},
			{"when": {"number": "2"}, "text": "Then the other, of which there is as much to say.", "calls": [{"tool": "write_file", "args": {"path": "d.md", "content": "x"}}]},
			{"when": {}, "text": "Both are there, and the work is done."}]}}`
	for name, away := range map[string]func(s *server, line *proxy){
		"restart": func(s *server, _ *proxy) {
			s.kill()
			<-time.After(time.Second)
			s.start()
		},
		"line": func(_ *server, line *proxy) {
			line.setCut(true)
			<-time.After(2 * time.Second)
			line.setCut(false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := onReal(t)
			line := newProxy(t, s.addr())
			r.workerOn(dial(t, line.addr()), "w-1", "signup", teams(t, t.TempDir(), script), patient)
			r.untilOnline("w-1")
			calm := r.send("signup", "calm", "go")
			r.status("calm", calm.MessageID, streams.Completed)
			sent := r.send("signup", "sess", "go")
			eventually(t, "the second text", func() error {
				if told := r.told("sess", sent.MessageID); !slices.ContainsFunc(told, func(line string) bool { return strings.HasPrefix(line, "text Then") }) {
					return fmt.Errorf("told %q", told)
				}
				return nil
			})
			away(s, line)
			r.status("sess", sent.MessageID, streams.Completed)
			if diff := cmp.Diff(r.told("calm", calm.MessageID), toldBy(r.read("sess"), sent.MessageID)); diff != "" {
				t.Errorf("what was told of the task (-undisturbed +disturbed):\n%s", diff)
			}
			r.nothingPending("signup")
		})
	}
}

// read is what a reader gets of a session: an event that was written a second time,
// because its answer was lost, comes once.
func (r *rig) read(session string) (events []streams.Event) {
	r.t.Helper()
	for e, err := range r.client.Read(context.Background(), session, streams.Begin) {
		if err != nil {
			r.t.Fatal(err)
		}
		events = append(events, e.Event)
	}
	return events
}
