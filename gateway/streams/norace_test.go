//go:build !race

package streams_test

const underRace = false
