// Package gateway is the ground under all servers of Troupe: what each of them
// needs, whatever protocol it speaks.
//
// What it is for: the port to the runs of the process ([Sessions]), who may come
// in ([Auth], [Origins]), how much at once ([Limits]), where agents may work
// ([Workspace]), what happened for the record ([Audit]), how a refusal is said
// ([Error]), and all of it together, as a face gets it ([Ground]).
//
// What it is not for: a protocol, which has a package of its own below this one,
// and driving runs (package session, which satisfies the port).
//
// Where to start reading: [Sessions], then [Error].
//
// Invariants: nothing here opens a socket or starts a goroutine; the clock comes
// in through the options; tokens are compared in constant time and never reach a
// log or an error; a limit forgets a user who has been quiet, so that memory is
// bounded by who is there.
package gateway
