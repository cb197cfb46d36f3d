package client_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// examples are those of the document that describes the protocol.
func examples(tb testing.TB) map[string]json.RawMessage {
	tb.Helper()
	text, err := os.ReadFile("testdata/examples.json")
	if err != nil {
		tb.Fatal(err)
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		tb.Fatal(err)
	}
	delete(list, "note")
	return list
}

func TestExamplesAreUnderstood(t *testing.T) {
	want := map[string]client.Message{
		"content": {
			ID: "msg_a1b2c3d4", Seq: 42, Role: "assistant", SessionID: "sess_20250001", TraceID: "trace_9f8e7d",
			Content: []client.Part{client.Text("这是第一段增量。")}, Time: time.Date(2025, 1, 15, 10, 23, 45, 123e6, time.UTC),
			Body: client.Chunk{},
		},
		"final": {
			ID: "msg_a1b2c3d4_final", Seq: 58, SessionID: "sess_20250001", Content: []client.Part{client.Text("这是完整回答的全文……")},
			Body: client.Final{Usage: client.Usage{InputTokens: 218, OutputTokens: 87}, DurationMS: 1240},
		},
		"hello": {
			SessionID: "sess_20250001",
			Body: client.Hello{
				ClientInfo:   client.Info{Name: "web-app", Version: "1.2.0"},
				Capabilities: client.Abilities{Streaming: true, ToolCallbacks: true, MaxMessageSize: 16384},
			},
		},
	}
	got := map[string]client.Message{}
	for name, text := range examples(t) {
		m, err := client.Decode(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got[name] = m
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	if text, err := got["content"].Encode(); err != nil || !strings.Contains(string(text), `"type":"stream.chunk"`) {
		t.Errorf("the older name is written as %s, %v", text, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, "no JSON"},
		{`{`, "no JSON"},
		{`[]`, "the message is a JSON array; it is an object"},
		{`"hello"`, "the message is a JSON string; it is an object"},
		{`{"type":1}`, "type: a JSON number is no value for it"},
		{`{}`, "no type"},
		{`null`, "no type"},
		{`{"type":"request","seq":-1}`, "counts from 1"},
		{`{"type":"request","id":"` + strings.Repeat("x", 129) + `"}`, "at most 128"},
		{`{"type":"request","timestamp":"yesterday"}`, "RFC 3339"},
		{`{"type":"request","content":"hi"}`, "content: a JSON string is no value for it"},
		{`{"type":"request","content":[{"text":"hi"}]}`, "object with a type"},
		{`{"type":"request","content":["hi"]}`, "object with a type"},
		{`{"type":"request","content":[{"type":"text"}]}`, "has a text"},
		{`{"type":"request","method":{}}`, "method: a JSON object is no value for it"},
		{"{\"type\":\"request\",\"method\":\"\xff\"}", "UTF-8"},
	} {
		_, err := client.Decode([]byte(tt.text))
		e := gateway.ErrorOf(err)
		if e == nil || e.Code != gateway.StatusBad || !strings.Contains(e.Message, tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
	// What can be read of a bad message says which one it is.
	if m, err := client.Decode([]byte(`{"id":"msg_1","type":"request","method":7}`)); err == nil || m.ID != "msg_1" {
		t.Errorf("a bad request: %+v, %v", m, err)
	}
}

func TestUnknownIsKept(t *testing.T) {
	in := `{"id":"m","type":"response","content":[{"type":"image","url":"x","alt":{"zh": "图"}},{"type":"text","text":"","later":1}],"later":true,"result":{"later":[1, 2]}}`
	want := `{"id":"m","type":"response","content":[{"type":"image","url":"x","alt":{"zh":"图"}},{"type":"text","text":""}],"result":{"later":[1,2]}}`
	m, err := client.Decode([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Encode(); err != nil || string(got) != want {
		t.Errorf("written again: %s, %v\nwant %s", got, err, want)
	}
	m, err = client.Decode([]byte(`{"id":"m","type":"of.tomorrow","content":[{"type":"text","text":"x"}]}`))
	if u, ok := m.Body.(client.Unknown); !ok || err != nil || u.Name != "of.tomorrow" || len(m.Content) != 1 {
		t.Errorf("an unknown type: %+v, %v", m, err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, m := range []client.Message{
		{},
		{Body: client.Unknown{}},
		{Body: client.Ping{}, Content: []client.Part{{Kind: "image"}}},
		{Body: client.Event{Event: "x", Data: json.RawMessage("{")}},
	} {
		if text, err := m.Encode(); err == nil {
			t.Errorf("%+v was written as %s", m, text)
		}
	}
}

// What can be decoded can be encoded, and is the same message again when it is
// decoded; the second text is the same as the first.
func FuzzDecode(f *testing.F) {
	for _, text := range examples(f) {
		f.Add([]byte(text))
	}
	for _, seed := range []string{
		`{"type":"request","id":"m","seq":1,"method":"prompt","content":[{"type":"text","text":"你好"}],"ack":true}`,
		`{"type":"tool.result","call_id":"tl/1","error":"no"}`, `{"type":"tool.result","call_id":"tl/1","error":{"message":"no"}}`,
		`{"type":"tool.call","call_id":"tl/1","name":"x","arguments":{ "a" : [null] }}`,
		`{"type":"response","reply_to":"m","error":{"code":429,"who":"limit","retryable":true,"retry_after_ms":5,"message":"m"}}`,
		`{"type":"fragment","of":"x","index":0,"count":2,"data":"{\"a"}`, `{"type":"ping"}`,
		`{"type":"event","event":"skipped","data":null}`, `{"type":"request","content":[{"type":"image","x": 1}]}`,
		`{"type":"request","timestamp":"0000-01-01T00:00:00+01:00"}`, `{"type":"request","timestamp":"2026-01-01T00:00:00.9999+08:00"}`,
		`{"type":"request","content":[{"type":"file","ref":"f","text":7}]}`, `{"TYPE":"request","Id":"m"}`, `{"type":"a","type":"ping"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := client.Decode(text)
		if err != nil {
			return
		}
		written, err := first.Encode()
		if err != nil {
			t.Fatalf("%q cannot be written again: %v", text, err)
		}
		second, err := client.Decode(written)
		if err != nil {
			t.Fatalf("%q, written as %s, cannot be read: %v", text, written, err)
		}
		if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(gateway.Error{})); diff != "" {
			t.Errorf("%q (-first +second):\n%s", text, diff)
		}
		if again, err := second.Encode(); err != nil || string(again) != string(written) {
			t.Errorf("%q\nfirst  %s\nsecond %s, %v", text, written, again, err)
		}
	})
}

func unmarshal(tb testing.TB, text []byte, v any) {
	tb.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
}
