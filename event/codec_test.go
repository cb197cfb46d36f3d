package event_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
)

// recordsDir has one record of each type, with every field set.
var recordsDir = filepath.Join("testdata", "records")

// goldenLine returns the line of the golden record of type t.
func goldenLine(tb testing.TB, t event.Type) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(recordsDir, string(t)+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.TrimSuffix(text, []byte("\n"))
}

func decode(tb testing.TB, line []byte) event.Record {
	tb.Helper()
	var rec event.Record
	if err := rec.UnmarshalJSON(line); err != nil {
		tb.Fatalf("decode %s: %v", line, err)
	}
	return rec
}

func encode(tb testing.TB, rec event.Record) []byte {
	tb.Helper()
	line, err := rec.AppendJSON(nil)
	if err != nil {
		tb.Fatalf("encode %+v: %v", rec, err)
	}
	return line
}

func types() []event.Type { return slices.Sorted(slices.Values(event.Types())) }

// The golden records are read and written byte for byte.
func TestGoldenRecords(t *testing.T) {
	for _, typ := range types() {
		t.Run(string(typ), func(t *testing.T) {
			line := goldenLine(t, typ)
			rec := decode(t, line)
			if rec.Type() != typ {
				t.Errorf("type is %q, want %q", rec.Type(), typ)
			}
			if rec.Raw != nil {
				t.Error("a field of the golden record is not known")
			}
			if live := rec.Seq == 0; live != typ.Live() {
				t.Errorf("seq is %d, but Live() = %v", rec.Seq, typ.Live())
			}
			got := encode(t, rec)
			if golden.Updating() {
				if err := os.WriteFile(filepath.Join(recordsDir, string(typ)+".json"), append(got, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(line), string(got)); diff != "" {
				t.Errorf("read and written (-want +got):\n%s", diff)
			}
			marshaled, err := json.Marshal(decode(t, got))
			if err != nil {
				t.Fatal(err)
			}
			var viaStd event.Record
			if err := json.Unmarshal(marshaled, &viaStd); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rec, viaStd); diff != "" {
				t.Errorf("through encoding/json (-want +got):\n%s", diff)
			}
		})
	}
}

// A new field must be put into the golden record of its type.
func TestGoldenRecordsAreComplete(t *testing.T) {
	for _, typ := range types() {
		checkSet(t, string(typ), reflect.ValueOf(decode(t, goldenLine(t, typ)).Data))
	}
	files, err := os.ReadDir(recordsDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, _ := strings.CutSuffix(f.Name(), ".json")
		if !slices.Contains(event.Types(), event.Type(name)) {
			t.Errorf("%s is no record type", f.Name())
		}
	}
}

// checkSet fails for every field under v that is zero.
func checkSet(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	if v.IsZero() {
		t.Errorf("%s is not set", path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		checkSet(t, path, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			checkSet(t, path, v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			checkSet(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
}

// What a newer version wrote goes through this one byte for byte.
func TestUnknownIsKept(t *testing.T) {
	tests := []struct{ name, line string }{
		{"type", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"agent.promoted","agent":"uio_1","data":{"to":"lead","rank":[1,2.50]}}`},
		{"type and field", `{"v":2,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"agent.promoted","data":{},"host":"a"}`},
		{"field of the envelope", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","host":"a","data":{"code":"c","text":"t"}}`},
		{"last field of the envelope", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"code":"c","text":"t"},"host":{"name":"a"}}`},
		{"field of the data", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"code":"c","text":"t","level":1e3}}`},
		{"nested field", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"model.replied","data":{"step":1,"finish":"stop","usage":{"input":1,"output":2,"audio":3},"duration_ms":1}}`},
		{"field in a list", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"model.replied","data":{"step":1,"calls":[{"id":"a","name":"b","arguments":"{}","index":0}],"finish":"stop","usage":{"input":1,"output":2},"duration_ms":1}}`},
		{"escapes", `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"code":"c","text":"t","more":"\u003c\/\u4e16"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := decode(t, []byte(tt.line))
			got := encode(t, rec)
			if string(got) != tt.line {
				t.Errorf("read and written:\n got %s\nwant %s", got, tt.line)
			}
			if diff := cmp.Diff(rec, decode(t, got)); diff != "" {
				t.Errorf("read again (-first +second):\n%s", diff)
			}
		})
	}
}

// Known fields are there, whatever stands beside them.
func TestKnownFieldsBesideUnknownOnes(t *testing.T) {
	rec := decode(t, []byte(`{"new":1,"v":1,"seq":3,"ts":"2026-03-01T20:00:00+08:00","type":"warning","agent":"tl","turn":2,"data":{"new":[{}],"code":"c","text":"t"}}`))
	rec.Raw = nil
	want := event.Record{
		V: 1, Seq: 3, Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Agent: "tl", Turn: 2,
		Data: event.Warning{Code: "c", Text: "t"},
	}
	if diff := cmp.Diff(want, rec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A record spread over lines, as people edit them, is one line when written.
func TestWrittenOnOneLine(t *testing.T) {
	for _, text := range []string{
		"{\n \"v\": 1, \"seq\": 3, \"ts\": \"2026-03-01T12:00:00Z\",\n \"type\": \"warning\",\n \"data\": {\n  \"code\": \"c\"\n }\n}\n",
		"{\n \"v\": 1, \"seq\": 3, \"ts\": \"2026-03-01T12:00:00Z\",\n \"type\": \"warning\",\n \"data\": {\n  \"new\": 1\n }\n}\n",
		"{\n \"v\": 1, \"seq\": 3, \"ts\": \"2026-03-01T12:00:00Z\",\n \"type\": \"x.y\",\n \"data\": {\n  \"new\": 1\n }\n}\n",
	} {
		rec := decode(t, []byte(text))
		line := encode(t, rec)
		if bytes.ContainsAny(line, "\r\n") {
			t.Errorf("%q has a line break", line)
		}
		if diff := cmp.Diff(rec, decode(t, line)); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	}
}

// The quick way of reading own lines and the general way agree. A space after
// the brace makes a line one that the quick way leaves to the other.
func TestBothWaysOfReadingAgree(t *testing.T) {
	for _, typ := range types() {
		line := goldenLine(t, typ)
		slow := append([]byte("{ "), line[1:]...)
		if diff := cmp.Diff(decode(t, slow), decode(t, line)); diff != "" {
			t.Errorf("%s (-general +quick):\n%s", typ, diff)
		}
	}
}

// A record shares no memory with the line that it was read from.
func TestDecodedRecordOwnsItsMemory(t *testing.T) {
	lines := [][]byte{
		[]byte(`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"x.y","data":{"a":"b"}}`),
		[]byte(`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"a":"b"}}`),
	}
	for _, typ := range types() {
		lines = append(lines, goldenLine(t, typ))
	}
	for _, line := range lines {
		want := string(line)
		rec := decode(t, line)
		for i := range line {
			line[i] = '#'
		}
		if got := string(encode(t, rec)); got != want {
			t.Errorf("changed with its line:\n got %s\nwant %s", got, want)
		}
	}
}

func TestTextIsNotEscapedForHTML(t *testing.T) {
	rec := event.Record{V: 1, Seq: 1, Agent: "<&>", Data: event.Warning{Code: "c", Text: "a < b && b > c"}}
	want := `{"v":1,"seq":1,"ts":"0001-01-01T00:00:00Z","type":"warning","agent":"<&>","data":{"code":"c","text":"a < b && b > c"}}`
	if got := string(encode(t, rec)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOddTextGoesThrough(t *testing.T) {
	for _, text := range []string{
		"", "\x00\x01\x1f\x7f", "\u2028\u2029", "\"\\/\b\f\n\r\t", "𝄞 世界 👩‍👩‍👧", "\ufeff\ufffd", strings.Repeat("x", 1<<20),
	} {
		rec := event.Record{V: 1, Seq: 1, Agent: text, Data: event.Warning{Text: text}}
		if diff := cmp.Diff(rec, decode(t, encode(t, rec))); diff != "" {
			t.Errorf("%.20q (-want +got):\n%s", text, diff)
		}
	}
}

// AppendJSON appends, and leaves what was there.
func TestAppendJSONAppends(t *testing.T) {
	rec := decode(t, goldenLine(t, event.TypeWarning))
	got, err := rec.AppendJSON([]byte("before "))
	if err != nil {
		t.Fatal(err)
	}
	if want := "before " + string(goldenLine(t, event.TypeWarning)); string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	const ok = `{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"code":"c","text":"t"}}`
	decode(t, []byte(ok))
	tests := []struct{ name, old, new, want string }{
		{"empty", ok, ``, "event: record: unexpected end of JSON input"},
		{"no JSON", ok, `hello`, "invalid character 'h'"},
		{"list", ok, `[]`, "event: record: found array, wanted an object"},
		{"cut", `"}}`, ``, "unexpected end of JSON input"},
		{"two records", ok, ok + ok, "invalid character '{' after top-level value"},
		{"trailing garbage", ok, ok + "x", "invalid character 'x' after top-level value"},
		{"no type", `"type":"warning",`, ``, "without a type"},
		{"empty type", `"type":"warning"`, `"type":""`, "without a type"},
		{"type is no string", `"type":"warning"`, `"type":7`, "event: record: type: number is no value for it"},
		{"no version", `"v":1,`, ``, "without a version"},
		{"version 0", `"v":1`, `"v":0`, "without a version"},
		{"negative seq", `"seq":3`, `"seq":-3`, "has seq -3; it counts from 1"},
		{"fractional seq", `"seq":3`, `"seq":3.5`, "seq: number 3.5"},
		{"leading zero", `"seq":3`, `"seq":03`, "invalid character '3'"},
		{"no number", `"seq":3`, `"seq":`, "invalid character ','"},
		{"huge seq", `"seq":3`, `"seq":99999999999999999999`, "seq: number 99999999999999999999"},
		{"no time", `2026-03-01T12:00:00Z`, `yesterday`, `parsing time "yesterday"`},
		{"year", `2026-03-01T12:00:00Z`, `0000-01-01T00:00:00+01:00`, "the year -1 is outside 0 to 9999"},
		{"no data", `,"data":{"code":"c","text":"t"}`, ``, "record 3 of type warning: field data is no object"},
		{"null data", `{"code":"c","text":"t"}`, `null`, "field data is no object"},
		{"data is a list", `{"code":"c","text":"t"}`, `[]`, "field data is no object"},
		{"wrong field", `"text":"t"`, `"text":7`, "record 3 of type warning: text: number is no value for it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line := strings.Replace(ok, tt.old, tt.new, 1)
			var rec event.Record
			err := rec.UnmarshalJSON([]byte(line))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("decode %s: error %v, want one with %q", line, err, tt.want)
			}
			if !strings.HasPrefix(err.Error(), "event: ") || strings.Contains(err.Error(), "Go ") {
				t.Errorf("error %q does not begin with the package, or names Go types", err)
			}
			if !reflect.ValueOf(rec).IsZero() {
				t.Errorf("the record was changed: %+v", rec)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		name string
		rec  event.Record
		want string
	}{
		{"no data", event.Record{}, "record without data"},
		{"unknown without name", event.Record{Data: event.Unknown{JSON: []byte("{}")}}, "record without data"},
		{"unknown without JSON", event.Record{Data: event.Unknown{Name: "x.y"}}, "unexpected end of JSON"},
		{"unknown with bad JSON", event.Record{Data: event.Unknown{Name: "x.y", JSON: []byte("{} {}")}}, "invalid character"},
		{"unknown that is no object", event.Record{Data: event.Unknown{Name: "x.y", JSON: []byte(" 1")}}, "field data is no object"},
		{"unknown that is known", event.Record{Data: event.Unknown{Name: "warning", JSON: []byte("{}")}}, "the type is known"},
		{"not a number", event.Record{Data: event.LimitWarned{Used: math.NaN()}}, "unsupported value: NaN"},
		{"bad raw value", event.Record{Data: event.RunStarted{Team: []byte("{")}}, "unexpected end of JSON"},
		{"year", event.Record{Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), Data: event.Warning{}}, "the year 10000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.rec.AppendJSON([]byte("before"))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("AppendJSON = %s, %v; want an error with %q", got, err, tt.want)
			}
			if string(got) != "before" {
				t.Errorf("AppendJSON returned %q beside the error, want what it got", got)
			}
		})
	}
}

func TestLiveTypes(t *testing.T) {
	want := []event.Type{event.TypeModelDelta, event.TypeModelThinking, event.TypeToolOutput}
	got := slices.DeleteFunc(types(), func(typ event.Type) bool { return !typ.Live() })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("live types (-want +got):\n%s", diff)
	}
}
