package studio_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/studio"
	"github.com/troupe-go/troupe/internal/golden"
)

const command = "the prompt"

// runs are the recorded runs of the project, with the prompt as a command of ours.
func runs(t *testing.T) map[string][]event.Record {
	t.Helper()
	files, err := filepath.Glob("../../testdata/runs/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no recorded runs: %v", err)
	}
	found := map[string][]event.Record{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		for line := range strings.Lines(string(text)) {
			var rec event.Record
			if err := json.Unmarshal([]byte(line), &rec); err != nil {
				t.Fatal(err)
			}
			if d, ok := rec.Data.(event.RunStarted); ok {
				d.RequestID = command
				rec.Data = d
			}
			found[name] = append(found[name], rec)
		}
	}
	return found
}

// live puts the pieces before each reply of the leader that it came in; cut says
// how long the next piece of a text is, in bytes.
func live(records []event.Record, cut func(left int) int) (with []event.Record) {
	for _, rec := range records {
		d, ok := rec.Data.(event.ModelReplied)
		if !ok || d.Purpose != "" {
			with = append(with, rec)
			continue
		}
		each := func(text string, of func(offset int, text string) event.Data) {
			for at := 0; at < len(text); {
				n := cut(len(text) - at)
				with = append(with, event.Record{V: rec.V, Time: rec.Time, Agent: rec.Agent, Turn: rec.Turn, Data: of(at, text[at:at+n])})
				at += n
			}
		}
		each(d.Reasoning, func(at int, text string) event.Data {
			return event.ModelThinking{Step: d.Step, Offset: at, Text: text}
		})
		each(d.Text, func(at int, text string) event.Data { return event.ModelDelta{Step: d.Step, Offset: at, Text: text} })
		with = append(with, rec)
	}
	return with
}

// response is the whole response to the prompt of the records.
func response(records []event.Record, f studio.Fold) (messages []studio.Message) {
	for _, rec := range records {
		some, rests := f.Apply(rec)
		messages = append(messages, some...)
		if rests {
			break
		}
	}
	return append(messages, f.Finish("")...)
}

// TestRecordedRuns is what a studio is told of each recorded run, word for word.
func TestRecordedRuns(t *testing.T) {
	resolved := resolvedSchema(t)
	for name, records := range runs(t) {
		for view, verbose := range map[string]bool{"": false, "-verbose": true} {
			t.Run(name+view, func(t *testing.T) {
				records := live(records, func(left int) int { return min(left, 16) })
				messages := response(records, studio.NewFold(command, verbose, true))
				var b strings.Builder
				for _, m := range messages {
					b.WriteString(studio.Text(m) + "\n")
					valid(t, resolved, studio.Text(m))
				}
				if fault := faults(messages, true); fault != "" {
					t.Error(fault)
				}
				golden.Equal(t, filepath.Join("testdata", "golden", name+view+".jsonl"), []byte(b.String()))
			})
		}
	}
}

// faults says what is wrong with a response.
func faults(messages []studio.Message, whole bool) string {
	type open struct{ typ, fn, args string }
	streams, begun := map[string]open{}, map[string]bool{}
	for i, m := range messages {
		line := studio.Text(m)
		if !utf8.ValidString(line) || strings.ContainsRune(m.Content, utf8.RuneError) {
			return "a character was cut: " + line
		}
		s, isOpen := streams[m.ID]
		switch {
		case whole && (m.Type == studio.TypeResponse) != (i == 0 || i == len(messages)-1):
			return "the response does not enclose all: " + line
		case m.Event == studio.EventStart || m.Event == studio.EventError:
			if begun[m.ID] {
				return "an id comes twice: " + line
			}
			if begun[m.ID] = true; m.Event == studio.EventStart {
				streams[m.ID] = open{m.Type, m.Func, string(m.Args)}
			}
		case !isOpen || s.typ != m.Type:
			return "it is no part of an open stream: " + line
		case m.Event == studio.EventEnd:
			if s.fn != m.Func || s.args != string(m.Args) {
				return "the end tells of another call than the start: " + line
			}
			delete(streams, m.ID)
		case m.Event != studio.EventDelta || m.Content == "":
			return "it says nothing: " + line
		}
	}
	if len(streams) > 0 {
		return "not all streams end"
	}
	return ""
}

