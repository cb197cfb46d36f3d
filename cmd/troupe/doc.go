// Command troupe runs teams of language-model agents from the command line.
//
// What it is for: running one task with the team of a team file, checking that
// file, and looking at past runs; it is the only place of the project that
// touches the process: arguments, environment, clock, signals, terminal, exit
// code.
//
// What it is not for: anything a program that embeds a team would need too;
// that is in package leader and below.
//
// Where to start reading: [Main] in app.go, then run.go. Each command has a
// file of its own name.
//
// Invariants: stdout carries the answer or the data that was asked for and
// nothing else; nothing waits for a person unless both ends are a terminal; no
// key is printed; only main.go uses the process itself, so that every command
// runs in a test.
package main
