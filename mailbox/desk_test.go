package mailbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// counter is a desk with its log and a list of late answers.
type counter struct {
	*mailbox.Desk
	log  *memLog
	ids  *mailbox.IDs
	late *[]event.QuestionClosed
}

// newCounter makes a desk whose leader is "tl".
func newCounter() counter {
	c := counter{log: &memLog{}, ids: mailbox.NewIDs(), late: new([]event.QuestionClosed)}
	c.Desk = mailbox.NewDesk(c.log, c.ids, mailbox.DeskOptions{
		Leader: event.Leader,
		Late:   func(_ event.QuestionOpened, cl event.QuestionClosed) { *c.late = append(*c.late, cl) },
	})
	return c
}

// ask opens a question that must not be refused.
func (c counter) ask(t testing.TB, from, to, id string) {
	t.Helper()
	if cl, over, err := c.Ask(mailbox.Ask{ID: id, From: from, To: to, Turn: 1}); err != nil || over {
		t.Fatalf("Ask %s: %+v, %v, %v; want it open", id, cl, over, err)
	}
}

// asked is a question whose asker waits in a goroutine of the bubble.
type asked struct {
	end  mailbox.Ending
	err  error
	at   time.Time
	over bool
}

func (c counter) wait(ctx context.Context, id string) *asked {
	a := &asked{}
	go func() {
		a.end, a.err = c.Wait(ctx, id)
		a.at, a.over = time.Now(), true
	}()
	return a
}

func TestAnswerReachesTheAsker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		c.ask(t, "uio_1", "fse_1", "ask_uio_001")
		a := c.wait(t.Context(), "ask_uio_001")
		synctest.Wait()
		if a.over {
			t.Fatal("the wait ended without an answer")
		}
		got, err := c.Answer("fse_1", "fse", "ask_uio_001", "见 api.md", 3)
		if err != nil {
			t.Fatal(err)
		}
		want := event.QuestionClosed{
			ID: "ask_uio_001", Outcome: event.Answered, From: "fse_1", AnswerID: "ans_fse_001", Text: "见 api.md",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("closing (-want +got):\n%s", diff)
		}
		synctest.Wait()
		if diff := cmp.Diff(mailbox.Ending{QuestionClosed: want}, a.end); diff != "" || a.err != nil {
			t.Errorf("ending: %v (-want +got):\n%s", a.err, diff)
		}
		recs := c.log.records()
		if len(recs) != 2 || recs[0].Agent != "uio_1" || recs[0].Turn != 1 || recs[1].Agent != "fse_1" || recs[1].Turn != 3 {
			t.Errorf("log: %+v", recs)
		}
		if len(*c.late) != 0 {
			t.Errorf("an answer that was waited for is late: %v", *c.late)
		}
	})
}

func TestAnswerBeforeTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		c.ask(t, "uio_1", "fse_1", "ask_uio_001")
		if _, err := c.Answer("fse_1", "fse", "ask_uio_001", "yes", 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 2 { // again after a crash
			e, err := c.Wait(ctx, "ask_uio_001")
			if err != nil || e.Outcome != event.Answered || e.Text != "yes" {
				t.Errorf("Wait = %+v, %v", e, err)
			}
		}
	})
}

