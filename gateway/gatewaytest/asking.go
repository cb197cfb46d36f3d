package gatewaytest

import (
	"fmt"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// atOnce gives many prompts at once, to a team at rest: each is taken once.
func (s *stage) atOnce() {
	session := s.open("ann", "a")
	for round := range 3 {
		var waits []func()
		for i := range 5 {
			waits = append(waits, s.aside(func() {
				s.submit(session, fmt.Sprintf("%d.%d", round, i), fmt.Sprintf("%s%d.%d", takeTime, round, i))
			}))
		}
		for _, wait := range waits {
			wait()
		}
		s.pass(time.Hour)
	}
	want := map[string]int{}
	delivered := 0
	for round := range 3 {
		for i := range 5 {
			want[fmt.Sprintf("%s%d.%d", takeTime, round, i)] = 1
		}
	}
	if diff := cmp.Diff(want, s.said(session)); diff != "" {
		s.Errorf("what was said (-want +got):\n%s", diff)
	}
	for _, rec := range s.records(session, 0) {
		if rec.Type() == event.TypeMessageDelivered {
			delivered++
		}
	}
	if delivered != len(want) {
		s.Errorf("the leader read %d prompts of %d", delivered, len(want))
	}
}

// once gives the same prompts again: while the team works, at rest, and after a
// restart.
func (s *stage) once() {
	session := s.open("ann", "a")
	s.submit(session, "r1", takeTime+"one")
	s.submit(session, "r1", takeTime+"one")
	s.submit(session, "r2", sayIt+"two")
	s.submit(session, "r2", sayIt+"two")
	s.until(session, 0, isEnd)
	again := func() {
		s.submit(session, "r1", takeTime+"one")
		s.submit(session, "r2", sayIt+"two")
		if err := s.Tell(s.Context(), session, "r2", event.Leader, "x"); err != nil {
			s.fails("a message to a team at rest", err, gateway.CodeRest)
		}
	}
	again()
	s.restart()
	again()
	s.submit(session, "", sayIt+"three")
	s.pass(time.Hour)
	s.submit(session, "", sayIt+"three")
	s.pass(time.Hour)
	want := map[string]int{takeTime + "one": 1, sayIt + "two": 1, sayIt + "three": 2}
	if diff := cmp.Diff(want, s.said(session)); diff != "" {
		s.Errorf("what was said (-want +got):\n%s", diff)
	}
}

// messages steers agents.
func (s *stage) messages() {
	session := s.open("ann", "a")
	s.fails("a message to nobody", s.Tell(s.Context(), session, "", event.Leader, "x"), gateway.CodeRest)
	s.submit(session, "", hire)
	s.until(session, 0, func(rec event.Record) bool { return rec.Type() == event.TypeModelRequested && rec.Agent == "aid_1" })
	if err := s.Tell(s.Context(), session, "m1", "aid_1", "faster"); err != nil {
		s.Error(err)
	}
	s.fails("a message to a stranger", s.Tell(s.Context(), session, "", "nobody_1", "x"), gateway.CodeRefused)
	records := s.until(session, 0, isEnd)
	sent := ""
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.MessageSent:
			if d.RequestID == "m1" {
				sent = d.ID
			}
		case event.MessageDelivered:
			if d.ID == sent && rec.Agent == "aid_1" {
				return
			}
		default:
		}
	}
	s.Errorf("the message %q was not read", sent)
}

// questions answers the team.
func (s *stage) questions() {
	session := s.open("ann", "a")
	s.fails("an answer to nothing", s.Answer(s.Context(), session, "ask_tl_001", "x"), gateway.CodeUnknown)
	for i, wait := range []time.Duration{0, 72 * time.Hour} {
		id := fmt.Sprintf("ask_tl_%03d", i+1)
		after := s.last(session)
		s.submit(session, "", askMe)
		s.until(session, after, func(rec event.Record) bool {
			d, ok := rec.Data.(event.QuestionOpened)
			return ok && d.ID == id
		})
		s.pass(wait)
		s.fails("an answer to another", s.Answer(s.Context(), session, "ask_tl_999", "x"), gateway.CodeRefused)
		if err := s.Answer(s.Context(), session, id, "green"); err != nil {
			s.Fatal(err)
		}
		s.until(session, after, is(event.TypeRunFinished))
		s.fails("a second answer", s.Answer(s.Context(), session, id, "red"), gateway.CodeRefused)
		s.pass(time.Hour)
		closed := 0
		for _, rec := range s.records(session, after) {
			if d, ok := rec.Data.(event.QuestionClosed); ok && d.Text == "green" && d.ID == id {
				closed++
			}
		}
		if closed != 1 {
			s.Errorf("question %s was answered %d times", id, closed)
		}
	}
}

// approvals decides about calls that need leave.
func (s *stage) approvals() {
	session := s.open("ann", "a")
	s.fails("a decision about nothing", s.Approve(s.Context(), session, allow("apr_001", "")), gateway.CodeUnknown)
	asked := func(name string) (d event.ApprovalRequested) {
		after := s.last(session)
		s.submit(session, "", touchIt+name)
		records := s.until(session, after, func(rec event.Record) bool { return rec.Type() == event.TypeApprovalRequested || isEnd(rec) })
		d, _ = records[len(records)-1].Data.(event.ApprovalRequested)
		synctest.Wait()
		return d
	}
	decide := func(d event.ApprovalDecided) {
		s.Helper()
		after := s.last(session)
		if err := s.Approve(s.Context(), session, d); err != nil {
			s.Fatal(err)
		}
		s.until(session, after, is(event.TypeRunFinished))
	}
	decide(allow(asked("one").ID, ""))
	two := asked("two")
	s.pass(72 * time.Hour)
	s.fails("an unknown decision", s.Approve(s.Context(), session, event.ApprovalDecided{ID: two.ID, Decision: "perhaps"}), gateway.CodeBad)
	s.fails("another approval", s.Approve(s.Context(), session, allow("apr_999", "")), gateway.CodeRefused)
	s.fails("another rule", s.Approve(s.Context(), session, allow(two.ID, "touch(**)")), gateway.CodeRefused)
	decide(event.ApprovalDecided{ID: two.ID, Decision: event.DecisionDeny, Reason: "not today"})
	s.fails("a second decision", s.Approve(s.Context(), session, allow(two.ID, "")), gateway.CodeRefused)
	three := asked("three")
	decide(allow(three.ID, three.Rule))
	if again := asked("three"); again.ID != "" {
		s.Errorf("what was allowed for good was asked for again: %+v", again)
	}
	if got, want := s.touched.all(), "one three three"; got != want {
		s.Errorf("touched %q, want %q", got, want)
	}
}

func allow(id, rule string) event.ApprovalDecided {
	return event.ApprovalDecided{ID: id, Decision: event.DecisionAllow, Rule: rule}
}
