package leader

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// Answer writes the person's answer to a question into the log of a run that is
// not under way: one that was suspended, or whose program ended. [Resume] goes
// on with it. path is the run's folder or the log in it.
//
// It fails, and then no answer was written, with [mailbox.ErrUnknownQuestion],
// [mailbox.ErrClosedQuestion], [mailbox.ErrNotYours], or with
// [transcript.ErrLocked] when the run is under way: then [Run.Reply] takes the
// answer.
func Answer(path, id, text string, opts ...Option) error {
	return amend(path, opts, func(s *stopped) error {
		_, err := s.desk.Answer(event.Person, event.Person, id, text, 0)
		return err
	})
}

// Decide writes a decision about a tool call into the log of a run that is not
// under way, as [Answer] does. It fails with [ErrNoApproval], [ErrDecided],
// [ErrNoRule] or [transcript.ErrLocked]: then [Run.Approve] takes it.
func Decide(path, id string, d Decision, opts ...Option) error {
	return amend(path, opts, func(s *stopped) error { return s.approvals.settle(id, d, true) })
}

// Warn writes something odd into the log of a run that is not under way, as
// [Answer] does. It fails with [transcript.ErrLocked]: then [Run.Warn] takes it.
func Warn(path string, w event.Warning, opts ...Option) error {
	return amend(path, opts, func(s *stopped) error {
		_, err := s.log.Append("", 0, w)
		return err
	})
}

// PendingIn lists what waits for the person in the log of a run, which may be
// under way, oldest first.
func PendingIn(ctx context.Context, path string) ([]Pending, error) {
	s, err := readStopped(ctx, path)
	if err != nil {
		return nil, err
	}
	return pendingOf(s.roster, s.approvals), nil
}

// AgentsIn tells what each agent did last in the log of a run, which may be
// under way, the leader first: all of [AgentStatus] but what it waits for and
// its inbox.
func AgentsIn(ctx context.Context, path string) ([]AgentStatus, error) {
	s, err := readStopped(ctx, path)
	if err != nil {
		return nil, err
	}
	var list []AgentStatus
	for _, m := range s.roster.all() {
		list = append(list, statusOf(m))
	}
	return list, nil
}

// readStopped folds the log of a run.
func readStopped(ctx context.Context, path string) (*stopped, error) {
	dir, err := runFolder(path)
	if err != nil {
		return nil, err
	}
	s := newStopped(nil)
	for rec, err := range transcript.ReadFile(ctx, filepath.Join(dir, transcript.FileName), transcript.ReadOptions{}) {
		if err != nil {
			return nil, err
		}
		s.apply(rec)
	}
	return s, nil
}

// stopped is what is known of a run that nobody drives.
type stopped struct {
	log       event.Appender // nil for one that is only read
	broken    bool           // the program ended and left no word
	byPerson  bool           // the person stopped the run
	roster    *roster
	ids       *mailbox.IDs
	desk      *mailbox.Desk
	approvals *approvals
	errands   *errands
}

func newStopped(log event.Appender) *stopped {
	ids := mailbox.NewIDs()
	return &stopped{
		log: log, roster: newRoster(), ids: ids, desk: mailbox.NewDesk(log, ids, mailbox.DeskOptions{Leader: event.Leader}),
		approvals: newApprovals(log, ids, tools.Policy{}, nil), errands: newErrands(log),
	}
}

func (s *stopped) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted, event.RunResumed:
		s.broken, s.byPerson = true, false
	case event.RunSuspended:
		s.broken, s.byPerson = false, d.By == event.PersonName
	case event.RunFinished, event.RunFailed:
		s.broken = false
	default:
	}
	s.roster.apply(rec)
	s.ids.Apply(rec)
	s.desk.Apply(rec)
	s.approvals.Apply(rec)
	s.errands.Apply(rec)
}

// amending writes to the log of a run that nobody drives. One that broke off says so
// before the first record that is written, and so only if one is: the run is not at
// work while a person thinks.
type amending struct {
	event.Appender
	run *stopped
}

func (a *amending) Append(agent string, turn int, d event.Data) (event.Record, error) {
	if a.run.broken {
		rec, err := a.Appender.Append("", 0, event.RunSuspended{Cause: event.SuspendInterrupt})
		if err != nil {
			return rec, err
		}
		a.run.broken = false // all that the record changes; who appends now holds its locks
	}
	return a.Appender.Append(agent, turn, d)
}

// amend opens the log of a run that is not under way, folds it, and lets change
// append to it. When change refuses, nothing is written.
func amend(path string, opts []Option, change func(*stopped) error) error {
	o := newOptions(opts)
	dir, err := runFolder(path)
	if err != nil {
		return err
	}
	mask, err := o.mask()
	if err != nil {
		return err
	}
	log, err := transcript.Open(dir, transcript.Options{Sync: transcript.SyncMode(o.sync), Mask: mask, Now: o.now})
	if err != nil {
		return err
	}
	to := &amending{Appender: log}
	s := newStopped(to)
	to.run = s
	for rec, recErr := range log.Records(0) {
		if err = recErr; err != nil {
			break
		}
		s.apply(rec)
	}
	if err == nil {
		err = change(s)
	}
	return errors.Join(err, log.Close())
}
