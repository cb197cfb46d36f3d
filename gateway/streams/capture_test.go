package streams_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// capture is one value that was written in a live run of the Python SDK, of
// its client or of a party without the SDK.
type capture struct {
	Scenario string `json:"scenario"`
	Who      string `json:"who"`
	Key      string `json:"key"`
	Data     string `json:"data"`
}

// captures reads all values of a kind.
func captures(t testing.TB, kind string) []capture {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "captures", kind+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []capture
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c capture
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("no captures of kind %s", kind)
	}
	return all
}

// value is JSON as plain values, numbers as they were written.
func value(t testing.TB, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// same fails the test when two texts are not the same JSON.
func same(t testing.TB, what string, want, got []byte) {
	t.Helper()
	if diff := cmp.Diff(value(t, want), value(t, got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}
