package streams

import (
	"context"
	"time"
)

// beginFor is how long a run may take to begin, until what it is told waits in
// its inbox instead.
const beginFor = time.Second

// tellSoon is tell; what is for a task that begins here waits a moment for its
// run. When it is false the task begins with this command, until done is called.
func (w *Worker) tellSoon(life context.Context, d delivery, cmd Command) (told bool, done func()) {
	for late := time.Now().Add(beginFor); ; {
		if w.tell(life, d, cmd) {
			return true, func() {}
		}
		first, done := w.beginning(cmd)
		if first || time.Now().After(late) {
			return false, done
		}
		done()
		if wait(life, firstPause/5) != nil {
			return false, func() {}
		}
	}
}

// beginning notes that a task of another Troupe begins here, until done is called.
// first is false when it did so already.
func (w *Worker) beginning(cmd Command) (first bool, done func()) {
	key := cmd.Header.SessionID + " " + cmd.Header.MessageID
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begins[key]++
	return w.begins[key] == 1, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.begins[key]--; w.begins[key] == 0 {
			delete(w.begins, key)
		}
	}
}

// tell passes what another Troupe says to an agent of its team on to the run
// of its task, when one is here. It is false when there is none that takes it.
func (w *Worker) tell(life context.Context, d delivery, cmd Command) bool {
	body, ok := cmd.Body.(*Resume)
	if !ok || w.opts.Agents == nil || body.ExtraPayload[troupeName] == nil || !w.hasRun(cmd.Header) {
		return false
	}
	return w.opts.Agents.Tell(life, Task{
		MessageID: cmd.Header.MessageID, Key: "entry/" + d.origin(), Header: cmd.Header,
		Content: body.Content, Extra: body.ExtraPayload, Status: body.Status, ReplyData: body.ReplyData,
	})
}

// hasRun reports whether a run of the task that a command is for is here.
func (w *Worker) hasRun(h Header) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.message == h.MessageID && r.session == h.SessionID {
			return true
		}
	}
	return false
}
