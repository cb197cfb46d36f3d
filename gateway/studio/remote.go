package studio

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/event"
)

// RemoteOptions say where an agent is that speaks the protocol.
type RemoteOptions struct {
	URL   string // ws://host/path or wss://host/path; required
	Token string // the apiKey; may be empty
	// HTTPClient makes the connection; nil means one without time-outs of its own.
	HTTPClient *http.Client
}

// Remote is an agent that runs elsewhere and speaks the studio protocol, for a
// role of a team (leader.Remote). Each agent of a run has a session of its own
// there, so that the other side remembers its tasks. The protocol has no way back
// to a response whose connection was lost: a step that is taken again is a message
// in the same session that says so. Nor has it questions, or a way to stop a task
// other than to hang up. It is safe for concurrent use.
type Remote struct {
	opts RemoteOptions

	mu    sync.Mutex                         // guards all below
	calls map[string]context.CancelCauseFunc // of the tasks under way
}

// Bounds of a connection to another agent.
const (
	dialTimeout = 30 * time.Second
	maxAnswer   = 16 << 20 // bytes of one message, and of all that an agent says in a response
)

// NewRemote makes a Remote. It fails for a URL that is none.
func NewRemote(o RemoteOptions) (*Remote, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return nil, errors.New("studio: the address of an agent is ws://host/path or wss://host/path")
	}
	return &Remote{opts: o, calls: map[string]context.CancelCauseFunc{}}, nil
}

// Step tells the agent a task and yields what it says, to the end of its response.
func (r *Remote) Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		r.enter(s, cancel)
		h := &hearing{yield: yield, between: map[string]bool{}}
		err := r.call(ctx, s, h)
		r.leave(s)
		if err != nil && !h.left {
			yield(nil, err)
		}
	}
}

// Cancel hangs up on a task. A team behind it works on unless its server stops
// teams whose client disconnects.
func (r *Remote) Cancel(_ context.Context, s event.RemoteStep, reason string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.calls[s.Task]; cancel != nil {
		cancel(&RemoteError{event.Failure{Code: event.CodeCancelled, Who: "client", Message: reason}})
	}
	return nil
}

// enter notes a step that begins.
func (r *Remote) enter(s event.RemoteStep, cancel context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[s.Task] = cancel
}

// leave notes that a step has ended.
func (r *Remote) leave(s event.RemoteStep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, s.Task)
}

// call connects, sends the task and hears the response to its end.
func (r *Remote) call(ctx context.Context, s event.RemoteStep, h *hearing) error {
	ws, err := r.dial(ctx)
	if err != nil {
		return err
	}
	ctx, hangUp := context.WithCancelCause(ctx)
	var beating sync.WaitGroup
	defer beating.Wait()
	defer func() { hangUp(nil); _ = ws.CloseNow() }()
	text, err := json.Marshal(r.input(s)) //nolint:gosec // the protocol has the token in its message
	if err != nil {
		return fmt.Errorf("studio: %w", err)
	}
	if err := ws.Write(ctx, websocket.MessageText, text); err != nil {
		return lost(ctx, err)
	}
	beating.Go(func() { beat(ctx, ws, hangUp) })
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return cmp.Or(h.refused(), lost(ctx, err))
		}
		m, err := Read(text)
		if err != nil {
			return &RemoteError{event.Failure{Code: "protocol", Who: "server", Message: err.Error()}}
		}
		if over, err := h.hear(m); over || err != nil {
			return err
		}
	}
}

// dial makes the connection.
func (r *Remote) dial(ctx context.Context) (*websocket.Conn, error) {
	dialing, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	ws, resp, err := websocket.Dial(dialing, r.opts.URL, &websocket.DialOptions{HTTPClient: r.opts.HTTPClient}) //nolint:bodyclose // the library closes it
	if err != nil {
		f := event.Failure{Code: "network", Who: "network", Retryable: true, Message: "the agent is not reached: " + reason(err)}
		if resp != nil && resp.StatusCode != 0 {
			f.Code, f.Who, f.Message = "refused", "server", fmt.Sprintf("the agent's server answers %s", resp.Status)
			f.Retryable = resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= http.StatusInternalServerError
		}
		return nil, cmp.Or[error](ended(ctx), &RemoteError{f})
	}
	ws.SetReadLimit(maxAnswer)
	return ws, nil
}

// beat hangs up when the other side does not answer a ping.
func beat(ctx context.Context, ws *websocket.Conn, hangUp context.CancelCauseFunc) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			pinging, cancel := context.WithTimeout(ctx, heartbeat)
			err := ws.Ping(pinging)
			cancel()
			if err != nil {
				hangUp(errSilence)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// input is the message with the task of a step.
func (r *Remote) input(s event.RemoteStep) UserInput {
	text := s.Text
	if s.Again {
		text = "(The connection to you was lost after this was said before. If you have done it, report; else go on with it.)\n\n" + text
	}
	return UserInput{
		Type: TypeUserInput, APIKey: r.opts.Token, ProjectID: s.Metadata[event.NoteProject], SessionID: s.Run + "-" + s.Agent, UserInput: text,
	}
}

// RemoteError is why an agent elsewhere did not do its task.
type RemoteError struct{ fail event.Failure }

// Failure has a code (one word of "network", "refused", "protocol", "failed" and
// [event.CodeCancelled]), who is to blame, whether it may work later, and words.
func (e *RemoteError) Failure() event.Failure { return e.fail }

// Error is the words.
func (e *RemoteError) Error() string { return "studio: " + e.fail.Message }

var errSilence = &RemoteError{event.Failure{Code: "network", Who: "network", Retryable: true, Message: "the agent's server does not answer any more"}}

// lost is the error of a connection that broke.
func lost(ctx context.Context, err error) error {
	if cause := ended(ctx); cause != nil {
		return cause
	}
	return &RemoteError{event.Failure{Code: "network", Who: "network", Retryable: true, Message: "the connection to the agent was lost: " + reason(err)}}
}

// ended is why ctx has ended, nil if it has not.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// reason is the innermost error, which has words that people know.
func reason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
