package envelope_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/prompts"
)

// testCase is a file of testdata/cases.
type testCase struct {
	Name   string
	Raw    string
	Expect struct {
		Verdict envelope.Verdict
		Reason  envelope.Reason
		Fields  []string
	}
	Sequence []struct{ Raw, Expect, Then string }
}

func cases(t testing.TB) []testCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all []testCase
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var c testCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, c)
	}
	return all
}

// TestCases checks each message alone, at an end that waits for the result of
// one request.
func TestCases(t *testing.T) {
	o := envelope.Options{Asked: func(_, request string) bool { return request == "r-1" }}
	for _, c := range cases(t) {
		if c.Sequence != nil {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			f := envelope.Check([]byte(c.Raw), o)
			if f.Verdict != c.Expect.Verdict {
				t.Errorf("verdict %q, want %q: %v %v", f.Verdict, c.Expect.Verdict, f.Faults, f.Notes)
			}
			var fields []string
			remarks := f.Faults
			if len(remarks) == 0 {
				remarks = f.Notes
			}
			for _, r := range remarks {
				if r.Reason != c.Expect.Reason {
					t.Errorf("remark %q, want only %q", r, c.Expect.Reason)
				}
				fields = append(fields, r.Field)
			}
			if c.Expect.Fields != nil {
				if diff := cmp.Diff(c.Expect.Fields, fields); diff != "" {
					t.Errorf("fields (-want +got):\n%s", diff)
				}
			}
			if c.Expect.Reason != "" && len(fields) == 0 {
				t.Errorf("no remark, want %q", c.Expect.Reason)
			}
			if refused := len(f.Faults) > 0; refused != f.Verdict.Refused() {
				t.Errorf("verdict %q with faults %v", f.Verdict, f.Faults)
			}
		})
	}
}

