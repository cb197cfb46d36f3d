package event_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
)

// What can be decoded can be encoded, and is the same record again when it is
// decoded; the second line is the same as the first.
func FuzzRecord(f *testing.F) {
	for _, typ := range types() {
		f.Add(goldenLine(f, typ))
	}
	for _, seed := range []string{
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"x.y","data":{"a":[1,{"b":null}]}}`,
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"a":1}}`,
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"CODE":"c"},"data":{"text":"t"}}`,
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00+08:00","type":"question.opened","data":{"deadline":"2026-03-01T12:00:00.5-07:00"}}`,
		`{"v":1,"seq":3,"ts":"0000-01-01T00:00:00+01:00","type":"warning","data":{}}`,
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"agent.created","data":{"tools":[]}}`,
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"run.started","data":{"team":null,"fork":{}}}`,
		`{"v":1,"seq":3,"ts":"2026-03-01T12:00:00Z","type":"run.finished","data":{"cost":{"amount":1e-300}}}`,
		"{\"v\":1,\"seq\":3,\"ts\":\"2026-03-01T12:00:00Z\",\"type\":\"warning\",\"data\":{\"text\":\"\xff\\ud800\"}}",
		"{\"v\":1,\"seq\":3,\"ts\":\"2026-03-01T12:00:00Z\",\"type\":\"\xff\",\"data\":{}}",
		`null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var first event.Record
		if first.UnmarshalJSON(line) != nil {
			return
		}
		written := encode(t, first)
		second := decode(t, written)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%q (-first +second):\n%s", line, diff)
		}
		if again := encode(t, second); string(again) != string(written) {
			t.Errorf("%q\nfirst  %s\nsecond %s", line, written, again)
		}
	})
}
