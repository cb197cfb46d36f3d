package subagent

import (
	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
)

// New makes a worker: an agent that reports to the leader. cfg is complete
// but for Report, which New sets.
func New(cfg agent.Config, words prompts.Words) (*agent.Agent, error) {
	r := reporter{name: cfg.Name, post: cfg.Post, words: words}
	cfg.Report = r.report
	return agent.New(cfg)
}

// reporter sends a worker's natural output to the leader.
type reporter struct {
	name  string
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
			return r.words.SilentReport(r.name)
		}
		return out.Text
	case event.EndLimit:
		return r.words.LimitReport(r.name, out.Limit, out.Text)
	case event.EndFailed:
		return r.words.FailureReport(r.name, out.Failure.Message, out.Failure.Hint)
	case event.EndStopped:
		return r.words.StopReport(r.name, out.Stop.By, out.Stop.Reason, out.Text)
	case event.EndTerminated:
		return r.words.TerminateReport(r.name, out.Stop.By, out.Stop.Reason, out.Text)
	}
	return out.Text
}
