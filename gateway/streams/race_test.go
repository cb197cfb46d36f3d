//go:build race

package streams_test

// underRace says that the race detector makes everything some ten times slower.
const underRace = true
