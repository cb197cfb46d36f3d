package replay

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
)

// Why a player ends its agent's run.
var (
	errOver       = errors.New("replay: the recording is over")
	errMismatch   = errors.New("replay: the record differs")
	errStandstill = errors.New("replay: the agent rests")
)

// standstill is how long the agent may do nothing. It never has to wait for
// anything, so only one that works in another way than the recorded one does.
const standstill = 30 * time.Second

// player runs one agent through its script. It is the agent's log: each record
// is compared with the next of the script, and the recorded one comes back. It
// is the agent's model, tools, budget and mail too: they bring what the script
// says at the same place.
type player struct {
	segment
	script *script
	chosen choices
	words  prompts.Words
	agent  *agent.Agent
	box    *mailbox.Box
	post   *mailbox.Post // with boxes that nobody reads
	desk   *mailbox.Desk
	cancel context.CancelCauseFunc // ends the run
	idle   *time.Timer
	stops  sync.WaitGroup

	mu       sync.Mutex // guards all below
	next     int        // the own record that is due
	fed      int        // of script.desk: what the desk has heard of for certain
	posted   int        // of the log: what the post has heard of
	resting  bool
	put      map[string]bool // messages that are or were in the box
	quiet    map[string]bool // messages that wake nobody any more
	answered map[string]bool // calls whose result is the recorded one
	claimed  map[string]bool // questions that the agent ended, see claim
	stop     *cutOff
	wasCut   bool // the turn was cut short, at a time that is not that of the recording
	mismatch *Mismatch
	at       int
	requests int
}

// newPlayer makes the agent of a segment anew and brings it to where the script
// begins.
func newPlayer(seg segment, sc *script, c choices) (*player, error) {
	p := &player{
		segment: seg, script: sc, chosen: c, words: prompts.In(seg.team.lang), resting: resting(sc.state),
		put: map[string]bool{}, quiet: map[string]bool{}, answered: map[string]bool{}, claimed: map[string]bool{},
		posted: sc.part.from,
	}
	ids := mailbox.NewIDs()
	p.post = mailbox.NewPost(p, ids, mailbox.PostOptions{
		Returned: func(m event.MessageSent, to, why string) string { return p.words.Undeliverable(m.ID, to, why) },
	})
	p.desk = mailbox.NewDesk(p, ids, mailbox.DeskOptions{})
	p.box = mailbox.NewBox(mailbox.BoxOptions{Limit: -1, Wakes: func(m event.MessageSent) bool { return !p.quiet[m.ID] }})
	cfg := seg.cfg
	own := *cfg.Shared
	cfg.Shared, cfg.Box = &own, p.box
	cfg.Log, cfg.Post, cfg.Desk, cfg.Budget, cfg.Model = p, p.post, p.desk, funds{p}, voice{p}
	cfg.Leave = nil
	if cfg.Report != nil {
		cfg.Report = subagent.Reporter(p.post, p.words)
	}
	cfg.Now = func() time.Time { return time.Time{} }
	if cfg.Offer == nil {
		cfg.Offer = agent.NewOffer(cfg.Tools)
	}
	cfg.Brief = func(string) string { return anyBrief }
	set, err := p.stubs(cfg.Tools)
	if err != nil {
		return nil, err
	}
	cfg.Tools, cfg.Permit = set, p.permit
	p.cfg = cfg
	if p.agent, err = agent.New(cfg); err != nil {
		return nil, err
	}
	return p, p.fold()
}

// fold applies the records before the script. What waits in the box then was in
// it when the agent was made again.
func (p *player) fold() error {
	own := mailbox.NewPost(p, mailbox.NewIDs(), mailbox.PostOptions{})
	if err := own.Register(mailbox.Address{ID: p.cfg.ID, Name: p.cfg.Name, Code: p.cfg.Code}, p.box); err != nil {
		return err
	}
	for i, rec := range p.script.recording.records {
		if d, ok := rec.Data.(event.AgentCreated); ok { // all of them: the agent may write to any
			err := p.post.Register(mailbox.Address{ID: rec.Agent, Name: d.Name, Code: d.Code}, mailbox.NewBox(mailbox.BoxOptions{Limit: -1}))
			if err != nil {
				return err
			}
		}
		if i >= p.script.part.from {
			continue
		}
		p.post.Apply(rec)
		own.Apply(rec)
		if err := p.agent.Apply(rec); err != nil {
			return err
		}
		if p.aboutDesk(rec) {
			p.desk.Apply(rec)
		}
	}
	return nil
}

// aboutDesk reports whether a record opens or ends a question to the agent.
func (p *player) aboutDesk(rec event.Record) bool {
	switch d := rec.Data.(type) {
	case event.QuestionOpened:
		return d.To == p.cfg.ID
	case event.QuestionClosed:
		return p.script.recording.questions[d.ID].To == p.cfg.ID
	default:
		return false
	}
}

