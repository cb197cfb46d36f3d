// Package golden compares what a test made with a file that people review.
//
// What it is for: [Equal], and the one flag -update, which writes the files
// anew: go test ./internal/archtest -update.
//
// What it is not for: program code; only tests import it. A package that has
// a flag of that name of its own cannot use it too.
//
// Where to start reading: [Equal].
//
// Invariants: without -update no file is written; a missing file is a failure.
package golden
