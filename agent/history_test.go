package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

func TestCheckHistory(t *testing.T) {
	system := model.Message{Role: model.System, Content: "s"}
	user := model.Message{Role: model.User, Content: "u"}
	text := model.Message{Role: model.Assistant, Content: "a"}
	calls := func(ids ...string) model.Message {
		m := model.Message{Role: model.Assistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, event.Call{ID: id, Name: "t", Arguments: "{}"})
		}
		return m
	}
	result := func(id string) model.Message { return model.Message{Role: model.ToolRole, CallID: id} }
	for _, tt := range []struct {
		name     string
		messages []model.Message
		index    int // of the fault; negative: none
	}{
		{"plain", []model.Message{system, user, text, user}, -1},
		{"calls with results", []model.Message{system, user, calls("1", "2"), result("1"), result("2"), user}, -1},
		{"no system", []model.Message{user}, 0},
		{"second system", []model.Message{system, user, system}, 2},
		{"nothing asked", []model.Message{system}, 1},
		{"call without result at the end", []model.Message{system, user, calls("1")}, 3},
		{"call without result", []model.Message{system, user, calls("1", "2"), result("1"), user}, 4},
		{"message between call and result", []model.Message{system, user, calls("1"), user, result("1")}, 3},
		{"result without call", []model.Message{system, user, result("1")}, 2},
		{"second result", []model.Message{system, user, calls("1"), result("1"), result("1")}, 4},
		{"results out of order", []model.Message{system, user, calls("1", "2"), result("2"), result("1")}, 3},
		{"id used twice", []model.Message{system, user, calls("1"), result("1"), calls("1"), result("1")}, 4},
		{"empty id", []model.Message{system, user, calls(""), result("")}, 2},
		{"calls of a user", []model.Message{system, {Role: model.User, Calls: calls("1").Calls}, result("1")}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := agent.CheckHistory(tt.messages)
			fault, bad := errors.AsType[*agent.HistoryError](err)
			if bad != (tt.index >= 0) || bad && fault.Index != tt.index {
				t.Errorf("got %v, want a fault at %d", err, tt.index)
			}
		})
	}
}

// oracle checks a conversation by another way than the agent's own: it counts
// the results behind every assistant message.
func oracle(messages []model.Message) error {
	for i, m := range messages {
		if m.Role != model.Assistant {
			continue
		}
		rest := messages[i+1:]
		if len(rest) < len(m.Calls) {
			return fmt.Errorf("message %d has %d calls and %d messages follow", i, len(m.Calls), len(rest))
		}
		for j, c := range m.Calls {
			if rest[j].Role != model.ToolRole || rest[j].CallID != c.ID {
				return fmt.Errorf("message %d is %s %q, want the result of %q", i+1+j, rest[j].Role, rest[j].CallID, c.ID)
			}
		}
		if len(rest) > len(m.Calls) && rest[len(m.Calls)].Role == model.ToolRole {
			return fmt.Errorf("message %d is a result without a call", i+1+len(m.Calls))
		}
	}
	return nil
}

// TestNoRequestHasABrokenHistory runs 1,000 random lives: calls that work,
// fail, panic and wait, messages and stops at any time. Every request that
// reaches the model must be whole.
func TestNoRequestHasABrokenHistory(t *testing.T) {
	const lives = 1000
	requests := 0
	for seed := range lives {
		bubble(t, func(t *testing.T) {
			requests += randomLife(t, rand.New(rand.NewPCG(uint64(seed), 1)))
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if requests < lives {
		t.Errorf("only %d requests in %d lives; the test tests nothing", requests, lives)
	}
}

func randomLife(t *testing.T, rnd *rand.Rand) (requests int) {
	t.Helper()
	var mu sync.Mutex // guards rnd and requests
	roll := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rnd.IntN(n)
	}
	names := []string{"works", "fails", "panics", "waits", "alone", "nowhere"}
	client := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		mu.Lock()
		requests++
		mu.Unlock()
		if err := oracle(req.Messages); err != nil {
			t.Errorf("%v in\n%s", err, texts(req.Messages))
		}
		reply := modeltest.Reply{Text: "text", Delay: time.Duration(roll(3)) * time.Second}
		for range roll(4) {
			c := call(names[roll(len(names))])
			c.ID = []string{"", "same", "a", "b"}[roll(4)]
			reply.Calls = append(reply.Calls, c)
		}
		switch roll(12) {
		case 0:
			reply.Err = model.NewError(model.ClassServerError, "500")
		case 1:
			reply.Finish = event.FinishLength
		case 2:
			reply.Text, reply.Calls = "", nil
		}
		return reply
	})
	pause := func(ctx context.Context) error {
		select {
		case <-time.After(time.Duration(roll(4)) * time.Second):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	set := []tools.Tool{
		tool("works", func(ctx context.Context, _ tools.Call) (string, error) { return "ok", pause(ctx) }),
		tool("fails", func(ctx context.Context, _ tools.Call) (string, error) { return "", errors.Join(errTest, pause(ctx)) }),
		tool("panics", func(ctx context.Context, _ tools.Call) (string, error) { _ = pause(ctx); panic("oh") }),
		tool("waits", func(ctx context.Context, c tools.Call) (string, error) {
			defer c.Blocked("fse_1")()
			return "ok", pause(ctx)
		}, tools.Ordered()),
		tool("alone", func(ctx context.Context, _ tools.Call) (string, error) { return "ok", pause(ctx) }, tools.Exclusive()),
	}
	s := newStage(t, client, set, func(c *agent.Config) { c.MaxSteps = 1 + rnd.IntN(6) })
	s.run()
	for range 1 + roll(5) {
		s.tell("message")
		if roll(3) == 0 {
			_ = s.ask("question")
		}
		time.Sleep(time.Duration(roll(4000)) * time.Millisecond)
		if roll(4) == 0 {
			s.agent.Stop(agent.Stop{Mode: []agent.StopMode{agent.Soft, agent.Now}[roll(2)], By: "User"})
		}
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	if err := s.end(); err != nil {
		t.Error(err)
	}
	checkReports(t, s)
	mu.Lock()
	defer mu.Unlock()
	return requests
}

// checkReports holds a life against the log: every turn has one report and
// one end, every started call has one result, and no question to the agent is
// left open that it has read.
func checkReports(t *testing.T, s *stage) {
	t.Helper()
	ended := data[event.TurnEnded](s)
	if got := len(s.finals()); got != len(ended) {
		t.Errorf("%d reports for %d turns", got, len(ended))
	}
	var calls, results []string
	for _, r := range data[event.ModelReplied](s) {
		for _, c := range r.Calls {
			calls = append(calls, c.ID)
		}
	}
	for _, f := range data[event.ToolFinished](s) {
		results = append(results, f.CallID)
	}
	if !slices.Equal(calls, results) {
		t.Errorf("calls %q, results %q", calls, results)
	}
	delivered := data[event.MessageDelivered](s)
	for _, q := range s.desk.OpenTo("uio_1") {
		if slices.ContainsFunc(delivered, func(d event.MessageDelivered) bool { return d.ID == q.ID }) {
			t.Errorf("question %s was read and is still open", q.ID)
		}
	}
}
