// Package leader runs one team: it talks to the person, makes workers, watches
// and stops them, and ends when the work is done. It is the public door for
// programs that embed Troupe.
//
// What it is for: [New] and [Load] make a team, [Leader.Do] and
// [Leader.Start] run a task with it, [Run] is a run under way. Roles may run
// elsewhere ([Remote]), or borrow model and tools there ([Lender]); a [Workshop]
// lends those of a team.
//
// What it is not for: the turn loop (package agent), the message format
// (package mailbox), showing a run (package render).
//
// Where to start reading: run.go (the life of a run), then team.go (what the
// leader's tools do).
//
// Invariants: only [Run]'s own loop starts workers, so none starts after the
// run began to stop; a run ends when the leader's turn has ended, nobody works
// or waits, the leader's inbox is empty and no question is open; everything
// that happened is in the log, in order.
package leader
