// Package foreign reads transcripts of other systems as runs, so that all that
// shows a run shows them too.
//
// What it is for: [Import] and [ImportFile] read chat messages in the form of
// OpenAI and sessions of Claude Code, with their sub-agents, as records.
//
// What it is not for: reading our own logs (package transcript), or going on
// with what was read.
//
// Where to start reading: import.go, then builder.go, which keeps the rules of
// a log whatever a transcript says.
//
// Invariants: nothing that a transcript says is dropped silently: what has no
// place among the records is named by a warning, with its place in the file;
// nothing is made up: what a transcript does not tell, such as times or
// tokens, is left out; what comes out is a log that every reader takes.
package foreign
