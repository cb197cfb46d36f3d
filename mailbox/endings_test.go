package mailbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// cause is one thing that ends questions, at a time of its own.
type cause struct {
	at  time.Duration
	run func(c counter) error
	// ends says how a question to which the cause applies ends.
	ends    func(q *ending) bool
	outcome event.Outcome
}

// ending is one question of a schedule.
type ending struct {
	call
	askAt   time.Duration
	waitAt  time.Duration // not before askAt
	timeout time.Duration // 0: none
	cancel  context.CancelFunc
}

// endings makes questions that are in no circle: agents ask those with a
// higher number.
func endings(r *rand.Rand) []*ending {
	qs := make([]*ending, 1+r.IntN(5))
	for i := range qs {
		from := r.IntN(4)
		q := &ending{call: call{
			from: fmt.Sprintf("a_%d", from), to: fmt.Sprintf("a_%d", from+1+r.IntN(2)), id: fmt.Sprintf("ask_a_%03d", i),
		}}
		q.askAt = time.Duration(r.IntN(1000)) * time.Millisecond
		q.waitAt = q.askAt
		if r.IntN(3) == 0 {
			q.waitAt += time.Duration(r.IntN(2000)) * time.Millisecond
		}
		if r.IntN(3) == 0 {
			q.timeout = 10*time.Second + time.Duration(i)*time.Microsecond
		}
		qs[i] = q
	}
	return qs
}

// causes makes what will end them: one cause for each question at least, and
// some too many. No two causes share a time.
func causes(r *rand.Rand, qs []*ending) []cause {
	var all []cause
	for i := range len(qs) + r.IntN(len(qs)+1) {
		q := qs[i%len(qs)]
		is := func(x *ending) bool { return x == q }
		at := time.Duration(1000+r.IntN(4000))*time.Millisecond + time.Duration(1+i)*time.Nanosecond
		switch r.IntN(4) {
		case 0:
			all = append(all, cause{at, func(c counter) error {
				_, err := c.Answer(q.to, "x", q.id, "text", 1)
				return err
			}, is, event.Answered})
		case 1:
			all = append(all, cause{at, func(c counter) error {
				_, err := c.Close(q.id, event.Implicit, "text", "", 1)
				return err
			}, is, event.Implicit})
		case 2:
			all = append(all, cause{at, func(c counter) error {
				c.Ended(q.to, event.Terminated, "", "")
				return nil
			}, func(x *ending) bool { return x.to == q.to }, event.Terminated})
		default:
			if q.timeout == 0 && q.waitAt == q.askAt {
				all = append(all, cause{at, func(counter) error { q.cancel(); return nil }, is, event.Cancelled})
				continue
			}
			all = append(all, cause{at, func(c counter) error {
				_, err := c.Close(q.id, event.OverBudget, "partial", "", 1)
				return err
			}, is, event.OverBudget})
		}
	}
	return all
}

// expected is how and when q's wait has to end.
func (q *ending) expected(all []cause) (event.Outcome, time.Duration) {
	at, outcome := time.Duration(-1), event.Outcome("")
	for _, k := range all {
		if k.ends(q) && (at < 0 || k.at < at) {
			at, outcome = k.at, k.outcome
		}
	}
	if limit := max(q.waitAt, q.askAt+q.timeout); q.timeout > 0 && (at < 0 || limit < at) {
		at, outcome = limit, event.TimedOut
	}
	return outcome, max(at, q.waitAt)
}

