// Package replay works on runs that were recorded: it reads transcripts of
// other systems as runs, so that all that shows a run shows them too, and
// tells where two runs went apart.
//
// What it is for: [Import] and [ImportFile] read chat messages in the form of
// OpenAI and sessions of Claude Code, with their sub-agents; [Diff] compares
// two runs agent by agent, and says what the difference cost.
//
// What it is not for: calling models, or going on with a run (package leader);
// reading our own logs (package transcript); showing records (package render).
//
// Where to start reading: import.go, then builder.go, which keeps the rules of
// a log whatever a transcript says; diff.go, then diff_strand.go, which says
// what of a run can be compared.
//
// Invariants: nothing that a transcript says is dropped silently: what has no
// place among the records is named by a warning, with its place in the file;
// nothing is made up: what a transcript does not tell, such as times or
// tokens, is left out; what comes out is a log that every reader takes; when
// two runs are compared, the order in which agents took turns with each other
// is no difference, nor is a time, and neither run need fit into memory.
package replay
