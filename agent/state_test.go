package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
)

// TestStateDiagram keeps the picture that ARCHITECTURE.md shows.
func TestStateDiagram(t *testing.T) { golden.Equal(t, "testdata/state.mmd", []byte(agent.Diagram())) }

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
	golden.Equal(t, "testdata/state.grid", []byte(b.String()))
}