func TestWrongAnswersChangeNothing(t *testing.T) {
	c := newCounter()
	c.ask(t, "uio_1", "fse_1", "ask_uio_001")
	c.ask(t, "uio_1", "fse_1", "ask_uio_002")
	if _, err := c.Close("ask_uio_002", event.TimedOut, "", "", 1); err != nil {
		t.Fatal(err)
	}
	if _, over, err := c.Ask(mailbox.Ask{ID: "msg_uio_001", From: "uio_1", To: "fse_1", Reply: true}); over || err != nil {
		t.Fatal(over, err)
	}
	c.ask(t, "qat_1", "fse_1", "ask_qat_001")
	if _, err := c.Answer("fse_1", "fse", "ask_qat_001", "first", 1); err != nil {
		t.Fatal(err)
	}
	records, counters, open := c.log.len(), c.ids.Counters(), c.Awaited()
	for _, tt := range []struct {
		name, by, id, text string
		want               error
		says               string
	}{
		{"unknown", "fse_1", "ask_uio_009", "x", mailbox.ErrUnknownQuestion, "these wait for your answer: ask_uio_001"},
		{"unknown to one with none", "qat_1", "ask_uio_009", "x", mailbox.ErrUnknownQuestion, "no question waits for your answer"},
		{"foreign", "qat_1", "ask_uio_001", "x", mailbox.ErrNotYours, "fse_1"},
		{"the asker's own", "uio_1", "ask_uio_001", "x", mailbox.ErrNotYours, "fse_1"},
		{"late", "fse_1", "ask_uio_002", "x", mailbox.ErrClosedQuestion, "timeout"},
		{"second", "fse_1", "ask_qat_001", "second", mailbox.ErrClosedQuestion, "answered"},
		{"note", "fse_1", "msg_uio_001", "x", mailbox.ErrIsNote, "natural output"},
		{"bad text", "fse_1", "ask_uio_001", "\xff", mailbox.ErrContent, "UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.Answer(tt.by, "x", tt.id, tt.text, 1)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Answer: %v, want %v that says %q", err, tt.want, tt.says)
			}
		})
	}
	if _, err := c.Close("ask_uio_009", event.Failed, "", "", 1); !errors.Is(err, mailbox.ErrUnknownQuestion) {
		t.Errorf("Close of an unknown question: %v", err)
	}
	if _, err := c.Close("ask_uio_001", "", "", "", 1); err == nil {
		t.Error("a question was closed without an outcome")
	}
	if cl, err := c.Close("ask_uio_002", event.Failed, "", "", 1); !errors.Is(err, mailbox.ErrClosedQuestion) || cl.Outcome != event.TimedOut {
		t.Errorf("second Close = %+v, %v, want the first closing and ErrClosedQuestion", cl, err)
	}
	if c.log.len() != records {
		t.Errorf("%d records were added", c.log.len()-records)
	}
	if diff := cmp.Diff(counters, c.ids.Counters()); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(open, c.Awaited()); diff != "" {
		t.Errorf("open questions (-want +got):\n%s", diff)
	}
}

func TestAskErrors(t *testing.T) {
	c := newCounter()
	if _, _, err := c.Ask(mailbox.Ask{From: "a", To: "b"}); err == nil {
		t.Error("a question without an id was opened")
	}
	c.ask(t, "a", "b", "ask_a_001")
	if _, _, err := c.Ask(mailbox.Ask{ID: "ask_a_001", From: "a", To: "c"}); !errors.Is(err, mailbox.ErrExists) {
		t.Errorf("another question of the same id: %v, want ErrExists", err)
	}
	c.ask(t, "a", "b", "ask_a_001") // the same again, as after a crash
	if c.log.len() != 1 {
		t.Errorf("%d records, want 1", c.log.len())
	}
	if _, err := c.Wait(t.Context(), "ask_b_001"); !errors.Is(err, mailbox.ErrUnknownQuestion) {
		t.Errorf("Wait for an unknown question: %v", err)
	}
}

func TestLogErrorsOpenAndCloseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		c.ask(t, "a", "b", "ask_a_001")
		c.log.setFail(true)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, asked := c.Ask(mailbox.Ask{ID: "ask_b_001", From: "b", To: "c"})
		_, answered := c.Answer("b", "b", "ask_a_001", "x", 1)
		_, closed := c.Close("ask_a_001", event.Failed, "", "", 1)
		_, waited := c.Wait(ctx, "ask_a_001")
		for _, err := range []error{asked, answered, closed, waited} {
			if !errors.Is(err, errLog) {
				t.Errorf("error %v, want the log's", err)
			}
		}
		if ended := c.Ended("b", event.Failed, "", ""); len(ended) != 0 {
			t.Errorf("closed although the log fails: %v", ended)
		}
		c.log.setFail(false)
		if open := c.OpenTo("b"); len(open) != 1 || len(c.Awaited()) != 1 {
			t.Errorf("open: %v, %v", open, c.Awaited())
		}
	})
}

