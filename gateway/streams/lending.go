package streams

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
)

// lending is one run of the task of a lent agent.
type lending struct {
	key       string
	who       lentAgent
	agentType string
	workshop  Workshop
	out       *Sink
	work      sync.WaitGroup    // what is asked for and not done
	messages  []json.RawMessage // the conversation so far; the serving goroutine's own

	mu     sync.Mutex // guards all below
	words  []lentWord
	heard  map[string]bool               // commands, by key
	stops  map[string]context.CancelFunc // of what is under way, by word
	spared map[string]bool               // words that are to be stopped and have not begun
	news   chan struct{}                 // one slot
	closed bool
}

func (a *Agents) lending(t Task, who lentAgent, out *Sink) *lending {
	return &lending{
		key: lendingKey(t), who: who, agentType: t.Request.TargetAgentType, workshop: a.workshop, out: out,
		heard: map[string]bool{}, stops: map[string]context.CancelFunc{}, spared: map[string]bool{}, news: make(chan struct{}, 1),
	}
}

// hear takes in a word; it is false when the run has closed. The same command
// may come again. Who wants something stopped does not wait for its turn.
func (l *lending) hear(w lentWord, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heard[key] {
		return true
	}
	if l.closed {
		return false
	}
	l.heard[key] = true
	if _, stops := w.Record.Data.(event.AgentStopping); stops {
		if stop := l.stops[w.ID]; stop != nil {
			stop()
		} else {
			l.spared[w.ID] = true
		}
		return true
	}
	l.words = append(l.words, w)
	select {
	case l.news <- struct{}{}:
	default:
	}
	return true
}

func (l *lending) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// what next found.
type lentNext int

const (
	lentAsked lentNext = iota
	lentQuiet          // nobody asked for a while
	lentOver           // the context has ended
)

// next waits for a word. When nothing is asked for a while and nothing is under
// way, the run closes.
func (l *lending) next(ctx context.Context, linger time.Duration) (lentWord, lentNext) {
	for {
		if w, ok := l.take(); ok {
			return w, lentAsked
		}
		t := time.NewTimer(linger)
		select {
		case <-ctx.Done():
			t.Stop()
			l.close()
			return lentWord{}, lentOver
		case <-l.news:
			t.Stop()
		case <-t.C:
			if l.rest() {
				return lentWord{}, lentQuiet
			}
		}
	}
}

func (l *lending) take() (w lentWord, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.words) == 0 {
		return w, false
	}
	w, l.words = l.words[0], l.words[1:]
	return w, true
}

// rest closes the run if nothing is asked and nothing under way.
func (l *lending) rest() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = len(l.words) == 0 && len(l.stops) == 0
	return l.closed
}

// begin does what a word asks for, beside what is under way.
func (l *lending) begin(ctx context.Context, w lentWord) {
	var do func(ctx context.Context)
	switch {
	case w.Request != nil:
		q := *w.Request
		if w.Have > len(l.messages) {
			do = func(ctx context.Context) {
				_ = l.say(ctx, w.ID, event.ModelFailed{Failure: event.Failure{
					Code: codeNoConversation, Who: "client", Retryable: true, Message: "the conversation is not here",
				}})
			}
			break
		}
		l.messages = append(l.messages[:w.Have:w.Have], q.Messages...)
		q.Messages = l.messages
		do = func(ctx context.Context) { l.reply(ctx, w.ID, q) }
	case w.Call != nil:
		do = func(ctx context.Context) { l.call(ctx, w.ID, *w.Call) }
	default:
		return // a newer version asks for more
	}
	ctx, stop := context.WithCancel(ctx)
	if !l.mayStop(w.ID, stop) {
		stop()
		return
	}
	l.work.Go(func() {
		defer func() {
			stop()
			l.mu.Lock()
			delete(l.stops, w.ID)
			l.mu.Unlock()
		}()
		do(ctx)
	})
}

// mayStop lets what a word asks for be stopped; it is false when that has come
// before.
func (l *lending) mayStop(id string, stop context.CancelFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spared[id] {
		return false
	}
	l.stops[id] = stop
	return true
}

func (l *lending) reply(ctx context.Context, id string, q event.LentRequest) {
	for d, err := range l.workshop.Reply(ctx, l.agentType, q) {
		if err != nil {
			d = event.ModelFailed{Failure: event.Failure{Code: "provider_error", Who: "server", Message: err.Error()}}
		}
		if l.say(ctx, id, d) != nil || err != nil {
			return
		}
	}
}

func (l *lending) call(ctx context.Context, id string, c event.LentCall) {
	for d, err := range l.workshop.Call(ctx, l.who.Role, l.agentType, c) {
		if err != nil {
			d = event.ToolFinished{CallID: c.CallID, Name: c.Name, Result: err.Error(), IsError: true}
		}
		if l.say(ctx, id, d) != nil || err != nil {
			return
		}
	}
}

// say tells the run something.
func (l *lending) say(ctx context.Context, id string, d event.Data) error {
	at, err := l.out.Stamp()
	if err != nil {
		return err
	}
	e := l.out.Voice().Log(at, "")
	if e.Metadata, err = l.out.store.word(id, d).values(); err != nil {
		return err
	}
	return l.out.Publish(ctx, e)
}
