package studio

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// Bounds of a connection.
const (
	firstWord    = 10 * time.Second // until the first message has come
	writeTimeout = 10 * time.Second // of a message to the client
	heartbeat    = 20 * time.Second // between pings; a pong that takes as long is the end
	maxMessage   = 1 << 20          // bytes of a message; a larger one is refused
	readLimit    = 4 << 20          // bytes of one that is read at all
)

// connection is one client: a prompt, its response, and what the person adds
// meanwhile.
type connection struct {
	h      *Handler
	ws     *websocket.Conn
	id     string
	remote string
	log    zerolog.Logger

	release func() // gives back the session and the place among the connections
	user    string
	named   string // the session as the client calls it, which may be empty
	session string

	prompts  prompts
	commands int                    // that were made, by whoever submits
	refusals int                    // that were told in the middle, likewise
	question atomic.Pointer[string] // to the person, that is open; nil if none
}

// frame is what came from the client: a message, or what is wrong with it.
type frame struct {
	text []byte
	size int // also of what was not kept
	err  error
}

// Causes of the end of a connection beside errGone.
var (
	errOver   = errors.New("studio: the response is over")
	errAbuse  = gateway.NewError(gateway.StatusTooMany, "too many messages were refused")
	errSilent = gateway.NewError(gateway.StatusBad, "no user-input came in time").WithHint("send one first")
)

// refusal is the cause when the session does not take the prompt.
type refusal struct{ error }

// Unwrap returns the error of the session.
func (r refusal) Unwrap() error { return r.error }

// serve serves the connection to its end. heard is called when it is known whose
// it is, or that it is nobody's.
func (c *connection) serve(ctx context.Context, heard func()) {
	ctx, end := context.WithCancelCause(ctx)
	var inside sync.WaitGroup
	defer func() {
		end(nil)
		_ = c.ws.CloseNow()
		inside.Wait()
	}()
	frames := make(chan frame)
	inside.Go(func() { c.listen(ctx, end, frames) })
	p, release, err := c.first(ctx, frames)
	heard()
	if err != nil {
		c.refuse(ctx, err)
		return
	}
	c.release = sync.OnceFunc(release)
	defer c.release()
	t := newTranslator(c.id, view{verbose: c.h.opts.Verbose, iterations: !c.h.opts.NoIterations, notes: p.notes}, c.prompts.seen)
	at, err := c.recall(ctx, t)
	if err != nil {
		c.refuse(ctx, err)
		return
	}
	inside.Go(func() { c.attend(ctx, end, frames, p) })
	c.respond(ctx, t, at)
}

