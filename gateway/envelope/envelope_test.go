package envelope_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/gateway/envelope"
)

func asError(err error) (*envelope.Error, bool) { return errors.AsType[*envelope.Error](err) }

func message() envelope.Envelope {
	return envelope.Envelope{
		MsgID: "m-1", Sender: "planner", Receiver: "executor", Type: envelope.Task, TS: "1790000000.5",
		Payload: json.RawMessage(`{"task_id":"t-1", "detail":"<汇总> & \ud83d\ude00", "n":12345678901234567890}`),
	}
}

func TestEncode(t *testing.T) {
	text, err := envelope.Encode(message())
	want := `{"msg_id":"m-1","sender":"planner","receiver":"executor","type":"task","ts":1790000000.5,"proto":"1.0",` +
		`"payload":{"task_id":"t-1","detail":"<汇总> & \ud83d\ude00","n":12345678901234567890}}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v\nwant %s", text, err, want)
	}
}

// TestEncodeRefuses: nothing is written that would be read as something else.
func TestEncodeRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*envelope.Envelope){
		"no id":                 func(e *envelope.Envelope) { e.MsgID = "" },
		"no type":               func(e *envelope.Envelope) { e.Type = "" },
		"unknown version":       func(e *envelope.Envelope) { e.Proto = "2.0" },
		"no time":               func(e *envelope.Envelope) { e.TS = "" },
		"fields in the time":    func(e *envelope.Envelope) { e.TS = `1,"x":2` },
		"no payload":            func(e *envelope.Envelope) { e.Payload = nil },
		"fields in the payload": func(e *envelope.Envelope) { e.Payload = []byte(`"a","x":2`) },
		"not UTF-8":             func(e *envelope.Envelope) { e.Sender = "a\xff" },
		"payload not UTF-8":     func(e *envelope.Envelope) { e.Payload = []byte("\"\xff\"") },
		"fields in metadata":    func(e *envelope.Envelope) { e.Metadata = map[string]json.RawMessage{"a": []byte(`1,"b":2`)} },
		"name not UTF-8":        func(e *envelope.Envelope) { e.Metadata = map[string]json.RawMessage{"\xff": []byte(`1`)} },
		"empty metadata value":  func(e *envelope.Envelope) { e.Metadata = map[string]json.RawMessage{"a": nil} },
		"twice in the payload":  func(e *envelope.Envelope) { e.Payload = []byte(`{"a":1,"a":2}`) },
	} {
		e := message()
		spoil(&e)
		text, err := envelope.Encode(e)
		if got, ok := asError(err); !ok || !got.Verdict.Refused() {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 9, 21, 14, 13, 20, 250_000_000, time.UTC)
	for ts, want := range map[json.Number]time.Time{
		envelope.Stamp(at): at,
		"1790000000":       time.Unix(1_790_000_000, 0).UTC(),
		"1790000000000":    time.Unix(1_790_000_000, 0).UTC(), // milliseconds
		"0":                time.Unix(0, 0).UTC(),
		"32535215999":      time.Date(3000, 12, 31, 23, 59, 59, 0, time.UTC),
		"32535216000":      time.Unix(32_535_216, 0).UTC(),
		"1e300":            {},
		"x":                {},
	} {
		e := envelope.Envelope{TS: ts}
		if got := e.Time(); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", ts, got, want)
		}
	}
}

func TestViews(t *testing.T) {
	for _, tt := range []struct {
		typ           envelope.Type
		payload       string
		text, request string
	}{
		{envelope.Task, `"只是一段文字"`, "只是一段文字", "m-1"},
		{envelope.Task, `{"task_id":"t","detail":"汇总"}`, "汇总", "m-1"},
		{envelope.Task, `{"detail":"汇总"}`, "汇总", "m-1"},
		{envelope.Task, `{"detail":"汇总","budget":3}`, `{"detail":"汇总","budget":3}`, "m-1"},
		{envelope.Task, `{"detail":7}`, `{"detail":7}`, "m-1"},
		{envelope.Task, `{}`, `{}`, "m-1"},
		{envelope.Call, `{"name":"x","params":{},"request_id":"r"}`, `{"name":"x","params":{},"request_id":"r"}`, "r"},
		{envelope.Result, `{"request_id":"r","detail":"d"}`, `{"request_id":"r","detail":"d"}`, "r"},
		{envelope.Result, `"done"`, "done", ""},
	} {
		e := message()
		e.Type, e.Payload = tt.typ, json.RawMessage(tt.payload)
		if e.Text() != tt.text || e.RequestID() != tt.request {
			t.Errorf("%s %s: text %q, request %q", tt.typ, tt.payload, e.Text(), e.RequestID())
		}
		if _, ok := e.ToolCall(); ok != (tt.typ == envelope.Call) {
			t.Errorf("%s: ToolCall %v", tt.typ, ok)
		}
	}
}

// TestNamesAreExact: a payload says what stands under the very names of the protocol,
// which is what was checked, and nothing by names that only look alike.
func TestNamesAreExact(t *testing.T) {
	call := `"name":"mail","params":{"to":"a"},"request_id":"r-1"`
	for _, like := range []string{
		`"Name":"wipe"`, `"NAME":"wipe"`, `"Params":{"to":"b"}`, `"param\u017f":{"to":"b"}`, `"Request_ID":"r-2"`, `"reque\u017ft_id":"r-2"`,
	} {
		for _, payload := range []string{"{" + call + "," + like + "}", "{" + like + "," + call + "}"} {
			e, err := envelope.Decode(task(t, map[string]string{"type": `"tool_call"`, "payload": payload}))
			if err != nil {
				t.Fatal(err)
			}
			want := envelope.ToolCall{Name: "mail", Params: []byte(`{"to":"a"}`), RequestID: "r-1"}
			c, _ := e.ToolCall()
			if diff := cmp.Diff(want, c); diff != "" || e.RequestID() != "r-1" {
				t.Errorf("%s: request %q (-want +got):\n%s", payload, e.RequestID(), diff)
			}
		}
	}
}

// TestAnswer: what goes back is an envelope that names its request.
func TestAnswer(t *testing.T) {
	at := time.Unix(1_790_000_007, 0)
	call := message()
	call.Type, call.Payload = envelope.Call, []byte(`{"name":"x","params":{},"request_id":"r-1"}`)
	for _, tt := range []struct {
		of   envelope.Envelope
		o    envelope.Outcome
		want string
	}{
		{message(), envelope.Outcome{Text: "共 3 项 <b>"}, `{"ok":true,"request_id":"m-1","text":"共 3 项 <b>"}`},
		{message(), envelope.Outcome{Text: "no model", Failed: true}, `{"error":"no model","ok":false,"request_id":"m-1"}`},
		{call, envelope.Outcome{}, `{"ok":true,"request_id":"r-1"}`},
	} {
		text, err := envelope.Encode(tt.of.Answer("m-9", at, tt.o))
		if err != nil {
			t.Fatal(err)
		}
		got, err := envelope.Decode(text)
		want := envelope.Envelope{
			MsgID: "m-9", Sender: "executor", Receiver: "planner", Type: envelope.Result, TS: "1790000007", Proto: "1.0",
			Payload: json.RawMessage(tt.want),
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c.Raw))
		for _, s := range c.Sequence {
			f.Add([]byte(s.Raw))
		}
	}
	f.Add(task(f, map[string]string{"metadata": `{"a":{"b":[null,true,1e9]}}`, "x y": `" \u2028\u0000"`}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		first, err := envelope.Decode(raw)
		if err != nil {
			if e, ok := asError(err); !ok || len(e.Remarks) == 0 {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is no JSON, and was taken", raw)
		}
		written, err := envelope.Encode(first)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if strings.ContainsAny(string(written), "\n\r") {
			t.Fatalf("%q is not one line", written)
		}
		second, err := envelope.Decode(written)
		if diff := cmp.Diff(first, second); diff != "" || err != nil {
			t.Fatalf("%q: %v (-first +second):\n%s", raw, err, diff)
		}
		if again, err := envelope.Encode(second); err != nil || string(again) != string(written) {
			t.Fatalf("first  %s\nsecond %s, %v", written, again, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for name, raw := range map[string][]byte{
		"text":    sized(b, envelope.MaxBytes),
		"numbers": task(b, map[string]string{"payload": `{"a":[` + strings.Repeat("12345,", envelope.MaxBytes/6-100) + `1]}`}),
		"names":   names(b),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if f := envelope.Check(raw, envelope.Options{}); f.Verdict != envelope.OK {
					b.Fatal(f.Faults)
				}
			}
		})
	}
}

// names is a call of a mebibyte whose params are one object of many members.
func names(b *testing.B) []byte {
	b.Helper()
	params := map[string]int{}
	for i := range 90_000 {
		params["k"+strconv.Itoa(i)] = i % 10
	}
	text, err := json.Marshal(map[string]any{"name": "x", "request_id": "r", "params": params})
	if err != nil {
		b.Fatal(err)
	}
	return task(b, map[string]string{"type": `"tool_call"`, "payload": string(text)})
}
