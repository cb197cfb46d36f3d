package leader

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
)

// lentWorkers is the part of a role's agents that another Troupe lends. Their
// model holds no place in the limit on parallel calls: it has limits where it is
// asked.
type lentWorkers struct {
	run    *Run
	lender Lender
	role   string
}

// lentConfig is what an agent is made of whose model and tools are lent.
func (r *Run) lentConfig(role Role, address mailbox.Address, loan event.Loan) (agent.Config, error) {
	lender, _ := role.Remote.(Lender)
	w := lentWorkers{run: r, lender: lender, role: role.ID}
	list := tools.PeerTools(r.peers(role), r.leader.opts.lang)
	for _, t := range loan.Tools {
		list = append(list, tools.Lent(t, w.tool(t)))
	}
	set, err := tools.NewSet(list...)
	if err != nil {
		return agent.Config{}, fmt.Errorf("leader: the tools that are lent to role %s: %w", role.ID, err)
	}
	prompt, err := prompts.Worker(r.leader.opts.lang, prompts.WorkerData{
		Name: address.Name, RoleName: role.Name, Does: role.Does, Prompt: loan.Prompt, Tools: promptTools(set),
		CanAsk: role.MayAsk, Context: loan.Context, WorkDir: loan.WorkDir,
	})
	if err != nil {
		return agent.Config{}, err
	}
	s := r.shared(role.ID, modelOf(loan), set)
	s.MaxSteps, s.Report = bound(role.MaxSteps), subagent.Reporter(r.exchange.Post, r.words)
	s.Model, s.Leave = w, w.leave
	return r.config(address, agent.NewPrompt(prompt), mailbox.BoxOptions{}, s), nil
}

// turn names the turn of an agent that borrows.
func (w lentWorkers) turn(agent string) event.RemoteStep {
	s := w.run.step(agent, w.role)
	s.ID, s.Number, s.Text = s.Task, 1, ""
	return s
}

// Stream implements [model.Client].
func (w lentWorkers) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		q, err := lentRequest(req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		var size saidSize
		for d, err := range w.lender.Reply(ctx, w.turn(req.Agent), q) {
			if err != nil {
				yield(model.Chunk{}, failed(err, ""))
				return
			}
			c, done, err := lentChunk(d)
			if !size.add(c) {
				yield(model.Chunk{}, failed(errTooMuch, ""))
				return
			}
			if !yield(c, err) || done {
				return
			}
		}
		if ctx.Err() == nil {
			yield(model.Chunk{}, failed(errNoReply, ""))
		}
	}
}

// lentMessage is a message of a conversation as two Troupes write it.
type lentMessage struct {
	model.Message
	Plain string `json:"plain,omitempty"` // the content without its frame
}

func lentRequest(req model.Request) (q event.LentRequest, err error) {
	q = event.LentRequest{Agent: req.Agent, Role: req.AgentRole, MaxOutputTokens: req.MaxOutputTokens}
	for _, m := range req.Messages {
		text, err := json.Marshal(lentMessage{m, m.Origin.Content})
		if err != nil {
			return q, err
		}
		q.Messages = append(q.Messages, text)
	}
	if len(req.Tools) > 0 {
		q.Tools, err = json.Marshal(req.Tools)
	}
	return q, err
}

// lentChunk is what a lent model says as a piece of a reply; done says that it
// is the last.
func lentChunk(d event.Data) (c model.Chunk, done bool, err error) {
	switch d := d.(type) {
	case event.ModelDelta:
		c.Text = d.Text
	case event.ModelThinking:
		c.Reasoning = d.Text
	case event.ModelRetried, event.ModelProfile, event.Warning:
		c.Notice = d
	case event.ModelReplied:
		c = model.Chunk{Calls: d.Calls, Extra: d.Extra, Finish: d.Finish, RawFinish: d.RawFinish, Usage: &d.Usage, Model: d.Model}
		return c, true, nil
	case event.ModelFailed:
		c.Model, c.Usage = d.Model, &d.Usage
		return c, true, &model.Error{
			Class: d.Failure.Code, Who: d.Failure.Who, Retryable: d.Failure.Retryable, Message: d.Failure.Message, Hint: d.Failure.Hint, Partial: d.Partial,
		}
	default: // says nothing
	}
	return c, false, nil
}

// tool does the calls of a lent tool.
func (w lentWorkers) tool(t event.LentTool) func(context.Context, tools.Call) (string, error) {
	return func(ctx context.Context, call tools.Call) (string, error) {
		c := event.LentCall{
			CallID: call.ID, Name: t.Name, Arguments: string(call.Arguments), RequestID: call.RequestID,
			Agent: call.Agent, Turn: call.Turn, Again: call.Again, Metadata: call.Metadata,
		}
		for d, err := range w.lender.Call(ctx, w.turn(call.Agent), t, c) {
			switch d := d.(type) {
			case event.ToolOutput:
				call.Output(d.Text)
			case event.ArtifactCreated:
				call.Artifact(d.Path, d.Bytes)
			case event.ToolFinished:
				if d.IsError {
					return "", errors.New(d.Result)
				}
				return d.Result, nil
			default: // nothing that a tool says
			}
			if errors.Is(err, event.ErrUnknownOutcome) {
				return "", errors.New(w.run.words.UnknownOutcome(t.Name))
			}
			if err != nil {
				return "", err
			}
		}
		return "", cmp.Or(context.Cause(ctx), errNoReply)
	}
}

// leave gives back what a turn had borrowed.
func (w lentWorkers) leave(ctx context.Context, agent, reason string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelBound)
	defer cancel()
	back := w.lender.Return
	if reason != "" {
		back = func(ctx context.Context, s event.RemoteStep) error { return w.lender.Cancel(ctx, s, reason) }
	}
	if err := back(ctx, w.turn(agent)); err != nil {
		w.run.logger.Warn().Err(err).Str("agent", agent).Msg("loan not given back")
	}
}

// names are those of lent tools.
func lentNames(loan *event.Loan) []string {
	var names []string
	if loan != nil {
		for _, t := range loan.Tools {
			names = append(names, t.Name)
		}
	}
	return names
}
