package gatewaytest

import (
	"encoding/json"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// hired begins a turn in which a sub-agent works for an hour.
func (s *stage) hired() (session string) {
	s.Helper()
	session = s.open("ann", "a")
	s.submit(session, "", hire)
	s.until(session, 0, func(rec event.Record) bool { return rec.Type() == event.TypeModelRequested && rec.Agent == "aid_1" })
	return session
}

// stopSoftly stops the team, which goes on where it was at the next prompt.
func (s *stage) stopSoftly() {
	session := s.hired()
	if err := s.Stop(s.Context(), session, "", event.StopSoft); err != nil {
		s.Fatal(err)
	}
	records := s.until(session, 0, isEnd)
	if d, ok := records[len(records)-1].Data.(event.RunSuspended); !ok || d.By != event.PersonName {
		s.Errorf("the team was stopped: %+v", records[len(records)-1].Data)
	}
	if err := s.Stop(s.Context(), session, "", event.StopSoft); err != nil {
		s.Errorf("a stop at rest: %v", err)
	}
	s.ask(session, sayIt+"more")
	if got := s.states(session)["aid_1"]; got != event.Idle {
		s.Errorf("the sub-agent is %s after its work", got)
	}
}

// stopNow cuts the team short: the sub-agent does not go on.
func (s *stage) stopNow() {
	session := s.hired()
	began := time.Now()
	s.fails("a stop of another kind", s.Stop(s.Context(), session, "", "perhaps"), gateway.CodeBad)
	if err := s.Stop(s.Context(), session, "", event.StopNow); err != nil {
		s.Fatal(err)
	}
	s.submit(session, "", sayIt+"something else") // waits for the end, and is no part of it
	records := s.until(session, 0, is(event.TypeRunSuspended))
	if took := time.Since(began); took > time.Second {
		s.Errorf("the stop took %s", took)
	}
	s.until(session, records[len(records)-1].Seq, isEnd)
	if took := time.Since(began); took > time.Second {
		s.Errorf("the sub-agent worked for %s after the stop", took)
	}
	if got := s.states(session)["aid_1"]; got != event.Stopped {
		s.Errorf("the sub-agent is %s", got)
	}
}

// stopAgent stops one agent.
func (s *stage) stopAgent() {
	session := s.hired()
	s.fails("a stop of a stranger", s.Stop(s.Context(), session, "nobody_1", event.StopNow), gateway.CodeRefused)
	if err := s.Stop(s.Context(), session, "aid_1", event.StopTerminate); err != nil {
		s.Fatal(err)
	}
	s.until(session, 0, is(event.TypeRunFinished))
	synctest.Wait()
	s.fails("a stop at rest", s.Stop(s.Context(), session, "aid_1", event.StopNow), gateway.CodeRest)
}

// agents looks at who works.
func (s *stage) agents() {
	if got := s.states(s.open("ann", "a")); len(got) != 0 {
		s.Errorf("a session without a log has the agents %v", got)
	}
	session := s.hired()
	synctest.Wait()
	if got := s.states(session); got[event.Leader] != event.Waiting || got["aid_1"] != event.Working {
		s.Errorf("at work: %v", got)
	}
	s.until(session, 0, isEnd)
	if got := s.states(session); got[event.Leader] != event.Idle || got["aid_1"] != event.Idle {
		s.Errorf("at rest: %v", got)
	}
}

func (s *stage) states(session string) map[string]event.State {
	s.Helper()
	text, err := s.Agents(s.Context(), session)
	if err != nil {
		s.Fatal(err)
	}
	var list []struct {
		ID    string      `json:"id"`
		State event.State `json:"state"`
	}
	if err := json.Unmarshal(text, &list); err != nil || text[0] != '[' {
		s.Fatalf("agents: %s: %v", text, err)
	}
	states := map[string]event.State{}
	for _, a := range list {
		states[a.ID] = a.State
	}
	return states
}

// restartAtRest starts the program again between two turns.
func (s *stage) restartAtRest() {
	session := s.open("ann", "a")
	s.ask(session, sayIt+"one")
	before := s.last(session)
	s.restart()
	if again, last, err := s.Open(s.Context(), "ann", "a"); again != session || last != before || err != nil {
		s.Errorf("open: %q, %d, %v; want %q, %d", again, last, err, session, before)
	}
	if n := s.last(session); n != before {
		s.Errorf("the restart wrote %d records", n-before)
	}
	if got := s.ask(session, sayIt+"two"); got != "two" {
		s.Errorf("the answer is %q", got)
	}
	s.gapless(s.records(session, 0), 0)
}

// restartAtWork ends the program in the middle of a turn, which goes on when it
// starts again. A reader comes back with its cursor.
func (s *stage) restartAtWork() {
	session := s.hired()
	var seen []event.Record
	wait := s.aside(func() {
		for rec, err := range s.Follow(s.Context(), session, 0) {
			if err != nil {
				s.fails("a reader", err, gateway.CodeClosed)
				return
			}
			if rec.Seq > 0 {
				seen = append(seen, rec)
			}
		}
	})
	s.stop()
	wait()
	s.gapless(seen, 0)
	if len(seen) == 0 || seen[len(seen)-1].Type() != event.TypeRunSuspended {
		s.Fatalf("the reader saw %d records, the last is not the suspension", len(seen))
	}
	s.restart()
	after := int64(len(seen))
	rest := s.until(session, after, isEnd)
	s.gapless(rest, after)
	if rest[len(rest)-1].Type() != event.TypeRunFinished {
		s.Errorf("the turn ended with %s", rest[len(rest)-1].Type())
	}
	if n := s.said(session)[hire]; n != 1 {
		s.Errorf("the prompt is in the log %d times", n)
	}
}

// restartAsking ends the program while the team waits for its user.
func (s *stage) restartAsking() {
	session := s.open("ann", "a")
	s.submit(session, "", askMe)
	s.until(session, 0, is(event.TypeQuestionOpened))
	s.pass(time.Hour)
	s.restart()
	s.pass(time.Hour)
	if err := s.Answer(s.Context(), session, "ask_tl_001", "green"); err != nil {
		s.Fatal(err)
	}
	s.until(session, 0, is(event.TypeRunFinished))
}

// closed asks for all kinds of things when the program has ended.
func (s *stage) closed() {
	session := s.open("ann", "a")
	s.ask(session, sayIt+"one")
	s.closedOnSlowReaders(session)
	s.fails("a prompt", s.Submit(s.Context(), session, "", "x", nil), gateway.CodeClosed)
	s.fails("an answer", s.Answer(s.Context(), session, "ask_tl_001", "x"), gateway.CodeClosed)
	n := 0
	for rec, err := range s.Follow(s.Context(), session, 0) {
		if err != nil {
			s.fails("a reader", err, gateway.CodeClosed)
		} else if rec.Seq > 0 {
			n++
		}
	}
	if want := int(s.last(session)); n != want || n == 0 {
		s.Errorf("a reader of closed sessions saw %d records of %d", n, want)
	}
}

// closedOnSlowReaders ends the program while readers hold records, and others
// were written meanwhile: they get all of them before they are told.
func (s *stage) closedOnSlowReaders(session string) {
	at := s.last(session)
	seen := make([]int64, 12)
	var waits []func()
	for i := range seen {
		waits = append(waits, s.aside(func() {
			for rec, err := range s.Follow(s.Context(), session, at-1) {
				if err != nil {
					s.fails("a slow reader", err, gateway.CodeClosed)
					return
				}
				if rec.Seq == at {
					s.pass(time.Hour)
				}
				seen[i] = max(seen[i], rec.Seq)
			}
		}))
	}
	synctest.Wait()
	s.ask(session, sayIt+"two")
	s.stop()
	for _, wait := range waits {
		wait()
	}
	for i, n := range seen {
		if want := s.last(session); n != want {
			s.Errorf("slow reader %d was told of the end after record %d of %d", i, n, want)
		}
	}
}
