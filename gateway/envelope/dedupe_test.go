package envelope_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/transcript"
)

// door is an end that takes calls, as one that serves does it: one lock over
// the decision and the record that follows from it.
type door struct {
	log    *transcript.Log
	effect envelope.Effect
	run    func(context.Context, envelope.ToolCall) envelope.Outcome

	mu    sync.Mutex // guards table and ended
	table *envelope.Deduper
	ended chan struct{} // closed and replaced when a call ends
}

func newDoor(t *testing.T, table *envelope.Deduper) *door {
	t.Helper()
	log := transcript.NewMemory(transcript.Options{})
	t.Cleanup(func() { _ = log.Close() })
	return &door{log: log, table: table, ended: make(chan struct{})}
}

func (d *door) append(t *testing.T, data event.Data) {
	t.Helper()
	rec, err := d.log.Append(event.Runtime, 0, data)
	if err != nil {
		t.Error(err)
	}
	d.table.Apply(rec)
}

// call answers one message.
func (d *door) call(t *testing.T, e envelope.Envelope) (envelope.Action, string) {
	t.Helper()
	c, ok := e.ToolCall()
	if !ok {
		t.Fatalf("no call: %+v", e)
	}
	for {
		d.mu.Lock()
		decision, ended := d.table.Decide(e.Sender, c, d.effect), d.ended
		if decision.Action == envelope.Run {
			d.append(t, decision.Started())
		}
		d.mu.Unlock()
		switch decision.Action {
		case envelope.Wait:
			<-ended
		case envelope.Run:
			began := time.Now()
			o := d.run(t.Context(), c)
			d.mu.Lock()
			d.append(t, decision.Finished(o, time.Since(began)))
			close(d.ended)
			d.ended = make(chan struct{})
			d.mu.Unlock()
			return envelope.Run, o.Text
		default:
			return decision.Action, decision.Result.Result
		}
	}
}

// TestSequences are the cases in which a call comes twice.
func TestSequences(t *testing.T) {
	n := 0
	for _, c := range cases(t) {
		if c.Sequence == nil {
			continue
		}
		n++
		for _, effect := range []envelope.Effect{envelope.Once, envelope.Idempotent, envelope.Pure} {
			t.Run(fmt.Sprintf("%s %q", c.Name, effect), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { sequence(t, c, effect) })
			})
		}
	}
	if n != 4 {
		t.Errorf("%d sequences", n)
	}
}

func sequence(t *testing.T, c testCase, effect envelope.Effect) {
	t.Helper()
	d := newDoor(t, envelope.NewDeduper(0, time.Now))
	d.effect = effect
	fails := strings.Contains(c.Sequence[0].Then, "fails")
	runs := 0
	d.run = func(context.Context, envelope.ToolCall) envelope.Outcome {
		runs++
		time.Sleep(time.Minute)
		return envelope.Outcome{Text: "result " + string(rune('A'+runs-1)), Failed: fails}
	}
	var messages []envelope.Envelope
	for _, s := range c.Sequence {
		e, err := envelope.Decode([]byte(s.Raw))
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, e)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if action, text := d.call(t, messages[0]); action != envelope.Run || text != "result A" {
			t.Errorf("first: %s %q", action, text)
		}
	})
	synctest.Wait()
	if !strings.Contains(c.Sequence[0].Then, "slow") {
		wg.Wait()
	}
	want, wantText, wantRuns := envelope.Return, "result A", 1
	switch {
	case c.Sequence[1].Expect == "reject":
		want, wantText = envelope.Refuse, ""
	case fails && effect == envelope.Pure:
		want, wantText, wantRuns = envelope.Run, "result B", 2
	}
	action, text := d.call(t, messages[1])
	wg.Wait()
	if action != want || text != wantText || runs != wantRuns {
		t.Errorf("second: %s %q after %d runs, want %s %q after %d", action, text, runs, want, wantText, wantRuns)
	}
}

// TestManyCopies: of any number of copies at once, one runs, and all get its
// result.
func TestManyCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, envelope.NewDeduper(0, time.Now))
		runs := 0
		d.run = func(context.Context, envelope.ToolCall) envelope.Outcome {
			runs++
			time.Sleep(time.Second)
			return envelope.Outcome{Text: "done"}
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, text := d.call(t, toolCall("r", `{}`)); text != "done" {
					t.Errorf("result %q", text)
				}
			})
		}
		wg.Wait()
		if runs != 1 {
			t.Errorf("%d runs", runs)
		}
	})
}