// TestEveryQuestionEndsOnce lets questions be answered, closed, cancelled, time
// out and lose their addressee in random order, some of it twice: each asker is
// released at the moment of the first cause, by that cause.
func TestEveryQuestionEndsOnce(t *testing.T) {
	batches(t, 10_000, func(t *testing.T, r *rand.Rand) {
		c := newCounter()
		start := time.Now()
		qs := endings(r)
		all := causes(r, qs)
		for _, q := range qs {
			var ctx context.Context
			ctx, q.cancel = context.WithCancel(t.Context())
			go q.live(ctx, t, c)
		}
		for _, k := range all {
			go func() {
				time.Sleep(k.at)
				before := c.log.len()
				if err := k.run(c); err != nil {
					if !errors.Is(err, mailbox.ErrClosedQuestion) {
						t.Error(err)
					}
					if c.log.len() != before {
						t.Errorf("an error left a record: %v", err)
					}
				}
			}()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, q := range qs {
			outcome, at := q.expected(all)
			if !q.over || q.outcome != outcome || q.at.Sub(start) != at {
				t.Errorf("%v: over %v as %q at %v, want %q at %v", &q.call, q.over, q.outcome, q.at.Sub(start), outcome, at)
			}
			q.cancel()
		}
		checkAllClosed(t, c)
		if open := c.Awaited(); len(open) != 0 {
			t.Errorf("open: %v", open)
		}
	})
}

// live asks and waits at the times of the schedule.
func (q *ending) live(ctx context.Context, t *testing.T, c counter) {
	t.Helper()
	time.Sleep(q.askAt)
	if _, over, err := c.Ask(mailbox.Ask{ID: q.id, From: q.from, To: q.to, Timeout: q.timeout}); over || err != nil {
		t.Error(over, err)
	}
	time.Sleep(q.waitAt - q.askAt)
	e, err := c.Wait(ctx, q.id)
	if err != nil {
		t.Error(err)
	}
	q.outcome, q.at, q.over = e.Outcome, time.Now(), true
}

// TestCausesAtTheSameMoment races everything that can end a question, the
// early end of the leader's wait included: one wins, all others are errors or
// find nothing to do, and the asker hears of the winner.
func TestCausesAtTheSameMoment(t *testing.T) {
	batches(t, 2_000, func(t *testing.T, r *rand.Rand) {
		c := newCounter()
		from := []string{"a_1", event.Leader}[r.IntN(2)]
		ctx, cancel := context.WithCancel(t.Context())
		if _, _, err := c.Ask(mailbox.Ask{ID: "ask_x_001", From: from, To: "b_1", Timeout: time.Second}); err != nil {
			t.Fatal(err)
		}
		a := c.wait(ctx, "ask_x_001")
		racers := []func(){
			cancel,
			func() { _, _ = c.Answer("b_1", "b", "ask_x_001", "text", 1) },
			func() { _, _ = c.Close("ask_x_001", event.Implicit, "text", "", 1) },
			func() { c.Ended("b_1", event.Failed, "", "") },
			func() { _, _, _ = c.Ask(mailbox.Ask{ID: "ask_b_001", From: "b_1", To: event.Leader}) },
		}
		r.Shuffle(len(racers), func(i, j int) { racers[i], racers[j] = racers[j], racers[i] })
		for _, run := range racers[:1+r.IntN(len(racers))] {
			go func() {
				time.Sleep(time.Second)
				run()
			}()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		_, outcome, _ := c.Lookup("ask_x_001")
		switch {
		case !a.over || a.err != nil:
			t.Errorf("over: %v, %v", a.over, a.err)
		case a.end.Yielded == "" && (outcome == "" || a.end.Outcome != outcome):
			t.Errorf("the asker got %q, the question ended as %q", a.end.Outcome, outcome)
		case a.end.Yielded == "" && len(*c.late) != 0:
			t.Errorf("an answer came twice: %v", *c.late)
		case a.end.Yielded != "" && from != event.Leader:
			t.Errorf("the wait of %s ended early", from)
		}
		if closed := outcome != ""; a.end.Yielded != "" && closed != (len(*c.late) == 1) {
			t.Errorf("after an early end: outcome %q, late %v", outcome, *c.late)
		}
		cancel()
		c.Ended("b_1", event.Terminated, "", "")
		c.Ended(event.Leader, event.Terminated, "", "")
		checkAllClosed(t, c)
	})
}
