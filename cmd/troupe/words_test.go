package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestWordsAreComplete walks both tables: no text is missing, and a format
// takes the same values in both languages.
func TestWordsAreComplete(t *testing.T) {
	zhValue, enValue := reflect.ValueOf(wordsZH), reflect.ValueOf(wordsEN)
	for i := range enValue.NumField() {
		name := enValue.Type().Field(i).Name
		z, e := zhValue.Field(i), enValue.Field(i)
		if e.Kind() == reflect.String {
			sameText(t, name, z.String(), e.String())
			continue
		}
		for _, key := range append(e.MapKeys(), z.MapKeys()...) {
			if !z.MapIndex(key).IsValid() || !e.MapIndex(key).IsValid() {
				t.Errorf("%s[%q] is missing in one language", name, key)
				continue
			}
			sameText(t, name+" "+key.String(), z.MapIndex(key).String(), e.MapIndex(key).String())
		}
	}
}

func sameText(t *testing.T, name, z, e string) {
	t.Helper()
	if z == "" || e == "" {
		t.Errorf("%s is empty in one language", name)
	}
	if strings.Count(z, "%") != strings.Count(e, "%") {
		t.Errorf("%s takes other values in the other language: %q, %q", name, z, e)
	}
}

// TestEverythingHasWords walks commands and flags.
func TestEverythingHasWords(t *testing.T) {
	for _, w := range []*words{&wordsEN, &wordsZH} {
		a := &app{Env: newProcess(t).Env, words: w, declared: map[*cobra.Command][]string{}}
		var walk func(c *cobra.Command)
		walk = func(c *cobra.Command) {
			if c.Short == "" {
				t.Errorf("%s: %s has no words", w.lang, c.CommandPath())
			}
			for _, name := range a.declared[c] {
				if w.flags[name] == "" {
					t.Errorf("%s: %s --%s has no words", w.lang, c.CommandPath(), name)
				}
			}
			for _, sub := range c.Commands() {
				walk(sub)
			}
		}
		walk(a.root())
	}
}
