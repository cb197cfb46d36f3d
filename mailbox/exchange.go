package mailbox

import (
	"context"
	"errors"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Exchange is how the agents of one run reach each other.
type Exchange struct {
	IDs  *IDs
	Post *Post
	Desk *Desk
}

// Inquiry is one question on its way.
type Inquiry struct {
	From, To Address
	Kind     event.Kind // Question, or Note whose reply is the next natural output
	Text     string
	CallID   string
	Turn     int
	Timeout  time.Duration // 0: none
}

// Ask opens a question, sends its message and waits for the end of it. sent
// is called when the message is on its way or will never be, blocked when the
// wait begins; its done when the wait is over. A question to a terminated agent
// ends at once, as terminated. The error tells of another reason for which the
// question could not be sent, in words for the asker, or that the run was
// interrupted ([ErrInterrupted]): the question is then still open.
//
// A call that had asked when the program ended goes on with that question: it is
// not asked again.
func (x Exchange) Ask(ctx context.Context, q Inquiry, sent func(), blocked func(on ...string) (done func())) (Ending, error) {
	id := x.Desk.Asked(q.From.ID, q.CallID)
	if id == "" {
		id = x.IDs.Mint(q.Kind, q.From.Code)
	}
	refused, isRefused, err := x.Desk.Ask(Ask{
		ID: id, From: q.From.ID, To: q.To.ID, CallID: q.CallID, Turn: q.Turn,
		Reply: q.Kind == event.Note, Timeout: q.Timeout,
	})
	if err != nil {
		return Ending{}, err
	}
	if isRefused {
		return Ending{QuestionClosed: refused}, nil
	}
	_, err = x.Post.Send(Outgoing{
		ID: id, Kind: q.Kind, From: q.From.ID, To: q.To.ID, Content: q.Text, CallID: q.CallID, Turn: q.Turn,
	})
	if err != nil {
		outcome, detail := event.Failed, err.Error()
		if errors.Is(err, ErrTerminated) {
			outcome, detail = event.Terminated, "" // the outcome says it all
		}
		closed, closeErr := x.Desk.Close(id, outcome, "", detail, 0)
		if closeErr != nil && !errors.Is(closeErr, ErrClosedQuestion) {
			return Ending{}, closeErr
		}
		if closed.Outcome == event.Terminated {
			err = nil
		}
		return Ending{QuestionClosed: closed}, err
	}
	sent()
	done := blocked(id, q.To.ID)
	defer done()
	return x.Desk.Wait(ctx, id)
}
