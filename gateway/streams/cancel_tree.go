package streams

import (
	"context"
	"errors"
)

// cancelling is who cancels, and why.
type cancelling struct {
	reason string
	by     string
	mode   CancelMode
}

// tree is the record of a message and of all tasks below it, parents first.
func tree(records []Record, message string) []Record {
	var found []Record
	seen := map[string]bool{}
	for next := []string{message}; len(next) > 0; {
		id := next[0]
		next = next[1:]
		if seen[id] {
			continue
		}
		seen[id] = true
		for _, r := range records {
			if r.MessageID == id {
				found = append(found, r)
			}
			if r.ParentMessageID == id {
				next = append(next, r.MessageID)
			}
		}
	}
	return found
}

// cancelAll asks for the end of tasks, parents first, and tells the workers
// that have them. It returns those that had not ended.
func (s *store) cancelAll(ctx context.Context, tasks []Record, c cancelling) ([]Record, error) {
	var asked []Record
	var faults []error
	for _, task := range tasks {
		r, open, err := s.markCancelled(ctx, task, c)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if !open {
			continue
		}
		asked = append(asked, r)
		if err := s.tellWorker(ctx, r, c); err != nil {
			faults = append(faults, err)
		}
	}
	return asked, errors.Join(faults...)
}

// markCancelled writes into a record that its end is wanted; open is false for
// a task that had ended, in which only the wish is noted.
func (s *store) markCancelled(ctx context.Context, task Record, c cancelling) (r Record, open bool, err error) {
	r, err = s.update(ctx, task.SessionID, task.MessageID, existing(func(r *Record) ([]Event, error) {
		open = !r.Status.Terminal()
		r.CancelRequested = true
		if !open {
			return nil, nil
		}
		r.CancelReason = c.reason
		return nil, r.move(Cancelling, s.now())
	}))
	return r, open, err
}

// tellWorker sends the command to the worker that has the task, if one has.
func (s *store) tellWorker(ctx context.Context, r Record, c cancelling) error {
	if r.WorkerID == "" {
		return nil
	}
	id, err := s.id("msg-cancel-")
	if err != nil {
		return err
	}
	_, err = s.post(ctx, s.schema.WorkerStream(r.WorkerID), Command{
		Header: Header{
			MessageID: id, SessionID: r.SessionID, TraceID: r.TraceID,
			TargetAgentType: r.TargetAgentType, ParentMessageID: r.MessageID,
		},
		Body: &Cancel{
			TargetMessageID: r.MessageID, TargetExecutionID: r.ExecutionID, TargetWorkerID: r.WorkerID,
			Reason: c.reason, RequestedBy: c.by, Mode: c.mode,
		},
	})
	return err
}
