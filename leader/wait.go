package leader

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
)

// WaitOutput waits until a worker has something to say (mailbox protocol,
// section 5): a question, a note or a failure ends the wait at once, a
// completion when its agent is awaited and was the first or the last of them.
func (t teamTools) WaitOutput(ctx context.Context, call tools.Call, in tools.WaitOutputArgs) (string, error) {
	w, timeout, err := t.awaited(in)
	if err != nil {
		return "", err
	}
	yielded, done := t.run.exchange.Desk.Waiting(event.Leader, w.agents, !w.all)
	defer done()
	call.Sent()
	unblock := call.Blocked(strings.Join(w.agents, ", "))
	defer unblock()
	for {
		news := t.run.journal.watch()
		if end, over := w.look(t.run); over {
			return t.run.words.WaitEnded(end), nil
		}
		select {
		case <-news:
		case id := <-yielded:
			end, _ := w.look(t.run)
			if !slices.Contains(end.Questions, id) { // its message is still on the way
				end.Questions = append(end.Questions, id)
			}
			return t.run.words.WaitEnded(end), nil
		case <-timeout:
			end, _ := w.look(t.run)
			end.TimedOut, end.Working = true, t.run.atWork(w.busy(t.run))
			return t.run.words.WaitEnded(end), nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// wait is what a wait is for.
type wait struct {
	agents []string // ids
	all    bool
}

// awaited reads the arguments. Without agents, all are awaited that work or
// that have reported what the leader has not read.
func (t teamTools) awaited(in tools.WaitOutputArgs) (wait, <-chan time.Time, error) {
	w := wait{all: in.Until == "all"}
	for _, who := range in.Agents {
		a, err := t.worker(who)
		if err != nil {
			return w, nil, err
		}
		w.agents = append(w.agents, a.ID)
	}
	if len(in.Agents) == 0 {
		unread := t.run.unreadReports()
		for _, m := range t.run.roster.all() {
			if m.parent != "" && (t.run.active(m) || unread[m.id]) {
				w.agents = append(w.agents, m.id)
			}
		}
	}
	if in.Timeout == "" {
		return w, nil, nil
	}
	d, err := time.ParseDuration(in.Timeout)
	return w, time.After(d), err
}

// unreadReports has the ids of the agents with a report in the leader's box.
func (r *Run) unreadReports() map[string]bool {
	from := map[string]bool{}
	for _, m := range r.box(event.Leader).Peek() {
		if m.Kind == event.Completion {
			from[m.From] = true
		}
	}
	return from
}

// look reports what waits for the leader, and whether that ends the wait.
func (w wait) look(r *Run) (prompts.WaitEnd, bool) {
	var end prompts.WaitEnd
	over := false
	busy := w.busy(r) // before the box: an agent reports first, then rests
	for _, m := range r.box(event.Leader).Peek() {
		switch {
		case m.Kind == event.Question:
			end.Questions = append(end.Questions, m.ID)
			over = true
		case m.Kind == event.Completion && m.Reason == event.EndFailed:
			end.Failures = append(end.Failures, m.ID)
			over = true
		case m.Kind == event.Completion:
			end.Completions = append(end.Completions, m.ID)
			over = over || !w.all && slices.Contains(w.agents, m.From)
		case m.Kind == event.Note:
			end.Notes = append(end.Notes, m.ID)
			over = true
		}
	}
	if len(busy) == 0 {
		end.NoneWorking = len(end.Completions) == 0
		return end, true
	}
	end.Working = r.atWork(busy)
	return end, over
}

// busy lists those of the awaited agents that work, wait, or are about to.
func (w wait) busy(r *Run) []string {
	var list []string
	for _, id := range w.agents {
		if m, ok := r.roster.view(id); ok && r.active(m) {
			list = append(list, id)
		}
	}
	return list
}

// active reports whether an agent works, waits, or has messages that make it
// work.
func (r *Run) active(m member) bool {
	if m.state.Busy() {
		return true
	}
	box := r.box(m.id)
	return m.state != event.Finished && box != nil && box.Waking()
}

func (r *Run) box(id string) *mailbox.Box {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.boxes[id]
}

// atWork names those of the busy agents whose report is still to come.
func (r *Run) atWork(busy []string) []string {
	var list []string
	for _, id := range busy {
		if m, ok := r.roster.view(id); ok && !m.reported {
			list = append(list, m.name)
		}
	}
	return list
}
