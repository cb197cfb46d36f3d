package gatewaytest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// Setup is of what an implementation makes its team: a leader with the tools
// beside its own and a role "aid", all answered by the model. A call that needs
// leave waits for it.
type Setup struct {
	Dir   string // of the runs; a second start gets what the first one left there
	Model model.Client
	Tools []tools.Tool
}

// TestSessions checks what every [gateway.Sessions] promises. start begins to
// serve sessions as a program does when it starts, and goes on with those in
// whose work the last one ended; the function that it returns ends it as a
// program ends, and may be called again.
func TestSessions(t *testing.T, start func(t *testing.T, s Setup) (sessions gateway.Sessions, stop func())) {
	for _, scenario := range []struct {
		name string
		play func(*stage)
	}{
		{"names", (*stage).names},
		{"a reader sees all turns", (*stage).turns},
		{"a slow reader loses nothing", (*stage).slowReader},
		{"readers end", (*stage).readersEnd},
		{"prompts at once", (*stage).atOnce},
		{"a prompt has its effect once", (*stage).once},
		{"messages", (*stage).messages},
		{"questions", (*stage).questions},
		{"approvals", (*stage).approvals},
		{"tools of the client", (*stage).clientTools},
		{"a tool of the client that takes too long", (*stage).clientSilent},
		{"tools of the client over a restart", (*stage).clientRestart},
		{"tools of the client over a stop", (*stage).clientStop},
		{"stop softly", (*stage).stopSoftly},
		{"stop now", (*stage).stopNow},
		{"stop an agent", (*stage).stopAgent},
		{"agents", (*stage).agents},
		{"restart at rest", (*stage).restartAtRest},
		{"restart at work", (*stage).restartAtWork},
		{"restart while the user is asked", (*stage).restartAsking},
		{"closed", (*stage).closed},
	} {
		t.Run(scenario.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{T: t, start: start, touched: &touched{}}
				s.setup = Setup{Dir: t.TempDir(), Model: actor(), Tools: []tools.Tool{s.touched.tool()}}
				s.Sessions, s.stop = start(t, s.setup)
				defer func() { s.stop() }()
				scenario.play(s)
			})
		})
	}
}

// stage is where a scenario is played.
type stage struct {
	*testing.T
	gateway.Sessions
	start   func(t *testing.T, s Setup) (gateway.Sessions, func())
	stop    func()
	setup   Setup
	touched *touched
}

// restart ends the program and starts it again.
func (s *stage) restart() {
	s.Helper()
	s.stop()
	s.Sessions, s.stop = s.start(s.T, s.setup)
}

// open is Open of a user's session that must work.
func (s *stage) open(user, name string) string {
	s.Helper()
	session, _, err := s.Open(s.Context(), user, name)
	if err != nil {
		s.Fatal(err)
	}
	return session
}

// submit is Submit that must work.
func (s *stage) submit(session, id, text string) {
	s.Helper()
	if err := s.Submit(s.Context(), session, id, text, nil); err != nil {
		s.Errorf("submit %q: %v", text, err)
	}
}

// ask submits a prompt and returns what the team answered in the end.
func (s *stage) ask(session, text string) string {
	s.Helper()
	after := s.last(session)
	s.submit(session, "", text)
	end := s.until(session, after, isEnd)
	if d, ok := end[len(end)-1].Data.(event.RunFinished); ok {
		return d.Answer
	}
	return string(end[len(end)-1].Type())
}

// until follows a session after a seq to the first record that fits.
func (s *stage) until(session string, after int64, fits func(event.Record) bool) (records []event.Record) {
	s.Helper()
	for rec, err := range s.Follow(s.Context(), session, after) {
		if err != nil {
			s.Fatalf("follow: %v", err)
		}
		if rec.Seq == 0 {
			continue
		}
		if records = append(records, rec); fits(rec) {
			return records
		}
	}
	s.Fatal("follow ended without an error")
	return nil
}

// records are those that the log of a session has after a seq.
func (s *stage) records(session string, after int64) (records []event.Record) {
	s.Helper()
	for rec, err := range s.Records(s.Context(), session, after) {
		if err != nil {
			s.Fatalf("records: %v", err)
		}
		records = append(records, rec)
	}
	return records
}

// last is the seq of the newest record.
func (s *stage) last(session string) int64 { return int64(len(s.records(session, 0))) }

// fails checks the code of an error.
func (s *stage) fails(what string, err error, code string) {
	s.Helper()
	type failing interface{ Failure() event.Failure }
	got, ok := err.(failing)
	if !ok || got.Failure().Code != code {
		s.Errorf("%s: %v, want an error with code %q", what, err, code)
	}
}

// gapless checks that records are numbered from a seq on, without a gap.
func (s *stage) gapless(records []event.Record, after int64) {
	s.Helper()
	for i, rec := range records {
		if want := after + int64(i) + 1; rec.Seq != want {
			s.Fatalf("a reader after %d got record %d in the place of %d", after, rec.Seq, want)
		}
	}
}

// said counts the person's messages in a log by their text.
func (s *stage) said(session string) map[string]int {
	n := map[string]int{}
	for _, rec := range s.records(session, 0) {
		if d, ok := rec.Data.(event.MessageSent); ok && d.From == event.Person {
			n[d.Content]++
		}
	}
	return n
}

// isEnd reports whether a turn of the team ends with a record.
func isEnd(rec event.Record) bool {
	switch rec.Data.(type) {
	case event.RunFinished, event.RunFailed, event.RunSuspended:
		return true
	default:
		return false
	}
}

// is reports whether a record is of a type.
func is(t event.Type) func(event.Record) bool {
	return func(rec event.Record) bool { return rec.Type() == t }
}

// pass lets time pass, of the bubble.
func (s *stage) pass(d time.Duration) { <-time.After(d) }

// aside does something meanwhile; what it returns waits for the end.
func (s *stage) aside(do func()) (wait func()) {
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	return func() { <-done }
}

// ended is a context that has ended with a cause.
func (s *stage) ended(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(s.Context())
	cancel(cause)
	return ctx
}
