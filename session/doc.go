// Package session keeps all runs of this process, each behind the name that its
// user gave it.
//
// What it is for: a [Manager] begins a run with the first prompt of a session,
// goes on with it from its log at each later one, hands what the person says to
// the run or to its log, lets readers follow the log over all its turns, and
// suspends all runs when the process ends.
//
// What it is not for: running a team (package leader), keeping logs (package
// transcript), who may come in and how they speak (package gateway and those
// below it, whose port Sessions the Manager satisfies).
//
// Where to start reading: [Manager.Run], then entry.go (a session that somebody
// uses now) and command.go (what can be asked of it).
//
// Invariants: a session is its log, and what is in memory can be lost; a session
// that does not work and that nobody follows takes no memory; only [Manager.Run]
// starts runs, and it returns after all of them; no lock of the Manager is held
// while a run is begun, and one session never waits for another; whose a session
// is stands in the header of its log, and its folder is made from a digest of
// user and name, so that no name leads anywhere else.
package session
