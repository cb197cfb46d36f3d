// Package mailbox is how agents talk: the text of a message, the ids of
// messages and agents, the inboxes, and the questions that wait for an answer.
//
// What it is for: framing a message so that a model reads who speaks and why,
// and a program reads back exactly what was written ([Format], [Parse],
// [ParseAll]); the rules for names and codes ([ValidName], [Fold],
// [ReservedName], [RoleCode]); handing messages over without ever waiting for
// the receiver; and the desk that knows who waits for whom.
//
// What it is not for: deciding who may talk to whom (package leader), running
// turns (package agent), keeping messages for later runs (package transcript),
// or showing them to people (package render).
//
// Where to start reading: [Message], then [Format] and [Parse]; escape.go holds
// the one rule that keeps a message in its frame.
//
// Invariants: Parse(Format(m)) is m for every message that Format takes, byte
// for byte; joined messages are read back as exactly those messages, whatever
// their contents say; no text that Format wrote holds a second header line or a
// tag of the frame inside its content; reading and writing take time linear in
// the text.
package mailbox
