package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// deltas is a stream of pieces of tool calls, with the finish reason last.
func deltas(finish string, pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[%s]}}]}\n\n", p)
	}
	if finish != "" {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}]}\n\n", finish)
	}
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

func TestCallsFromPieces(t *testing.T) {
	a, b := event.Call{ID: "a", Name: "f", Arguments: `{"n":1}`}, event.Call{ID: "b", Name: "g", Arguments: `{"n":2}`}
	anonymous := func(c event.Call) event.Call { c.ID = ""; return c }
	tests := []struct {
		name   string
		pieces []string
		want   []event.Call
	}{
		{"by index", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":"}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":"{\"n\":"}}`,
			`{"index":0,"function":{"arguments":"1}"}}`, `{"index":1,"function":{"arguments":"2}"}}`,
		}, []event.Call{a, b}},
		{"by id although the index is wrong", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":"}}`, `{"index":0,"id":"b","function":{"name":"g","arguments":"{\"n\":"}}`,
			`{"index":0,"id":"a","function":{"arguments":"1}"}}`, `{"index":0,"id":"b","function":{"arguments":"2}"}}`,
		}, []event.Call{a, b}},
		{"by order alone", []string{
			`{"function":{"name":"f","arguments":"{\"n\":"}}`, `{"function":{"arguments":"1}"}}`,
			`{"function":{"name":"g","arguments":"{\"n\":"}}`, `{"function":{"arguments":"2}"}}`,
		}, []event.Call{anonymous(a), anonymous(b)}},
		{"late id", []string{`{"index":0,"function":{"name":"f"}}`, `{"index":0,"id":"a","function":{"arguments":"{\"n\":1}"}}`}, []event.Call{a}},
		{"one id for two calls", []string{
			`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}`, `{"index":1,"id":"a","function":{"name":"g","arguments":""}}`,
			`{"index":1,"id":"a","function":{"arguments":"{\"n\":2}"}}`,
		}, []event.Call{a, {ID: "a", Name: "g", Arguments: `{"n":2}`}}},
		{"one index for two calls without ids", []string{
			`{"index":0,"function":{"name":"f","arguments":"{\"n\":1}"}}`, `{"index":0,"function":{"name":"g","arguments":"{\"n\":2}"}}`,
		}, []event.Call{anonymous(a), anonymous(b)}},
		{
			"without arguments",
			[]string{`{"id":"a","function":{"name":"list_agents"}}`, `{"id":"b","function":{"name":"g"}}`},
			[]event.Call{{ID: "a", Name: "list_agents", Arguments: "{}"}, {ID: "b", Name: "g"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := askRecorded(t, 200, nil, strings.NewReader(deltas("tool_calls", tt.pieces...)))
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if diff := cmp.Diff(tt.want, got.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCallsWithoutFinishReason: the end mark alone is trusted for calls that
// are whole, and for nothing else.
func TestCallsWithoutFinishReason(t *testing.T) {
	got := askRecorded(t, 200, nil, strings.NewReader(deltas("", `{"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}`)))
	if got.Err != nil || len(got.Calls) != 1 || got.Finish != event.FinishUnknown || len(got.Notices) != 1 {
		t.Errorf("got %+v, want the call, finish unknown and a warning", got)
	}
	got = askRecorded(t, 200, nil, strings.NewReader(deltas("", `{"id":"a","function":{"name":"f","arguments":"{\"n\":"}}`)))
	if e := asError(t, got.Err); e.Class != model.ClassTruncatedStream || len(got.Calls) != 0 {
		t.Errorf("got %+v, want truncated_stream without calls", got)
	}
}

func TestLongLine(t *testing.T) {
	text := strings.Repeat("汉字ab", 16_000)
	stream := "data: {\"choices\":[{\"delta\":{\"content\":\"" + text + "\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	if got := askRecorded(t, 200, nil, strings.NewReader(stream)); got.Err != nil || got.Text != text {
		t.Errorf("error %v and %d bytes, want %d", got.Err, len(got.Text), len(text))
	}
}

// TestKeepAliveLines: long queues send thousands of them.
func TestKeepAliveLines(t *testing.T) {
	stream := strings.Repeat(": keep-alive\n\n", 2000) + "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	if got := askRecorded(t, 200, nil, strings.NewReader(stream)); got.Err != nil || got.Text != "ok" {
		t.Errorf("got %+v, want the text", got)
	}
}
