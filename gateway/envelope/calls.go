package envelope

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/prompts"
)

// Tools are the tools that may be called from outside.
type Tools interface {
	// Names are the tools that may be called.
	Names() []string
	// Effect says what a call of a tool does when it runs twice; ok is false for
	// a tool that may not be called.
	Effect(name string) (e Effect, ok bool)
	// Permit refuses a call that cannot or may not begin, and does nothing else. An
	// error that is no [*gateway.Error] says that it may not.
	Permit(c ToolCall) error
	// Run does a call. The error is a result too, in words.
	Run(ctx context.Context, c ToolCall, d Decision) (string, error)
}

// CallsOptions tune [Calls].
type CallsOptions struct {
	// Log keeps the calls, and nothing else; required.
	Log interface {
		event.Appender
		event.Source
	}
	Tools Tools // required
	// Header begins an empty log.
	Header event.RunStarted
	// TTL is how long a result is kept after the end of its call; 0 means
	// [DedupeTTL].
	TTL time.Duration
	// Timeout bounds a call; 0 means 5 minutes, and none does when it is negative.
	Timeout time.Duration
	// Parallel is how many calls may run at once; 0 means 16.
	Parallel int
	// Grace is how long calls may go on when the server stops; 0 means 10 seconds.
	Grace time.Duration
	// Words speak to agents.
	Words prompts.Words
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Note is told of each record of a call, for the audit; it may be nil.
	Note   func(sender string, rec event.Record)
	Logger zerolog.Logger
}

// Calls runs the tool calls that come to one team in envelopes, each request
// once. Its methods are safe for concurrent use. Calls run while [Calls.Run] does;
// those that come before wait for it.
type Calls struct {
	opts CallsOptions

	begun chan struct{} // closed when calls can run

	mu      sync.Mutex // guards all below; held over a decision and the record that follows from it
	table   *Deduper
	running map[string]*running // by call id
	start   func(do func(context.Context))
	cut     context.CancelCauseFunc // of the calls that run; nil before any can
}

// running is a call that runs.
type running struct {
	done chan struct{} // closed with its end
	end  *answer       // written before that; nil for one that was cut short
}

// answer is the end of a call.
type answer struct {
	event.ToolFinished
	at time.Time
}

var (
	errStopped = errors.New("the server stops")      // ends calls that run then
	errRuns    = errors.New("envelope: a call runs") // and nobody waits for it any more
)

// NewCalls makes the table from the log. Of the calls that a crash cut off it
// says in the log that nobody knows how far they came.
func NewCalls(o CallsOptions) (*Calls, error) {
	if o.Log == nil || o.Tools == nil {
		return nil, errors.New("envelope: calls: Log and Tools are required")
	}
	o.Timeout, o.Parallel, o.Grace = cmp.Or(o.Timeout, 5*time.Minute), cmp.Or(o.Parallel, 16), cmp.Or(o.Grace, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Calls{opts: o, table: NewDeduper(o.TTL, o.Now), running: map[string]*running{}, begun: make(chan struct{})}
	empty := true
	for rec, err := range o.Log.Records(0) {
		if err != nil {
			return nil, err
		}
		empty = false
		c.table.Apply(rec)
	}
	if empty {
		_, err := c.append("", o.Header)
		return c, err
	}
	return c, c.resume()
}

// resume says that the calls under way were cut off.
func (c *Calls) resume() error {
	if _, err := c.append("", event.RunResumed{Program: c.opts.Header.Program}); err != nil {
		return err
	}
	for _, s := range c.table.Open() {
		_, err := c.append(event.Runtime, event.ToolFinished{
			CallID: s.CallID, Name: s.Name, Result: c.opts.Words.UnknownOutcome(s.Name), IsError: true,
		})
		if err != nil {
			return err
		}
		c.opts.Logger.Warn().Str("call", s.CallID).Str("tool", s.Name).Msg("a call was cut off when the server ended")
	}
	return nil
}

// append writes a record and applies it; the caller holds c.mu, or is alone.
func (c *Calls) append(agent string, d event.Data) (event.Record, error) {
	rec, err := c.opts.Log.Append(agent, 0, d)
	if err == nil {
		c.table.Apply(rec)
	}
	return rec, err
}

// Run lets calls run until ctx ends. Then none begins any more, and those that
// run get Grace to end, before they are cut short; Run returns after all of them.
// It is called once.
func (c *Calls) Run(ctx context.Context) error {
	calls, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	var all sync.WaitGroup
	c.open(func(do func(context.Context)) { all.Go(func() { do(calls) }) }, cut)
	close(c.begun)
	<-ctx.Done()
	c.open(nil, cut)
	hard := time.AfterFunc(c.opts.Grace, func() { cut(errStopped) })
	defer hard.Stop()
	all.Wait()
	return nil
}

// open sets how calls are started, nil for not at all, and how they are cut short.
func (c *Calls) open(start func(do func(context.Context)), cut context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start, c.cut = start, cut
}

// Cut cuts the calls that run short, before Grace is over.
func (c *Calls) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut != nil {
		c.cut(errStopped)
	}
}

