// Package envelope is the standard envelope, the one form in which agents of
// different frameworks hand each other tasks, tool calls and results
// (docs/envelope.md), and the door through which they reach a team.
//
// What it is for: reading a message strictly and saying what is wrong with it,
// field by field ([Check], [Decode], [Encode], [Schema]); the way down to text for a
// version that is not known ([Text]); the names that other frameworks use
// ([Dialect]); the door over HTTP ([Door]) and the way to an agent behind another
// one ([Remote]); and tool calls that run once however often they come ([Calls],
// whose table is [Deduper]).
//
// What it is not for: listening, tokens and limits (package gateway and those who
// serve), driving runs (package session, behind the port gateway.Sessions), tools
// and their permissions (behind [Tools]), or the messages between agents of one
// team (package mailbox).
//
// Where to start reading: [Envelope], then [Check]; scan.go holds the strict
// JSON, fields.go the rules of the fields. Of the door: door.go, then door_task.go
// and errand.go, which finds in the log of a session what came of a message.
//
// Invariants: nothing is dropped silently: what is not refused is kept or named, and
// every refusal has a reason, and at the door a line in the log; decode, encode,
// decode is a fixed point, numbers and texts of a payload included; a message is
// read once, in time linear in its size; what the door knows of a message is a fold
// of a log, so that a restart changes nothing and nothing runs twice.
package envelope