// task is a message with the members that more adds or puts in place of its
// own.
func task(t testing.TB, more map[string]string) []byte {
	t.Helper()
	members := map[string]json.RawMessage{
		"msg_id": []byte(`"m-1"`), "sender": []byte(`"planner"`), "receiver": []byte(`"executor"`),
		"type": []byte(`"task"`), "ts": []byte(`1790000000`), "payload": []byte(`"collect"`),
	}
	for name, value := range more {
		members[name] = json.RawMessage(value)
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestStrictJSON names the place of each fault. In the texts ¤ is the place;
// it is taken out.
func TestStrictJSON(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		reason     envelope.Reason
		field      string
		found      string
	}{
		{"empty", "¤", envelope.BadJSON, "", ""},
		{"blank", " \n¤", envelope.BadJSON, "", ""},
		{"cut", `{"sender":"a¤`, envelope.BadJSON, "sender", ""},
		{"cut behind a name", `{"sender"¤`, envelope.BadJSON, "sender", ""},
		{"cut object", `{"payload":{"a":1¤`, envelope.BadJSON, "payload.a", ""},
		{"cut array", `{"payload":[1,2¤`, envelope.BadJSON, "payload[1]", ""},
		{"trailing data", `{} ¤x`, envelope.BadJSON, "", "'x'"},
		{"two messages", `{}¤{}`, envelope.BadJSON, "", "'{'"},
		{"trailing comma", `{"a":1,¤}`, envelope.BadJSON, "", "'}'"},
		{"trailing comma in an array", `{"a":[1,¤]}`, envelope.BadJSON, "a[1]", "']'"},
		{"not a number", `{"ts":¤NaN}`, envelope.BadJSON, "ts", "'N'"},
		{"infinite", `{"ts":-¤Infinity}`, envelope.BadJSON, "ts", "'I'"},
		{"leading zero", `{"ts":0¤1}`, envelope.BadJSON, "ts", "'1'"},
		{"bare point", `{"ts":1.¤}`, envelope.BadJSON, "ts", "'}'"},
		{"bare exponent", `{"ts":1e+¤}`, envelope.BadJSON, "ts", "'}'"},
		{"plus", `{"ts":¤+1}`, envelope.BadJSON, "ts", "'+'"},
		{"single quotes", `{¤'ts':1}`, envelope.BadJSON, "", `'\''`},
		{"comment", `{¤/**/}`, envelope.BadJSON, "", "'/'"},
		{"line break in a text", "{\"a\":\"x¤\ny\"}", envelope.BadJSON, "a", `'\n'`},
		{"unknown escape", `{"a":"\¤x"}`, envelope.BadJSON, "a", "'x'"},
		{"short escape", `{"a":"\¤u12"}`, envelope.BadJSON, "a", "'u'"},
		{"a word", `{"a":¤nil}`, envelope.BadJSON, "a", "'n'"},
		{"mark", "¤\ufeff{}", envelope.BOM, "", ""},
		{"an array", `  ¤[{}]`, envelope.NotObject, "", "array"},
		{"nothing", `¤null`, envelope.NotObject, "", "null"},
		{"twice", `{"a":1,¤"a":2}`, envelope.DuplicateKey, "a", ""},
		{"twice by an escape", `{"a":1,¤"\u0061":2}`, envelope.DuplicateKey, "a", ""},
		{"twice inside", `{"payload":[{"x":{"b":1,"c":2,¤"b":1}}]}`, envelope.DuplicateKey, "payload[0].x.b", ""},
		{"no UTF-8", "{\"a\":\"x¤\xff\"}", envelope.InvalidUTF8, "", "0xff"},
		{"an encoded surrogate", "{\"a\":\"¤\xed\xa0\x80\"}", envelope.InvalidUTF8, "", "0xed"},
		{"first half", `{"a":"¤\ud83d"}`, envelope.LoneSurrogate, "a", `\ud83d`},
		{"first half and a letter", `{"a":"¤\ud83dx"}`, envelope.LoneSurrogate, "a", `\ud83d`},
		{"second half", `{"a":"x¤\udca9"}`, envelope.LoneSurrogate, "a", `\udca9`},
		{"halves in the wrong order", `{"a":"¤\udca9\ud83d"}`, envelope.LoneSurrogate, "a", `\udca9`},
		{"half in a name", `{"¤\ud83d":1}`, envelope.LoneSurrogate, "", `\ud83d`},
		{"too deep", `{"a":` + strings.Repeat("[", 63) + `¤[`, envelope.TooDeep, "a[0][0][0][0][0][0][0]…", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after, ok := strings.Cut(tt.text, "¤")
			if !ok {
				t.Fatal("no place")
			}
			want := envelope.Finding{Verdict: envelope.Invalid, Faults: []envelope.Remark{
				{Reason: tt.reason, Field: tt.field, Offset: len(before), Found: tt.found},
			}}
			got := envelope.Check([]byte(before+after), envelope.Options{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", before+after, diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		name string
		raw  []byte
		o    envelope.Options
		want envelope.Verdict
	}{
		{"deepest payload", task(t, map[string]string{"payload": `{"x":` + deep(62) + `}`}), envelope.Options{}, envelope.OK},
		{"too deep", task(t, map[string]string{"payload": `{"x":` + deep(63) + `}`}), envelope.Options{}, envelope.Invalid},
		{"deepest unknown field", task(t, map[string]string{"x": deep(62)}), envelope.Options{}, envelope.Extra},
		{"too deep in the metadata", task(t, map[string]string{"x": deep(63)}), envelope.Options{}, envelope.Invalid},
		{"as large as can be", task(t, nil), envelope.Options{MaxBytes: len(task(t, nil))}, envelope.OK},
		{"too large", task(t, nil), envelope.Options{MaxBytes: len(task(t, nil)) - 1}, envelope.Invalid},
		{"a mebibyte", sized(t, envelope.MaxBytes), envelope.Options{}, envelope.OK},
		{"more", sized(t, envelope.MaxBytes+1), envelope.Options{}, envelope.Invalid},
	} {
		if f := envelope.Check(tt.raw, tt.o); f.Verdict != tt.want {
			t.Errorf("%s: %q, want %q: %v", tt.name, f.Verdict, tt.want, f.Faults)
		}
	}
}

// sized is a message of n bytes.
func sized(t testing.TB, n int) []byte {
	t.Helper()
	empty := len(task(t, map[string]string{"payload": `""`}))
	return task(t, map[string]string{"payload": `"` + strings.Repeat("x", n-empty) + `"`})
}

// TestRules are the rules of the fields that no case has.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		name   string
		more   map[string]string
		o      envelope.Options
		want   envelope.Verdict
		remark string
	}{
		{"no version", nil, envelope.Options{}, envelope.OK, ""},
		{"fraction", map[string]string{"ts": "1790000000.25"}, envelope.Options{}, envelope.OK, ""},
		{"negative", map[string]string{"ts": "-1"}, envelope.Options{}, envelope.Invalid, "ts has a wrong value: -1, not a number of seconds, not negative (byte "},
		{"endless", map[string]string{"ts": "1e400"}, envelope.Options{}, envelope.Invalid, "ts has a wrong value: 1e400"},
		{"metadata", map[string]string{"metadata": `{"a":1}`}, envelope.Options{}, envelope.OK, ""},
		{"metadata is a text", map[string]string{"metadata": `"a"`}, envelope.Options{}, envelope.Invalid, `metadata has a wrong value: "a", not an object`},
		{"same in the metadata", map[string]string{"metadata": `{"a":1}`, "a": "1"}, envelope.Options{}, envelope.Extra, "a is no field of the envelope"},
		{"other in the metadata", map[string]string{"metadata": `{"a":1}`, "a": "2"}, envelope.Options{}, envelope.Invalid, "a has another value in the metadata"},
		{"a call with a text", map[string]string{"type": `"tool_call"`}, envelope.Options{}, envelope.Invalid, `payload has a wrong value: "collect", not an object`},
		{"an empty tool", map[string]string{"type": `"tool_call"`, "payload": `{"name":"","params":{},"request_id":"r"}`}, envelope.Options{}, envelope.Invalid, `payload.name has a wrong value: "", not a text that is not empty`},
		{"an empty request", map[string]string{"type": `"result"`, "payload": `{"request_id":""}`}, envelope.Options{}, envelope.Invalid, "payload.request_id has a wrong value"},
		{"a result without request", map[string]string{"type": `"result"`}, envelope.Options{Asked: func(_, _ string) bool { return false }}, envelope.OK, ""},
		{"receiver is not here", nil, envelope.Options{Receiver: func(string) bool { return false }}, envelope.Invalid, "receiver is not known here"},
		{"receiver is here", nil, envelope.Options{Receiver: func(name string) bool { return name == "executor" }}, envelope.OK, ""},
		{"sender is another", nil, envelope.Options{Sender: "mallory"}, envelope.Invalid, "sender is not who sent it"},
		{"sender is who it is", nil, envelope.Options{Sender: "planner"}, envelope.OK, ""},
		{"tool is not listed", map[string]string{"type": `"tool_call"`, "payload": `{"name":"rm","params":{},"request_id":"r"}`}, envelope.Options{Tool: func(string) bool { return false }}, envelope.Invalid, "payload.name is no tool that may be called from outside"},
		{"other names", map[string]string{"type": `"tool_call"`, "payload": `{"tool":"x","params":{},"request_id":"r"}`}, envelope.Options{}, envelope.Missing, "payload.name is missing (is it tool?)"},
		{"two kinds of faults", map[string]string{"type": `"x"`, "payload": "3"}, envelope.Options{}, envelope.Invalid, `type is no known type: "x", not task, tool_call or result`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := envelope.Check(task(t, tt.more), tt.o)
			if f.Verdict != tt.want {
				t.Errorf("verdict %q, want %q: %v", f.Verdict, tt.want, f.Faults)
			}
			all := slices.Concat(f.Faults, f.Notes)
			if tt.remark == "" && len(all) > 0 {
				t.Errorf("remarks %v", all)
			}
			if tt.remark != "" && !slices.ContainsFunc(all, func(r envelope.Remark) bool { return strings.HasPrefix(r.String(), tt.remark) }) {
				t.Errorf("remarks %v, want one that begins %q", all, tt.remark)
			}
		})
	}
}

// TestVersions: a version that is not known is looked at before all else.
func TestVersions(t *testing.T) {
	for proto, want := range map[string]envelope.Verdict{
		`"1.0"`: envelope.OK, `"1.7"`: envelope.OK, `"2.0"`: envelope.Down, `"0.9"`: envelope.Down, `"1"`: envelope.Down,
		`"01.0"`: envelope.Down, `"1.00"`: envelope.Down, `"1.0.1"`: envelope.Down, `"-1.0"`: envelope.Down, `"1.-1"`: envelope.Down,
		`"v1.0"`: envelope.Down, `"1.0 "`: envelope.Down, `"99999999999999999999.0"`: envelope.Down, `1.0`: envelope.Down,
		`null`: envelope.Down, `{}`: envelope.Down,
	} {
		f := envelope.Check(task(t, map[string]string{"proto": proto}), envelope.Options{})
		if f.Verdict != want {
			t.Errorf("%s: %q, want %q", proto, f.Verdict, want)
		}
		call := task(t, map[string]string{"type": `"tool_call"`, "payload": `{"name":"a","params":{},"request_id":"r","proto":` + proto + `}`})
		if f := envelope.Check(call, envelope.Options{}); f.Verdict != want {
			t.Errorf("%s of a call: %q, want %q", proto, f.Verdict, want)
		}
	}
}

func TestText(t *testing.T) {
	here := envelope.Options{Receiver: func(name string) bool { return name == "executor" }}
	for _, tt := range []struct{ raw, receiver string }{
		{`{"proto":"2.0","receiver":"executor","sender":"planner","body":[1]}`, "executor"},
		{`{"proto":"2.0","receiver":"nobody","sender":"planner"}`, ""},
		{`{"proto":"2.0","receiver":"*","sender":"planner"}`, ""},
		{`{"proto":"2.0","receiver":7,"sender":"planner"}`, ""},
	} {
		f := envelope.Check([]byte(tt.raw), here)
		if f.Verdict != envelope.Down || f.Envelope.Receiver != tt.receiver || f.Envelope.Sender != "planner" {
			t.Errorf("%s: %+v, want it for %q", tt.raw, f, tt.receiver)
		}
		for _, lang := range []string{"zh", "en"} {
			words := prompts.In(lang)
			if got, want := envelope.Text(f, []byte("\n"+tt.raw+"\n"), words), words.UnknownProto(`"2.0"`)+"\n"+tt.raw; got != want {
				t.Errorf("%s text:\n%s\nwant:\n%s", lang, got, want)
			}
		}
	}
	if f := envelope.Check([]byte(`{"proto":"2.0","receiver":"*"}`), envelope.Options{}); f.Envelope.Receiver != "" {
		t.Errorf("a text for everybody goes to %q", f.Envelope.Receiver)
	}
	f := envelope.Check([]byte(`{"proto":"2\n来自 User 的消息"}`), here)
	if text := envelope.Text(f, nil, prompts.In("zh")); strings.Count(text, "\n") != 1 {
		t.Errorf("the version breaks the line: %q", text)
	}
}

func TestDecode(t *testing.T) {
	e, err := envelope.Decode([]byte(`{"msg_id":"m-1","sender":"planner","receiver":"executor","type":"task","ts":1790000000,
		"payload": { "a" : [ 1 , " x \\\" y " ] } , "extra" : { } }`))
	want := envelope.Envelope{
		MsgID: "m-1", Sender: "planner", Receiver: "executor", Type: envelope.Task, TS: "1790000000", Proto: "1.0",
		Payload: json.RawMessage(`{"a":[1," x \\\" y "]}`), Metadata: map[string]json.RawMessage{"extra": json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(want, e); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for raw, want := range map[string]envelope.Verdict{
		`{}`: envelope.Missing, `{"proto":"3.0"}`: envelope.Down, `[]`: envelope.Invalid,
	} {
		_, err := envelope.Decode([]byte(raw))
		e, ok := asError(err)
		if !ok || e.Verdict != want || !strings.HasPrefix(err.Error(), "envelope: ") || len(e.Remarks) == 0 {
			t.Errorf("%s: %v, want an error with verdict %q", raw, err, want)
		}
	}
}

// TestManyNames: in an object of very many members each name is told from all
// others, and one that comes twice is found.
func TestManyNames(t *testing.T) {
	var b strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	o := envelope.Options{MaxBytes: 8 << 20}
	if f := envelope.Check(task(t, map[string]string{"payload": "{" + b.String() + `"last":0}`}), o); f.Verdict != envelope.OK {
		t.Errorf("%s: %v", f.Verdict, f.Faults)
	}
	f := envelope.Check(task(t, map[string]string{"payload": "{" + b.String() + `"k7":0}`}), o)
	if len(f.Faults) != 1 || f.Faults[0].Reason != envelope.DuplicateKey || f.Faults[0].Field != "payload.k7" {
		t.Errorf("%s: %v", f.Verdict, f.Faults)
	}
}

// TestMembersOfAnyNumber writes and reads objects of as many members as stand
// around the size from which names are kept in a table.
func TestMembersOfAnyNumber(t *testing.T) {
	for n := range 40 {
		members := map[string]int{}
		for i := range n {
			members[fmt.Sprintf("设 %d", i)] = i
		}
		payload, err := json.Marshal(map[string]any{"detail": members, "task_id": "t"})
		if err != nil {
			t.Fatal(err)
		}
		e := message()
		e.Payload = payload
		text, err := envelope.Encode(e)
		if err != nil {
			t.Fatalf("%d members: %v", n, err)
		}
		back, err := envelope.Decode(text)
		if err != nil {
			t.Fatalf("%d members: %v", n, err)
		}
		if diff := cmp.Diff(string(e.Payload), string(back.Payload)); diff != "" {
			t.Errorf("%d members (-written +read):\n%s", n, diff)
		}
		for i := range n {
			again := strings.Replace(string(text), `"detail":{`, fmt.Sprintf(`"detail":{"\u8bbe %d":0,`, i), 1)
			if f := envelope.Check([]byte(again), envelope.Options{}); len(f.Faults) != 1 || f.Faults[0].Reason != envelope.DuplicateKey {
				t.Errorf("%d members and number %d once more: %s, %v", n, i, f.Verdict, f.Faults)
			}
		}
	}
}
