package machine_test

import (
	"testing"

	"github.com/troupe-go/troupe/internal/machine"
)

type (
	state string
	move  string
)

func door() *machine.Table[state, move] {
	return machine.New("open", map[move]machine.Move[state]{
		"close": {To: "closed", From: []state{"open"}},
		"lock":  {To: "locked", From: []state{"closed"}},
		"open":  {To: "open", From: []state{"closed"}},
	})
}

func TestCan(t *testing.T) {
	tests := []struct {
		from state
		move move
		want bool
	}{
		{"open", "close", true},
		{"closed", "open", true},
		{"closed", "lock", true},
		{"open", "lock", false},
		{"locked", "open", false},
		{"open", "paint", false},
		{"ajar", "close", false},
	}
	for _, tt := range tests {
		if got := door().Can(tt.from, tt.move); got != tt.want {
			t.Errorf("%s from %s: got %t, want %t", tt.move, tt.from, got, tt.want)
		}
	}
}

func TestLeads(t *testing.T) {
	for _, tt := range []struct {
		from, to state
		want     bool
	}{
		{"open", "closed", true},
		{"closed", "locked", true},
		{"open", "locked", false},
		{"locked", "locked", false},
	} {
		if got := door().Leads(tt.from, tt.to); got != tt.want {
			t.Errorf("%s to %s: got %t, want %t", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestKnows(t *testing.T) {
	for s, want := range map[state]bool{"open": true, "locked": true, "ajar": false} {
		if got := door().Knows(s); got != want {
			t.Errorf("%s: got %t, want %t", s, got, want)
		}
	}
}

func TestDiagram(t *testing.T) {
	const want = "stateDiagram-v2\n    [*] --> open\n    closed --> locked: lock\n    closed --> open: open\n    open --> closed: close\n"
	if got := door().Diagram(); got != want {
		t.Errorf("got\n%s", got)
	}
}
