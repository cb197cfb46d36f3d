package main

import "testing"

func TestEditor(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"abc", "abc"},
		{"abc\x7f\x08d", "ad"},
		{"\x7f\x7fa", "a"},
		{"中文\x7f字", "中字"},
		{"\xe4\xb8", ""},
		{"\xffa\xc3(", "a"},
		{"\xe4\xb8\x7fa", "a"},
		{"one two  \x17three", "one three"},
		{"one\x17\x17two", "two"},
		{"one\x15two", "two"},
		{"a\x1b[Db\x1bOAc\x1b[3~d\x1bxe", "abcde"},
		{"a\tb\x01\x1a", "a b"},
		{"a\x04", "a"},
	} {
		var e editor
		for i := range len(tt.keys) {
			if did := e.key(tt.keys[i]); did != typedText {
				t.Errorf("%q: key %d did %d", tt.keys, i, did)
			}
		}
		if got := string(e.line); got != tt.want {
			t.Errorf("%q gives %q, want %q", tt.keys, got, tt.want)
		}
	}
	var e editor
	for _, b := range []byte("half") {
		e.key(b)
	}
	if did := e.key(ctrlC); did != typedInterrupt {
		t.Errorf("Ctrl-C did %d", did)
	}
	if did := e.key('\r'); did != typedLine || e.take() != "half" || e.take() != "" {
		t.Errorf("Enter did %d, %q is left", did, string(e.line))
	}
	for range maxLine + 10 {
		e.key('x')
	}
	if len(e.line) != maxLine {
		t.Errorf("the line has %d characters", len(e.line))
	}
}
