package client_test

import (
	"bufio"
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/internal/golden"
)

// readLog reads a log.
func readLog(tb testing.TB, name string) (list []event.Record) {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var rec event.Record
		if err := rec.UnmarshalJSON(lines.Bytes()); err != nil {
			tb.Fatal(err)
		}
		list = append(list, rec)
	}
	return list
}

// take folds records and returns the messages.
func take(tb testing.TB, f *client.Fold, records []event.Record) (list []client.Message) {
	tb.Helper()
	for _, rec := range records {
		messages, count, err := f.Take(rec)
		if err != nil {
			tb.Fatal(err)
		}
		if int64(len(messages)) != count {
			tb.Errorf("%s makes %d messages, and %d were promised", rec.Type(), len(messages), count)
		}
		list = append(list, messages...)
	}
	return list
}

func lines(tb testing.TB, messages []client.Message) []byte {
	tb.Helper()
	var b bytes.Buffer
	for _, m := range messages {
		text, err := m.Encode()
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// One log with every type of record makes exactly these messages.
func TestRecordsMakeMessages(t *testing.T) {
	var f client.Fold
	got := take(t, &f, readLog(t, "../../event/testdata/logs/v1.jsonl"))
	golden.Equal(t, "testdata/records.jsonl", lines(t, got))
	for i, m := range got {
		if m.Seq != int64(i)+1 {
			t.Errorf("message %d has the number %d", i+1, m.Seq)
		}
	}
}

// Prompts are answered with the end of the turn that they went into, once, and
// not with an end that is none.
func TestPromptsAreAnsweredOnce(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	prompt := func(request string) event.Data {
		return event.MessageSent{ID: "msg_user_001", Kind: event.Note, From: event.Person, To: event.Leader, RequestID: request}
	}
	records := []event.Record{}
	for _, d := range []event.Data{
		event.RunStarted{TraceID: "0af7651916cd43dd8448eb211c80319c"},
		prompt("client/a"), prompt("other/x"), prompt("client-steer/s"),
		event.RunSuspended{Cause: event.SuspendQuestion},
		event.RunSuspended{Cause: event.SuspendInterrupt, By: "the server stopped"},
		event.RunSuspended{Cause: event.SuspendInterrupt},
		prompt("client/b"),
		event.RunFinished{Answer: "both"},
		prompt("client/c"),
		event.RunSuspended{Cause: event.SuspendInterrupt, By: event.PersonName},
		prompt("client/d"),
		event.RunFailed{Failure: event.Failure{Code: "auth", Who: "client", Message: "no key"}},
		event.RunFinished{},
	} {
		records = append(records, event.Record{V: 1, Seq: int64(len(records)) + 1, Time: at, Data: d})
	}
	var f client.Fold
	var got []string
	for _, m := range take(t, &f, records) {
		r, ok := m.Body.(client.Response)
		if !ok {
			continue
		}
		what := string(r.Result)
		if r.Error != nil {
			what = r.Error.Error()
		}
		for _, p := range m.Content {
			what += " " + p.Text
		}
		got = append(got, m.ReplyTo+": "+what)
	}
	want := []string{
		`a: {"status":"finished"} both`, `b: {"status":"finished"} both`,
		`c: {"status":"cancelled"}`, `d: gateway: 400: no key`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("answers:\n%q\nwant\n%q", got, want)
	}
}

// A call is open from where it is handed over to its result, by agent and id.
func TestOpenCalls(t *testing.T) {
	var f client.Fold
	for i, tt := range []struct {
		agent string
		data  event.Data
		open  int
	}{
		{"tl", event.ToolHanded{CallID: "1"}, 1},
		{"tl", event.ToolHanded{CallID: "2"}, 2},
		{"uio_1", event.ToolHanded{CallID: "1"}, 3},
		{"tl", event.ToolReturned{CallID: "2"}, 2},
		{"uio_1", event.ToolFinished{CallID: "1"}, 1},
		{"tl", event.ToolFinished{CallID: "2"}, 1},
		{"tl", event.ToolHanded{CallID: "1"}, 1},
		{"tl", event.ToolReturned{CallID: "1"}, 0},
	} {
		take(t, &f, []event.Record{{V: 1, Seq: int64(i) + 1, Agent: tt.agent, Data: tt.data}})
		if _, calls := f.Open(); calls != tt.open {
			t.Errorf("after %d records %d calls are open, want %d", i+1, calls, tt.open)
		}
	}
}

// However a log is cut, what comes after the cut is numbered as in one go.
func TestFoldAgainIsTheSame(t *testing.T) {
	all := readLog(t, "../../event/testdata/logs/v1.jsonl")
	rapid.Check(t, func(rt *rapid.T) {
		log := rapid.SliceOfN(rapid.SampledFrom(all), 0, 60).Draw(rt, "log")
		cut := rapid.IntRange(0, len(log)).Draw(rt, "cut")
		var once, again client.Fold
		whole := take(t, &once, log)
		take(t, &again, log[:cut])
		seen := again.Seq()
		rest := take(t, &again, log[cut:])
		if once.Seq() != again.Seq() || !bytes.Equal(lines(t, whole[seen:]), lines(t, rest)) {
			rt.Fatalf("cut at %d of %d, the rest differs", cut, len(log))
		}
	})
}

func BenchmarkFold(b *testing.B) {
	log := readLog(b, "../../event/testdata/logs/v1.jsonl")
	for b.Loop() {
		var f client.Fold
		for range 100 {
			for _, rec := range log {
				f.Count(rec)
			}
		}
	}
	b.ReportMetric(float64(len(log)*100)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
