package mailbox_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

var team = []mailbox.Address{
	leader, uio, fse,
	{ID: "uio_2", Name: "UI Operator_2", Code: "uio"},
}

// run is everything of this package that a team run has.
type run struct {
	office
	counter
	asked []string // ids of all questions
}

func newRun(t testing.TB) *run {
	t.Helper()
	r := &run{office: newOffice(t, mailbox.BoxOptions{Limit: 6}, team...)}
	r.counter.log, r.counter.ids = r.office.log, r.office.ids
	r.Desk = mailbox.NewDesk(r.office.log, r.office.ids, mailbox.DeskOptions{Leader: event.Leader})
	return r
}

func (r *run) apply(rec event.Record) {
	r.office.ids.Apply(rec)
	r.Post.Apply(rec)
	r.Desk.Apply(rec)
}

// state is what has to be the same in a resumed run.
type state struct {
	Counters map[string]int
	Boxes    map[string][]event.MessageSent
	Oldest   map[string]time.Time
	Outcomes map[string]event.Outcome
	OpenTo   map[string][]event.QuestionOpened
	OpenFrom map[string][]event.QuestionOpened
	Awaited  map[string][2]string
	Edges    []mailbox.Edge
}

func (r *run) state(asked []string) state {
	s := state{
		Counters: r.office.ids.Counters(),
		Boxes:    make(map[string][]event.MessageSent),
		Oldest:   make(map[string]time.Time),
		Outcomes: make(map[string]event.Outcome),
		OpenTo:   make(map[string][]event.QuestionOpened),
		OpenFrom: make(map[string][]event.QuestionOpened),
		Awaited:  r.Awaited(),
		Edges:    r.Waits(),
	}
	for id, box := range r.boxes {
		s.Boxes[id] = box.Peek()
		_, s.Oldest[id] = box.Unread()
		s.OpenTo[id], s.OpenFrom[id] = r.OpenTo(id), r.OpenFrom(id)
	}
	for _, id := range asked {
		_, s.Outcomes[id], _ = r.Lookup(id)
	}
	return s
}

// step does one random thing to the run.
func (r *run) step(t *rapid.T) {
	who := rapid.SampledFrom(team)
	log := r.office.log
	question := func() string {
		return rapid.SampledFrom(append([]string{"ask_x_009"}, r.asked...)).Draw(t, "question")
	}
	switch rapid.SampledFrom([]string{
		"send", "send", "drain", "ask", "ask", "ask", "answer", "close", "ended", "cancel", "terminate",
	}).Draw(t, "op") {
	case "send":
		from := rapid.SampledFrom([]string{"tl", "uio_1", "uio_2", event.Person, event.Runtime}).Draw(t, "from")
		kind := rapid.SampledFrom([]event.Kind{event.Note, event.Task, event.Completion}).Draw(t, "kind")
		text := rapid.String().Draw(t, "content")
		_, _ = r.Send(mailbox.Outgoing{Kind: kind, From: from, To: who.Draw(t, "to").ID, Content: text})
	case "drain":
		a := who.Draw(t, "agent")
		for _, m := range r.boxes[a.ID].Drain() {
			_, _ = log.Append(a.ID, 1, event.MessageDelivered{ID: m.ID, Step: 1})
		}
	case "ask":
		from, to := who.Draw(t, "from"), who.Draw(t, "to")
		id := r.office.ids.Mint(event.Question, from.Code)
		r.asked = append(r.asked, id)
		ask := mailbox.Ask{ID: id, From: from.ID, To: to.ID, Turn: 1, Reply: rapid.Bool().Draw(t, "reply")}
		if rapid.Bool().Draw(t, "timed") {
			ask.Timeout = time.Hour
		}
		if _, over, _ := r.Ask(ask); over {
			return
		}
		if _, err := r.Send(mailbox.Outgoing{ID: id, Kind: event.Question, From: from.ID, To: to.ID}); err != nil {
			_, _ = r.Desk.Close(id, event.Terminated, "", err.Error(), 1)
		}
	case "answer":
		by := who.Draw(t, "by")
		_, _ = r.Answer(by.ID, by.Code, question(), "text", 1)
	case "close":
		_, _ = r.Desk.Close(question(), event.Implicit, "text", "", 1)
	case "ended":
		r.Ended(who.Draw(t, "agent").ID, event.Failed, "", "error")
	case "cancel":
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = r.Wait(ctx, question())
	case "terminate":
		a := rapid.SampledFrom(team[1:]).Draw(t, "agent")
		_, _ = log.Append(a.ID, 0, event.AgentState{From: event.Idle, To: event.Finished})
		if err := r.Post.Close(a.ID, "terminated"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResumeEqualsLive does random things, then reads the log again up to each
// place where something had just been done, and compares.
func TestResumeEqualsLive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		live := newRun(t)
		type snapshot struct {
			records, asked int
			state
		}
		shots := []snapshot{{0, 0, live.state(nil)}}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			live.step(rt)
			shots = append(shots, snapshot{live.office.log.len(), len(live.asked), live.state(live.asked)})
		}
		resumed := newRun(t)
		recs := live.office.log.records()
		read := 0
		for _, shot := range shots {
			for ; read < shot.records; read++ {
				rec := reread(t, recs[read])
				resumed.apply(rec)
				if rec.Seq%3 == 0 {
					resumed.apply(rec) // once more changes nothing
				}
			}
			if diff := cmp.Diff(shot.state, resumed.state(live.asked[:shot.asked])); diff != "" {
				rt.Fatalf("after %d of %d records (-live +resumed):\n%s", read, len(recs), diff)
			}
		}
	})
}

