// Package repair makes the replies of nearly compatible chat endpoints
// readable.
//
// What it is for: [Body], which stands between a response body and the client
// library and hands it one well-formed event after the other; and the rules
// for what a reply holds: [Arguments] of calls, [Splitter] for reasoning in
// tags, [TextCalls] for calls written as text.
//
// What it is not for: HTTP, classes of errors, putting calls together and
// judging how a reply ended. That is package model, the only importer.
//
// Where to start reading: [Body.Read] in body.go, then chunk.go.
//
// Invariants: an event that the client library reads well passes byte for byte
// and as soon as its last byte is here; each Read returns bytes of one event
// only, so what [Body.Take] returns belongs to the event that was read last;
// nothing after the end mark or an error is read; text is never lost without
// an error; no line or body larger than [MaxLine] is held.
package repair
