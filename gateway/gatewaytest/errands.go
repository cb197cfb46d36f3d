package gatewaytest

import (
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// declared are the settings of a client that executes a tool.
var declared = map[string]string{gateway.SettingTools: `[
	{"name":"fetch","description":"fetch a thing","parameters":{"type":"object","properties":{"name":{"type":"string"}}}}
]`}

// sendOut begins a turn in which the client is to do something, and returns the
// session and the call.
func (s *stage) sendOut(thing string) (session, call string) {
	s.Helper()
	session = s.open("ann", "a")
	after := s.last(session)
	if err := s.Submit(s.Context(), session, "", errand+thing, declared); err != nil {
		s.Fatal(err)
	}
	records := s.until(session, after, is(event.TypeToolHanded))
	d, _ := records[len(records)-1].Data.(event.ToolHanded)
	if d.Name != "fetch" || d.Arguments != `{"name":"`+thing+`"}` {
		s.Fatalf("handed over was %+v", d)
	}
	return session, d.CallID
}

// bring brings the result of a call, which must be taken.
func (s *stage) bring(session string, d event.ToolReturned) {
	s.Helper()
	if err := s.ToolResult(s.Context(), session, event.Leader, d); err != nil {
		s.Fatal(err)
	}
}

// heard is what the leader says in the end of a turn.
func (s *stage) heard(session string, after int64) string {
	s.Helper()
	records := s.until(session, after, is(event.TypeRunFinished))
	d, _ := records[len(records)-1].Data.(event.RunFinished)
	return d.Answer
}

// clientTools has the client execute tools: the result is taken once, an error is
// one, and what the user says meanwhile is heard.
func (s *stage) clientTools() {
	session := s.open("ann", "a")
	s.fails("a result for nothing", s.ToolResult(s.Context(), session, event.Leader, event.ToolReturned{CallID: "x"}), gateway.CodeNoCall)
	session, call := s.sendOut("news")
	s.fails("a result for another call", s.ToolResult(s.Context(), session, event.Leader, event.ToolReturned{CallID: "x"}), gateway.CodeNoCall)
	s.fails("a result for another agent", s.ToolResult(s.Context(), session, "aid_1", event.ToolReturned{CallID: call}), gateway.CodeNoCall)
	s.submit(session, "", sayIt+"meanwhile")
	s.pass(time.Minute)
	s.bring(session, event.ToolReturned{CallID: call, Result: "rain"})
	s.fails("a second result", s.ToolResult(s.Context(), session, event.Leader, event.ToolReturned{CallID: call, Result: "sun"}), gateway.CodeNoCall)
	s.until(session, 0, is(event.TypeRunFinished))
	results := map[string]int{}
	for _, rec := range s.records(session, 0) {
		if d, ok := rec.Data.(event.ToolFinished); ok && !d.IsError {
			results[d.Result]++
		}
	}
	if results["rain"] != 1 || len(results) != 1 {
		s.Errorf("the results are %v", results)
	}
	after := s.last(session)
	session, call = s.sendOut("more")
	s.bring(session, event.ToolReturned{CallID: call, Result: "the page is gone", IsError: true})
	if got := s.heard(session, after); !strings.Contains(got, "the page is gone") {
		s.Errorf("the leader heard %q", got)
	}
}

// clientSilent has the client say nothing: the turn goes on without it.
func (s *stage) clientSilent() {
	began := time.Now()
	session, call := s.sendOut("news")
	if got := s.heard(session, 0); !strings.Contains(got, "1002") {
		s.Errorf("the leader heard %q", got)
	}
	if took := time.Since(began); took < time.Minute || took > 10*time.Minute {
		s.Errorf("the client was waited for %s", took)
	}
	s.fails("a late result", s.ToolResult(s.Context(), session, event.Leader, event.ToolReturned{CallID: call, Result: "rain"}), gateway.CodeNoCall)
}

// clientRestart ends the program while the client works: the call is still open, as
// the same one, when the program starts again.
func (s *stage) clientRestart() {
	session, call := s.sendOut("news")
	s.restart()
	s.pass(time.Minute)
	s.bring(session, event.ToolReturned{CallID: call, Result: "rain"})
	if got := s.heard(session, 0); got != "heard rain" {
		s.Errorf("the leader heard %q", got)
	}
	handed := 0
	for _, rec := range s.records(session, 0) {
		if rec.Type() == event.TypeToolHanded {
			handed++
		}
	}
	if handed != 1 {
		s.Errorf("the call was handed over %d times", handed)
	}
}

// clientStop stops the team softly while the client works: the result is taken, and
// the next prompt goes on with it.
func (s *stage) clientStop() {
	session, call := s.sendOut("news")
	if err := s.Stop(s.Context(), session, "", event.StopSoft); err != nil {
		s.Fatal(err)
	}
	records := s.until(session, 0, is(event.TypeRunSuspended))
	s.bring(session, event.ToolReturned{CallID: call, Result: "rain"})
	s.pass(time.Hour)
	if n := s.last(session); n != records[len(records)-1].Seq+1 {
		s.Errorf("a team that its user stopped went on with a result")
	}
	s.submit(session, "", sayIt+"more")
	s.until(session, s.last(session)-1, is(event.TypeRunFinished))
	found := false
	for _, rec := range s.records(session, 0) {
		d, ok := rec.Data.(event.ToolFinished)
		found = found || ok && d.Result == "rain"
	}
	if !found {
		s.Error("the result got lost")
	}
}
