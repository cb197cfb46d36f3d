// Package subagent makes a worker of the team out of an agent: the duty to
// report to the leader, and what it can say to others.
//
// What it is for: [Reporter] and [Peers], which the workers of a role share.
//
// What it is not for: the turn loop (package agent), or who may exist and
// when a worker is stopped (package leader).
//
// Where to start reading: subagent.go.
//
// Invariants: natural output followed by calls is sent to the leader as
// progress; each turn ends with exactly one completion, whatever ended it, and
// its reason tells which; a failure is never shown as a result.
package subagent
