package render_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// TestWordsAreComplete checks that each language has every word, and that the
// tables of all languages have the same keys.
func TestWordsAreComplete(t *testing.T) {
	tables := render.WordTables()
	first := reflect.ValueOf(tables[0])
	for i, table := range tables {
		v := reflect.ValueOf(table)
		for f := range v.NumField() {
			name, field := v.Type().Field(f).Name, v.Field(f)
			if field.IsZero() {
				t.Errorf("language %d has no word %s", i, name)
			}
			if field.Kind() != reflect.Map {
				continue
			}
			for _, key := range first.Field(f).MapKeys() {
				if word := field.MapIndex(key); !word.IsValid() || word.IsZero() {
					t.Errorf("language %d has no %s for %q", i, name, key)
				}
			}
			if got, want := field.Len(), first.Field(f).Len(); got != want {
				t.Errorf("language %d has %d %s, want %d", i, got, name, want)
			}
		}
	}
}

// TestKindsAreNamed checks the purposes of messages in both languages.
func TestKindsAreNamed(t *testing.T) {
	for _, k := range event.Kinds() {
		rec := event.Record{V: 1, Seq: 1, Data: event.MessageSent{ID: "x", Kind: k, From: "uio_1", FromName: "UI Operator_1", Content: "c"}}
		zh := "│ UI Operator_1  " + k.Label() + " "
		if got := show([]event.Record{rec}, render.Options{Lang: "zh"}); !strings.Contains(got, zh) {
			t.Errorf("bubble of kind %s has no %q:\n%s", k, zh, got)
		}
	}
}