// toolCall is a call from planner.
func toolCall(request, params string) envelope.Envelope {
	return envelope.Envelope{Sender: "planner", Type: envelope.Call, Payload: []byte(
		fmt.Sprintf(`{"name":"mail","params":%s,"request_id":%q}`, params, request))}
}

// TestDecide: what tells two requests apart.
func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		name, sender, request, tool, params string
		want                                envelope.Action
	}{
		{"the same", "planner", "r/1", "mail", `{"to":"a","n":[1,2]}`, envelope.Return},
		{"in another order, with spaces and escapes", "planner", "r/1", "mail", `{ "n":[1, 2], "to":"\u0061" }`, envelope.Return},
		{"other params", "planner", "r/1", "mail", `{"to":"b","n":[1,2]}`, envelope.Refuse},
		{"a list in another order", "planner", "r/1", "mail", `{"to":"a","n":[2,1]}`, envelope.Refuse},
		{"a large number that is near", "planner", "r/1", "mail", `{"to":"a","n":[1,2.0]}`, envelope.Refuse},
		{"another tool", "planner", "r/1", "post", `{"to":"a","n":[1,2]}`, envelope.Refuse},
		{"another sender", "writer", "r/1", "mail", `{"to":"a","n":[1,2]}`, envelope.Run},
		{"another request", "planner", "r/2", "mail", `{"to":"a","n":[1,2]}`, envelope.Run},
		{"a sender that ends with the request", "planner/r", "1", "mail", `{"to":"a","n":[1,2]}`, envelope.Run},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDoor(t, envelope.NewDeduper(0, nil))
			d.run = func(context.Context, envelope.ToolCall) envelope.Outcome { return envelope.Outcome{} }
			d.call(t, toolCall("r/1", `{"to":"a","n":[1,2]}`))
			c := envelope.ToolCall{Name: tt.tool, Params: []byte(tt.params), RequestID: tt.request}
			if got := d.table.Decide(tt.sender, c, envelope.Once).Action; got != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
			}
		})
	}
}

// TestTTL: a result is kept for its time after the end of the call, and a call
// that runs is never forgotten.
func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, envelope.NewDeduper(time.Minute, time.Now))
		c := envelope.ToolCall{Name: "mail", Params: []byte(`{}`), RequestID: "r"}
		first := d.table.Decide("planner", c, envelope.Once)
		d.append(t, first.Started())
		look := func(wait time.Duration, want envelope.Action) {
			t.Helper()
			time.Sleep(wait)
			if got := d.table.Decide("planner", c, envelope.Once).Action; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		look(time.Hour, envelope.Wait)
		d.append(t, first.Finished(envelope.Outcome{Text: "done"}, time.Hour))
		look(time.Minute-1, envelope.Return)
		look(1, envelope.Run)
		second := d.table.Decide("planner", c, envelope.Once)
		if second.CallID == first.CallID || second.RequestID != first.RequestID {
			t.Errorf("calls %s and %s, requests %s and %s", first.CallID, second.CallID, first.RequestID, second.RequestID)
		}
		if got := envelope.NewDeduper(0, time.Now).Decide("planner", c, envelope.Once); got.CallID != "planner/r#1" || got.RequestID != "planner/r" {
			t.Errorf("first call is %+v", got)
		}
	})
}

// TestOldResults: a log of years leaves no more in memory than what is kept.
func TestOldResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, envelope.NewDeduper(time.Minute, time.Now))
		d.run = func(context.Context, envelope.ToolCall) envelope.Outcome { return envelope.Outcome{} }
		for i := range 100 {
			d.call(t, toolCall(fmt.Sprint("r-", i), `{}`))
			time.Sleep(10 * time.Second)
		}
		after := envelope.NewDeduper(time.Minute, time.Now)
		for rec, err := range d.log.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			after.Apply(rec)
		}
		if n := envelope.Kept(after); n != 5 {
			t.Errorf("%d requests are kept", n)
		}
	})
}

