// Package replay works on runs that were recorded: it tells where two of them
// went apart, runs the agents of one again to see whether they do what was
// recorded, and makes a new run of the beginning of one.
//
// What it is for: [Diff] compares two runs agent by agent, and says what the
// difference cost; [Verify] runs each agent on what the recording says came from
// outside, and compares what it does; [Check] holds a whole log to the rules
// between agents; [Fork] copies a run up to a record, with edits, for
// [leader.Resume] to go on with.
//
// What it is not for: calling models or tools, or going on with a run (package
// leader); reading our own logs (package transcript) or those of other systems
// (package foreign); showing records (package render).
//
// Where to start reading: diff.go, then diff_strand.go, which says what of a run
// can be compared; verify.go, then player.go, the log that compares; rules.go;
// fork.go, then edit.go.
//
// Invariants: when two runs are compared, the order in which agents took turns
// with each other is no difference, nor is a time, and neither run need fit into
// memory; nothing that a recording asks for is done again: no model, no tool, no
// message to others; each agent is verified alone, so that no result depends on
// scheduling; what cannot be compared is said, never taken for equal; a fork only
// reads the run that it is made of, and no edit changes an id or the order of
// records.
package replay
