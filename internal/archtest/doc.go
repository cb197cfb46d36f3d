// Package archtest holds the rules of the house as tests.
//
// What it is for: the rules that no compiler and no linter knows. Which
// package may import what (floors_test.go), where goroutines start
// (ledger_test.go), what the exported API is (api_test.go), what an embedder
// pays for (reach_test.go), and how files are written (files_test.go).
//
// What it is not for: production code; there is none, and nothing imports it.
//
// Where to start reading: floors_test.go. Each rule is a function from a
// tree of files to the faults in it, run once on the project and once on
// small trees that break it, which shows that the rule can fail.
//
// Invariants: the tables at the top of each file are the rules; to change a
// rule is to change a table, where a reviewer sees it.
package archtest
