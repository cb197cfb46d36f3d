// Package machine holds a table of states and moves.
//
// What it is for: asking whether a move can be made ([Table.Can]), and drawing
// all of them ([Table.Diagram]). Whoever has a state keeps it: a move is asked
// for, then logged, then the new state is set from what was logged.
//
// What it is not for: making moves. The library's own Event is never called: a
// context that is done wedges it.
//
// Where to start reading: [New].
//
// Invariants: a table does not change after New, and goroutines share it.
package machine
