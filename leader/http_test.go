package leader_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// stage is a fake endpoint whose replies are let go one by one, in a fixed
// causal order: a request is parked until the test releases it.
type stage struct {
	t        *testing.T
	released int

	mu    sync.Mutex      // guards all below
	seen  map[string]bool // parked requests and events of the log
	gates map[string]chan modeltest.Reply
	news  chan struct{}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	return &stage{
		t: t, seen: map[string]bool{}, gates: map[string]chan modeltest.Reply{}, news: make(chan struct{}),
	}
}

// handle parks a request as "uio_1#2": the agent and the number of the reply
// it wants.
func (s *stage) handle(req modeltest.ChatRequest) modeltest.Reply {
	who := "tl"
	for name, id := range map[string]string{"UI Operator_1": "uio_1", "Full-Stack Engineer_1": "fse_1", "Researcher_1": "res_1"} {
		if strings.HasPrefix(req.Messages[0].Content, "You are "+name) {
			who = id
		}
	}
	key := fmt.Sprintf("%s#%d", who, req.Reply())
	s.mu.Lock()
	s.seen[key] = true
	s.tell()
	s.mu.Unlock()
	return <-s.gate(key)
}

func (s *stage) gate(key string) chan modeltest.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[key] == nil {
		s.gates[key] = make(chan modeltest.Reply, 1)
	}
	return s.gates[key]
}

// tell wakes all who wait; the caller holds s.mu.
func (s *stage) tell() {
	close(s.news)
	s.news = make(chan struct{})
}

// saw is called with each record of the run.
func (s *stage) saw(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		s.seen[k] = true
	}
	s.tell()
}

// await waits until all keys are there: parked requests or events of the log.
func (s *stage) await(keys ...string) {
	s.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		s.mu.Lock()
		missing := ""
		for _, k := range keys {
			if !s.seen[k] {
				missing = k
			}
		}
		news := s.news
		s.mu.Unlock()
		if missing == "" {
			return
		}
		select {
		case <-news:
		case <-limit:
			s.t.Fatalf("%s did not happen; there were %v", missing, slices.Sorted(maps.Keys(s.seen)))
		}
	}
}

// release answers a parked request, once all the others named are there.
func (s *stage) release(key string, reply modeltest.Reply, others ...string) {
	s.t.Helper()
	s.await(append(others, key)...)
	for i := range reply.Calls {
		reply.Calls[i].ID = fmt.Sprintf("call %s.%d", key, i+1)
	}
	s.released++
	reply.Usage = event.Usage{Input: 1000 * s.released, Output: 10} // more each time, as conversations are
	s.gate(key) <- reply
}

// watch turns the records of the run into events that await knows.
func (s *stage) watch(ctx context.Context, run *leader.Run) {
	for rec, err := range run.Events(ctx) {
		if err != nil {
			return
		}
		switch d := rec.Data.(type) {
		case event.MessageSent:
			s.saw("sent " + d.ID)
		case event.AgentState:
			s.saw(fmt.Sprintf("%s %s %d", rec.Agent, d.To, rec.Turn))
		}
	}
}