// TestTTLOfARetry: that a failure is forgotten does not make the retry that
// runs forgotten.
func TestTTLOfARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, envelope.NewDeduper(time.Minute, time.Now))
		c := envelope.ToolCall{Name: "search", Params: []byte(`{}`), RequestID: "r"}
		first := d.table.Decide("planner", c, envelope.Pure)
		d.append(t, first.Started())
		d.append(t, first.Finished(envelope.Outcome{Text: "no network", Failed: true}, 0))
		d.append(t, d.table.Decide("planner", c, envelope.Pure).Started())
		time.Sleep(time.Hour)
		if got := d.table.Decide("planner", c, envelope.Pure).Action; got != envelope.Wait {
			t.Errorf("%s, want %s", got, envelope.Wait)
		}
	})
}

// TestAfterACrash: the table made from the log is the one that was lost. A call
// that was cut off runs again when that can do no harm; of another nobody knows.
func TestAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := newDoor(t, envelope.NewDeduper(0, time.Now))
		before.run = func(context.Context, envelope.ToolCall) envelope.Outcome { return envelope.Outcome{Text: "done"} }
		before.call(t, toolCall("r-1", `{}`))
		cut := envelope.ToolCall{Name: "mail", Params: []byte(`{}`), RequestID: "r-2"}
		before.append(t, before.table.Decide("planner", cut, envelope.Once).Started())
		before.run = func(context.Context, envelope.ToolCall) envelope.Outcome {
			return envelope.Outcome{Text: "no paper", Failed: true}
		}
		before.call(t, toolCall("r-3", `{}`))
		failed := envelope.ToolCall{Name: "mail", Params: []byte(`{}`), RequestID: "r-3"}

		after := newDoor(t, envelope.NewDeduper(0, time.Now))
		for rec, err := range before.log.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			after.table.Apply(rec)
		}
		after.append(t, event.RunResumed{})
		open := after.table.Open()
		if len(open) != 1 || open[0].CallID != "planner/r-2#2" {
			t.Fatalf("open calls %+v", open)
		}
		for _, c := range open {
			after.append(t, event.ToolFinished{CallID: c.CallID, Name: c.Name, Result: "unknown outcome", IsError: true})
		}
		if action, text := after.call(t, toolCall("r-1", `{}`)); action != envelope.Return || text != "done" {
			t.Errorf("ended call: %s %q", action, text)
		}
		for _, tt := range []struct {
			call   envelope.ToolCall
			effect envelope.Effect
			want   envelope.Action
			again  bool
			result string
		}{
			{cut, envelope.Once, envelope.Return, false, "unknown outcome"},
			{cut, envelope.Idempotent, envelope.Run, true, ""},
			{cut, envelope.Pure, envelope.Run, true, ""},
			{failed, envelope.Once, envelope.Return, false, "no paper"},
			{failed, envelope.Idempotent, envelope.Return, false, "no paper"},
			{failed, envelope.Pure, envelope.Run, false, ""},
		} {
			got := after.table.Decide("planner", tt.call, tt.effect)
			if got.Action != tt.want || got.Again != tt.again || got.Result.Result != tt.result || got.RequestID != "planner/"+tt.call.RequestID {
				t.Errorf("%s %q: %+v, want %s, again %v", tt.call.RequestID, tt.effect, got, tt.want, tt.again)
			}
		}
		if len(after.table.Open()) != 0 {
			t.Error("calls are open")
		}
	})
}

// TestOthersRecords: the calls of agents are none of ours.
func TestOthersRecords(t *testing.T) {
	d := envelope.NewDeduper(0, time.Now)
	d.Apply(event.Record{Agent: "uio_1", Data: event.ToolStarted{CallID: "c", Name: "mail", RequestID: "uio_1/c", Arguments: "{}"}})
	d.Apply(event.Record{Agent: event.Runtime, Data: event.ToolStarted{CallID: "c", Name: "mail", RequestID: "c", Arguments: "{}"}})
	d.Apply(event.Record{Agent: event.Runtime, Data: event.ToolFinished{CallID: "x"}})
	d.Apply(event.Record{Agent: event.Runtime, Data: event.Warning{}})
	if open := d.Open(); len(open) != 0 {
		t.Errorf("open calls %+v", open)
	}
}

// TestLogID: both ids come back, whatever is in them, also from the id of a
// call.
func TestLogID(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("a/#%25F规 ")
	word := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	for range 10_000 {
		sender, request := word(), word()
		id := envelope.LogID(sender, request)
		for _, id := range []string{id, id + "#7"} {
			s, r, ok := envelope.ParseLogID(id)
			if diff := cmp.Diff([]string{sender, request}, []string{s, r}); diff != "" || !ok {
				t.Fatalf("%s: %v (-want +got):\n%s", id, ok, diff)
			}
		}
	}
	for _, id := range []string{"", "call_1", "a/b/c"} {
		if _, _, ok := envelope.ParseLogID(id); ok {
			t.Errorf("%q is taken for the id of a request", id)
		}
	}
}

