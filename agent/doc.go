// Package agent holds the turn loop: how one agent, leader or worker, wakes,
// asks its model, runs its tools and comes to rest.
//
// What it is for: [Agent], the loop, its state machine, its conversation and
// the validator that guards every request.
//
// What it is not for: deciding who exists, whom to report to and what may be
// spent; those come in as fields of [Config]. It knows no difference between
// a leader and a worker.
//
// Where to start reading: turn.go, top to bottom; then calls.go, and compact.go
// for conversations that are too long.
//
// Invariants: messages enter a conversation in one place, before a request and
// after all results of the step before; a summary takes the place of older ones
// there too, and no question that waits for an answer goes with them; every call
// gets exactly one result; every turn ends with exactly one report; whatever
// changes is first appended to the log and then applied from the record that
// came back.
package agent
