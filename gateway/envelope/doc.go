// Package envelope is the standard envelope, the one form in which agents of
// different frameworks hand each other tasks, tool calls and results
// (docs/envelope.md).
//
// What it is for: reading a message strictly and saying what is wrong with it,
// field by field ([Check], [Decode], [Encode]); the way down to text for a
// version that is not known ([Text]); the names that other frameworks use
// ([Dialect]); and the table by which a tool call that comes twice runs once
// ([Deduper]).
//
// What it is not for: listening, starting runs or calling tools (those who
// serve do that with what [Check] and [Deduper.Decide] say), or the messages
// between agents of one team (package mailbox).
//
// Where to start reading: [Envelope], then [Check]; scan.go holds the strict
// JSON, fields.go the rules of the fields.
//
// Invariants: nothing is dropped silently: what is not refused is kept or named;
// every refusal has a reason and a field or a byte; decode, encode, decode is a
// fixed point, numbers and texts of a payload included; a message is read once,
// in time linear in its size; nothing here keeps time or state of its own.
package envelope
