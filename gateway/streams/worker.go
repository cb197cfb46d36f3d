package streams

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// WorkerOptions says what a worker is. ID, AgentTypes and Handler are needed.
type WorkerOptions struct {
	ID         string   // no other worker may have it
	AgentTypes []string // what it does
	Handler    Handler
	// Agents does the tasks that other Troupes give to single agents of their
	// teams; without it the worker does not say that it can (Lease.Troupe).
	Agents AgentHandler

	Group       string        // "" for DefaultGroup
	Schema      Schema        // "" for V1
	Concurrency int           // runs at the same time; 0 for 50
	MaxDeliver  int           // deliveries after which an entry is given up; 0 for 5
	Drain       time.Duration // how long runs may go on when Run is to end; 0 hands them back at once
	IPAddress   string        // for the lease
	PageEvents  bool          // write the flat event forms of the source page too

	Lease time.Duration // how long the worker lives without a sign; 0 for 30 s
	Beat  time.Duration // between two signs; 0 for 5 s
	Claim time.Duration // how long an entry of a dead worker rests before it is taken; 0 for 30 s

	// Ready is called once, when the worker is online: its id is its own, and
	// clients find it. It must not wait for the worker; nil is not called.
	Ready func()
	// Report is told of each change of a task's state that the worker made; nil
	// is told nothing. It must not wait for the worker.
	Report func(Change)

	Now    func() time.Time // nil for the clock
	Random io.Reader        // nil for random ids
	Log    zerolog.Logger   // the zero value is silent
}

// withDefaults fills in what is zero and checks the rest.
func (o WorkerOptions) withDefaults() (WorkerOptions, error) {
	switch {
	case o.ID == "":
		return o, errors.New("streams: a worker needs an id")
	case len(o.AgentTypes) == 0 || slices.Contains(o.AgentTypes, ""):
		return o, errors.New("streams: a worker needs agent types")
	case o.Handler == nil:
		return o, errors.New("streams: a worker needs a handler")
	case o.Concurrency < 0 || o.MaxDeliver < 0 || min(o.Drain, o.Lease, o.Beat, o.Claim) < 0:
		return o, errors.New("streams: a limit of a worker is negative")
	}
	o.AgentTypes = slices.Clone(o.AgentTypes)
	o.Group, o.Concurrency, o.MaxDeliver = cmp.Or(o.Group, DefaultGroup), cmp.Or(o.Concurrency, 50), cmp.Or(o.MaxDeliver, 5)
	o.Lease, o.Beat, o.Claim = cmp.Or(o.Lease, leaseTTL), cmp.Or(o.Beat, 5*time.Second), cmp.Or(o.Claim, leaseTTL)
	if o.Beat >= o.Lease {
		return o, fmt.Errorf("streams: a worker that gives a sign each %v loses its lease of %v", o.Beat, o.Lease)
	}
	return o, nil
}

// ErrEvicted is the end of a worker that an administrator ended.
var ErrEvicted = errors.New("streams: the worker was evicted")

// Worker runs tasks of its agent types.
type Worker struct {
	store *store
	opts  WorkerOptions
	lease Lease
	slots chan struct{} // one in it for each run

	mu        sync.Mutex           // guards what follows
	handing   bool                 // runs end and are handed back
	runs      map[string]*running  // by execution
	begins    map[string]int       // commands by which tasks begin or go on here, by session and message
	inHand    map[entryName]string // entries that are being handled, with their carriers
	suspended bool                 // an administrator wants no new tasks
	denied    map[string]bool      // agent types that it may not have
	life      life                 // for those who ask how it is
}

// running is a run that can be cancelled.
type running struct {
	cancel  context.CancelCauseFunc
	session string
	message string
}

// NewWorker makes a worker that speaks through rdb, which the caller closes
// after Run. The error is ErrPool when rdb has too few connections.
func NewWorker(rdb redis.UniversalClient, opts WorkerOptions) (*Worker, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkPool(rdb, len(opts.AgentTypes)); err != nil {
		return nil, err
	}
	s, err := newStore(rdb, opts.Schema, opts.Now, opts.Random)
	if err != nil {
		return nil, err
	}
	s.page = opts.PageEvents
	token, err := s.hex(32)
	if err != nil {
		return nil, err
	}
	lease := Lease{Version: 1, Token: token, IPAddress: opts.IPAddress}
	if opts.Agents != nil {
		lease.Troupe = 1
	}
	return &Worker{
		store:  s,
		opts:   opts,
		lease:  lease,
		slots:  make(chan struct{}, opts.Concurrency), // one place a run
		runs:   map[string]*running{},
		begins: map[string]int{},
		inHand: map[entryName]string{},
		denied: map[string]bool{},
	}, nil
}

// Run takes tasks until ctx ends, then lets its runs end or hands them back,
// and returns after all of them. It returns nil after ctx ended, ErrLeaseLost
// when another process may have its id, ErrEvicted when an administrator ended
// it, and an error when it could not begin.
func (w *Worker) Run(ctx context.Context) error {
	w.note(func(l *life) { l.began = w.store.now() })
	if err := w.claim(ctx); err != nil {
		return err
	}
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	if err := persist(ctx, func() error { return w.enter(ctx) }); err != nil {
		return errors.Join(err, w.release(life))
	}
	w.note(w.alive)
	if w.opts.Ready != nil {
		w.opts.Ready()
	}
	w.warnOfOthers(ctx)
	reading, stop := context.WithCancelCause(life)
	defer stop(nil)
	unhook := context.AfterFunc(ctx, func() { stop(nil) })
	defer unhook()

	var loops, tasks sync.WaitGroup
	loops.Go(func() { w.beats(life, end, stop) })
	loops.Go(func() { w.control(reading, life, &tasks, stop) })
	w.takeTasks(reading, life, &tasks)

	<-reading.Done()
	w.note(draining)
	w.leaveTypes(life)
	w.drain(life)
	lost := context.Cause(life)
	end(nil)
	loops.Wait()
	tasks.Wait()
	if lost != nil {
		return lost
	}
	err := w.release(context.WithoutCancel(life))
	if cause := context.Cause(reading); errors.Is(cause, ErrEvicted) {
		return errors.Join(cause, err)
	}
	return err
}

// takeTasks takes what is left over first, then reads each type until reading
// ends.
func (w *Worker) takeTasks(reading, life context.Context, tasks *sync.WaitGroup) {
	tasks.Go(func() {
		w.sweep(reading, life, tasks)
		for _, t := range w.opts.AgentTypes {
			tasks.Go(func() { w.read(reading, life, t, tasks) })
		}
		for wait(reading, w.opts.Claim/3) == nil {
			w.sweep(reading, life, tasks)
		}
	})
}

// drain takes all slots, which are free when no run is left, and hands back
// the runs that take too long. No run begins afterwards.
func (w *Worker) drain(life context.Context) {
	limit := time.NewTimer(w.opts.Drain)
	defer limit.Stop()
	lost := life.Done()
	for taken := 0; taken < cap(w.slots); {
		select {
		case w.slots <- struct{}{}:
			taken++
		case <-limit.C:
			w.HandBack()
		case <-lost:
			lost = nil // each run sees it by itself
		}
	}
}

// HandBack ends all runs at once, and those that are about to begin, so that
// other workers take them: for a worker that is to end, before its Drain is over.
func (w *Worker) HandBack() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handing = true
	for _, r := range w.runs {
		r.cancel(ErrHandedBack)
	}
}

// log is the logger of the worker.
func (w *Worker) log() *zerolog.Logger { return &w.opts.Log }
