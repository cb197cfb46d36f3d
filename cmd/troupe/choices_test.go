package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestChoicesAreCompleted completes the value of every flag that takes one of a few,
// of every command, and refuses any other.
func TestChoicesAreCompleted(t *testing.T) {
	p := newProcess(t)
	seen := map[string]bool{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		for name, values := range choices {
			if cmd.LocalFlags().Lookup(name) == nil {
				continue
			}
			seen[name] = true
			p.call(t.Context(), append(append([]string{"__complete"}, path...), "--"+name, "")...)
			got := strings.Fields(p.stdout.String())
			if len(got) == 0 || !slices.Equal(got[:len(got)-1], values) {
				t.Errorf("troupe %s --%s completes to %q, want %q", strings.Join(path, " "), name, got, values)
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{Env: p.Env, words: &wordsEN, stop: &interrupts{}, declared: map[*cobra.Command][]string{}}).root())
	for name := range choices {
		if !seen[name] {
			t.Errorf("no command has the flag --%s", name)
		}
	}
}
