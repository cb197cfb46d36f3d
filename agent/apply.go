package agent

import (
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
)

// Apply folds one record of the log into an agent that does not run yet; the
// boxes must have it already. The running agent changes in no other way: each
// record it appends goes through here. The error tells of a message that cannot
// be framed, which must not enter a conversation: bare, its content could pass
// for a message of another.
func (a *Agent) Apply(rec event.Record) error {
	if sent, ok := rec.Data.(event.MessageSent); ok {
		a.applySent(rec, sent)
		return nil
	}
	if rec.Type() == event.TypeRunResumed {
		a.t.resume()
		return nil
	}
	if rec.Agent != a.cfg.ID {
		return nil
	}
	switch d := rec.Data.(type) {
	case event.AgentState:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.applyState(rec)
		if d.To == event.Stopped || d.To == event.Finished || d.To == event.Working && !d.From.Busy() {
			a.stop = nil // it was done, or there was none
		}
		return nil
	case event.AgentStopping:
		silenced, err := a.cfg.Box.Hush(nil)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.wish(stopOf(d, silenced))
		return err
	default:
		return a.apply(rec)
	}
}

// applySent folds a message that the agent gets, or one that the runtime says
// or reports for it. What a call sends is the business of the call.
func (a *Agent) applySent(rec event.Record, sent event.MessageSent) {
	switch {
	case sent.To == a.cfg.ID:
		a.expect(sent)
		if sent.From == event.Runtime && rec.Turn != 0 { // in the agent's own turn
			a.t.said()
		}
	case sent.From == a.cfg.ID && sent.CallID == "":
		a.t.told(sent.Kind, sent.Reason)
	}
}

// expect notes a message whose delivery is still to be logged.
func (a *Agent) expect(m event.MessageSent) {
	if a.pending == nil {
		a.pending = map[string]event.MessageSent{}
	}
	a.pending[m.ID] = m
}

// applyState sets the machine; callers hold a.mu.
func (a *Agent) applyState(rec event.Record) {
	if s, ok := rec.Data.(event.AgentState); ok {
		a.machine.set(s.To)
		a.t.applyState(s)
		if s.To.Busy() && !s.From.Busy() { // a turn begins
			a.history.wake(a.cfg.Prompt.String())
		}
		if rec.Turn > a.turn { // on resume; live it is that turn already, and others read it meanwhile
			a.turn = rec.Turn
		}
	}
}

// apply changes the turn and the conversation.
func (a *Agent) apply(rec event.Record) error {
	a.applyTurn(rec)
	switch d := rec.Data.(type) {
	case event.MessageDelivered:
		m, ok := a.pending[d.ID]
		if !ok {
			return nil
		}
		delete(a.pending, d.ID)
		return a.insert(m)
	case event.ModelRequested:
		if d.Purpose == "" {
			a.gauge.request(a.promptTokens(d.WrapUp))
		}
	case event.ModelRetried, event.ModelProfile, event.Warning:
		a.gauge.notice(d)
	case event.ModelReplied:
		if d.Purpose != "" {
			return nil
		}
		a.gauge.reply(d.Usage, a.history.thoughts)
		if d.Text == "" && len(d.Calls) == 0 {
			return nil
		}
		a.history.add(model.Message{
			Role: model.Assistant, Content: d.Text, Reasoning: d.Reasoning, Calls: d.Calls, Extra: d.Extra,
		})
	case event.HistoryCompacted:
		return a.applySummary(d)
	case event.TurnEnded:
		a.read = nil
		if len(a.pending) == 0 {
			a.pending = nil
		}
		a.history.settle()
	default: // all other records say nothing about the conversation
	}
	return nil
}

// insert adds a message to the conversation in the form of the mailbox
// protocol.
func (a *Agent) insert(m event.MessageSent) error {
	text, err := mailbox.Format(mailbox.Message{ID: m.ID, Kind: m.Kind, From: m.FromName, Content: m.Content})
	if err != nil {
		return err
	}
	origin := model.Origin{Kind: m.Kind, From: m.FromName, FromID: m.From, ID: m.ID, Content: m.Content}
	if m.Kind == event.Question {
		origin.QuestionID = m.ID
	}
	if a.read == nil {
		a.read = map[string]OpenQuestion{}
	}
	a.read[m.ID] = OpenQuestion{ID: m.ID, From: m.FromName, Text: m.Content}
	a.history.add(model.Message{Role: model.User, Content: text, Origin: origin})
	return nil
}
