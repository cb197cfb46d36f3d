package streams_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/golden"
)

func TestStateDiagram(t *testing.T) {
	golden.Equal(t, "testdata/state.mmd", []byte(streams.Diagram()))
	page, err := os.ReadFile("../../docs/streams.md")
	if err != nil || !strings.Contains(string(page), "```mermaid\n"+strings.TrimSpace(streams.Diagram())+"\n```") {
		t.Errorf("docs/streams.md shows another diagram, %v", err)
	}
}

// TestStateGrid walks from each state to each.
func TestStateGrid(t *testing.T) {
	all := []streams.State{
		streams.StateQueued, streams.StateProcessing, streams.StateSuspended, streams.StateResumed,
		streams.StateCancelling, streams.StateCancelled, streams.StateCompleted, streams.StateFailed,
	}
	var b strings.Builder
	for _, from := range all {
		for _, to := range all {
			verdict := "refused"
			if way := streams.Path(from, to); way != nil {
				verdict = fmt.Sprint(way)
			}
			fmt.Fprintf(&b, "%-10s %-10s %s\n", from, to, verdict)
		}
	}
	golden.Equal(t, "testdata/state.grid", []byte(b.String()))
}

// TestStateOfRecords maps each captured record, with the way that it came.
func TestStateOfRecords(t *testing.T) {
	seen := map[streams.Status]streams.State{}
	for _, c := range captures(t, "records") {
		r, err := streams.DecodeRecord([]byte(c.Data))
		if err != nil {
			t.Fatal(err)
		}
		status := r.Status
		if status == streams.Queued && len(r.Timeline) > 1 {
			status += " again"
		}
		seen[status] = r.State()
	}
	for status, want := range map[streams.Status]streams.State{
		"QUEUED": streams.StateQueued, "QUEUED again": streams.StateSuspended,
		"QUEUED: waiting_for_group": streams.StateSuspended, "RUNNING": streams.StateProcessing,
		"WAITING_USER": streams.StateSuspended, "WAITING_AGENT": streams.StateSuspended, "CANCELLING": streams.StateCancelling,
		"CANCELLED": streams.StateCancelled, "COMPLETED": streams.StateCompleted, "FAILED": streams.StateFailed,
	} {
		if got := seen[status]; got != want {
			t.Errorf("%s: got %q, want %q", status, got, want)
		}
	}
}

// TestStateOfOtherWords maps what no capture holds.
func TestStateOfOtherWords(t *testing.T) {
	for status, want := range map[streams.Status]streams.State{
		streams.GroupQueued: streams.StateSuspended, "completed": streams.StateProcessing, "": streams.StateProcessing,
	} {
		if got := (streams.Record{Status: status}).State(); got != want {
			t.Errorf("%q: got %q, want %q", status, got, want)
		}
	}
}