// said joins the deltas of each chat-output, in the order of their starts.
func said(messages []studio.Message) (texts []string) {
	at := map[string]int{}
	for _, m := range messages {
		if m.Type != studio.TypeChat {
			continue
		}
		switch m.Event {
		case studio.EventStart:
			at[m.ID] = len(texts)
			texts = append(texts, "")
		case studio.EventDelta:
			texts[at[m.ID]] += m.Content
		}
	}
	return texts
}

// TestAnyCut tells any beginning of any run, with texts that come in any pieces,
// some of which are lost: each stream ends, no character is cut, and the leader is
// quoted in full.
func TestAnyCut(t *testing.T) {
	all := runs(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		records := all[rapid.SampledFrom(names).Draw(t, "run")]
		records = records[:rapid.IntRange(1, len(records)).Draw(t, "length")]
		pieces := live(records, func(left int) int { return rapid.IntRange(1, left).Draw(t, "piece") })
		pieces = slices.DeleteFunc(pieces, func(rec event.Record) bool {
			return rec.Seq == 0 && rapid.IntRange(0, 9).Draw(t, "lost") == 0
		})
		f := studio.NewFold(command, rapid.Bool().Draw(t, "verbose"), rapid.Bool().Draw(t, "iterations"))
		var messages []studio.Message
		var want []string
		for _, rec := range pieces {
			some, _ := f.Apply(rec)
			messages = append(messages, some...)
			if d, ok := rec.Data.(event.ModelReplied); ok && rec.Agent == event.Leader && d.Purpose == "" && d.Text != "" {
				want = append(want, d.Text)
			}
		}
		messages = append(messages, f.Finish(rapid.SampledFrom([]string{"", "the server stops"}).Draw(t, "wrong"))...)
		if fault := faults(messages, true); fault != "" {
			t.Fatal(fault)
		}
		got := said(messages)
		for _, text := range want {
			at := slices.Index(got, text)
			if at < 0 {
				t.Fatalf("the leader is not quoted: %q is not in %q", text, got)
			}
			got = slices.Delete(got, at, at+1)
		}
	})
}

// at is a record of an agent.
func at(agent string, d event.Data) event.Record { return event.Record{Seq: 1, Agent: agent, Data: d} }

// TestSpeech is how texts come that do not come in order.
func TestSpeech(t *testing.T) {
	begin := at("", event.RunStarted{RequestID: command})
	piece := func(offset int, text string) event.Record {
		return at(event.Leader, event.ModelDelta{Step: 1, Offset: offset, Text: text})
	}
	thought := func(offset int, text string) event.Record {
		return at(event.Leader, event.ModelThinking{Step: 1, Offset: offset, Text: text})
	}
	reply := func(text, reasoning string) event.Record {
		return at(event.Leader, event.ModelReplied{Step: 1, Text: text, Reasoning: reasoning})
	}
	for name, c := range map[string]struct {
		records []event.Record
		chat    string // streams, with | between deltas
		think   string
	}{
		"in order":           {[]event.Record{piece(0, "ab"), piece(2, "cd"), reply("abcd", "")}, "ab|cd", ""},
		"without pieces":     {[]event.Record{reply("abcd", "")}, "abcd", ""},
		"the last is lost":   {[]event.Record{piece(0, "ab"), reply("abcd", "")}, "ab|cd", ""},
		"a gap":              {[]event.Record{piece(0, "a"), piece(2, "cd"), reply("abcd", "")}, "a|bcd", ""},
		"the first is lost":  {[]event.Record{piece(2, "cd"), reply("abcd", "")}, "abcd", ""},
		"a piece twice":      {[]event.Record{piece(0, "ab"), piece(0, "ab"), piece(1, "bcd"), reply("abcd", "")}, "ab|cd", ""},
		"another text":       {[]event.Record{piece(0, "ab"), reply("xy", "")}, "ab;xy", ""},
		"cut characters":     {[]event.Record{piece(0, "好"[:1]), piece(1, "好"[1:]+"的"[:2]), piece(5, "的"[2:]), reply("好的", "")}, "好|的", ""},
		"cut to the end":     {[]event.Record{piece(0, "a好"[:2]), reply("a好", "")}, "a|好", ""},
		"a retry":            {[]event.Record{piece(0, "ab"), at(event.Leader, event.ModelRetried{}), piece(0, "xyz"), reply("xyz", "")}, "ab;xyz", ""},
		"a failure":          {[]event.Record{piece(0, "ab"), at(event.Leader, event.ModelFailed{})}, "ab", ""},
		"nothing":            {[]event.Record{reply("", "")}, "", ""},
		"thoughts":           {[]event.Record{thought(0, "h"), thought(1, "m"), piece(0, "a"), reply("ab", "hm")}, "a|b", "h|m"},
		"thoughts afterward": {[]event.Record{thought(0, "h"), piece(0, "a"), thought(1, "m"), reply("a", "hm")}, "a", "h;m"},
		"thoughts come late": {[]event.Record{reply("a", "hm")}, "a", "hm"},
		"a summary":          {[]event.Record{at(event.Leader, event.ModelReplied{Text: "short", Purpose: event.PurposeSummary})}, "", ""},
		"of a sub-agent":     {[]event.Record{at("uio_1", event.ModelDelta{Text: "x"}), at("uio_1", event.ModelReplied{Text: "x"})}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			messages := response(append([]event.Record{begin}, c.records...), studio.NewFold(command, false, true))
			if fault := faults(messages, true); fault != "" {
				t.Error(fault)
			}
			if got := script(messages, studio.TypeChat); got != c.chat {
				t.Errorf("said %q, want %q", got, c.chat)
			}
			if got := script(messages, studio.TypeThinking); got != c.think {
				t.Errorf("thought %q, want %q", got, c.think)
			}
		})
	}
}

