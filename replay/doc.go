// Package replay works on runs that were recorded: it tells where two of them
// went apart, and makes a new run of the beginning of one.
//
// What it is for: [Diff] compares two runs agent by agent, and says what the
// difference cost; [Fork] copies a run up to a record, with edits, for
// [leader.Resume] to go on with.
//
// What it is not for: calling models or tools, or going on with a run (package
// leader); reading our own logs (package transcript) or those of other systems
// (package foreign); showing records (package render).
//
// Where to start reading: diff.go, then diff_strand.go, which says what of a run
// can be compared; fork.go, then edit.go.
//
// Invariants: when two runs are compared, the order in which agents took turns
// with each other is no difference, nor is a time, and neither run need fit into
// memory; a fork only reads the run that it is made of, and no edit changes an id
// or the order of records.
package replay
