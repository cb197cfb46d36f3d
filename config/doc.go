// Package config reads and checks team files: team.yaml and the role files
// beside it.
//
// What it is for: turning text that a person wrote into plain data ([Team]),
// or into a list of everything that is wrong with it ([Error]), each mistake
// with its line, an excerpt and a way out. It also makes the JSON Schema of the
// team file ([Schema]) and finds the file ([Find]).
//
// What it is not for: choosing a model, minting role codes, building agents,
// or reading the process environment. It executes nothing and imports nothing
// of ours; what exists in the program (tools, providers, variables) is told to
// it in [Known].
//
// Where to start reading: [Load], then the table of keys in table.go.
//
// Invariants: one table both checks a file and makes the schema; every mistake
// of a file is reported at once; no message, hint or excerpt holds the value of
// a variable or what looks like a key; the line of a problem exists in its
// file.
package config
