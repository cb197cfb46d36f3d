package agent_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if it should:\n%s", path, diff)
	}
}

// TestStateDiagram keeps the picture that ARCHITECTURE.md shows.
func TestStateDiagram(t *testing.T) { golden(t, "state.mmd", agent.Diagram()) }

// TestStateGrid walks every state and every move.
func TestStateGrid(t *testing.T) {
	var b strings.Builder
	for _, s := range []event.State{
		event.Created, event.Working, event.Waiting, event.Idle, event.Failing, event.Stopped, event.Finished,
	} {
		for _, m := range agent.Moves() {
			verdict := "refused"
			if agent.CanMove(s, m) {
				verdict = "made"
			}
			fmt.Fprintf(&b, "%-10s %-9s %s\n", s, m, verdict)
		}
	}
	golden(t, "state.grid", b.String())
}
