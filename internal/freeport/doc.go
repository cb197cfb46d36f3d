// Package freeport finds addresses for servers that tests start in programs of their
// own, and addresses where nobody answers.
//
// What it is for: [Address].
//
// What it is not for: program code; only tests import it. A test that listens itself
// lets the system choose, with port 0.
//
// Where to start reading: [Address].
//
// Invariants: no port is one that the system gives to somebody else meanwhile.
package freeport
