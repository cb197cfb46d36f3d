package replay

import (
	"context"
	"errors"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
)

// stage runs the agents of one recording.
type stage struct {
	teams     []team // one after the other; at least one
	recording *recording
	options   VerifyOptions
}

// close frees what the teams hold.
func (s stage) close() error {
	var errs []error
	for _, t := range s.teams {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// at is the team at an index of the log.
func (s stage) at(i int) team {
	last := s.teams[0]
	for _, t := range s.teams[1:] {
		if t.from <= i {
			last = t
		}
	}
	return last
}

// verify runs the agent that record i created.
func (s stage) verify(ctx context.Context, i int, created event.AgentCreated) (VerifiedAgent, error) {
	rec := s.recording.records[i]
	v := VerifiedAgent{Agent: rec.Agent, Name: created.Name}
	first := s.at(i)
	cfg, missing, err := first.Agent(rec.Agent, created)
	if err != nil {
		return v, err
	}
	v.MissingTools = missing
	s.plant(&cfg)
	got := created
	got.Role, got.Prompt, got.Tools, got.Model, got.Scripted = cfg.Role, cfg.Prompt.String(), cfg.Tools.Names(), cfg.ModelName, cfg.Scripted
	if m := compare(created, got); m != nil {
		m.Agent, m.Seq, m.Type, m.Request = rec.Agent, rec.Seq, rec.Type(), s.recording.firstRequest(rec.Agent, i)
		v.Mismatch = m
		return v, nil
	}
	v.Records++
	for _, p := range s.parts(rec.Agent) {
		seg := segment{stretch: p, team: s.at(p.from), cfg: cfg, partly: len(missing) > 0}
		if seg.team.from > first.from {
			if seg.cfg, err = seg.team.Resumed(rec.Agent, created); err != nil {
				return v, err
			}
			s.plant(&seg.cfg)
		}
		out, err := s.run(ctx, seg)
		if err != nil {
			return v, err
		}
		v.Records += out.records
		v.Requests += out.requests
		if out.mismatch != nil {
			v.Mismatch = out.mismatch
			return v, nil
		}
	}
	return v, nil
}

// plant changes what an agent is made of as a test wants it.
func (s stage) plant(cfg *agent.Config) {
	if s.options.change != nil {
		s.options.change(cfg)
	}
}

// stretch is a range of the log in which an agent is run without a break; it
// begins in the state that the records before leave it in.
type stretch struct{ from, to int }

// parts divides the log for an agent: where the run was resumed the agent was
// made again, and a turn that was stopped before its first step is left out,
// because nothing of it is the agent's own doing.
func (s stage) parts(id string) []stretch {
	records := s.recording.records
	list := []stretch{{from: 0}}
	cut := func(to, from int) {
		list[len(list)-1].to = to
		list = append(list, stretch{from: from})
	}
	for i, rec := range records {
		if rec.Type() == event.TypeRunResumed {
			cut(i, i+1)
			continue
		}
		if d, ok := rec.Data.(event.AgentState); ok && rec.Agent == id && d.To == event.Working && d.From != event.Waiting {
			if end := s.stillborn(id, i); end > 0 {
				cut(i, end)
			}
		}
	}
	list[len(list)-1].to = len(records)
	return list
}

// stillborn is where a turn ends that the move at index i began and that was
// stopped before its first step; 0 for all other turns.
func (s stage) stillborn(id string, i int) int {
	stopped := false
	for j := i + 1; j < len(s.recording.records); j++ {
		if !s.recording.own(id, j) {
			continue
		}
		switch d := s.recording.records[j].Data.(type) {
		case event.MessageSent:
			if d.Kind != event.Completion {
				return 0
			}
		case event.QuestionClosed, event.AgentStopping:
		case event.TurnEnded:
			if stopped = d.Reason == event.EndStopped || d.Reason == event.EndTerminated; !stopped {
				return 0
			}
		case event.AgentState:
			if !stopped {
				return 0
			}
			if d.To == event.Finished {
				return len(s.recording.records)
			}
			return j + 1
		default:
			return 0
		}
	}
	return 0
}

// outcome is what came of a run.
type outcome struct {
	records, requests int
	mismatch          *Mismatch
	at                int // the index of the mismatch among the own records
}

// run runs an agent through a part of the log. Where the log does not tell
// whether a question ended or a message came before or after the agent looked,
// each is tried: the agent did what is recorded if it does so for one of them.
func (s stage) run(ctx context.Context, seg segment) (outcome, error) {
	sc := s.recording.script(seg.cfg.ID, seg.stretch)
	if len(sc.own) == 0 || sc.state == event.Finished { // what a terminated agent leaves is returned by others
		return outcome{}, nil
	}
	c := choices{order: map[int]order{}, held: map[int]int{}, late: map[int]bool{}}
	var first *outcome
	for {
		out, err := runOnce(ctx, seg, sc, c)
		if err != nil || out.mismatch == nil {
			return out, err
		}
		if first == nil || out.at != first.at {
			first = &out
		}
		if !c.next(sc, out.at, out.mismatch.Path) {
			return *first, nil
		}
	}
}

// runOnce runs the agent with the choices made.
func runOnce(ctx context.Context, seg segment, sc *script, c choices) (outcome, error) {
	player, err := newPlayer(seg, sc, c)
	if err != nil {
		return outcome{}, err
	}
	return player.play(ctx)
}
