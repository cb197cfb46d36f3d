package subagent

import (
	"errors"

	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
)

// Refusal words an error of the mailbox for the agent that caused it, in its
// language; other errors pass as they are.
func Refusal(words prompts.Words, desk *mailbox.Desk, self, questionID string, err error) error {
	if unknown, ok := errors.AsType[*mailbox.UnknownError](err); ok {
		var names []string
		for _, a := range unknown.Known {
			names = append(names, a.Name)
		}
		return errors.New(words.UnknownAgent(unknown.Who, names))
	}
	switch {
	case errors.Is(err, mailbox.ErrSelf):
		return errors.New(words.ToYourself())
	case errors.Is(err, mailbox.ErrUnknownQuestion), errors.Is(err, mailbox.ErrNotYours):
		var open []string
		for _, q := range desk.OpenTo(self) {
			if !q.Reply {
				open = append(open, q.ID)
			}
		}
		return errors.New(words.UnknownQuestion(questionID, open))
	case errors.Is(err, mailbox.ErrClosedQuestion):
		return errors.New(words.ClosedQuestion(questionID))
	}
	return err
}

// Unsent words the error of a message that could not be sent to the agent
// called who; other errors pass as they are.
func Unsent(words prompts.Words, who string, err error) error {
	if errors.Is(err, mailbox.ErrTerminated) {
		return errors.New(words.TerminatedAgent(who))
	}
	return err
}
