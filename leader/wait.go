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
	asked := "" // the question because of which the desk ended the wait
	for {
		news := t.run.journal.watch()
		if w.over() || asked != "" && t.run.roster.wasSent(asked) {
			return t.run.words.WaitEnded(w.endFor(asked)), nil
		}
		select {
		case <-news:
		case asked = <-yielded: // its message may be still on the way
		case <-timeout:
			end := w.end()
			end.TimedOut = true
			return t.run.words.WaitEnded(end), nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// wait is one wait of the leader. It looks again at each record of the run, so
// what was seen is not looked at twice.
type wait struct {
	run    *Run
	agents []string // ids
	all    bool
	last   int             // index of the agent that was the last to be found active
	seen   int             // messages in the leader's box
	found  prompts.WaitEnd // what they are
	ended  bool            // by one of them
}

// awaited reads the arguments. Without agents, all are awaited that work or
// that have reported what the leader has not read.
func (t teamTools) awaited(in tools.WaitOutputArgs) (*wait, <-chan time.Time, error) {
	w := &wait{run: t.run, all: in.Until == "all"}
	for _, who := range in.Agents {
		a, err := t.worker(who)
		if err != nil {
			return w, nil, err
		}
		w.agents = append(w.agents, a.ID)
	}
	if len(in.Agents) == 0 {
		unread := t.run.unreadReports()
		for _, id := range t.run.roster.workers() {
			if t.run.active(id) || unread[id] {
				w.agents = append(w.agents, id)
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

// over reports whether the wait ends: by a message, or because none of the
// awaited agents works any more.
func (w *wait) over() bool {
	working := w.anyActive() // before the box: an agent reports first, then rests
	w.look()
	return w.ended || !working
}

// look reads what came into the leader's box, where it stays.
func (w *wait) look() {
	for _, m := range w.run.box(event.Leader).PeekAfter(w.seen) {
		w.seen++
		switch {
		case m.Kind == event.Question:
			w.found.Questions = append(w.found.Questions, m.ID)
			w.ended = true
		case m.Kind == event.Completion && m.Reason == event.EndFailed:
			w.found.Failures = append(w.found.Failures, m.ID)
			w.ended = true
		case m.Kind == event.Completion:
			w.found.Completions = append(w.found.Completions, m.ID)
			w.ended = w.ended || !w.all && slices.Contains(w.agents, m.From)
		case m.Kind == event.Note:
			w.found.Notes = append(w.found.Notes, m.ID)
			w.ended = true
		}
	}
}

// endFor is the end because of a question to the leader; asked may be empty.
func (w *wait) endFor(asked string) prompts.WaitEnd {
	end := w.end()
	if asked != "" && !slices.Contains(end.Questions, asked) { // one that the leader has read
		end.Questions = append(end.Questions, asked)
	}
	return end
}

// end tells who still works, and what was found.
func (w *wait) end() prompts.WaitEnd {
	var working []string
	none := true
	for _, id := range w.agents {
		if !w.run.active(id) {
			continue
		}
		none = false
		if m, ok := w.run.roster.view(id); ok && !m.reported {
			working = append(working, m.name)
		}
	}
	w.look() // after the agents, for the reports of those that no longer work
	end := w.found
	end.Working = working
	end.NoneWorking = none && len(end.Completions) == 0
	return end
}

// anyActive reports whether one of the awaited agents is active. It begins
// with the one that was so the last time.
func (w *wait) anyActive() bool {
	for range w.agents {
		if w.run.active(w.agents[w.last]) {
			return true
		}
		w.last = (w.last + 1) % len(w.agents)
	}
	return false
}

// active reports whether an agent works, waits, or has messages that make it
// work.
func (r *Run) active(id string) bool {
	box := r.box(id)
	waking := box != nil && box.Waking() // before the state: an agent works first, then it empties its box
	s := r.roster.state(id)
	return s.Busy() || waking && s != event.Finished
}

func (r *Run) box(id string) *mailbox.Box {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.boxes[id]
}
