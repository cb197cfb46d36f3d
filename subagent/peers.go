package subagent

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
)

// Peers is what the workers of a role say to others; it implements
// [tools.Peers]. Who speaks is the agent of the call.
type Peers struct {
	// Exchange carries what it says.
	Exchange mailbox.Exchange
	// Words are in the language of the team.
	Words prompts.Words
	// AskTimeout bounds a question; 0 means no bound.
	AskTimeout time.Duration
	// MayAsk lists the codes of the roles it may ask; nil means everyone.
	MayAsk []string
	// Active lists the team for list_active_sub_agents.
	Active func() string
}

// AskMaster asks the leader and waits for the answer.
func (p Peers) AskMaster(ctx context.Context, call tools.Call, in tools.AskMasterArgs) (string, error) {
	leader, err := p.Exchange.Post.Resolve(event.Leader)
	if err != nil {
		return "", p.refusal(call, "", err)
	}
	return p.ask(ctx, call, leader, event.Question, in.Question)
}

// AskOther asks another worker, or tells it something.
func (p Peers) AskOther(ctx context.Context, call tools.Call, in tools.AskOtherArgs) (string, error) {
	to, err := p.Exchange.Post.Resolve(in.Agent)
	if err != nil {
		return "", p.refusal(call, "", err)
	}
	if to.ID == event.Leader {
		return "", errors.New(p.Words.UseAskMaster())
	}
	if p.MayAsk != nil && !slices.Contains(p.MayAsk, to.Code) {
		return "", errors.New(p.Words.MayNotAsk(to.Name, p.MayAsk))
	}
	switch in.Expects {
	case "none":
		m, err := p.Exchange.Post.Send(mailbox.Outgoing{
			Kind: event.Note, From: call.Agent, To: to.ID, Content: in.Question, CallID: call.ID, Turn: call.Turn,
		})
		if err != nil {
			return "", p.refusal(call, "", Unsent(p.Words, to.Name, err))
		}
		return p.Words.MessageSentNoReply(m.ID, to.Name), nil
	case "reply":
		return p.ask(ctx, call, to, event.Note, in.Question)
	default:
		return p.ask(ctx, call, to, event.Question, in.Question)
	}
}

func (p Peers) ask(ctx context.Context, call tools.Call, to mailbox.Address, kind event.Kind, text string) (string, error) {
	self, err := p.Exchange.Post.Resolve(call.Agent)
	if err != nil {
		return "", p.refusal(call, "", err)
	}
	end, err := p.Exchange.Ask(ctx, mailbox.Inquiry{
		From: self, To: to, Kind: kind, Text: text, CallID: call.ID, Turn: call.Turn, Timeout: p.AskTimeout,
	}, call.Sent, call.Blocked)
	if err != nil {
		return "", p.refusal(call, "", err)
	}
	return Outcome(p.Words, to.Name, end)
}

func (p Peers) refusal(call tools.Call, questionID string, err error) error {
	return Refusal(p.Words, p.Exchange.Desk, call.Agent, questionID, err)
}

// AnswerOther answers a question of another worker or of the leader.
func (p Peers) AnswerOther(_ context.Context, call tools.Call, in tools.AnswerArgs) (string, error) {
	self, err := p.Exchange.Post.Resolve(call.Agent)
	if err == nil {
		_, err = p.Exchange.Desk.Answer(self.ID, self.Code, in.QuestionID, in.Answer, call.Turn)
	}
	if err != nil && (!call.Again || !p.Exchange.Desk.Answered(call.Agent, in.QuestionID)) {
		return "", p.refusal(call, in.QuestionID, err)
	}
	return p.Words.AnswerDelivered(in.QuestionID), nil
}

// ListActive lists the team.
func (p Peers) ListActive(context.Context, tools.Call) (string, error) {
	return p.Active(), nil
}

// Outcome words how a question to the agent called who ended: the answer in
// the form of the mailbox protocol, or what happened instead. An outcome
// without any text from the addressee is an error.
func Outcome(words prompts.Words, who string, end mailbox.Ending) (string, error) {
	if end.Yielded != "" {
		return words.Yielded(end.ID, end.Yielded, who), nil
	}
	if end.Outcome == event.Answered && end.AnswerID != "" {
		return mailbox.Format(mailbox.Message{
			ID: end.AnswerID, Kind: event.Answer, From: who, QuestionID: end.ID, Content: end.Text,
		})
	}
	text := words.Outcome(string(end.Outcome), who, end.ID, end.Text, end.Detail)
	if end.Text == "" || end.Outcome == event.RefusedCycle {
		return "", errors.New(text)
	}
	return text, nil
}
