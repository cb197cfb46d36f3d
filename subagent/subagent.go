package subagent

import (
	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
)

// Reporter returns what [agent.Shared.Report] of workers is: natural output
// goes to the leader, and each turn ends with a report.
func Reporter(post *mailbox.Post, words prompts.Words) func(agent.Output) error {
	return reporter{post, words}.report
}

// reporter sends the natural output of workers to the leader.
type reporter struct {
	post  *mailbox.Post
	words prompts.Words
}

func (r reporter) report(out agent.Output) error {
	m := mailbox.Outgoing{
		Kind: event.Progress, From: out.Agent, To: event.Leader, Turn: out.Turn, Content: out.Text,
	}
	if out.Final {
		m.Kind, m.Reason, m.Content = event.Completion, out.Reason, r.completion(out)
	}
	_, err := r.post.Send(m)
	return err
}

// completion words the end of a turn.
func (r reporter) completion(out agent.Output) string {
	switch out.Reason {
	case event.EndNatural:
		if out.Text == "" {
			return r.words.SilentReport(out.Name)
		}
		return out.Text
	case event.EndLimit:
		return r.words.LimitReport(out.Name, out.Limit, out.Text)
	case event.EndFailed:
		return r.words.FailureReport(out.Name, out.Failure.Message, out.Failure.Hint)
	case event.EndStopped:
		return r.words.StopReport(out.Name, out.Stop.By, out.Stop.Reason, out.Text)
	case event.EndTerminated:
		return r.words.TerminateReport(out.Name, out.Stop.By, out.Stop.Reason, out.Text)
	}
	return out.Text
}