// script writes the streams of a type: ; between streams, | between deltas.
func script(messages []studio.Message, typ string) string {
	var b strings.Builder
	started := false
	for _, m := range messages {
		switch {
		case m.Type != typ:
		case m.Event == studio.EventStart:
			if b.Len() > 0 {
				b.WriteByte(';')
			}
			started = true
		case m.Event == studio.EventDelta:
			if !started {
				b.WriteByte('|')
			}
			b.WriteString(m.Content)
			started = false
		}
	}
	return b.String()
}

// TestLongTextsComeInPieces cuts texts that come whole between characters.
func TestLongTextsComeInPieces(t *testing.T) {
	text := "x" + strings.Repeat("好", 20_000)
	messages := response([]event.Record{
		at("", event.RunStarted{RequestID: command}),
		at("uio_1", event.MessageSent{From: "uio_1", FromName: "UI Operator_1", To: event.Leader, Kind: event.Progress, Content: text}),
	}, studio.NewFold(command, false, true))
	if fault := faults(messages, true); fault != "" {
		t.Error(fault)
	}
	if got := said(messages); len(got) != 1 || got[0] != "**UI Operator_1** 任务进度输出\n\n"+text {
		t.Error("the message did not come whole")
	}
	for _, m := range messages {
		if len(m.Content) > 8<<10 {
			t.Errorf("a delta has %d bytes", len(m.Content))
		}
	}
}

