package machine

import (
	"slices"

	"github.com/looplab/fsm"
)

// Move says from where to where a move leads.
type Move[S ~string] struct {
	To   S
	From []S
}

// Table is all states and moves. A library machine holds the whole table, so
// there is one for each state, shared by all that are in it and never moved.
type Table[S, M ~string] struct {
	initial S
	moves   map[M]Move[S]
	at      map[S]*fsm.FSM
}

// New makes the table of moves, whose states are those that they name.
func New[S, M ~string](initial S, moves map[M]Move[S]) *Table[S, M] {
	var events fsm.Events
	states := []S{initial}
	for m, mv := range moves {
		names := make([]string, len(mv.From))
		for i, s := range mv.From {
			names[i] = string(s)
		}
		events = append(events, fsm.EventDesc{Name: string(m), Src: names, Dst: string(mv.To)})
		states = append(append(states, mv.To), mv.From...)
	}
	t := &Table[S, M]{initial: initial, moves: moves, at: map[S]*fsm.FSM{}}
	slices.Sort(states)
	for _, s := range slices.Compact(states) {
		t.at[s] = fsm.NewFSM(string(s), events, nil)
	}
	return t
}

// Knows reports whether s is a state of the table.
func (t *Table[S, M]) Knows(s S) bool { return t.at[s] != nil }

// Can reports whether m can be made from s.
func (t *Table[S, M]) Can(s S, m M) bool { return t.Knows(s) && t.at[s].Can(string(m)) }

// Leads reports whether one move leads from one state to the other.
func (t *Table[S, M]) Leads(from, to S) bool {
	for _, mv := range t.moves {
		if mv.To == to && slices.Contains(mv.From, from) {
			return true
		}
	}
	return false
}

// Diagram draws the table as a Mermaid state diagram.
func (t *Table[S, M]) Diagram() string {
	text, err := fsm.VisualizeForMermaidWithGraphType(t.at[t.initial], fsm.StateDiagram)
	if err != nil {
		return "" // it knows the type of graph
	}
	return text
}
