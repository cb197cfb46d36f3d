package mailbox_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/mailbox"
)

// TestFoldOfASCII holds the quick way against the tables: an accent that is
// folded too makes the name take the long way.
func TestFoldOfASCII(t *testing.T) {
	const accent = "\u00e9"
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.RuneFrom([]rune("aZkK \t\n\v\f\r_1.-|~"))).Draw(t, "name")
		if got, want := mailbox.Fold(name+accent), mailbox.Fold(name+"x"); got[:len(got)-len(accent)] != want[:len(want)-1] {
			t.Errorf("Fold(%q) = %q the long way and %q the short", name, got, want)
		}
	})
}
