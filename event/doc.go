// Package event holds the words of the log: what can happen in a run, and how
// one happening is written down.
//
// What it is for: record types, their JSON form, the kinds of messages, and
// the two ports ([Appender], [Source]) through which everything else reaches a
// log. It is the bottom floor: it imports nothing of ours.
//
// What it is not for: storing records (package transcript), formatting
// messages (package mailbox), or showing anything (package render).
//
// Where to start reading: [Record], then the list of types in kinds.go.
//
// Invariants: the set of [Data] types is closed; a record is never changed
// after it was appended; decode, encode, decode is a fixed point, also for
// types and fields that this version does not know.
package event
