package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// Submit gives the team a prompt; see gateway.Sessions.
func (m *Manager) Submit(ctx context.Context, session, id, text string, settings map[string]string) error {
	if strings.TrimSpace(text) == "" {
		return failure(codeBad, "client", "the prompt is empty")
	}
	if err := m.known(id); err != nil {
		return err
	}
	return m.with(ctx, session, func(e *entry, run *leader.Run) error {
		if run != nil {
			return run.TellOnce(id, event.Leader, text)
		}
		err := m.begin(ctx, e, prompt{id: id, text: text, settings: settings})
		if errors.Is(err, leader.ErrRepeated) && m.cutOff(e.name) {
			return m.begin(ctx, e, prompt{})
		}
		return err
	})
}

// Tell puts a message into an agent's conversation; see gateway.Sessions.
func (m *Manager) Tell(ctx context.Context, session, id, agent, text string) error {
	if err := m.known(id); err != nil {
		return err
	}
	return m.with(ctx, session, func(_ *entry, run *leader.Run) error {
		if run == nil {
			return errRest
		}
		return run.TellOnce(id, agent, text)
	})
}

// known refuses the id of a command that whoever reads the log does not see as it
// is: nobody would find what came of it.
func (m *Manager) known(id string) error {
	if m.opts.Mask(id) == id {
		return nil
	}
	return failure(codeBad, "client", "the id of the message has in it what looks like a secret, which nobody is shown; it takes another id")
}

// Answer answers a question to the person; see gateway.Sessions.
func (m *Manager) Answer(ctx context.Context, session, question, text string) error {
	return m.with(ctx, session, func(e *entry, run *leader.Run) error {
		if run != nil {
			return run.Reply(question, text)
		}
		return m.begin(ctx, e, prompt{amend: func(path string, opts []leader.Option) error {
			return leader.Answer(path, question, text, opts...)
		}})
	})
}

// Approve decides about a tool call; see gateway.Sessions.
func (m *Manager) Approve(ctx context.Context, session string, d event.ApprovalDecided) error {
	if d.Decision != event.DecisionAllow && d.Decision != event.DecisionDeny {
		return failure(codeBad, "client", "the decision is %q; it is %s or %s", d.Decision, event.DecisionAllow, event.DecisionDeny)
	}
	decision := leader.Decision{Allow: d.Decision == event.DecisionAllow, Always: d.Rule != "", Reason: d.Reason}
	return m.with(ctx, session, func(e *entry, run *leader.Run) error {
		if run != nil {
			if err := offered(run.Pending(), d); err != nil {
				return err
			}
			return run.Approve(d.ID, decision)
		}
		return m.begin(ctx, e, prompt{amend: func(path string, opts []leader.Option) error {
			pending, err := leader.PendingIn(ctx, path)
			if err == nil {
				err = offered(pending, d)
			}
			if err != nil {
				return err
			}
			return leader.Decide(path, d.ID, decision, opts...)
		}})
	})
}

// ToolResult brings what the client made of a tool call; see gateway.Sessions. A run
// that was not under way goes on, unless the user stopped it.
func (m *Manager) ToolResult(ctx context.Context, session, agent string, d event.ToolReturned) error {
	return m.with(ctx, session, func(e *entry, run *leader.Run) error {
		if run != nil {
			return run.ToolResult(agent, d)
		}
		goesOn, err := m.returned(ctx, e, agent, d)
		if err != nil || !goesOn {
			return err
		}
		if err := m.begin(ctx, e, prompt{}); err != nil {
			m.opts.Logger.Warn().Err(err).Str("session", e.handle()).Msg("session has a result, and does not go on")
		}
		return nil
	})
}

// returned writes the result of a call into the log of a session at rest.
func (m *Manager) returned(ctx context.Context, e *entry, agent string, d event.ToolReturned) (goesOn bool, err error) {
	settings, err := m.settings(e.name)
	if errors.Is(err, errEmpty) {
		return false, leader.ErrNoCall
	}
	if err != nil {
		return false, err
	}
	_, opts, err := m.opts.Team(settings)
	if err != nil {
		return false, err
	}
	goesOn, err = leader.Return(ctx, m.dir(e.name), agent, d, opts...)
	if err == nil {
		e.written()
	}
	return goesOn, err
}