func TestRefusalNamesTheCircle(t *testing.T) {
	c := newCounter()
	c.ask(t, "fse_1", "uio_1", "ask_fse_001")
	c.ask(t, "uio_1", "qat_1", "ask_uio_001")
	got, over, err := c.Ask(mailbox.Ask{ID: "ask_qat_001", From: "qat_1", To: "fse_1", Turn: 2})
	if err != nil || !over {
		t.Fatalf("Ask: %v, %v, want a refusal", over, err)
	}
	want := event.QuestionClosed{
		ID: "ask_qat_001", Outcome: event.RefusedCycle,
		Detail: "everybody in this circle would wait for the next: qat_1 -> fse_1 (ask_qat_001)" +
			" -> uio_1 (ask_fse_001) -> qat_1 (ask_uio_001); answer ask_uio_001 from uio_1 first",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("closing (-want +got):\n%s", diff)
	}
	if _, o, ok := c.Lookup("ask_qat_001"); !ok || o != event.RefusedCycle {
		t.Errorf("Lookup: %q, %v", o, ok)
	}
	recs := c.log.records()
	if last := recs[len(recs)-1]; last.Agent != "qat_1" || last.Turn != 2 {
		t.Errorf("the refusal is recorded for %s, turn %d", last.Agent, last.Turn)
	}
	if got := len(c.Waits()); got != 2 {
		t.Errorf("%d edges, want those of the two open questions", got)
	}
}

func TestAskingOneselfIsRefused(t *testing.T) {
	for _, who := range []string{"uio_1", event.Leader} {
		c := newCounter()
		got, over, err := c.Ask(mailbox.Ask{ID: "ask_x_001", From: who, To: who})
		if err != nil || !over || got.Outcome != event.RefusedCycle || got.Detail != who+" asked itself (ask_x_001)" {
			t.Errorf("%s asks itself: %+v, %v, %v", who, got, over, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		start := time.Now()
		if _, _, err := c.Ask(mailbox.Ask{ID: "ask_a_001", From: "a", To: "b", Timeout: 10 * time.Minute, Turn: 4}); err != nil {
			t.Fatal(err)
		}
		if q, _, _ := c.Lookup("ask_a_001"); !q.Deadline.Equal(start.Add(10 * time.Minute)) {
			t.Errorf("deadline %v", q.Deadline)
		}
		time.Sleep(time.Minute)
		e, err := c.Wait(t.Context(), "ask_a_001")
		if err != nil || e.Outcome != event.TimedOut || time.Since(start) != 10*time.Minute {
			t.Errorf("Wait = %+v, %v after %v", e, err, time.Since(start))
		}
		recs := c.log.records()
		if last := recs[len(recs)-1]; last.Agent != "a" || last.Turn != 4 {
			t.Errorf("the timeout is recorded for %s, turn %d", last.Agent, last.Turn)
		}
	})
}

func TestResumedTimeoutCountsFromTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := newCounter()
		if _, _, err := live.Ask(mailbox.Ask{ID: "ask_a_001", From: "a", To: "b", Timeout: time.Minute}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour) // nothing runs
		c := newCounter()
		for _, rec := range live.log.records() {
			c.Apply(rec)
		}
		start := time.Now()
		e, err := c.Wait(t.Context(), "ask_a_001")
		if err != nil || e.Outcome != event.TimedOut || time.Since(start) != time.Minute {
			t.Errorf("Wait = %+v, %v after %v, want the whole minute", e, err, time.Since(start))
		}
	})
}

func TestCancelledWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		c.ask(t, "a", "b", "ask_a_001")
		ctx, cancel := context.WithCancelCause(t.Context())
		a := c.wait(ctx, "ask_a_001")
		b := c.wait(t.Context(), "ask_a_001") // two waits for the same question end together
		synctest.Wait()
		cancel(errors.New("stopped by the leader"))
		synctest.Wait()
		want := event.QuestionClosed{ID: "ask_a_001", Outcome: event.Cancelled, Detail: "stopped by the leader"}
		for _, got := range []*asked{a, b} {
			if diff := cmp.Diff(want, got.end.QuestionClosed); diff != "" || got.err != nil {
				t.Errorf("ending: %v (-want +got):\n%s", got.err, diff)
			}
		}
		if len(c.Waits()) != 0 || len(c.OpenTo("b")) != 0 {
			t.Error("the question is still open")
		}
	})
}

func TestCloseRecordsWhoEndedIt(t *testing.T) {
	for _, tt := range []struct {
		outcome event.Outcome
		text    string
		agent   string // whose record it is
		turn    int
		by      string
	}{
		{event.Implicit, "it is blue", "b", 5, "b"},
		{event.Answered, "reply", "b", 5, "b"},
		{event.Declined, "", "b", 5, "b"},
		{event.OverBudget, "partial", "b", 5, "b"},
		{event.OverBudget, "", "b", 5, ""},
		{event.CompletedWithoutAnswer, "", "b", 5, ""},
		{event.Failed, "", "b", 5, ""},
		{event.Cancelled, "", "a", 1, ""},
		{event.TimedOut, "", "a", 1, ""},
		{event.Terminated, "", "a", 1, ""},
	} {
		c := newCounter()
		c.ask(t, "a", "b", "ask_a_001")
		got, err := c.Close("ask_a_001", tt.outcome, tt.text, "why\xff", 5)
		want := event.QuestionClosed{ID: "ask_a_001", Outcome: tt.outcome, From: tt.by, Text: tt.text, Detail: "why\uFFFD"}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.outcome, err, diff)
		}
		if last := c.log.records()[1]; last.Agent != tt.agent || last.Turn != tt.turn {
			t.Errorf("%s is recorded for %s, turn %d", tt.outcome, last.Agent, last.Turn)
		}
	}
}

func TestEndedClosesAllOldestFirst(t *testing.T) {
	c := newCounter()
	c.ask(t, "a", "x", "ask_a_001")
	c.ask(t, "b", "y", "ask_b_001")
	c.ask(t, "c", "x", "ask_c_001")
	var open []string
	for _, q := range c.OpenTo("x") {
		open = append(open, q.ID)
	}
	var ended []string
	for _, cl := range c.Ended("x", event.Failed, "", "the model failed") {
		if cl.Outcome != event.Failed || cl.Detail != "the model failed" {
			t.Errorf("closing %+v", cl)
		}
		ended = append(ended, cl.ID)
	}
	want := []string{"ask_a_001", "ask_c_001"}
	if diff := cmp.Diff([][]string{want, want}, [][]string{open, ended}); diff != "" {
		t.Errorf("open and ended (-want +got):\n%s", diff)
	}
	if len(c.OpenTo("x")) != 0 || len(c.OpenTo("y")) != 1 {
		t.Error("wrong questions are open")
	}
}

func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		start := time.Now().UTC()
		c.ask(t, "a", "b", "ask_a_001")
		time.Sleep(time.Second)
		_, done := c.Waiting("tl", []string{"a", "b", "a", "tl"}, true)
		time.Sleep(time.Second)
		c.ask(t, "c", "b", "ask_c_001")
		want := []mailbox.Edge{
			{From: "a", To: "b", Question: "ask_a_001", Since: start},
			{From: "tl", To: "a", Since: start.Add(time.Second), Any: true},
			{From: "tl", To: "b", Since: start.Add(time.Second), Any: true},
			{From: "c", To: "b", Question: "ask_c_001", Since: start.Add(2 * time.Second)},
		}
		if diff := cmp.Diff(want, c.Waits()); diff != "" {
			t.Errorf("edges (-want +got):\n%s", diff)
		}
		done()
		done()
		if got := len(c.Waits()); got != 2 {
			t.Errorf("%d edges after the wait, want 2", got)
		}
	})
}
