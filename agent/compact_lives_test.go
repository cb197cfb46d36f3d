package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// watchedLog keeps what the agent was before each record that it appends
// itself.
type watchedLog struct {
	event.Appender
	agent *agent.Agent

	mu     sync.Mutex // guards before
	before map[int64]string
}

func (l *watchedLog) Append(id string, turn int, d event.Data) (event.Record, error) {
	own := false
	switch d.(type) {
	case event.MessageDelivered, event.ModelRequested, event.ModelReplied, event.ModelFailed, event.HistoryCompacted,
		event.ToolStarted, event.ToolFinished, event.TurnEnded, event.Warning:
		own = id == "uio_1"
	}
	shot := ""
	if own {
		shot = l.agent.Snapshot()
	}
	rec, err := l.Appender.Append(id, turn, d)
	if own && err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.before[rec.Seq] = shot
	}
	return rec, err
}

// TestRandomLivesThatOverflow runs lives in which the provider refuses and
// truncates at any time: every request is whole and has the questions that are
// open, there is at most one summary a step, and the log folds to what the
// agent was before each of its records.
func TestRandomLivesThatOverflow(t *testing.T) {
	const lives = 100
	folds := 0
	for seed := range lives {
		bubble(t, func(t *testing.T) {
			folds += overflowingLife(t, rand.New(rand.NewPCG(uint64(seed), 2)))
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if folds < lives {
		t.Errorf("only %d summaries in %d lives; the test tests nothing", folds, lives)
	}
}

func overflowingLife(t *testing.T, rnd *rand.Rand) (folds int) {
	t.Helper()
	var mu sync.Mutex // guards rnd
	roll := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rnd.IntN(n)
	}
	var s *stage
	client := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		checkRequest(t, s, req)
		reply := modeltest.Reply{
			Text: strings.Repeat("text ", roll(30)), Delay: time.Duration(roll(3)) * time.Second,
			Usage: event.Usage{Input: roll(2000), Output: 1},
		}
		if roll(3) == 0 {
			return tooLong()
		}
		for range roll(4) {
			c := call([]string{"works", "fails"}[roll(2)])
			c.ID = []string{"", "same", "a", "b"}[roll(4)]
			reply.Calls = append(reply.Calls, c)
		}
		if roll(10) == 0 {
			reply.Err = model.NewError(model.ClassServerError, "500")
		}
		return reply
	})
	set := []tools.Tool{
		tool("works", func(context.Context, tools.Call) (string, error) { return strings.Repeat("ok ", roll(400)), nil }),
		tool("fails", func(context.Context, tools.Call) (string, error) { return "", errTest }, tools.Exclusive()),
	}
	log := &watchedLog{before: map[int64]string{}}
	var cfg agent.Config
	s = newStage(t, client, set, func(c *agent.Config) {
		c.MaxSteps, c.ContextWindow, c.CompactAt = 2+rnd.IntN(10), rnd.IntN(3)*800, 0.7
		cfg = *c
		log.Appender, c.Log = c.Log, log
		report := c.Report
		c.Report = func(o agent.Output) error {
			m := mailbox.Outgoing{Kind: event.Progress, From: o.Agent, To: event.Leader, Turn: o.Turn, Content: o.Text, Reason: o.Reason}
			if o.Final {
				m.Kind = event.Completion
			}
			_, err := c.Post.Send(m)
			return errors.Join(err, report(o))
		}
	})
	log.agent = s.agent
	s.run()
	for range 1 + roll(6) {
		s.tell("message")
		if roll(2) == 0 {
			_ = s.ask("question")
		}
		time.Sleep(time.Duration(roll(9000)) * time.Millisecond)
		if roll(5) == 0 {
			s.agent.Stop(agent.Stop{Mode: []agent.StopMode{agent.Soft, agent.Now}[roll(2)], By: "User"})
		}
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	if err := s.end(); err != nil {
		t.Error(err)
	}
	checkReports(t, s)
	checkFold(t, s, cfg, log)
	return checkFolds(t, s)
}

// checkRequest holds a request to the rules, and the open questions that the
// agent has read to be in it.
func checkRequest(t *testing.T, s *stage, req model.Request) {
	t.Helper()
	if err := agent.CheckHistory(req.Messages); err != nil {
		t.Errorf("%v in\n%s", err, texts(req.Messages))
	}
	if err := oracle(req.Messages); err != nil {
		t.Errorf("%v in\n%s", err, texts(req.Messages))
	}
	if isSummary(req) {
		return
	}
	for _, q := range s.desk.OpenTo("uio_1") {
		read := slices.ContainsFunc(data[event.MessageDelivered](s), func(d event.MessageDelivered) bool { return d.ID == q.ID })
		if there := slices.ContainsFunc(req.Messages, func(m model.Message) bool { return m.Origin.ID == q.ID }); read != there {
			t.Errorf("question %s was read: %t, is in the request: %t", q.ID, read, there)
		}
	}
}

// checkFolds returns how often the conversation was folded: once a step at the
// most. No call gets an id that one had that is gone.
func checkFolds(t *testing.T, s *stage) int {
	t.Helper()
	perStep, summaries := map[string]int{}, map[string]int{}
	folds, step := 0, 0
	calls := map[string]bool{}
	for rec, err := range s.log.Records(0) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := rec.Data.(type) {
		case event.ModelReplied:
			for _, c := range d.Calls {
				if calls[c.ID] {
					t.Errorf("call id %s is used twice", c.ID)
				}
				calls[c.ID] = true
			}
		case event.ModelRequested:
			step = d.Step
			if d.Purpose != "" {
				summaries[fmt.Sprint(rec.Turn, d.Step)]++
			}
		case event.HistoryCompacted:
			folds++
			perStep[fmt.Sprint(rec.Turn, " ", step)]++
		}
	}
	for _, counts := range []map[string]int{perStep, summaries} {
		for at, n := range counts {
			if n > 1 {
				t.Errorf("%d summaries in turn and step %s", n, at)
			}
		}
	}
	return folds
}

// checkFold folds the log and looks at the agent before each of its records.
func checkFold(t *testing.T, s *stage, cfg agent.Config, log *watchedLog) {
	t.Helper()
	folded, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range s.log.Records(0) {
		if err != nil {
			t.Fatal(err)
		}
		if want, ok := log.before[rec.Seq]; ok {
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(folded.Snapshot(), "\n")); diff != "" {
				t.Fatalf("before record %d, %s (-live +folded):\n%s", rec.Seq, rec.Type(), diff)
			}
		}
		if err := folded.Apply(rec); err != nil {
			t.Fatal(err)
		}
	}
}
