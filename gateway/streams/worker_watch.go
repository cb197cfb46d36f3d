package streams

import (
	"context"
	"encoding/json"
	"errors"
)

// Watched is the set of the replies that only said that a child waits: Troupe's
// own key, for callers of an agent type. A child of the Python SDK sends no
// other, so the workers of the caller's type look for its end.
func (s Schema) Watched(agentType string) string {
	name := "troupe:watch:agent_type:" + agentType
	return s.pick(name, name)
}

// watch keeps the early reply of a child, until the child has ended.
func (w *Worker) watch(ctx context.Context, early Command) error {
	text, err := early.Encode()
	if err != nil {
		return err
	}
	key := w.store.schema.Watched(early.Header.TargetAgentType)
	return persist(ctx, func() error {
		if err := w.store.rdb.SAdd(ctx, key, string(text)).Err(); err != nil {
			return err
		}
		return w.store.rdb.Expire(ctx, key, sessionTTL).Err()
	})
}

// lookAfter sends the replies of watched children that have ended. Several
// workers may send the same one: the caller knows it by the child. What is no
// command is dropped: it would be there for ever.
func (w *Worker) lookAfter(ctx context.Context, t string) error {
	key := w.store.schema.Watched(t)
	watched, err := w.store.rdb.SMembers(ctx, key).Result()
	if err != nil {
		return err
	}
	var faults []error // of one child; the others are looked after all the same
	for _, text := range watched {
		cmd, err := DecodeCommand([]byte(text))
		if err != nil {
			w.log().Error().Err(err).Msg("a reply that is waited for cannot be read; it is dropped")
		} else if done, err := w.sendLate(ctx, t, cmd); err != nil || !done {
			faults = append(faults, err)
			continue
		}
		faults = append(faults, w.store.rdb.SRem(ctx, key, text).Err())
	}
	return errors.Join(faults...)
}

// sendLate sends the reply of a child if it has ended; done says so.
func (w *Worker) sendLate(ctx context.Context, t string, early Command) (done bool, err error) {
	body, err := w.lateReply(ctx, early.Header)
	if err != nil || body == nil {
		return false, err
	}
	early.Body = body
	_, err = w.store.post(ctx, w.store.schema.TypeStream(t), early)
	return err == nil, err
}

// lateReply is what the child of an early reply would say if it had ended, nil
// while it has not.
func (w *Worker) lateReply(ctx context.Context, early Header) (*Resume, error) {
	child, err := w.store.record(ctx, early.SessionID, early.ParentMessageID)
	switch {
	case errors.Is(err, ErrNoRecord):
		return &Resume{Status: string(Failed), ReplyData: jsonObject("error", "the record of the child is gone")}, nil
	case err != nil:
		return nil, err
	}
	switch {
	case child.Status == Completed:
		answer, err := w.answerOf(ctx, child)
		return &Resume{Status: string(Completed), ReplyData: answer}, err
	case child.Status == Failed:
		return &Resume{Status: string(Failed), ReplyData: jsonObject("error", child.ErrorMessage)}, nil
	case child.Status == Cancelled, child.Status == Cancelling && rests(child):
		return &Resume{Status: string(Cancelled), ReplyData: jsonObject("reason", child.CancelReason)}, nil
	default:
		return nil, nil
	}
}

// answerOf is the last final answer of a task as JSON, nil when it gave none.
func (w *Worker) answerOf(ctx context.Context, r Record) (answer json.RawMessage, err error) {
	err = w.store.backwards(ctx, r.SessionID, func(e Event) bool {
		if e.MessageID == r.MessageID && e.Kind() == KindAnswer {
			answer = raw(e.Text())
		}
		return answer == nil
	})
	return answer, err
}
