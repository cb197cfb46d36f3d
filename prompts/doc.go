// Package prompts holds everything that the runtime itself says to a model:
// the system prompts of the Team Leader and of the sub-agents, the built-in
// roles, and the short words of notices, tool results and refusals, each in
// Chinese ("zh") and English ("en").
//
// What it is for: turning typed data into text. [Leader] and [Worker] write a
// system prompt as the Markdown templates beside this file have it, one a
// language (leader.en.md, leader.zh.md). The program does not read them: written.go
// is made of them by go test ./prompts -update, because reading them would be a
// twelfth of what a small run takes. [BuiltinRoles] returns roles that work without
// a team file. [In] returns the [Words] of one language; there the two languages
// stand side by side in one method, so that the compiler checks their arguments
// and nobody changes one and forgets the other.
//
// What it is not for: framing messages (package mailbox), describing tools
// (package tools), or deciding who is told what (packages agent and leader).
// It takes nothing from the other packages; data comes in as plain structs.
//
// Where to start reading: leader.en.md, then [Leader].
//
// Invariants: a prompt names no tool that is not in the data it was given;
// text that comes in is inserted as it is and never read as a template; both
// languages have the same files, conditions and placeholders; the same data
// gives the same text; all returned values belong to the caller.
package prompts
