package tools_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tools"
)

// FuzzMembers holds the members of an object against those that a decoder
// finds.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, "{ \n}", `{"a":"b"}`, "{ \"a\" :\t1 , \"b\":[1, {\"x\":\"]}\"}],\"c\":{} }", `{"\"\\":"\"\\","\u00e9":-1.5e3,"":null}`,
		`{"a":1,"a":2}`, `{"a":[[]],"b":{"c":{"d":"}"}},"e":true}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' || !utf8.Valid(text) || !json.Valid(text) {
			return
		}
		var wantNames, wantValues []string
		twice := false
		dec := json.NewDecoder(bytes.NewReader(text))
		for _, _ = dec.Token(); dec.More(); {
			name, _ := dec.Token()
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				t.Fatal(err)
			}
			twice = twice || slices.Contains(wantNames, name.(string))
			wantNames, wantValues = append(wantNames, name.(string)), append(wantValues, string(value))
		}
		names, values, err := tools.Members(text)
		if (err != nil) != twice {
			t.Fatalf("%s: error %v, a name comes twice: %v", text, err, twice)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff([][]string{wantNames, wantValues}, [][]string{names, values}); diff != "" {
			t.Errorf("%s (-decoder +members):\n%s", text, diff)
		}
	})
}
