package model_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/internal/repair"
)

// FuzzSaid holds what looking at an event tells against what go-openai decodes.
func FuzzSaid(f *testing.F) {
	for _, payload := range []string{
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":"一 \ud83d\ude00 \"x\"","refusal":"no","reasoning_content":"hm"},"finish_reason":null}],"usage":null}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":"}},{"id":"b","function":{}}]},"index":0}]}`,
		`{"choices":[{"delta":{},"finish_reason":"stop"},{"index":0,"delta":{"content":"x","refusal":"y"}}],"choices":[{"delta":{"content":"z"}}]}`,
		`{"choices":[{"index":1,"delta":{"content":"x"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"x","content":""},"delta":null,"finish_reason":"stop","finish_reason":"null"}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":1}],"tool_calls":null}}],"usage":{},"usage":null}`,
		`{"choices":[],"usage":{"prompt_tokens":1,"prompt_tokens":2,"completion_tokens":-2,"prompt_tokens_details":{"cached_tokens":4,"cached_tokens":null},"completion_tokens_details":{"reasoning_tokens":5}}}`,
		`{"usage":{"prompt_tokens_details":{"cached_tokens":4},"prompt_tokens_details":null,"completion_tokens_details":null}}`,
	} {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		body := repair.NewBody(io.NopCloser(strings.NewReader("data: "+payload+"\n")), func() {})
		text := make([]byte, 2*len(payload)+1<<10)
		n, err := body.Read(text)
		said, ok := body.Said()
		if err != nil || !ok {
			return
		}
		want, err := model.DecodeEvent([]byte(strings.TrimPrefix(strings.TrimSpace(string(text[:n])), "data:")))
		if err != nil {
			t.Fatalf("go-openai cannot read %s: %v", text[:n], err)
		}
		said.Content, said.Refusal = said.Content+said.Refusal, ""
		if said.Finish == "null" {
			said.Finish = ""
		}
		if diff := cmp.Diff(want, said, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n(-go-openai +looked at):\n%s", payload, diff)
		}
	})
}

// TestSaidIsKnown shows that ordinary events are not decoded a second time.
func TestSaidIsKnown(t *testing.T) {
	for _, payload := range []string{
		`{"id":"c","choices":[{"index":0,"delta":{"content":"x"},"logprobs":null,"finish_reason":null}],"usage":null}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
		`{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
	} {
		body := repair.NewBody(io.NopCloser(strings.NewReader("data: "+payload+"\n")), func() {})
		if _, err := body.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal(err)
		}
		if _, ok := body.Said(); !ok {
			t.Errorf("%s must be decoded once more", payload)
		}
	}
}