// TestATeamOverHTTP runs a whole team against a real HTTP server with streamed
// replies. The fake answers in a fixed causal order, so that what each agent
// lives through is the same every time: a golden file for each.
func TestATeamOverHTTP(t *testing.T) {
	s := newStage(t)
	server := modeltest.NewServer(t, s.handle)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("blue\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	l, err := leader.New(leader.Team{Name: "signup", Model: leader.Model{Client: server.Client(), Name: "fake/fake"}},
		leader.WithWorkDir(folder), leader.WithRunDir(runs), leader.WithProgram("test"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Start(t.Context(), "设计注册页并写接口文档")
	if err != nil {
		t.Fatal(err)
	}
	var watcher sync.WaitGroup
	watcher.Go(func() { s.watch(t.Context(), run) })
	tool := modeltest.Call
	args := func(kv ...string) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}

	s.release("tl#1", say("I plan three parts.", create("uio", "设计注册页"), create("fse", "写接口文档"), create("res", "看看同类产品")))
	// All four requests are open at the same time.
	s.release("tl#2", say("", tool("send_message_to_sub_agent", args("agent", "Researcher_1", "message", "只看国内产品"))), "uio_1#1", "fse_1#1", "res_1#1")
	s.release("tl#3", say("", tool("wait_sub_agent_output", args())))
	s.await("tl waiting 1")
	s.release("res_1#1", say("I look around.", tool("list_dir", args())))
	s.release("uio_1#1", say("I ask the leader for the colour.", tool("ask_master", args("question", "主色用什么？"))), "res_1#2")
	s.release("fse_1#1", say("I ask the UI Operator about the fields.", tool("ask_other_agent", args("agent", "UI Operator_1", "question", "表单有哪些字段？"))), "tl#4")
	s.await("sent ask_fse_001", "fse_1 waiting 1")
	s.release("tl#4", say("", tool("answer_sub_agent_question", args("question_id", "ask_uio_001", "answer", "蓝色"))))
	s.release("uio_1#2", say("", tool("answer_other_agent", args("question_id", "ask_fse_001", "answer", "邮箱、密码"))), "tl#5")
	s.release("tl#5", say("Waiting for the reports."), "uio_1#3", "fse_1#2")
	s.await("tl idle 1")
	s.release("uio_1#3", say("注册页设计好了。"))
	s.release("fse_1#2", say("接口文档写好了。"), "tl#6")
	s.await("fse_1 idle 1")
	s.release("res_1#2", say("国内产品都用邮箱注册。"))
	s.await("res_1 idle 1")
	s.release("tl#6", say("One report is there."))
	s.release("tl#7", say("注册页和接口文档都完成了。"))

	res, err := run.Wait()
	watcher.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if res.Answer != "注册页和接口文档都完成了。" || res.Status != leader.StatusFinished {
		t.Errorf("the run ended %s with %q", res.Status, res.Answer)
	}
	if got := server.MaxOverlap(); got != 4 {
		t.Errorf("%d requests at the same time, want 4", got)
	}
	checkSteering(t, server)
	for _, id := range []string{"tl", "uio_1", "fse_1", "res_1"} {
		golden.Equal(t, filepath.Join("testdata", "team", id+".jsonl"), []byte(story(t, run, id)))
	}
	checkLogFile(t, res.Log)
}

// checkSteering finds the message that steered the researcher in its very
// next request, after the results of the step.
func checkSteering(t *testing.T, server *modeltest.Server) {
	t.Helper()
	for _, x := range server.Exchanges() {
		m := x.Request.Messages
		if strings.HasPrefix(m[0].Content, "You are Researcher_1") && x.Request.Reply() == 2 {
			last, before := m[len(m)-1], m[len(m)-2]
			if last.Role != model.User || !strings.Contains(last.Content, "只看国内产品") || before.Role != model.ToolRole {
				t.Errorf("the researcher's second request ends with %s %q", last.Role, last.Content)
			}
			return
		}
	}
	t.Error("the researcher made no second request")
}

// story is what the log says of one agent, without what differs from run to
// run: times, positions in the log, and the prompt, which has a golden file of
// its own.
func story(t *testing.T, run *leader.Run, id string) string {
	t.Helper()
	var b strings.Builder
	for rec, err := range run.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Agent != id {
			continue
		}
		switch d := rec.Data.(type) {
		case event.ModelReplied:
			d.DurationMS = 0
			rec.Data = d
		case event.ModelRequested:
			d.Digest, d.Reserved = "", 0 // both depend on the temporary folder's name
			rec.Data = d
		case event.ToolFinished:
			d.DurationMS = 0
			rec.Data = d
		case event.QuestionOpened:
			d.Deadline = time.Time{}
			rec.Data = d
		case event.AgentCreated:
			d.Prompt = ""
			rec.Data = d
		}
		text, err := json.Marshal(struct {
			Turn int
			Type event.Type
			Data event.Data
		}{rec.Turn, rec.Type(), rec.Data})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}

// checkLogFile holds the file's rights and its last record.
func checkLogFile(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
		t.Errorf("log %v, folder %v; want 0600 and 0700", info.Mode().Perm(), dir.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !strings.Contains(lines[len(lines)-1], `"type":"run.finished"`) {
		t.Errorf("the log ends with %s", lines[len(lines)-1])
	}
}
