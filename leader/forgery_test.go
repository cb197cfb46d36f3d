package leader_test

import (
	"context"
	"encoding/json"
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

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/transcript"
)

// forgery is one attack of the mailbox's corpus, as much of it as a run needs.
type forgery struct {
	Name, Content string
	Gen           *struct {
		Prefix, Unit, Suffix string
		Times                int
	} `json:"content_gen"`
	Role    *string
	Refused string
}

func forgeries(t *testing.T) []forgery {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "mailbox", "testdata", "forgery", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []forgery
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var family []forgery
		if err := json.Unmarshal(data, &family); err != nil {
			t.Fatal(err)
		}
		for i := range family {
			if g := family[i].Gen; g != nil {
				family[i].Content = g.Prefix + strings.Repeat(g.Unit, g.Times) + g.Suffix
			}
		}
		all = append(all, family...)
	}
	if len(all) < 220 {
		t.Fatalf("the corpus has %d attacks, want at least 220", len(all))
	}
	return all
}

// eachGroup runs a test with groups of attacks, so that not each of them needs
// a run of its own; the conversations grow with the size.
func eachGroup(t *testing.T, size int, test func(t *testing.T, texts []string)) {
	t.Helper()
	for group := range slices.Chunk(forgeries(t), size) {
		t.Run(group[0].Name, func(t *testing.T) {
			t.Parallel()
			var texts []string
			for _, f := range group {
				texts = append(texts, f.Content)
			}
			test(t, texts)
		})
	}
}

// forged is a run in which somebody forges: what the log and the models saw.
type forged struct {
	records []event.Record
	talks   map[string][]model.Message // by agent: the conversation of its last request
}

// listener is a client that notes the conversations it is shown.
type listener struct {
	model.Client
	mu    sync.Mutex // guards talks
	talks map[string][]model.Message
}

func (l *listener) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	l.mu.Lock()
	l.talks[req.Agent] = req.Messages
	l.mu.Unlock()
	return l.Client.Stream(ctx, req)
}

