package repair_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// progressOf reads a body in pieces and counts the calls of progress.
func progressOf(t *testing.T, pieces ...string) int {
	t.Helper()
	pr, pw := io.Pipe()
	go func() {
		for _, p := range pieces {
			if _, err := io.WriteString(pw, p); err != nil {
				return
			}
		}
		pw.Close()
	}()
	n := 0
	b := repair.NewBody(pr, func() { n++ })
	defer b.Close()
	buf := make([]byte, 1<<10)
	for range 1 << 20 {
		if _, err := b.Read(buf); err != nil {
			if b.Facts().Done && !errors.Is(err, io.EOF) {
				t.Errorf("error %v", err)
			}
			return n
		}
	}
	t.Fatal("the body has no end")
	return 0
}

func TestProgress(t *testing.T) {
	for line, want := range map[string]bool{
		`: comment`: false, `event: ping`: false, `id: 7`: false, `retry: 10`: false,
		`data:`: false, `data: `: false, `data: : OPENROUTER PROCESSING`: false, `data: ping`: false, `data: {"type":"ping"}`: false,
		`data: {"choices":[]}`: false, `data: {"choices":[{"delta":null}],"usage":null}`: false,
		`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":0}}`:                                      false,
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`:              false,
		`data: {"choices":[{"delta":{"role":"assistant","content":null,"refusal":null,"tool_calls":[],"extra":{}}}]}`: false,
		`data: {"choices":[{"index":0,"delta":{"content":" "}}]}`:                                                     true,
		`data: {"choices":[{"index":0,"delta":{"reasoning_content":"h"}}]}`:                                           true,
		`data: {"choices":[{"delta":{"reasoning":"h"}}]}`:                                                             true,
		`data:{"choices":[{"delta":{"reasoning_details":[{"text":""}]}}]}`:                                            true,
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]}}]}`:           true,
		`data: {"choices":[{"delta":{"function_call":{"name":"f"}}}]}`:                                                true,
		`data: {"choices":[{"delta":{"audio":1}}]}`:                                                                   true,
		`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`:                                                     true,
		`data: {"choices":[{"message":{"content":"x"}}]}`:                                                             true,
	} {
		if got := progressOf(t, line+"\n\n") > 0; got != want {
			t.Errorf("%s: progress %t, want %t", line, got, want)
		}
	}
}

// TestProgressOfLongBodies: what comes in parts that cannot be looked at yet
// brings the reply forward, blanks do not.
func TestProgressOfLongBodies(t *testing.T) {
	part := strings.Repeat("x", 40<<10)
	for _, tt := range []struct {
		name   string
		pieces []string
		want   int
	}{
		{"a JSON body", []string{`{"choices":[{"message":`, `{"content":"x"}`, `}]}`}, 3 + 1}, // and what it says
		{"blanks before a JSON body", []string{"\n", "\n", "\n", `{}`}, 1},
		{"blanks behind a JSON body", []string{`{}`, "\n", " ", "\n"}, 1},
		{"a page", []string{"<html>", "<body>"}, 2},
		{"a short line in parts", []string{`data: {"choices":[{"index":0,`, `"delta":{"content"`, ":\"x\"}}]}\n\n"}, 1},
	} {
		if got := progressOf(t, tt.pieces...); got != tt.want {
			t.Errorf("%s: progress %d times, want %d", tt.name, got, tt.want)
		}
	}
	long := []string{`data: {"choices":[{"index":0,"delta":{"content":"`, part, part, part, "\"}}]}\n\n"}
	if got := progressOf(t, long...); got < 3 {
		t.Errorf("a long line: progress %d times, want one for each part after the first two, and one for what it says", got)
	}
}
