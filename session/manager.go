package session

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// Options tune a [Manager].
type Options struct {
	// Dir is the folder of the runs; each session has a folder in it. Required.
	Dir string
	// Team returns the team of a session whose settings are these, and the
	// options with which it runs; for a session that has a log, only the options
	// and the clients of the team's models count, since the log has the team. The
	// Manager adds options of its own: folder and notes, and that nobody is there
	// ([leader.Unattended]), so that a session that waits for its user takes no
	// memory. With [leader.HeadlessSuspend] it waits for leave, too. Required.
	Team func(settings map[string]string) (leader.Team, []leader.Option, error)
	// MaxRuns bounds the sessions that work at once; 0 means 64.
	MaxRuns int
	// Grace is how long the steps under way may take when the process ends,
	// before they are cut short; 0 means 10 seconds.
	Grace time.Duration
	// Mask hides in a text what the logs of the sessions hide: a name that it
	// changes names no session, since the log could not say whose it is, and an id
	// no command. nil is the mask of a log that knows no secrets
	// ([transcript.Mask.WithPatterns]).
	Mask func(string) string
	// Watch, if there is one, sees each record that a run of this process writes:
	// whose session it is, the handle of the session, and the id of its trace. It
	// is called in order for each session, for several at the same time, and a run
	// that has ended waits for it.
	Watch func(user, session, trace string, rec event.Record)
	// Logger is for operators; silent without one.
	Logger zerolog.Logger
}

// Manager keeps the sessions of the process. Its methods work while [Manager.Run]
// does; until then they wait, and afterwards they fail.
type Manager struct {
	opts    Options
	begins  chan beginning // to Run, which alone starts runs
	closing chan struct{}  // closed when nothing begins any more
	closed  chan struct{}  // closed when all runs have ended
	hurry   chan struct{}  // one slot: what Cut leaves for Run

	mu      sync.Mutex // guards all below, for an instant at a time
	entries map[string]*entry
	working int
}

// New makes a Manager. Run it with [Manager.Run].
func New(o Options) (*Manager, error) {
	if o.Dir == "" || o.Team == nil {
		return nil, errors.New("session: Dir and Team are required")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, failure(codeLog, "server", "the folder of the runs: %v", err)
	}
	o.Dir, o.MaxRuns, o.Grace = dir, cmp.Or(o.MaxRuns, 64), cmp.Or(o.Grace, 10*time.Second)
	if o.Mask == nil {
		o.Mask = transcript.NewMask().WithPatterns().Text
	}
	return &Manager{
		opts: o, begins: make(chan beginning), closing: make(chan struct{}), closed: make(chan struct{}),
		hurry:   make(chan struct{}, 1),
		entries: map[string]*entry{},
	}, nil
}

// beginning asks Run to start a run.
type beginning struct {
	entry  *entry
	prompt prompt
	reply  chan error // one slot
}

// stopped is by whom a run was interrupted that the end of the process
// suspended; [Manager.Recover] knows it by that.
const stopped = "the server stopped"

var errStopped = errors.New(stopped)

// Run serves the sessions until ctx ends. Then it suspends all runs, gently for
// as long as Grace, and returns when they have ended. It is called once.
func (m *Manager) Run(ctx context.Context) error {
	runs, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	var all sync.WaitGroup
	for {
		select {
		case b := <-m.begins:
			all.Go(func() { m.drive(runs, b) })
			continue
		case <-ctx.Done():
		}
		break
	}
	close(m.closing)
	for _, e := range m.inUse() {
		if run, _, _ := e.look(); run != nil {
			run.Pause(stopped)
		}
	}
	go func() { all.Wait(); close(m.closed) }()
	late := time.NewTimer(m.opts.Grace)
	defer late.Stop()
	select {
	case <-m.closed:
	case <-m.hurry:
	case <-late.C:
	}
	cut(errStopped)
	<-m.closed
	return nil
}

// Cut takes the grace from the steps that are under way when the process ends:
// [Manager.Run] cuts them short at once, or as soon as it is told to end.
func (m *Manager) Cut() {
	select {
	case m.hurry <- struct{}{}:
	default:
	}
}

// drive starts a run and waits for its end.
func (m *Manager) drive(ctx context.Context, b beginning) {
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	run, err := m.open(ctx, b.entry, b.prompt)
	if err != nil {
		m.release()
		b.reply <- err
		return
	}
	log := m.opts.Logger.With().Str("session", run.ID()).Logger()
	log.Info().Msg("session works")
	b.entry.began(run, cut)
	b.reply <- nil
	select {
	case <-m.closing: // it may not have been seen when all were paused
		run.Pause(stopped)
	default:
	}
	var watching sync.WaitGroup
	if m.opts.Watch != nil {
		watching.Go(func() { m.watch(context.WithoutCancel(ctx), b.entry.name, run) })
	}
	_, err = run.Wait()
	watching.Wait()
	log.Info().AnErr("err", err).Msg("session rests")
	b.entry.ended()
	m.release()
	m.leave(b.entry)
}

// begin has Run start a run of e, whose door the caller holds, with a prompt.
func (m *Manager) begin(ctx context.Context, e *entry, p prompt) error {
	if !m.reserve() {
		return failure(codeFull, "server", "%d sessions work, which is as many as may at once", m.opts.MaxRuns)
	}
	b := beginning{entry: m.enter(e.name), prompt: p, reply: make(chan error, 1)}
	err := m.hand(ctx, b)
	if err != nil {
		m.release()
	} else if err = <-b.reply; err == nil {
		return nil // the run uses the entry now
	}
	m.leave(b.entry)
	return err
}

// hand gives b to Run.
func (m *Manager) hand(ctx context.Context, b beginning) error {
	select {
	case <-m.closing:
		return errClosed
	default:
	}
	select {
	case m.begins <- b:
		return nil
	case <-m.closing:
		return errClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reserve takes one of the places for sessions that work.
func (m *Manager) reserve() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.working >= m.opts.MaxRuns {
		return false
	}
	m.working++
	return true
}

func (m *Manager) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.working--
}

// enter returns the entry of a session, which stays until all have left.
func (m *Manager) enter(n name) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := n.handle()
	e := m.entries[key]
	if e == nil {
		e = &entry{name: n, door: make(chan struct{}, 1)}
		m.entries[key] = e
	}
	e.users++
	return e
}

func (m *Manager) leave(e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.users--; e.users == 0 {
		delete(m.entries, e.handle())
	}
}

// inUse lists the entries that there are.
func (m *Manager) inUse() []*entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*entry, 0, len(m.entries))
	for _, e := range m.entries {
		list = append(list, e)
	}
	return list
}

func (m *Manager) dir(n name) string { return filepath.Join(m.opts.Dir, n.folder()) }

func (m *Manager) path(n name) string { return filepath.Join(m.dir(n), transcript.FileName) }