// play runs the agent to the end of the script.
func (p *player) play(ctx context.Context) (outcome, error) {
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.cancel = cancel
	p.idle = time.AfterFunc(standstill, func() { cancel(errStandstill) })
	defer p.idle.Stop()
	p.mu.Lock()
	if p.chosen.first {
		p.stop = p.planFirstCut()
	}
	p.advance()
	p.mu.Unlock()
	p.stopNow(-1)
	err := p.agent.SettleBroken()
	if err == nil {
		err = p.agent.Run(run)
	}
	p.stops.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return outcome{}, cause
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch == nil && p.next < len(p.script.own) {
		want := p.script.own[p.next]
		m := &Mismatch{Path: pathType, Recorded: quote(want.Type()), Note: NoteMissing}
		if err != nil && !errors.Is(err, errOver) && !errors.Is(err, agent.ErrTerminated) {
			m.Replayed = quote(err.Error())
		}
		p.differs(m)
	}
	return outcome{records: p.next, requests: p.requests, mismatch: p.mismatch, at: p.at}, nil
}

// Live implements [event.Appender]; nobody follows.
func (p *player) Live(string, int, event.Data) {}

// Append implements [event.Appender]: it compares d with the record that is
// due.
func (p *player) Append(id string, turn int, d event.Data) (event.Record, error) {
	got := event.Record{Agent: id, Turn: turn, Data: d}
	if move, ok := d.(event.AgentState); ok && betweenCalls(move) {
		return got, nil // an agent that is made again while its calls wait
	}
	locked := d.Type() == event.TypeAgentState || d.Type() == event.TypeAgentStopping
	if !locked {
		p.stopBefore(d.Type() != event.TypeQuestionClosed)
	}
	at, rec, err := p.take(got)
	if err == nil && !locked {
		p.stopNow(at)
	}
	return rec, err
}

// take compares a record with the one that is due, own record at.
func (p *player) take(got event.Record) (at int, rec event.Record, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const none = -2 // no own record was taken
	p.idle.Reset(standstill)
	if p.mismatch != nil {
		return none, event.Record{}, errMismatch
	}
	if closed, ok := got.Data.(event.QuestionClosed); ok {
		if rec, ok := p.claim(closed); ok {
			return none, rec, nil
		}
	}
	if p.next == len(p.script.own) {
		return none, event.Record{}, p.afterEnd(got)
	}
	want := p.script.own[p.next]
	if m := p.compareRecords(want, got); m != nil {
		p.differs(m)
		if got.Type() == event.TypeModelRequested { // the conversation is seen next, and shown
			got.Seq = want.Seq
			return none, got, nil
		}
		return none, event.Record{}, errMismatch
	}
	if want.Type() == event.TypeModelRequested && !p.partly {
		p.requests++
	}
	p.next++
	p.consumed(want)
	return p.next - 1, want, nil
}

// afterEnd judges a record that comes after the last of the script: in the
// middle of a turn, before a stop has its effect, or while the messages of a
// terminated agent go back, the recording just ends here.
func (p *player) afterEnd(got event.Record) error {
	end := p.script.end()
	if end.Busy() || p.script.stopping() || end == event.Finished && got.Agent != p.cfg.ID {
		p.cancel(errOver)
		return errOver
	}
	p.differs(&Mismatch{Path: pathType, Replayed: quote(got.Type()), Diff: diffRecords(nil, got.Data), Note: NoteExtra})
	return errMismatch
}

// claim takes the end of a question that others may have recorded as well; its
// place is between two of the agent's records.
func (p *player) claim(closed event.QuestionClosed) (event.Record, bool) {
	at, ok := p.script.closings[closed.ID]
	if !ok || p.claimed[closed.ID] || at > p.script.index(p.next) {
		return event.Record{}, false
	}
	rec := p.script.recording.records[at]
	if d, ok := rec.Data.(event.QuestionClosed); !ok || !fromBothSides(d.Outcome) || d != closed {
		return event.Record{}, false
	}
	p.claimed[closed.ID] = true
	return rec, true
}

// differs ends the run with a mismatch at the record that is due; the caller
// holds p.mu.
func (p *player) differs(m *Mismatch) {
	at := min(p.next, len(p.script.own)-1)
	rec := p.script.own[at]
	m.Agent, m.Seq, m.Turn, m.Type = p.cfg.ID, rec.Seq, rec.Turn, rec.Type()
	m.Request = p.script.recording.firstRequest(p.cfg.ID, p.script.at[at])
	if m.Diff == "" && m.Note == "" {
		m.Diff = m.valueDiff()
	}
	p.mismatch, p.at = m, p.next
	p.cancel(errMismatch)
}

// consumed follows the agent's state; the caller holds p.mu.
func (p *player) consumed(rec event.Record) {
	if d, ok := rec.Data.(event.AgentState); ok {
		p.resting = resting(d.To)
		if p.resting && p.next < len(p.script.own) && p.script.own[p.next].Type() == event.TypeAgentStopping {
			p.stops.Go(func() { p.stopBefore(true) }) // the agent is in the middle of this move
		}
	}
	switch d := rec.Data.(type) {
	case event.QuestionClosed, event.AgentStopping:
		return // the desk or the box is locked; what is new comes with the next record
	case event.MessageReturned:
		p.hearPost(p.cfg.ID)
		return
	case event.MessageSent:
		p.hearPost(d.To)
	case event.MessageDelivered:
		p.post.Apply(rec)
		p.hearPost("")
	default:
		p.hearPost("")
	}
	p.advance()
}

// cutAt cuts the turn short after own record i.
func (p *player) cutAt(i int, c cutOff) {
	if i >= 0 && i < len(p.script.own) && p.script.own[i].Type() == event.TypeAgentState {
		p.wasCut = true
		p.stops.Go(func() { p.cutNow(c) })
		return
	}
	p.cut(c)
}
