// Package modeltest has what tests of programs with agents need in place of a
// paid model.
//
// What it is for: clients made of a function ([Func]), of replies in order
// ([Sequence]) or of a recorded run ([FromLog]); a real HTTP server that speaks
// the OpenAI chat protocol and misbehaves on demand ([Server]); and the suite
// that every client of package model passes ([TestClient]).
//
// What it is not for: scripts that a person writes, which package model plays
// itself, and measuring speed.
//
// Where to start reading: [Reply], then [Func] and [NewServer].
//
// Invariants: nothing is random and nothing waits unless a reply says so; the
// clients start no goroutines and work in a synctest bubble; the server has
// stopped, with all its goroutines, when the test ends.
package modeltest
