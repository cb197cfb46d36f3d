package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// TestNamesThatNoLogShows: a name that the log would hide names no session, or the
// session would not be found again, and no command; all others are found.
func TestNamesThatNoLogShows(t *testing.T) {
	for _, secret := range []string{
		"sk-abcdefGHIJKL1234567890mnopqr", "a?token=abcdef1234", "https://u:pw12345678@h/x", "hunter2hunter2", "my hunter2hunter2 notes",
	} {
		synctest.Test(t, func(t *testing.T) {
			o := echoes(t, nil)
			mask := transcript.NewMask("hunter2hunter2").WithPatterns()
			o.Mask = mask.Text
			team := o.Team
			o.Team = func(settings map[string]string) (leader.Team, []leader.Option, error) {
				cast, opts, err := team(settings)
				return cast, append(opts, leader.WithSecrets("hunter2hunter2")), err
			}
			m, stop := serve(t, o)
			defer stop()
			for _, whose := range [][2]string{{"ann", secret}, {secret, "s"}} {
				if _, _, err := m.Open(t.Context(), whose[0], whose[1]); code(err) != "bad" || strings.Contains(err.Error(), secret) {
					t.Errorf("%q opens: %v", whose, err)
				}
			}
			s := open(t, m, "ann", "s")
			if err := m.Submit(t.Context(), s, secret, "x", nil); code(err) != "bad" || strings.Contains(err.Error(), secret) {
				t.Errorf("a prompt with the id %q: %v", secret, err)
			}
			submit(t, m, s, "slowly")
			if err := m.Tell(t.Context(), s, secret, "tl", "x"); code(err) != "bad" {
				t.Errorf("a message with the id %q: %v", secret, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		m, stop := serve(t, echoes(t, nil))
		defer stop()
		if _, _, err := m.Open(t.Context(), "ann", "sk-abcdefGHIJKL1234567890mnopqr"); code(err) != "bad" {
			t.Errorf("without a mask: %v", err)
		}
		for _, name := range []string{
			"..", "a/b", "%2F", `"`, "\u2028", "\u202etrap", "é", "e\u0301", "会话", "\ufffd", "token", "key=1", strings.Repeat("\"", 256), "{}",
		} {
			s := open(t, m, "ann", name)
			submit(t, m, s, "x")
			time.Sleep(time.Minute)
			if again, last, err := m.Open(t.Context(), "ann", name); again != s || last == 0 || err != nil {
				t.Errorf("%q is opened again as %q at %d: %v", name, again, last, err)
			}
		}
	})
}