// TestStream: messages that come again, and ids that are used twice.
func TestStream(t *testing.T) {
	call := func(msg, request, params string) string {
		return fmt.Sprintf(`{"msg_id":%q,"sender":"planner","receiver":"executor","type":"tool_call","ts":1,"payload":{"name":"x","params":%s,"request_id":%q}}`, msg, params, request)
	}
	s := envelope.NewStream(envelope.Options{})
	for i, step := range []struct {
		raw   string
		want  envelope.Verdict
		field string
	}{
		{call("m-1", "r-1", `{"a":1,"b":2}`), envelope.OK, ""},
		{call("m-1", "r-1", `{"b":2,"a":1}`), envelope.Repeat, "payload.request_id"},
		{call("m-2", "r-1", `{"a":1,"b":2}`), envelope.Repeat, "payload.request_id"},
		{call("m-3", "r-1", `{"a":2,"b":2}`), envelope.Invalid, "payload.request_id"},
		{call("m-1", "r-2", `{}`), envelope.Invalid, "msg_id"},
		{string(task(t, map[string]string{"msg_id": `"m-9"`})), envelope.OK, ""},
		{string(task(t, map[string]string{"msg_id": `"m-9"`, "ts": "1790000009"})), envelope.Repeat, "msg_id"},
		{string(task(t, map[string]string{"msg_id": `"m-9"`, "sender": `"writer"`})), envelope.OK, ""},
		{string(task(t, map[string]string{"msg_id": `"m-9"`, "payload": `"something else"`})), envelope.Invalid, "msg_id"},
		{`{}`, envelope.Missing, "msg_id"},
		{`{"proto":"2.0"}`, envelope.Down, "proto"},
		{`{"proto":"2.0"}`, envelope.Down, "proto"},
	} {
		f := s.Check([]byte(step.raw))
		all := slices.Concat(f.Faults, f.Notes)
		if f.Verdict != step.want || len(all) > 0 != (step.field != "") || len(all) > 1 && f.Verdict == envelope.Repeat || len(all) > 0 && all[0].Field != step.field {
			t.Errorf("message %d: %s %v, want %s about %q", i+1, f.Verdict, all, step.want, step.field)
		}
	}
}

// TestWalk: the order in which to look, whatever was found.
func TestWalk(t *testing.T) {
	steps := func(raw string) (text []string) {
		for _, l := range envelope.Walk(envelope.Check([]byte(raw), envelope.Options{})) {
			word := string(l.Step)
			if !l.Reached {
				word += " -"
			}
			for _, r := range l.Remarks {
				word += " " + string(r.Reason)
			}
			text = append(text, word)
		}
		return text
	}
	for raw, want := range map[string][]string{
		string(task(t, nil)): {"names", "extra", "version", "repeat"},
		string(task(t, map[string]string{"x": "1", "proto": `"1.1"`, "ts": "-1"})): {"names bad_field", "extra extra_field", "version minor_version", "repeat"},
		`{"proto":"2.0"}`: {"names -", "extra -", "version unknown_proto", "repeat -"},
		string(task(t, map[string]string{"x": strings.Repeat("[", 63) + strings.Repeat("]", 63), "ts": "-1"})): {
			"message too_deep", "names bad_field", "extra -", "version -", "repeat -",
		},
		`[]`: {"message not_object", "names -", "extra -", "version -", "repeat -"},
	} {
		if diff := cmp.Diff(want, steps(raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

// TestParamsAreNotKept: calls of large params take no more memory than others while
// their results are kept.
func TestParamsAreNotKept(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	d := envelope.NewDeduper(time.Hour, nil)
	for i := range 200 {
		id := envelope.LogID("planner", fmt.Sprint(i))
		params := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 100<<10))
		d.Apply(event.Record{Agent: event.Runtime, Data: event.ToolStarted{CallID: id + "#1", Name: "mail", RequestID: id, Arguments: params}})
	}
	if kept := heap() - before; kept > 2<<20 {
		t.Errorf("200 calls keep %d bytes", kept)
	}
	if n := len(d.Open()); n != 200 {
		t.Errorf("%d calls are open", n)
	}
}
