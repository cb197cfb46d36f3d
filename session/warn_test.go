package session_test

import (
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/session"
)

// TestWarn: a warning enters the log while the team works and while it rests, and
// the session goes on after it.
func TestWarn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, stop := serve(t, echoes(t, nil))
		defer stop()
		s := open(t, m, "ann", "a")
		if err := m.Warn(t.Context(), s, event.Warning{Code: "odd", Text: "early"}); code(err) != "unknown" {
			t.Errorf("a warning without a session: %v", err)
		}
		submit(t, m, s, "slowly one")
		warn := func(text string) {
			t.Helper()
			if err := m.Warn(t.Context(), s, event.Warning{Code: "odd", Text: text}); err != nil {
				t.Error(err)
			}
		}
		warn("at work")
		session.Rest(m, s)
		warn("at rest")
		submit(t, m, s, "two")
		session.Rest(m, s)
		var got []string
		for _, rec := range records(t, m, s) {
			switch d := rec.Data.(type) {
			case event.Warning:
				got = append(got, d.Text)
			case event.RunFinished:
				got = append(got, d.Answer)
			default:
			}
		}
		want := []string{"at work", "slowly one", "at rest", "two"}
		if len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}
