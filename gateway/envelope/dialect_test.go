package envelope_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/gateway/envelope"
)

// fill makes the fields that a dialect leaves open.
var fill = envelope.Fill{
	MsgID: func() string { return "m-77" },
	Now:   func() time.Time { return time.Unix(1_790_000_000, 0) },
}

func builtIn(t testing.TB, name string) envelope.Dialect {
	t.Helper()
	all, err := envelope.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(d envelope.Dialect) bool { return d.Name() == name })
	if i < 0 {
		t.Fatalf("no dialect %s", name)
	}
	return all[i]
}

func dialect(t testing.TB, text string) envelope.Dialect {
	t.Helper()
	d, err := envelope.ParseDialect([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// complete has a place for every field of the envelope.
const complete = `
dialect: complete
fields:
  msg_id: id
  sender: head.from
  receiver: head.to
  type: kind
  ts: head.at
  proto: v
  payload: body
  metadata: more
types: {request: task, call: tool_call, answer: result}
`

// TestTwoFrameworks: what one framework says, another understands.
func TestTwoFrameworks(t *testing.T) {
	f := builtIn(t, "to-content").Read([]byte(`{"to": "executor", "content": "拉取Q3数据", "n": 12345678901234567890}`), fill, envelope.Options{})
	want := envelope.Envelope{
		MsgID: "m-77", Sender: "upstream", Receiver: "executor", Type: envelope.Task, TS: "1790000000", Proto: "1.0",
		Payload: json.RawMessage(`"拉取Q3数据"`), Metadata: map[string]json.RawMessage{"n": json.RawMessage(`12345678901234567890`)},
	}
	if diff := cmp.Diff(want, f.Envelope); diff != "" || f.Verdict != envelope.OK {
		t.Fatalf("%s %v (-want +got):\n%s", f.Verdict, f.Faults, diff)
	}
	text, left, err := builtIn(t, "target-task").Write(f.Envelope)
	if got, want := string(text), `{"n":12345678901234567890,"target_agent":"executor","task":"拉取Q3数据"}`; got != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if diff := cmp.Diff([]string{"msg_id", "ts"}, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

// TestRoundTrip: a message of a dialect becomes an envelope and itself again.
func TestRoundTrip(t *testing.T) {
	for name, tt := range map[string]struct {
		d    envelope.Dialect
		raws []string
	}{
		"envelope":    {builtIn(t, envelope.Native), []string{`{"msg_id":"m","sender":"a","receiver":"b","type":"task","ts":1,"proto":"1.0","payload":{"a":1}}`}},
		"to-content":  {builtIn(t, "to-content"), []string{`{"content":"x","to":"b"}`, `{"content":{"detail":"x","task_id":"t"},"sender":"z","to":"b","x":[1,{}]}`}},
		"target-task": {builtIn(t, "target-task"), []string{`{"target_agent":"b","task":"拉取"}`}},
		"complete": {dialect(t, complete), []string{
			`{"body":"x","head":{"at":1.50,"from":"a","to":"b"},"id":"m","kind":"request","v":"1.0"}`,
			`{"body":{"name":"n","params":{},"request_id":"r"},"head":{"at":1,"from":"a","to":"b"},"id":"m","kind":"call","more":{"k":null},"v":"1.3"}`,
		}},
		"nested": {dialect(t, "dialect: nested\nfields: {receiver: data.to, payload.detail: data.text, payload.task_id: id}\ndefaults: {sender: s, type: task}"), []string{
			`{"data":{"text":"x","to":"b"},"id":"t"}`, `{"data":{"other":1,"text":"x","to":"b"},"id":"t"}`,
		}},
	} {
		for _, raw := range tt.raws {
			f := tt.d.Read([]byte(raw), fill, envelope.Options{})
			if f.Verdict.Refused() {
				t.Errorf("%s: %s: %v", name, raw, f.Faults)
				continue
			}
			got, _, err := tt.d.Write(f.Envelope)
			if string(got) != raw || err != nil {
				t.Errorf("%s:\n got %s, %v\nwant %s", name, got, err, raw)
			}
		}
	}
}

// TestEnvelopesRoundTrip: an envelope that goes through a dialect comes back as
// it was, or what did not fit was named.
func TestEnvelopesRoundTrip(t *testing.T) {
	nested := "dialect: nested\nfields: {msg_id: id, sender: head.from, receiver: head.to, type: kind, ts: at, proto: v, payload: body}"
	dialects := []envelope.Dialect{dialect(t, complete), dialect(t, nested), builtIn(t, "to-content"), builtIn(t, envelope.Native)}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z规 ]{1,4}`)
		value := rapid.SampledFrom([]string{`1`, `"x"`, `{"a":1}`, `[]`, `null`})
		e := envelope.Envelope{
			MsgID: word.Draw(t, "id"), Sender: "s" + word.Draw(t, "sender"), Receiver: "r" + word.Draw(t, "receiver"),
			Type: rapid.SampledFrom([]envelope.Type{envelope.Task, envelope.Result}).Draw(t, "type"),
			TS:   "1790000000.5", Proto: rapid.SampledFrom([]string{"1.0", "1.2"}).Draw(t, "proto"),
			Payload: json.RawMessage(rapid.SampledFrom([]string{`"x"`, `{"a":{"b":1}}`}).Draw(t, "payload")),
		}
		for range rapid.IntRange(0, 3).Draw(t, "metadata") {
			if e.Metadata == nil {
				e.Metadata = map[string]json.RawMessage{}
			}
			name := rapid.SampledFrom([]string{"x", "to", "head", "content", "id", "more"}).Draw(t, "name")
			e.Metadata[name] = json.RawMessage(value.Draw(t, "value"))
		}
		d := rapid.SampledFrom(dialects).Draw(t, "dialect")
		text, left, err := d.Write(e)
		if err != nil {
			t.Fatal(err)
		}
		back := d.Read(text, fill, envelope.Options{})
		if back.Verdict.Refused() {
			t.Fatalf("%s: %v", text, back.Faults)
		}
		if diff := cmp.Diff(e, back.Envelope); (diff != "") != (len(left) > 0) {
			t.Fatalf("%s by %s, left out %v (-want +got):\n%s", text, d.Name(), left, diff)
		}
	})
}

// TestReadRefuses: faults are named by the fields of the dialect.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct {
		d      envelope.Dialect
		raw    string
		want   envelope.Verdict
		remark string
	}{
		{builtIn(t, "to-content"), `{"content":"x"}`, envelope.Missing, "to is missing"},
		{builtIn(t, "to-content"), `{"to":"*","content":"x"}`, envelope.Invalid, "to is for everybody, which this version does not have"},
		{builtIn(t, "to-content"), `{"to":"b","content":3}`, envelope.Invalid, "content has a wrong value: 3, not a text or an object"},
		{builtIn(t, "to-content"), `{"to":"b","to":"c","content":"x"}`, envelope.Invalid, "to stands there twice (byte 10)"},
		{builtIn(t, "to-content"), `[]`, envelope.Invalid, "message is no JSON object: array (byte 0)"},
		{dialect(t, complete), `{"body":{"name":7},"head":{"at":1,"from":"a","to":"b"},"id":"m","kind":"call"}`, envelope.Missing, "body.name has a wrong value: number, not a text that is not empty"},
		{dialect(t, complete), `{"body":"x","head":{"at":1,"from":"a","to":"b"},"id":"m","kind":"order"}`, envelope.Invalid, `kind is no known type: "order", not task, tool_call or result`},
		{dialect(t, complete), `{"body":"x","head":{"at":1,"from":"a","to":"b"},"id":"m","kind":"request","v":"2.0"}`, envelope.Down, `v is no known version: "2.0"`},
		{dialect(t, complete), `{"body":"x","head":{"at":1,"from":"a","to":"b"},"id":"m","kind":"request","more":{"q":1},"q":2}`, envelope.Invalid, "q has another value in the metadata"},
		{dialect(t, complete), `{"body":"x","head":{"at":1,"from":"a","to":"b"},"id":"m","kind":"request","more":"text","q":2}`, envelope.Invalid, `more has a wrong value: "text", not an object`},
	} {
		f := tt.d.Read([]byte(tt.raw), fill, envelope.Options{})
		all := slices.Concat(f.Faults, f.Notes)
		if f.Verdict != tt.want || !slices.ContainsFunc(all, func(r envelope.Remark) bool { return r.String() == tt.remark }) {
			t.Errorf("%s: %s %v, want %s with %q", tt.raw, f.Verdict, all, tt.want, tt.remark)
		}
	}
	if f := builtIn(t, "to-content").Read(sized(t, 100), fill, envelope.Options{MaxBytes: 99}); !f.Verdict.Refused() {
		t.Errorf("too large: %s", f.Verdict)
	}
}

// TestWriteRefuses: a dialect that needs a part that is not there.
func TestWriteRefuses(t *testing.T) {
	d := dialect(t, "dialect: d\nfields: {receiver: to, payload.detail: text}\ndefaults: {sender: s, type: task}")
	e := message()
	e.Payload = json.RawMessage(`"x"`)
	if _, _, err := d.Write(e); err == nil || err.Error() != "envelope: payload.detail is missing" {
		t.Errorf("%v", err)
	}
	e.Payload = json.RawMessage(`{"detail":"x","n":1}`)
	text, left, err := d.Write(e)
	if diff := cmp.Diff([]string{"msg_id", "payload.n", "sender", "ts"}, left); diff != "" || err != nil {
		t.Errorf("%s, %v: left out (-want +got):\n%s", text, err, diff)
	}
	e.Proto = "1.2"
	if _, left, _ := d.Write(e); !slices.Contains(left, "proto") {
		t.Errorf("left out %v, without the version", left)
	}
	e.Sender = ""
	if _, _, err := d.Write(e); err == nil {
		t.Error("an envelope without a sender is written")
	}
}

func TestMappingFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `envelope: mapping "": dialect: a name`},
		{"dialect: envelope\nfields: {receiver: to}", `envelope: mapping "envelope": dialect: a name`},
		{"dialect: A b\nfields: {receiver: to}", "dialect: a name"},
		{"dialect: d", "fields: the dialect has none"},
		{"dialect: d\nfield: {receiver: to}", `unknown field "field"`},
		{"dialect: d\nfields: {receiver: to, receiver: b}", "already defined"},
		{"dialect: d\nfields: [a", "envelope: mapping: [2:"},
		{"dialect: d\nfields: {target: to}", "fields: the envelope has no target"},
		{"dialect: d\nfields: {sender.name: to}", "fields: the envelope has no sender.name"},
		{"dialect: d\nfields: {receiver: a., payload: b}", "a name is empty"},
		{"dialect: d\nfields: {payload: a, payload.x: b}", "fields: payload and payload.x overlap"},
		{"dialect: d\nfields: {payload: a, receiver: a.b}", "fields: a and a.b overlap in the dialect"},
		{"dialect: d\nfields: {payload: a, receiver: b}", "sender has neither a field nor a default"},
		{"dialect: d\nfields: {payload: a, receiver: b}\ndefaults: {sender: s, type: order}", "defaults: type: order"},
		{"dialect: d\nfields: {payload: a, receiver: b}\ndefaults: {sender: s, ts: '1'}", "defaults: ts: 1"},
		{"dialect: d\nfields: {payload: a, receiver: b, type: c}\ndefaults: {sender: s}\ntypes: {x: order}", "types: x: order"},
		{"dialect: d\nfields: {payload: a, receiver: b, type: c}\ndefaults: {sender: s}\ntypes: {x: task, y: task}", "types: x and y are both task"},
		{strings.Repeat("#", 70_000), "larger than 64 KiB"},
	} {
		_, err := envelope.ParseDialect([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "envelope: mapping") || strings.Contains(err.Error(), "mapping.") {
			t.Errorf("%.60q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func FuzzDialect(f *testing.F) {
	f.Add([]byte(complete), []byte(`{"id":"m","head":{"to":"b"}}`))
	f.Add([]byte("dialect: d\nfields: {receiver: data.to, payload.detail: data.text}\ndefaults: {sender: s, type: task}"), []byte(`{"data":{"to":"b","text":[],"x":1}}`))
	f.Fuzz(func(t *testing.T, mapping, raw []byte) {
		d, err := envelope.ParseDialect(mapping)
		if err != nil {
			return
		}
		found := d.Read(raw, fill, envelope.Options{})
		if found.Verdict.Refused() || found.Verdict == envelope.Down {
			return
		}
		text, _, err := d.Write(found.Envelope)
		if err != nil {
			t.Skip() // a part that the dialect needs may be filled in only on the way here
		}
		again := d.Read(text, fill, envelope.Options{})
		if diff := cmp.Diff(found.Envelope, again.Envelope); diff != "" {
			t.Fatalf("%s\n%q\n%s (-first +second):\n%s", mapping, raw, text, diff)
		}
	})
}