// TestArguments are those of calls as models write them.
func TestArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"path": "a<b"}`: `{"path":"a<b"}`, "": `{}`, " {} ": `{}`, `{"a":`: `{"_invalid":"{\"a\":"}`, `[1]`: `{"_invalid":"[1]"}`,
		"{\"a\":\"\xe5\xa5\"}": `{"a":"` + "\uFFFD" + `"}`,
	} {
		messages := response([]event.Record{
			at("", event.RunStarted{RequestID: command}),
			at(event.Leader, event.ToolStarted{CallID: "c", Name: "f", Arguments: arguments}),
		}, studio.NewFold(command, false, true))
		if got := studio.Text(messages[1]); !strings.Contains(got, `"args":`+want+`}`) {
			t.Errorf("%q is sent as %s, want %s", arguments, got, want)
		}
	}
}

// TestJoining tells only what comes after the prompt of a session that works.
func TestJoining(t *testing.T) {
	f := studio.NewFold(command, true, true, "The model is not known.")
	messages := response([]event.Record{
		at("", event.RunStarted{RequestID: "another"}),
		at("uio_1", event.AgentCreated{Name: "UI Operator_1"}),
		at(event.Leader, event.ModelRequested{Step: 1}),
		at(event.Leader, event.ModelDelta{Step: 1, Text: "before, "}),
		at("uio_1", event.ToolStarted{CallID: "c", Name: "read_file", Arguments: "{}"}),
		at(event.Person, event.MessageSent{From: event.Person, To: event.Leader, RequestID: command, Content: "hurry"}),
		at(event.Leader, event.ModelDelta{Step: 1, Offset: 8, Text: "after"}),
		at("uio_1", event.ToolFinished{CallID: "c"}),
		at(event.Leader, event.ModelReplied{Step: 1, Text: "before, after"}),
		at("uio_1", event.ToolStarted{CallID: "d", Name: "read_file", Arguments: "{}"}),
		at("", event.RunFinished{}),
	}, f)
	if fault := faults(messages, true); fault != "" {
		t.Error(fault)
	}
	if got := script(messages, studio.TypeChat); got != "before, after" {
		t.Errorf("said %q", got)
	}
	if got := script(messages, studio.TypeThinking); got != "The model is not known." {
		t.Errorf("the note is %q", got)
	}
	tool := slices.IndexFunc(messages, func(m studio.Message) bool { return m.Type == studio.TypeToolCall })
	if tool < 0 || !strings.Contains(string(messages[tool].Args), `"_agent":"UI Operator_1"`) {
		t.Errorf("the call does not say whose it is: %v", messages)
	}
}

// TestEnds is what the person is told when a turn does not end well.
func TestEnds(t *testing.T) {
	for want, d := range map[string]event.Data{
		"the limit steps was reached":              event.RunFinished{Partial: true, Limit: "steps"},
		"no key (set DEEPSEEK_API_KEY)":            event.RunFailed{Failure: event.Failure{Message: "no key", Hint: "set DEEPSEEK_API_KEY"}},
		"a call of run_command needs leave (apr_1": event.RunSuspended{Cause: event.SuspendApproval, ID: "apr_1"},
		"the server stopped (the team goes on":     event.RunSuspended{Cause: event.SuspendInterrupt, By: "the server stopped"},
		"":                                         event.RunSuspended{Cause: event.SuspendQuestion, ID: "ask_tl_001"},
	} {
		messages := response([]event.Record{
			at("", event.RunStarted{RequestID: command}),
			at("uio_1", event.ApprovalRequested{ID: "apr_1", Name: "run_command"}),
			at(event.Leader, event.ModelRequested{Step: 1}),
			at(event.Leader, event.ModelDelta{Step: 1, Text: "cut"}),
			at("", d),
		}, studio.NewFold(command, false, true))
		if fault := faults(messages, true); fault != "" {
			t.Error(fault)
		}
		wrong := ""
		if i := slices.IndexFunc(messages, func(m studio.Message) bool { return m.Type == studio.TypeError }); i >= 0 {
			wrong = messages[i].Content
		}
		if !strings.Contains(wrong, want) || (want == "") != (wrong == "") {
			t.Errorf("%T is told as %q, want %q", d, wrong, want)
		}
	}
}

// resolvedSchema is the schema of the protocol.
func resolvedSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(studio.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// valid holds a message against the schema.
func valid(t *testing.T, schema *jsonschema.Resolved, text string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// TestLongReply takes a long text in many small pieces, at a cost that grows with its
// length and no faster.
func TestLongReply(t *testing.T) {
	cost := func(pieces int) (bytes uint64) {
		f := studio.NewFold(command, false, false)
		f.Apply(event.Record{Data: event.RunStarted{RequestID: command}})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range pieces {
			for _, d := range []event.Data{event.ModelThinking{Step: 1, Offset: 16 * i, Text: "sixteen bytes, y"}, event.ModelDelta{Step: 1, Offset: 16 * i, Text: "sixteen bytes, x"}} {
				if messages, _ := f.Apply(event.Record{Agent: event.Leader, Data: d}); len(messages) == 0 {
					t.Fatalf("piece %d is not passed on", i)
				}
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if short, long := cost(1<<10), cost(1<<14); long > 32*short {
		t.Errorf("a text of 16 KiB takes %d bytes, one 16 times as long %d", short, long)
	}
}
