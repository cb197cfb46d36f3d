package mailbox_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

func TestLeadersAskYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		c.ask(t, "tl", "uio_1", "ask_tl_001")
		own := c.wait(t.Context(), "ask_tl_001")
		c.ask(t, "uio_1", "fse_1", "ask_uio_001")
		c.ask(t, "qat_1", "tl", "ask_qat_001") // the leader does not wait for qat_1
		synctest.Wait()
		if own.over {
			t.Fatalf("the leader's wait ended: %+v", own.end)
		}
		c.ask(t, "fse_1", "tl", "ask_fse_001")
		synctest.Wait()
		want := mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "ask_tl_001"}, Yielded: "ask_fse_001"}
		if diff := cmp.Diff(want, own.end); diff != "" || own.err != nil {
			t.Fatalf("ending: %v (-want +got):\n%s", own.err, diff)
		}
		if open := c.OpenFrom("tl"); len(open) != 1 || open[0].ID != "ask_tl_001" {
			t.Errorf("the leader's own question is not open: %v", open)
		}
		if _, err := c.Answer("tl", "tl", "ask_fse_001", "go on", 2); err != nil {
			t.Fatal(err)
		}
		if len(*c.late) != 0 {
			t.Errorf("late: %v", *c.late)
		}
		late, err := c.Answer("uio_1", "uio", "ask_tl_001", "two days", 2)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]event.QuestionClosed{late}, *c.late); diff != "" {
			t.Errorf("late (-want +got):\n%s", diff)
		}
		if e, err := c.Wait(t.Context(), "ask_tl_001"); err != nil || e.Yielded != "ask_fse_001" {
			t.Errorf("a wait that ended early ends as %+v, %v when called again", e, err)
		}
	})
}

func TestLeaderAsksOneWhoWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		c.ask(t, "fse_1", "tl", "ask_fse_001")
		c.ask(t, "uio_1", "fse_1", "ask_uio_001")
		c.ask(t, "tl", "uio_1", "ask_tl_001")
		e, err := c.Wait(t.Context(), "ask_tl_001")
		if err != nil || e.Yielded != "ask_fse_001" {
			t.Errorf("Wait = %+v, %v", e, err)
		}
	})
}

func TestEveryEndAfterAnEarlyOneIsLate(t *testing.T) {
	for _, o := range []event.Outcome{
		event.Answered, event.Implicit, event.Declined, event.CompletedWithoutAnswer, event.Terminated,
		event.Failed, event.OverBudget, event.Cancelled, event.TimedOut,
	} {
		c := newCounter()
		c.ask(t, "uio_1", "tl", "ask_uio_001")
		c.ask(t, "tl", "uio_1", "ask_tl_001")
		c.ask(t, "tl", "fse_1", "ask_tl_002")
		c.Ended("uio_1", o, "text", "detail")
		c.Ended("fse_1", o, "text", "detail")
		var got []string
		for _, cl := range *c.late {
			got = append(got, cl.ID)
		}
		want := []string{"ask_tl_001"} // the other ask still waits, and is told directly
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: late (-want +got):\n%s", o, diff)
		}
	}
}

// yielded is the question that ended a wait, or "-" while it goes on.
func yielded(yield <-chan string) string {
	select {
	case id := <-yield:
		return id
	default:
		return "-"
	}
}

func TestLeadersWaitYields(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, c counter) (yield <-chan string)
		want string
	}{
		{"no question", func(t *testing.T, c counter) <-chan string {
			y, _ := c.Waiting("tl", []string{"a"}, false)
			c.ask(t, "a", "b", "ask_a_001")
			return y
		}, "-"},
		{"any question to the leader", func(t *testing.T, c counter) <-chan string {
			y, _ := c.Waiting("tl", []string{"a"}, false)
			c.ask(t, "z", "tl", "ask_z_001")
			return y
		}, "ask_z_001"},
		{"open before, not in the way", func(t *testing.T, c counter) <-chan string {
			c.ask(t, "z", "tl", "ask_z_001")
			y, _ := c.Waiting("tl", []string{"a"}, false)
			return y
		}, "-"},
		{"open before, in the way", func(t *testing.T, c counter) <-chan string {
			c.ask(t, "a", "tl", "ask_a_001")
			y, _ := c.Waiting("tl", []string{"b", "a"}, false)
			return y
		}, "ask_a_001"},
		{"any with a free branch", func(t *testing.T, c counter) <-chan string {
			c.ask(t, "a", "tl", "ask_a_001")
			y, _ := c.Waiting("tl", []string{"a", "b"}, true)
			return y
		}, "-"},
		{"any, the last free branch goes", func(t *testing.T, c counter) <-chan string {
			c.ask(t, "a", "tl", "ask_a_001")
			y, _ := c.Waiting("tl", []string{"a", "b"}, true)
			c.ask(t, "b", "a", "ask_b_001")
			return y
		}, "ask_a_001"},
		{"closed by an ask among others", func(t *testing.T, c counter) <-chan string {
			c.ask(t, "b", "tl", "ask_b_001")
			y, _ := c.Waiting("tl", []string{"a"}, false)
			c.ask(t, "a", "b", "ask_a_001")
			return y
		}, "ask_b_001"},
		{"nobody to wait for", func(t *testing.T, c counter) <-chan string {
			y, done := c.Waiting("tl", []string{"tl"}, false)
			done()
			c.ask(t, "b", "tl", "ask_b_001")
			return y
		}, "-"},
		{"over before the question", func(t *testing.T, c counter) <-chan string {
			y, done := c.Waiting("tl", []string{"a"}, false)
			done()
			c.ask(t, "b", "tl", "ask_b_001")
			return y
		}, "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := yielded(tt.run(t, newCounter())); got != tt.want {
				t.Errorf("the wait got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWaitOfOthers(t *testing.T) {
	c := newCounter()
	c.ask(t, "b", "a", "ask_b_001")
	open, done := c.Waiting("a", []string{"b", "c"}, true)
	if got := yielded(open); got != "-" {
		t.Errorf("a wait with a free branch ended because of %q", got)
	}
	cl, over, err := c.Ask(mailbox.Ask{ID: "ask_c_001", From: "c", To: "b"})
	if err != nil || !over || cl.Outcome != event.RefusedCycle {
		t.Errorf("the ask that blocks the last branch: %+v, %v, %v", cl, over, err)
	}
	done()
	all, _ := c.Waiting("a", []string{"b", "c"}, false)
	if got := yielded(all); got != "ask_b_001" {
		t.Errorf("a wait that closes a circle got %q, want the question to answer", got)
	}
	if got := len(c.Waits()); got != 1 {
		t.Errorf("%d edges, want that of the question alone", got)
	}
}

// TestLateMayUseTheDesk would deadlock if Late were called with the desk
// locked.
func TestLateMayUseTheDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memLog{}
		var d *mailbox.Desk
		var calls int
		d = mailbox.NewDesk(log, mailbox.NewIDs(), mailbox.DeskOptions{
			Leader: "tl",
			Late:   func(q event.QuestionOpened, _ event.QuestionClosed) { calls += 1 + len(d.OpenFrom(q.From)) },
		})
		c := counter{Desk: d, log: log}
		c.ask(t, "a", "tl", "ask_a_001")
		c.ask(t, "tl", "a", "ask_tl_001")
		c.Ended("a", event.Implicit, "text", "")
		if calls != 1 {
			t.Errorf("Late counted %d, want 1", calls)
		}
	})
}