// offered refuses a rule other than the one that the approval offers.
func offered(pending []leader.Pending, d event.ApprovalDecided) error {
	for _, p := range pending {
		if p.ID == d.ID && d.Rule != "" && d.Rule != p.Rule {
			return failure(codeRefused, "client", "%s offers the rule %q, not %q", d.ID, p.Rule, d.Rule)
		}
	}
	return nil
}

// Warn writes something odd about what a user said into the log of the session,
// which has one.
func (m *Manager) Warn(ctx context.Context, session string, w event.Warning) error {
	return m.with(ctx, session, func(e *entry, run *leader.Run) error {
		if run != nil {
			return run.Warn(w)
		}
		settings, err := m.settings(e.name)
		if err != nil {
			return err
		}
		_, opts, err := m.opts.Team(settings)
		if err == nil {
			err = leader.Warn(m.dir(e.name), w, opts...)
		}
		e.written()
		return err
	})
}

// Stop stops an agent, or the team when agent is empty; see gateway.Sessions.
func (m *Manager) Stop(ctx context.Context, session, agent, mode string) error {
	if mode != event.StopSoft && mode != event.StopNow && mode != event.StopTerminate {
		return failure(codeBad, "client", "there is no way to stop called %q", mode)
	}
	return m.with(ctx, session, func(e *entry, run *leader.Run) error {
		switch {
		case run == nil && agent == "":
			return nil
		case run == nil:
			return errRest
		case agent != "":
			return halt(run, agent, mode)
		}
		run.Pause(event.PersonName) // from here on it makes no agents
		if mode == event.StopSoft {
			return nil
		}
		for _, a := range run.Agents() {
			_ = halt(run, a.ID, mode) // it refuses the leader, and those that have ended
		}
		e.canceller()(errors.New(event.PersonName))
		return nil
	})
}

// halt stops one agent.
func halt(run *leader.Run, agent, mode string) error {
	how := leader.Terminate
	switch mode {
	case event.StopSoft:
		how = leader.Soft
	case event.StopNow:
		how = leader.Now
	}
	return run.Stop(agent, how)
}

// Agents tells what each agent does; see gateway.Sessions.
func (m *Manager) Agents(ctx context.Context, session string) (json.RawMessage, error) {
	n, err := nameOf(session)
	if err != nil {
		return nil, err
	}
	e := m.enter(n)
	defer m.leave(e)
	var list []leader.AgentStatus
	if run, _, _ := e.look(); run != nil {
		list = run.Agents()
	} else if list, err = m.agentsAtRest(ctx, n); err != nil {
		return nil, err
	}
	return json.Marshal(list)
}

// agentsAtRest tells what the log of a session says of its agents.
func (m *Manager) agentsAtRest(ctx context.Context, n name) ([]leader.AgentStatus, error) {
	_, err := m.settings(n)
	if errors.Is(err, errEmpty) {
		return []leader.AgentStatus{}, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := leader.AgentsIn(ctx, m.dir(n))
	return list, refusal(err)
}

// with lets do act on the run under way, or on the log when there is none: then
// run is nil. A run that ends meanwhile is waited for.
func (m *Manager) with(ctx context.Context, session string, do func(e *entry, run *leader.Run) error) error {
	n, err := nameOf(session)
	if err != nil {
		return err
	}
	e := m.enter(n)
	defer m.leave(e)
	if err := e.lock(ctx); err != nil {
		return err
	}
	defer e.unlock()
	for {
		run, _, changed := e.look()
		err := do(e, run)
		switch {
		case errors.Is(err, leader.ErrRepeated), errors.Is(err, leader.ErrFinished):
			return nil
		case err != nil && ctx.Err() != nil:
			return err
		case run == nil || !errors.Is(err, leader.ErrEnded):
			return refusal(err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