// listen reads from the client until it is gone. A read that ends with its context
// would take the connection with it, on which there is still something to say; it
// ends with the connection.
func (c *connection) listen(ctx context.Context, end context.CancelCauseFunc, frames chan<- frame) {
	defer end(errGone)
	for {
		f, err := c.next(context.WithoutCancel(ctx))
		if err != nil && f.err == nil {
			return
		}
		select {
		case frames <- f:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// next reads a message. The error is the end of the connection; what is wrong
// with the message stands in the frame, also when that is the end.
func (c *connection) next(ctx context.Context) (frame, error) {
	kind, r, err := c.ws.Reader(ctx)
	if err != nil {
		return frame{}, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
	if err != nil {
		return frame{}, err
	}
	if len(text) > maxMessage {
		more, err := io.Copy(io.Discard, r)
		f := frame{size: len(text) + int(more), err: gateway.NewError(gateway.StatusTooLarge, "the message is larger than %d bytes", maxMessage)}
		if err != nil && !errors.Is(err, websocket.ErrMessageTooBig) {
			f = frame{}
		}
		return f, err
	}
	if kind != websocket.MessageText {
		return frame{size: len(text), err: gateway.NewError(gateway.StatusBad, "the message is binary").WithHint("send JSON in text messages")}, nil
	}
	return frame{text: text, size: len(text)}, nil
}

// first waits for the first message and lets its sender in.
func (c *connection) first(ctx context.Context, frames <-chan frame) (p prompt, release func(), err error) {
	late := time.NewTimer(firstWord)
	defer late.Stop()
	select {
	case f := <-frames:
		if f.err != nil {
			return p, nil, f.err
		}
		return c.admit(ctx, f.text)
	case <-late.C:
		return p, nil, errSilent
	case <-c.h.opts.Closing:
		return p, nil, gateway.NewError(gateway.StatusUnavailable, "the server stops")
	case <-ctx.Done():
		return p, nil, context.Cause(ctx)
	}
}

// recall folds what the log of the session says until now, and returns where that
// ends.
func (c *connection) recall(ctx context.Context, t *translator) (at int64, err error) {
	for rec, err := range c.h.opts.Sessions.Records(ctx, c.session, 0) {
		if err != nil {
			return 0, err
		}
		c.apply(t, rec)
		at = rec.Seq
	}
	return at, nil
}

// apply lets the translator take a record.
func (c *connection) apply(t *translator, rec event.Record) (messages []Message, rests bool) {
	messages, rests = t.apply(rec)
	if len(t.questions) == 0 {
		c.question.Store(nil)
		return messages, rests
	}
	oldest := t.questions[0]
	c.question.Store(&oldest)
	return messages, rests
}

// attend gives the prompt to the session, then what the person adds, and looks
// whether the client is alive.
func (c *connection) attend(ctx context.Context, end context.CancelCauseFunc, frames <-chan frame, p prompt) {
	if _, err := c.submit(ctx, p); err != nil {
		end(refusal{err})
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case f := <-frames:
			if cause := c.steer(ctx, f); cause != nil {
				end(cause)
				return
			}
		case <-beat.C:
			if err := c.ping(ctx); err != nil {
				end(errGone)
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
	defer cancel()
	return c.ws.Ping(ctx)
}

// respond sends what happens in the session, from a record on, to the end of the
// response.
func (c *connection) respond(ctx context.Context, t *translator, at int64) {
	defer func() {
		if p := recover(); p != nil { // what began ends, and the server tells of it
			c.conclude(ctx, t, gateway.ErrorOf(errors.New("panic")))
			panic(p)
		}
	}()
	for rec, err := range c.h.opts.Sessions.Follow(ctx, c.session, at) {
		if err != nil {
			c.conclude(ctx, t, err)
			return
		}
		messages, rests := c.apply(t, rec)
		if !c.send(ctx, messages) {
			c.gone(ctx, t)
			return
		}
		if rests && c.prompts.rest() {
			c.conclude(ctx, t, errOver)
			return
		}
	}
}

// conclude ends the response for a reason, which is errOver for the usual one.
func (c *connection) conclude(ctx context.Context, t *translator, why error) {
	over := errors.Is(why, errOver)
	switch {
	case errors.Is(why, errGone):
		c.gone(ctx, t)
		return
	case t.response == nil && !over:
		c.refuse(ctx, why)
		return
	}
	wrong := ""
	if !over {
		c.log.Warn().Err(why).Msg("a response broke off")
		wrong = words(why)
	}
	last := t.finish(wrong)
	c.release() // who reads the end may send the next prompt at once
	c.send(ctx, last)
	code := websocket.StatusNormalClosure
	if errors.Is(why, errAbuse) {
		code = websocket.StatusPolicyViolation
	}
	_ = c.ws.Close(code, "")
}

// gone is what becomes of the work when the client is gone.
func (c *connection) gone(ctx context.Context, t *translator) {
	if t.response == nil || !c.h.opts.StopOnDisconnect {
		return
	}
	err := c.h.opts.Sessions.Stop(context.WithoutCancel(ctx), c.session, "", event.StopSoft)
	c.audit(gateway.AuditEntry{Event: gateway.AuditSession, OK: err == nil, Detail: "stopped, because the client disconnected"})
	if err != nil {
		c.log.Error().Err(err).Msg("a team does not stop")
	}
}

// refuse tells the client why there is no response: one message, and the end.
func (c *connection) refuse(ctx context.Context, why error) {
	if errors.Is(why, errGone) {
		return
	}
	if e := gateway.ErrorOf(why); e.Code == gateway.StatusInternal {
		c.log.Error().Err(why).Msg("a prompt was not taken")
	}
	c.note(why)
	c.release()
	if c.send(ctx, newTranslator(c.id, view{}, nil).finish(words(why))) {
		_ = c.ws.Close(websocket.StatusPolicyViolation, "")
	}
}

// send writes messages, and reports whether the client takes them.
func (c *connection) send(ctx context.Context, messages []Message) bool {
	for _, m := range messages {
		text, err := m.text()
		if err == nil {
			err = c.write(ctx, text)
		}
		if err != nil {
			return false
		}
	}
	return true
}

// write writes a message, also when ctx has ended: what began has an end.
func (c *connection) write(ctx context.Context, text []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, text)
}
