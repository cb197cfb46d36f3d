package modeltest

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// Func returns a client that asks f for each reply. f is called from many
// goroutines at once if many agents share the client.
func Func(f func(ctx context.Context, req model.Request) Reply) model.Client {
	return funcClient(f)
}

type funcClient func(ctx context.Context, req model.Request) Reply

// Stream yields what the function says; see [model.Client].
func (f funcClient) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(model.Chunk{}, ended(ctx))
			return
		}
		r := f(ctx, req)
		if err := wait(ctx, r.Delay); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if r.Reasoning != "" && !yield(model.Chunk{Reasoning: r.Reasoning}, nil) {
			return
		}
		if r.Text != "" && !yield(model.Chunk{Text: r.Text}, nil) {
			return
		}
		if r.Err != nil {
			yield(model.Chunk{}, r.Err)
			return
		}
		calls := r.calls(fmt.Sprintf("%s_%d", req.Agent, number(req.Messages)))
		yield(model.Chunk{Calls: calls, Finish: r.finish(), Usage: &r.Usage}, nil)
	}
}

// Sequence returns a client that plays the replies in order, to each agent
// from the first on. A call after the last reply fails with class bad_request.
func Sequence(replies ...Reply) model.Client {
	s := &sequence{played: make(map[string]int)}
	return Func(func(_ context.Context, req model.Request) Reply {
		n := s.next(req.Agent)
		if n >= len(replies) {
			words := fmt.Sprintf("agent %q asks for reply %d of %d", req.Agent, n+1, len(replies))
			return Reply{Err: model.NewError(model.ClassBadRequest, words)}
		}
		return replies[n]
	})
}

type sequence struct {
	mu     sync.Mutex // guards played
	played map[string]int
}

// next returns how many replies the agent had, and counts one more.
func (s *sequence) next(agent string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.played[agent]
	s.played[agent]++
	return n
}

// ByAgent returns a client that hands each request to the client of its agent:
// by the agent's id, else its role, else "*".
func ByAgent(clients map[string]model.Client) model.Client { return byAgent(clients) }

type byAgent map[string]model.Client

// Stream asks the agent's client; see [model.Client].
func (b byAgent) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	for _, key := range []string{req.Agent, req.AgentRole, "*"} {
		if c, ok := b[key]; ok {
			return c.Stream(ctx, req)
		}
	}
	words := fmt.Sprintf("no client for agent %q of role %q", req.Agent, req.AgentRole)
	return Func(func(context.Context, model.Request) Reply {
		return Reply{Err: model.NewError(model.ClassBadRequest, words)}
	}).Stream(ctx, req)
}

// FromLog returns a client that gives each agent the replies that it had in a
// recorded run, in their order.
func FromLog(records iter.Seq2[event.Record, error]) (model.Client, error) {
	replies := make(map[string][]Reply)
	for rec, err := range records {
		if err != nil {
			return nil, fmt.Errorf("modeltest: recorded run: %w", err)
		}
		if d, ok := rec.Data.(event.ModelReplied); ok {
			replies[rec.Agent] = append(replies[rec.Agent], Reply{
				Text: d.Text, Reasoning: d.Reasoning, Calls: d.Calls, Finish: d.Finish, Usage: d.Usage,
			})
		}
	}
	clients := make(map[string]model.Client, len(replies))
	for agent, list := range replies {
		clients[agent] = Sequence(list...)
	}
	return ByAgent(clients), nil
}

// wait waits for d, or returns the error of a context that ended.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

func ended(ctx context.Context) error {
	return fmt.Errorf("modeltest: call ended: %w", context.Cause(ctx))
}
