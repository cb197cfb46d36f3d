package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// words are plain English, easy to find in a conversation.
type words struct{}

func (words) OpenQuestions(open []agent.OpenQuestion) string {
	return fmt.Sprintf("REMINDER %d", len(open))
}

func (words) LimitNear(limit string, used, most float64) string {
	return fmt.Sprintf("NEAR %s %v/%v", limit, used, most)
}
func (words) WrapUp(limit string) string             { return "WRAPUP " + limit }
func (words) RepeatedCall(tool string, n int) string { return fmt.Sprintf("REPEATED %s %d", tool, n) }
func (words) EmptyReply() string                     { return "NUDGE" }
func (words) CancelledCall(reason string) string     { return "CANCELLED " + reason }
func (words) CutCall() string                        { return "CUT" }
func (words) UnknownOutcome(tool string) string      { return "UNKNOWN " + tool }
func (words) SummaryPrompt() string                  { return "SUMMARIZE" }
func (words) SummaryRequest(talk string) string      { return "OF\n" + talk }
func (words) Extract(lines string) string            { return "EXTRACT\n" + lines }
func (words) Summary(text, brief string) string      { return "SUMMARY " + text + "\nBRIEF " + brief }

// freeBudget allows everything; limits may be planted.
type freeBudget struct {
	mu   sync.Mutex
	left int // calls until the limit "steps"; negative: no limit
	hard bool
}

func (b *freeBudget) Reserve(n agent.Need) ([]event.LimitWarned, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 && (!n.WrapUp || b.hard) {
		return nil, &agent.LimitError{LimitReached: event.LimitReached{Limit: "steps", Used: 1, Max: 1}, NoWrapUp: b.hard}
	}
	if b.left > 0 {
		b.left--
	}
	return nil, nil
}

func (b *freeBudget) Settle(agent.Need, event.Usage, *event.Cost) {}

// stage is one agent with its surroundings.
type stage struct {
	t      *testing.T
	agent  *agent.Agent
	log    *transcript.Log
	post   *mailbox.Post
	desk   *mailbox.Desk
	ids    *mailbox.IDs
	done   chan error
	cancel context.CancelFunc

	mu      sync.Mutex // guards outputs
	outputs []agent.Output
}

// reports returns the outputs so far.
func (s *stage) reports() []agent.Output {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.outputs)
}

// newStage makes an agent "uio_1" that answers by model and has the tools;
// "fse_1" and the leader have boxes, too. It runs in a bubble.
func newStage(t *testing.T, m model.Client, set []tools.Tool, change ...func(*agent.Config)) *stage {
	t.Helper()
	s := &stage{t: t, log: transcript.NewMemory(transcript.Options{}), ids: mailbox.NewIDs(), done: make(chan error, 1)}
	s.post = mailbox.NewPost(s.log, s.ids, mailbox.PostOptions{})
	s.desk = mailbox.NewDesk(s.log, s.ids, mailbox.DeskOptions{Leader: event.Leader})
	toolSet, err := tools.NewSet(set...)
	if err != nil {
		t.Fatal(err)
	}
	cfg := agent.Config{
		ID: "uio_1", Name: "UI Operator_1", Code: "uio", Prompt: agent.NewPrompt("You are a test."), Box: mailbox.NewBox(mailbox.BoxOptions{}),
		Shared: &agent.Shared{
			Role: "uio", Model: m, ModelName: "test/test", Tools: toolSet, Log: s.log, Post: s.post, Desk: s.desk,
			Budget: &freeBudget{left: -1}, Words: words{},
			Report: func(o agent.Output) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.outputs = append(s.outputs, o)
				return nil
			},
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	for _, a := range []struct {
		mailbox.Address
		box *mailbox.Box
	}{
		{mailbox.Address{ID: event.Leader, Name: event.LeaderName, Code: "tl"}, mailbox.NewBox(mailbox.BoxOptions{})},
		{mailbox.Address{ID: "uio_1", Name: "UI Operator_1", Code: "uio"}, cfg.Box},
		{mailbox.Address{ID: "fse_1", Name: "Full-Stack Engineer_1", Code: "fse"}, mailbox.NewBox(mailbox.BoxOptions{})},
	} {
		if err := s.post.Register(a.Address, a.box); err != nil {
			t.Fatal(err)
		}
	}
	if s.agent, err = agent.New(cfg); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) run() {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.cancel = cancel
	go func() { s.done <- s.agent.Run(ctx) }()
}

// end stops the agent's goroutine and returns what Run returned.
func (s *stage) end() error {
	s.cancel()
	return <-s.done
}

// tell sends a note from the leader.
func (s *stage) tell(text string) {
	s.t.Helper()
	_, err := s.post.Send(mailbox.Outgoing{Kind: event.Note, From: event.Leader, To: "uio_1", Content: text})
	if err != nil {
		s.t.Fatal(err)
	}
}

// ask puts a question from fse_1; the answer is waited for in the background.
func (s *stage) ask(text string) (ending chan mailbox.Ending) {
	s.t.Helper()
	id := s.ids.Mint(event.Question, "fse")
	if _, refused, err := s.desk.Ask(mailbox.Ask{ID: id, From: "fse_1", To: "uio_1"}); err != nil || refused {
		s.t.Fatal(refused, err)
	}
	if _, err := s.post.Send(mailbox.Outgoing{ID: id, Kind: event.Question, From: "fse_1", To: "uio_1", Content: text}); err != nil {
		s.t.Fatal(err)
	}
	ending = make(chan mailbox.Ending, 1)
	go func() {
		e, err := s.desk.Wait(s.t.Context(), id)
		if err != nil {
			s.t.Error(err)
		}
		ending <- e
	}()
	return ending
}

// data lists all that the log says of one type.
func data[T event.Data](s *stage) []T {
	var list []T
	for rec, err := range s.log.Records(0) {
		if err != nil {
			s.t.Fatal(err)
		}
		if d, ok := rec.Data.(T); ok {
			list = append(list, d)
		}
	}
	return list
}

// finals lists the outputs that ended turns, as "reason: text".
func (s *stage) finals() []string {
	var list []string
	for _, o := range s.reports() {
		if o.Final {
			list = append(list, string(o.Reason)+": "+o.Text)
		}
	}
	return list
}

// bubble runs f in a bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// tool is a tool without arguments.
func tool(name string, run func(ctx context.Context, call tools.Call) (string, error), opts ...tools.Option) tools.Tool {
	return tools.FuncCall(name, "a test", func(ctx context.Context, call tools.Call, _ struct{}) (string, error) {
		return run(ctx, call)
	}, opts...)
}

// sleeper is a tool that takes d and returns its own name.
func sleeper(name string, d time.Duration) tools.Tool {
	return tool(name, func(ctx context.Context, _ tools.Call) (string, error) {
		select {
		case <-time.After(d):
			return name + " done", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
}

// texts lists role and content of a conversation, one message a line.
func texts(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages[1:] {
		content := m.Content
		if m.Origin.Content != "" {
			content = string(m.Origin.Kind) + " " + m.Origin.Content
		}
		fmt.Fprintf(&b, "%s: %s", m.Role, content)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " [%s]", c.Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var errTest = errors.New("it broke")
