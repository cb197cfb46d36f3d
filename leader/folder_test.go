package leader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/leader"
)

// TestOnlyTheLogIsWritten names a copy of a log beside the log itself: whoever
// means the copy must not change the run.
func TestOnlyTheLogIsWritten(t *testing.T) {
	_, text := recordReference(t)
	dir := cutLog(t, text, 5)
	log, copied := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "copy.jsonl")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, before, 0o600); err != nil {
		t.Fatal(err)
	}
	_, resumed := leader.Resume(t.Context(), copied, leader.WithTask("more"))
	_, pending := leader.PendingIn(t.Context(), copied)
	for name, err := range map[string]error{
		"Resume": resumed, "PendingIn": pending,
		"Answer": leader.Answer(copied, "ask_tl_001", "x"), "Decide": leader.Decide(copied, "apr_001", leader.Decision{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "is not named log.jsonl") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, err := os.ReadFile(log); err != nil || string(after) != string(before) {
		t.Errorf("the log was changed (%v)", err)
	}
}