// do returns the result of a call, which runs once however often it is sent; a
// failure is a result too. When ctx ends before, the call goes on, and the error is
// errRuns. Others are an [*Error], a [*gateway.Error] or one of the log.
func (c *Calls) do(ctx context.Context, sender string, call ToolCall) (answer, error) {
	if err := c.ready(ctx); err != nil {
		return answer{}, err
	}
	d, run, err := c.decide(sender, call)
	switch {
	case err != nil:
		return answer{}, err
	case d.Action == Return:
		return answer{d.Result, d.ended}, nil
	case d.Action == Refuse:
		return answer{}, refused(Conflict, fieldPayload+".request_id")
	}
	select {
	case <-run.done:
	case <-ctx.Done():
		return answer{}, errRuns
	}
	if run.end == nil {
		return answer{}, stops()
	}
	return *run.end, nil
}

// ready waits until calls can run.
func (c *Calls) ready(ctx context.Context) error {
	select {
	case <-c.begun:
		return nil
	default:
	}
	select {
	case <-c.begun:
		return nil
	case <-ctx.Done():
		return gateway.NewError(gateway.StatusUnavailable, "the server is not ready yet").WithHint("send the same call again")
	}
}

// decide says what is to be done, and begins a call that is to run.
func (c *Calls) decide(sender string, call ToolCall) (Decision, *running, error) {
	effect, ok := c.opts.Tools.Effect(call.Name)
	if !ok {
		return Decision{}, nil, refused(UnlistedTool, fieldPayload+".name")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.table.Decide(sender, call, effect)
	run := c.running[d.CallID]
	switch {
	case d.Action == Wait && run == nil: // it was cut short
		return d, nil, stops()
	case d.Action != Run:
		return d, run, nil
	case c.start == nil:
		return d, nil, stops()
	case len(c.running) >= c.opts.Parallel:
		return d, nil, gateway.NewError(gateway.StatusUnavailable, "%d calls run, which is as many as may at once", len(c.running)).
			WithHint("send the same call again later")
	}
	if err := c.opts.Tools.Permit(call); err != nil {
		return d, nil, forbidden(err)
	}
	rec, err := c.append(event.Runtime, d.Started())
	if err != nil {
		return d, nil, err
	}
	c.note(sender, rec)
	run = &running{done: make(chan struct{})}
	c.running[d.CallID] = run
	c.start(func(ctx context.Context) { c.run(ctx, sender, call, d) })
	return d, run, nil
}

// forbidden refuses a call that was not begun.
func forbidden(err error) error {
	if e, ok := errors.AsType[*gateway.Error](err); ok {
		return e
	}
	e := gateway.NewError(gateway.StatusForbidden, "the call was not begun: %s", err)
	e.Who = gateway.WhoTool
	return e.WithHint("the permissions of the team file say what may be called")
}

// stops refuses a call because the server stops.
func stops() error {
	return gateway.NewError(gateway.StatusUnavailable, "the server stops").WithHint("send the same call again when it is back")
}

// look is the result of a request; known is false for one that is not kept, and
// there is no result while it runs.
func (c *Calls) look(sender, request string) (a answer, run *running, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.forget()
	r := c.table.calls[LogID(sender, request)]
	switch {
	case r == nil:
		return a, nil, false
	case r.finished == nil:
		return a, c.running[r.started.CallID], true
	}
	return answer{*r.finished, r.ended}, nil, true
}

// run does a call and writes its end. A call that the end of the server cut short
// has none, as after a crash.
func (c *Calls) run(ctx context.Context, sender string, call ToolCall, d Decision) {
	log := c.opts.Logger.With().Str("call", d.CallID).Str("tool", call.Name).Logger()
	began := c.opts.Now()
	text, err := c.within(ctx, func(ctx context.Context) (string, error) { return c.opts.Tools.Run(ctx, call, d) })
	took := c.opts.Now().Sub(began)

	c.mu.Lock()
	defer c.mu.Unlock()
	run := c.running[d.CallID]
	defer close(run.done)
	delete(c.running, d.CallID)
	if err != nil && context.Cause(ctx) != nil {
		log.Warn().Err(context.Cause(ctx)).Msg("a call was cut short")
		return
	}
	o := Outcome{Text: text}
	if err != nil {
		o = Outcome{Text: err.Error(), Failed: true}
	}
	rec, err := c.append(event.Runtime, d.Finished(o, took))
	if err != nil {
		log.Error().Err(err).Msg("the end of a call cannot be written")
		return
	}
	run.end = &answer{at: rec.Time}
	run.end.ToolFinished, _ = rec.Data.(event.ToolFinished) // as everybody reads it: masked and cut
	c.note(sender, rec)
}

// within bounds the time of a call.
func (c *Calls) within(ctx context.Context, do func(context.Context) (string, error)) (string, error) {
	if c.opts.Timeout < 0 {
		return do(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	return do(ctx)
}

func (c *Calls) note(sender string, rec event.Record) {
	if c.opts.Note != nil {
		c.opts.Note(sender, rec)
	}
}