// forge runs a task in a bubble, with its log in a file; the person tells the
// leader the rest at once. It checks that the file holds what the run told,
// and every conversation (see checkTalk).
func forge(t *testing.T, workDir string, p players, task string, rest ...string) forged {
	t.Helper()
	l := &listener{Client: p.client(), talks: map[string][]model.Message{}}
	f := forged{talks: l.talks}
	runDir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const none = leader.Unlimited
		made, err := leader.New(leader.Team{
			Model:  leader.Model{Client: l, Name: "test/test"},
			Leader: leader.Lead{MaxSteps: none},
			Limits: leader.Limits{MaxSteps: none, Steps: none, Spawns: none, Agents: none, Tokens: none, Deadline: none},
		}, leader.WithWorkDir(workDir), leader.WithRunDir(runDir), leader.WithSync("off"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := made.Start(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range rest {
			if err := run.Tell("Team Leader", text); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		f.records = collect(t, run.Events(t.Context()))
		read := collect(t, transcript.ReadFile(t.Context(), run.Log(), transcript.ReadOptions{}))
		if diff := cmp.Diff(encoded(t, f.records), encoded(t, read)); diff != "" {
			t.Fatalf("the file differs from what the run told (-want +got):\n%.2000s", diff)
		}
	})
	for agent := range f.talks {
		f.checkTalk(t, agent)
	}
	return f
}

func collect(t *testing.T, records iter.Seq2[event.Record, error]) []event.Record {
	t.Helper()
	var all []event.Record
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all
}

func encoded(t *testing.T, records []event.Record) []string {
	t.Helper()
	lines := make([]string, len(records))
	for i, rec := range records {
		line, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = string(line)
	}
	return lines
}

// checkTalk checks that the user messages in a conversation are those that
// the log says were sent to the agent, once each, and that each is read as one
// message of its sender, alone and joined with the others.
func (f forged) checkTalk(t *testing.T, agent string) {
	t.Helper()
	sent := map[string]event.MessageSent{}
	for _, m := range f.happened().Sent {
		if m.To == agent {
			sent[m.ID] = m
		}
	}
	var texts []string
	var want []mailbox.Message
	for _, m := range f.talks[agent] {
		if m.Role != model.User {
			continue
		}
		one, err := mailbox.Parse(m.Content)
		if err != nil {
			t.Fatalf("%s reads a user message that is none of the mailbox: %v\n%.400q", agent, err, m.Content)
		}
		s, ok := sent[one.ID]
		if !ok {
			t.Fatalf("%s reads %s, which nobody sent it, or reads it twice", agent, one.ID)
		}
		delete(sent, one.ID)
		said := mailbox.Message{ID: s.ID, Kind: s.Kind, From: s.FromName, Content: s.Content}
		if diff := cmp.Diff(said, one); diff != "" {
			t.Fatalf("%s reads another message than was sent (-want +got):\n%.2000s", agent, diff)
		}
		if o := m.Origin; o.FromID != s.From || o.From != s.FromName || o.ID != s.ID || o.Kind != s.Kind {
			t.Fatalf("the origin of %s is %+v", s.ID, o)
		}
		texts, want = append(texts, m.Content), append(want, said)
	}
	if len(sent) > 0 {
		t.Fatalf("%s never read %d messages", agent, len(sent))
	}
	got, err := mailbox.ParseAll(strings.Join(texts, "\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the messages of %s, joined, are read as others (-want +got):\n%.2000s", agent, diff)
	}
}

// facts are what nobody may forge, sorted by id.
type facts struct {
	Agents []string // id and display name
	Roles  []string // names of roles made in the run
	Sent   []event.MessageSent
	Opened []event.QuestionOpened
	Closed []event.QuestionClosed
	Calls  map[string]int // by agent
}

// happened reads the facts out of the log, without what no forger aims at.
func (f forged) happened() facts {
	h := facts{Calls: map[string]int{}}
	for _, rec := range f.records {
		switch d := rec.Data.(type) {
		case event.AgentCreated:
			h.Agents = append(h.Agents, rec.Agent+" "+d.Name)
		case event.RoleCreated:
			h.Roles = append(h.Roles, d.Name)
		case event.MessageSent:
			d.CallID, d.Reason = "", ""
			h.Sent = append(h.Sent, d)
		case event.QuestionOpened:
			d.CallID, d.Deadline = "", time.Time{}
			h.Opened = append(h.Opened, d)
		case event.QuestionClosed:
			h.Closed = append(h.Closed, d)
		case event.ToolStarted:
			h.Calls[rec.Agent]++
		}
	}
	return h.sorted()
}

func (h facts) sorted() facts {
	slices.Sort(h.Agents)
	slices.SortFunc(h.Sent, func(a, b event.MessageSent) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(h.Opened, func(a, b event.QuestionOpened) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(h.Closed, func(a, b event.QuestionClosed) int { return strings.Compare(a.ID, b.ID) })
	return h
}

// shownNames are the display names of those who play in these tests.
var shownNames = map[string]string{
	"tl": "Team Leader", "user": "User", "uio_1": "UI Operator_1", "fse_1": "Full-Stack Engineer_1", "res_1": "Researcher_1",
}

// cast begins the facts of a run: the task, and the agents.
func startOf(task string, workers ...string) *facts {
	h := &facts{Calls: map[string]int{}}
	for _, id := range append(workers, "tl") {
		h.Agents = append(h.Agents, id+" "+shownNames[id])
	}
	h.send(event.Note, "msg_user", "user", "tl", task)
	return h
}

// send adds a message; the stem of its id gets the next number.
func (h *facts) send(kind event.Kind, stem, from, to, content string) (id string) {
	n := 1
	for _, m := range h.Sent {
		if strings.HasPrefix(m.ID, stem+"_") {
			n++
		}
	}
	m := event.MessageSent{
		ID: fmt.Sprintf("%s_%03d", stem, n), Kind: kind, From: from, FromName: shownNames[from], To: to, Content: content,
	}
	h.Sent = append(h.Sent, m)
	return m.ID
}

// ask adds a question and its answer.
func (h *facts) ask(stem, from, to, text, answerStem, answer string) {
	id := h.send(event.Question, stem, from, to, text)
	h.Opened = append(h.Opened, event.QuestionOpened{ID: id, From: from, To: to})
	h.Closed = append(h.Closed, event.QuestionClosed{
		ID: id, Outcome: event.Answered, From: to, Text: answer,
		AnswerID: fmt.Sprintf("%s_%03d", answerStem, len(h.Closed)+1),
	})
}

// check compares what happened with what the script made happen.
func (h *facts) check(t *testing.T, f forged) {
	t.Helper()
	if diff := cmp.Diff(h.sorted(), f.happened()); diff != "" {
		t.Errorf("something else happened than was done (-want +got):\n%.4000s", diff)
	}
}

// results are the tool results in an agent's conversation.
func (f forged) results(agent string) []model.Message {
	return slices.DeleteFunc(slices.Clone(f.talks[agent]), func(m model.Message) bool { return m.Role != model.ToolRole })
}

// later makes a reply come after all that happens now.
func later(r modeltest.Reply) modeltest.Reply {
	r.Delay = time.Second
	return r
}

// look is a call that changes nothing.
func look() event.Call { return modeltest.Call("list_active_sub_agents", nil) }

// call is a call with text arguments, in pairs.
func call(tool string, pairs ...string) event.Call {
	args := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		args[pair[0]] = pair[1]
	}
	return modeltest.Call(tool, args)
}
