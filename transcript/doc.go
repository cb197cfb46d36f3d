// Package transcript keeps the log of a run: one ordered list of records, in
// memory or in a file of JSON lines.
//
// What it is for: appending records ([Log.Append]), reading them from any
// place on ([Log.Records]), following them as they come ([Log.Follow]),
// reading the file of another process ([ReadFile]), recovering after a crash
// ([Open]) and after damage ([Repair]), keeping secrets out ([Mask]), finding
// runs again ([Runs], [Find]) and removing them ([Old], [Remove]).
//
// What it is not for: the words of the log (package event), what they mean
// (their folds live with the types that they describe), or showing them
// (package render).
//
// Where to start reading: [Log.Append] in log.go, then [Log.Follow] in
// follow.go.
//
// Invariants: there is one writer at a time, held by a file lock; a record
// that Append returned is what every reader sees, now and after a crash; the
// records of a file are whole lines, numbered from 1 without a gap, each with
// its checksum; a slow reader lags and never makes Append wait; the package
// starts no goroutine.
package transcript
