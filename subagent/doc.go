// Package subagent makes a worker of the team out of an agent: its role's
// prompt and tools, and the duty to report to the leader.
//
// What it is for: [New], and what a worker can say to others ([Peers]).
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