// TestResumeAtEveryCut cuts the log after each record, in the middle of what a
// call records too, resumes, and brings the run to its end: every message is
// delivered or returned once, every question closed once, no id is used twice.
func TestResumeAtEveryCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		live := newRun(t)
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			live.step(rt)
		}
		recs := live.office.log.records()
		for cut := range len(recs) + 1 {
			resumed := newRun(t)
			for _, rec := range recs[:cut] {
				rec = reread(t, rec)
				resumed.apply(rec)
				resumed.office.log.recs = append(resumed.office.log.recs, rec)
			}
			if err := resumed.finish(recs[:cut]); err != nil {
				rt.Fatalf("cut after %d of %d records: %v", cut, len(recs), err)
			}
		}
	})
}

// TestResumeBetweenAskAndRefusal cuts the log after the opening of a question
// that closes a circle: whoever comes back to it is refused at once.
func TestResumeBetweenAskAndRefusal(t *testing.T) {
	again := mailbox.Ask{ID: "ask_b_001", From: "b", To: "a"}
	for name, reenter := range map[string]func(c counter) (event.Outcome, error){
		"wait": func(c counter) (event.Outcome, error) {
			e, err := c.Wait(t.Context(), again.ID)
			return e.Outcome, err
		},
		"ask": func(c counter) (event.Outcome, error) {
			cl, _, err := c.Ask(again)
			return cl.Outcome, err
		},
	} {
		c := newCounter()
		c.Apply(event.Record{Agent: "a", Data: event.QuestionOpened{ID: "ask_a_001", From: "a", To: "b"}})
		c.Apply(event.Record{Agent: "b", Data: event.QuestionOpened{ID: "ask_b_001", From: "b", To: "a"}})
		if edges := c.Waits(); len(edges) != 1 {
			t.Errorf("%s: edges %v, want that of the first question alone", name, edges)
		}
		if got, err := reenter(c); err != nil || got != event.RefusedCycle {
			t.Errorf("%s: %q, %v, want a refusal", name, got, err)
		}
		if c.log.len() != 1 {
			t.Errorf("%s: %d records, want the refusal", name, c.log.len())
		}
	}
}

func TestApplyKeepsTheFirstClosing(t *testing.T) {
	c := newCounter()
	for _, d := range []event.Data{
		event.QuestionOpened{ID: "ask_a_001", From: "a", To: "b"},
		event.QuestionClosed{ID: "ask_a_001", Outcome: event.Answered, Text: "first"},
		event.QuestionClosed{ID: "ask_a_001", Outcome: event.Failed},
		event.QuestionClosed{ID: "ask_z_001", Outcome: event.Failed},
	} {
		c.Apply(event.Record{Data: d})
	}
	if e, err := c.Wait(t.Context(), "ask_a_001"); err != nil || e.Outcome != event.Answered || e.Text != "first" {
		t.Errorf("Wait = %+v, %v, want the first closing", e, err)
	}
}

// finish re-enters every open wait, returns what terminated agents never got,
// delivers the rest, and checks the log.
func (r *run) finish(past []event.Record) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, a := range team {
		for _, q := range r.OpenFrom(a.ID) {
			e, err := r.Wait(ctx, q.ID)
			if err != nil {
				return err
			}
			if e.Yielded != "" {
				if _, err := r.Desk.Close(q.ID, event.Cancelled, "", "", 0); err != nil {
					return err
				}
			}
		}
	}
	for _, rec := range past {
		if d, ok := rec.Data.(event.AgentState); ok && d.To == event.Finished {
			if err := r.Post.Close(rec.Agent, "terminated"); err != nil {
				return err
			}
		}
	}
	for id, box := range r.boxes {
		for _, m := range box.Drain() {
			if _, err := r.office.log.Append(id, 1, event.MessageDelivered{ID: m.ID, Step: 1}); err != nil {
				return err
			}
		}
	}
	return errors.Join(checkLog(r.office.log.records())...)
}

// checkLog checks the rules that hold between the records of a whole run.
func checkLog(recs []event.Record) (errs []error) {
	sent, out, opened, closed := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, rec := range recs {
		switch d := rec.Data.(type) {
		case event.MessageSent:
			sent[d.ID]++
		case event.MessageDelivered:
			out[d.ID]++
		case event.MessageReturned:
			out[d.ID]++
		case event.QuestionOpened:
			opened[d.ID]++
		case event.QuestionClosed:
			closed[d.ID]++
		}
	}
	for _, pair := range []struct {
		what   string
		in, to map[string]int
	}{{"message", sent, out}, {"question", opened, closed}} {
		for id := range pair.in {
			if pair.in[id] != 1 || pair.to[id] != 1 {
				errs = append(errs, fmt.Errorf("%s %s: %d times in, %d times out", pair.what, id, pair.in[id], pair.to[id]))
			}
		}
		if len(pair.in) != len(pair.to) {
			errs = append(errs, fmt.Errorf("%ss: %d in, %d out", pair.what, len(pair.in), len(pair.to)))
		}
	}
	return errs
}
