package streams_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/golden"
)

// facts compares what was read without the text that it was read from.
var facts = cmp.Options{
	cmpopts.IgnoreUnexported(streams.Command{}, streams.Header{}, streams.Ask{}, streams.Resume{}, streams.Cancel{},
		streams.Event{}, streams.EventData{}, streams.Choice{}, streams.Delta{}, streams.Record{}, streams.Lease{}),
	cmpopts.EquateEmpty(),
}

// TestCapturedCommands keeps for each captured command what a worker makes of
// it, and that nothing is lost in those that are taken.
func TestCapturedCommands(t *testing.T) {
	var b strings.Builder
	for _, c := range captures(t, "commands") {
		cmd, err := streams.DecodeCommand([]byte(c.Data))
		fmt.Fprintf(&b, "%s %q: ", c.Scenario, cmd.Header.MessageID)
		if err != nil {
			fmt.Fprintln(&b, err)
			if _, typed := errors.AsType[*streams.WireError](err); !typed {
				t.Errorf("%s: got %T, want a WireError", c.Data, err)
			}
			continue
		}
		fmt.Fprintln(&b, cmd.Body.Action())
		again, err := cmd.Encode()
		if err != nil {
			t.Errorf("%s: %v", c.Data, err)
			continue
		}
		same(t, c.Data, []byte(c.Data), again)
	}
	golden.Equal(t, "testdata/commands.golden", []byte(b.String()))
}

// TestWrittenCommands makes each command of the SDK's own writers anew from
// its facts, and compares with what the SDK wrote.
func TestWrittenCommands(t *testing.T) {
	made := 0
	for _, c := range captures(t, "commands") {
		if !strings.Contains(c.Data, "langfuse_parent_observation_id") {
			continue // by hand
		}
		cmd, err := streams.DecodeCommand([]byte(c.Data))
		if err != nil {
			t.Fatal(err)
		}
		text, err := anew(cmd).Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.Data, []byte(c.Data), text)
		made++
	}
	if made < 40 {
		t.Errorf("made %d commands, want all of the SDK's", made)
	}
}

// anew is a command with the same facts and no memory of the text.
func anew(c streams.Command) streams.Command {
	h := c.Header
	out := streams.Command{Header: streams.Header{
		MessageID: h.MessageID, SessionID: h.SessionID, TraceID: h.TraceID, SourceAgentType: h.SourceAgentType,
		TargetAgentType: h.TargetAgentType, ParentMessageID: h.ParentMessageID, TaskGroupID: h.TaskGroupID,
		UserCode: h.UserCode, UserName: h.UserName, Metadata: h.Metadata,
		TraceParentSpanID: h.TraceParentSpanID, LangfuseParentObservationID: h.LangfuseParentObservationID,
	}}
	switch b := c.Body.(type) {
	case *streams.Ask:
		out.Body = &streams.Ask{Content: b.Content, WaitForReply: b.WaitForReply, ExtraPayload: b.ExtraPayload}
	case *streams.Resume:
		out.Body = &streams.Resume{Content: b.Content, Status: b.Status, ReplyData: b.ReplyData, ExtraPayload: b.ExtraPayload}
	case *streams.Cancel:
		out.Body = &streams.Cancel{
			TargetMessageID: b.TargetMessageID, TargetExecutionID: b.TargetExecutionID, TargetWorkerID: b.TargetWorkerID,
			Reason: b.Reason, RequestedBy: b.RequestedBy, Mode: b.Mode,
		}
	default:
		out.Body = b
	}
	return out
}

func TestCommandsThatNoWorkerTakes(t *testing.T) {
	const head = `"header":{"message_id":"m","session_id":"s","trace_id":"t"}`
	tests := []struct {
		name, text string
		want       error
		field      string
	}{
		{"garbage", `{oops`, streams.ErrSyntax, ""},
		{"array", `[1]`, streams.ErrSyntax, ""},
		{"two values", `{} {}`, streams.ErrSyntax, ""},
		{"no header", `{"action_type":"ASK_AGENT"}`, streams.ErrMissing, "header"},
		{"header of another type", `{"action_type":"ASK_AGENT","header":1}`, streams.ErrSyntax, "header"},
		{"unknown action", `{"action_type":"ASK_USER",` + head + `}`, streams.ErrUnknownAction, "action_type"},
		{"no action", `{` + head + `}`, streams.ErrUnknownAction, "action_type"},
		{"no trace", `{"action_type":"ASK_AGENT","header":{"message_id":"m","session_id":"s"},"body":{"content":"x"}}`, streams.ErrMissing, "header.trace_id"},
		{"null metadata", `{"action_type":"ASK_AGENT","header":{"message_id":"m","session_id":"s","trace_id":"t","metadata":null},"body":{"content":"x"}}`, streams.ErrNull, "header.metadata"},
		{"number for a text", `{"action_type":"ASK_AGENT","header":{"message_id":1,"session_id":"s","trace_id":"t"},"body":{"content":"x"}}`, streams.ErrType, "header.message_id"},
		{"case counts", `{"action_type":"ASK_AGENT","header":{"Message_ID":"m","session_id":"s","trace_id":"t"},"body":{"content":"x"}}`, streams.ErrMissing, "header.message_id"},
		{"null extra", `{"action_type":"ASK_AGENT",` + head + `,"body":{"content":"x","extra_payload":null}}`, streams.ErrNull, "body.extra_payload"},
		{"blank content", `{"action_type":"ASK_AGENT",` + head + `,"body":{"content":" \n"}}`, streams.ErrValue, "body.content"},
		{"no content", `{"action_type":"ASK_AGENT",` + head + `}`, streams.ErrMissing, "body.content"},
		{"resume of nothing", `{"action_type":"RESUME",` + head + `,"body":{"content":"","status":""}}`, streams.ErrMissing, "body.content"},
		{"cancel of nothing", `{"action_type":"CANCEL_TASK",` + head + `,"body":{"target_message_id":""}}`, streams.ErrValue, "body.target_message_id"},
		{"cancel in a third way", `{"action_type":"CANCEL_TASK",` + head + `,"body":{"target_message_id":"m","cancel_mode":"soft"}}`, streams.ErrValue, "body.cancel_mode"},
		{"reload of nothing", `{"action_type":"RELOAD_PLUGINS",` + head + `,"body":{"reload_id":""}}`, streams.ErrValue, "body.reload_id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd, err := streams.DecodeCommand([]byte(tt.text))
			wire, ok := errors.AsType[*streams.WireError](err)
			if !ok || !errors.Is(err, tt.want) || wire.Field != tt.field {
				t.Fatalf("got %v, want %v at %q", err, tt.want, tt.field)
			}
			if strings.Contains(tt.text, `"session_id":"s"`) && cmd.Header.SessionID != "s" {
				t.Errorf("the header is lost: %+v", cmd.Header)
			}
		})
	}
}

func TestNumbersThatPythonWrites(t *testing.T) {
	const text = `{"action_type":"RESUME","header":{"message_id":"m","session_id":"s","trace_id":"t","metadata":{"NaN":"-Infinity \" NaN"}},` +
		`"body":{"status":"COMPLETED","reply_data":[NaN,Infinity,-Infinity,1]}}`
	cmd, err := streams.DecodeCommand([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	resume, ok := cmd.Body.(*streams.Resume)
	if !ok {
		t.Fatalf("got %T", cmd.Body)
	}
	if got, want := string(resume.ReplyData), "[null,null,null,1]"; got != want {
		t.Errorf("reply data %s, want %s", got, want)
	}
	if got, want := string(cmd.Header.Metadata["NaN"]), `"-Infinity \" NaN"`; got != want {
		t.Errorf("text %s, want %s", got, want)
	}
}

// TestObjectsInAnyForm reads what is JSON, however it is written, and nothing else.
func TestObjectsInAnyForm(t *testing.T) {
	const text = " \t{ \"sess\\u0069on_id\" :\"}\\\"\" ,\r\n\"message_id\":\"no\",\"execution_id\": \"\\u00e9\",\"status\":\"QUEUED\"," +
		"\"created_at\" :17 ,\"ours\":[ {\"a\":\"]}\"}, -1.5e3 ] ,\"message_id\":\"m\",\"empty\":{ },\"retryable\":true}\n"
	r, err := streams.DecodeRecord([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if r.SessionID != `}"` || r.MessageID != "m" || r.ExecutionID != "é" || r.CreatedAt != 17 || !r.Retryable {
		t.Errorf("got %+v", r)
	}
	again, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the record", []byte(text), again)
	for _, bad := range []string{"", " ", "{", "[]", "null", `"a"`, "{}{}", "{} x", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, "{\"a\":\"\n\"}"} {
		if _, err := streams.DecodeRecord([]byte(bad)); !errors.Is(err, streams.ErrSyntax) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// TestChangesOfWhatWasRead keeps the unknown fields of what is changed.
func TestChangesOfWhatWasRead(t *testing.T) {
	r, err := streams.DecodeRecord([]byte(`{"execution_id":"e","message_id":"m","session_id":"s","status":"QUEUED","ours":{"n":1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Status, r.WorkerID = streams.Running, "w-1"
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"execution_id":"e","message_id":"m","session_id":"s","status":"RUNNING","ours":{"n":1.0},"worker_id":"w-1"}`
	if string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestCommandsThatAreNotWritten(t *testing.T) {
	tests := map[string]streams.Command{
		"no body":       {},
		"blank":         {Body: &streams.Ask{}},
		"no JSON":       {Body: &streams.Resume{Status: "FAILED", ReplyData: []byte("{oops")}},
		"no JSON value": {Header: streams.Header{Metadata: streams.Values{"a": []byte("}")}}, Body: &streams.Ask{Content: streams.TextContent("x")}},
	}
	for name, cmd := range tests {
		text, err := cmd.Encode()
		if _, ok := errors.AsType[*streams.WireError](err); !ok {
			t.Errorf("%s: got %s, %v, want a WireError", name, text, err)
		}
	}
}

// TestNilIsNeverNull holds the writer to what SDK workers take.
func TestNilIsNeverNull(t *testing.T) {
	text, err := streams.Command{Body: &streams.Ask{Content: streams.TextContent("<你好>")}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "null") || !strings.Contains(string(text), "<你好>") {
		t.Errorf("got %s", text)
	}
}

func TestContentText(t *testing.T) {
	for content, want := range map[string]string{
		`"hi"`:                             "hi",
		`[{"role":"user","content":"hi"}]`: "hi",
		`[{"type":"text","text":"a"},{"text":"b"}]`:            "a\nb",
		`[{"role":"user","content":{"text":"hi","files":[]}}]`: "hi",
		`[{"role":"user","content":{"text":"hi","files":[{"fileId":1,"fileName":"a.md","fileUrl":"https://example.org/a","fileType":"md"}],"resources":[{"resourceId":"r","resourceName":"库","resourceType":"db"}]}}]`: "hi\na.md https://example.org/a\n库 (db)",
		`{"a":1}`: `{"a":1}`,
		`5`:       "5",
	} {
		if got := streams.Content(content).Text(); got != want {
			t.Errorf("%s: got %q, want %q", content, got, want)
		}
	}
}

// TestCapturedEvents keeps what each captured event means, loses nothing of it,
// and says the same in our own words: all facts, one by one.
func TestCapturedEvents(t *testing.T) {
	var b strings.Builder
	for _, c := range captures(t, "events") {
		e, err := streams.DecodeEvent([]byte(c.Data))
		if err != nil {
			t.Fatalf("%s: %v", c.Data, err)
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "event", []byte(c.Data), again)
		fmt.Fprintf(&b, "%s %s kind %d %q\n", c.Scenario, e.Type, e.Kind(), e.Text())
		ours, ok := inOurWords(e)
		if !ok || strings.Contains(c.Data, `"parent_message_id": null`) {
			continue // the null of a command by hand, passed on
		}
		text, err := ours.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "event made anew", []byte(c.Data), text)
	}
	golden.Equal(t, "testdata/events.golden", []byte(b.String()))
}

// inOurWords makes an event with the same facts; ok is false for layouts that
// business code chose.
func inOurWords(e streams.Event) (made streams.Event, ok bool) {
	d := e.Data.Choices[0].Delta
	if e.Data.ObjectType != "" || len(e.Metadata) > 0 || string(d.ToolCalls) != "null" || e.Data.ContentType == "2001" {
		return made, false
	}
	v := streams.Voice{
		TraceID: e.TraceID, SessionID: e.SessionID, AgentType: e.SourceAgentType,
		MessageID: e.MessageID, ParentMessageID: e.ParentMessageID,
	}
	s := streams.Stamp{ID: e.Data.ID, At: time.UnixMilli(e.Timestamp)}
	switch e.Kind() {
	case streams.KindText:
		made = v.Text(s, e.Text())
	case streams.KindLog:
		made = v.Log(s, e.Text())
	case streams.KindState:
		made = v.State(s, e.Text())
	case streams.KindArtifact:
		made = v.Artifact(s, e.Text())
	case streams.KindQuestion:
		made = v.Question(s, e.Text())
		// The SDK writes the form with spaces.
		same := strings.NewReplacer(`": `, `":`, `, "`, `,"`)
		if e.Data.ContentType == streams.ContentForm && same.Replace(*d.Content) == *made.Data.Choices[0].Delta.Content {
			made.Data.Choices[0].Delta.Content = d.Content
		}
	case streams.KindAnswer:
		made = v.Answer(s, e.Text())
	case streams.KindEnd:
		made = v.End(s)
	default:
		return made, false
	}
	made.Data.Created = e.Data.Created // the SDK takes its two times one after the other
	return made, true
}

func TestEventFormsOfThePage(t *testing.T) {
	tests := []struct {
		text string
		kind streams.Kind
		want string
	}{
		{`{"content":"正在处理...","event_type":"answerDelta"}`, streams.KindText, "正在处理..."},
		{`{"state":"thinking","event_type":"stateChange"}`, streams.KindState, "thinking"},
		{`{"url":"https://example.com/result.json","event_type":"artifact"}`, streams.KindArtifact, "https://example.com/result.json"},
		{`{"prompt":"请确认是否继续？","event_type":"askUser"}`, streams.KindQuestion, "请确认是否继续？"},
		{`{"eventType":"taskCreate"}`, streams.KindOther, ""},
		{`{"eventType":"taskStop"}`, streams.KindOther, ""},
		{`{"eventType":"appStreamResponse","messageId":"m"}`, streams.KindEnd, ""},
	}
	for _, tt := range tests {
		e, err := streams.DecodeEvent([]byte(tt.text))
		if err != nil || e.Kind() != tt.kind || e.Text() != tt.want {
			t.Errorf("%s: got kind %d %q, %v; want %d %q", tt.text, e.Kind(), e.Text(), err, tt.kind, tt.want)
			continue
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "event", []byte(tt.text), again)
	}
}

func TestHeadersOfThePage(t *testing.T) {
	want := streams.Event{Type: streams.StateChange, MessageID: "m", SessionID: "s", TraceID: "t", SourceAgentType: "a", ParentMessageID: "p"}
	for _, text := range []string{
		`{"event_type":"stateChange","message_id":"m","session_id":"s","trace_id":"t","source_agent_type":"a","parent_message_id":"p"}`,
		`{"eventType":"stateChange","messageId":"m","sessionId":"s","traceId":"t","sourceAgentType":"a","parentMessageId":"p"}`,
		`{"event_type":"stateChange","header":{"messageId":"m","sessionId":"s","traceId":"t","sourceAgentType":"a","parentMessageId":"p"}}`,
	} {
		got, err := streams.DecodeEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, facts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestFlat writes the page's forms and reads them back.
func TestFlat(t *testing.T) {
	v := streams.Voice{TraceID: "t", SessionID: "s", AgentType: "a", MessageID: "m"}
	var s streams.Stamp
	for _, e := range []streams.Event{v.Text(s, "x"), v.State(s, "thinking"), v.Artifact(s, "https://example.com"), v.Question(s, "which?")} {
		text, ok := e.Flat()
		if !ok {
			t.Fatalf("no flat form of %+v", e)
		}
		got, err := streams.DecodeEvent(text)
		if err != nil || got.Kind() != e.Kind() || got.Text() != e.Text() || got.MessageID != "m" || got.SessionID != "s" {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	if text, ok := v.End(s).Flat(); ok {
		t.Errorf("the end has a flat form: %s", text)
	}
}

func TestSubRunsSayLog(t *testing.T) {
	v := streams.Voice{Sub: true}
	for _, e := range []streams.Event{v.Text(streams.Stamp{}, "x"), v.Answer(streams.Stamp{}, "x")} {
		if e.Type != streams.ReasoningLogDelta {
			t.Errorf("got %s", e.Type)
		}
	}
}

func TestEventsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]error{
		`nonsense`:                     streams.ErrSyntax,
		`{}`:                           streams.ErrMissing,
		`{"event_type":1}`:             streams.ErrType,
		`{"event_type":"x","data":[]}`: streams.ErrType,
		`{"event_type":"x","data":{"choices":[1]}}`:   streams.ErrType,
		`{"event_type":"stateChange","header":"no"}`:  streams.ErrType,
		`{"event_type":"stateChange","state":["no"]}`: streams.ErrType,
	} {
		_, err := streams.DecodeEvent([]byte(text))
		if _, ok := errors.AsType[*streams.WireError](err); !ok || !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}

func TestCapturedRecords(t *testing.T) {
	for _, c := range captures(t, "records") {
		r, err := streams.DecodeRecord([]byte(c.Data))
		if err != nil {
			t.Fatalf("%s: %v", c.Data, err)
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.Scenario, []byte(c.Data), again)
		if c.Who != "client" || r.Status != streams.Queued || r.TraceID == "" {
			continue
		}
		text, err := streams.Record{
			ExecutionID: r.ExecutionID, MessageID: r.MessageID, SessionID: r.SessionID, TraceID: r.TraceID,
			ParentMessageID: r.ParentMessageID, SourceAgentType: r.SourceAgentType, TargetAgentType: r.TargetAgentType,
			StreamName: r.StreamName, Status: r.Status, RoutePolicy: r.RoutePolicy, RouteStatus: r.RouteStatus,
			CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Timeline: r.Timeline,
		}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "record made anew", []byte(c.Data), text)
	}
}

func TestCapturedLeasesAndResults(t *testing.T) {
	for _, c := range captures(t, "leases") {
		l, err := streams.DecodeLease([]byte(c.Data))
		if err != nil {
			t.Fatal(err)
		}
		text, err := streams.Lease{Version: l.Version, Token: l.Token, LastSeen: l.LastSeen, IPAddress: l.IPAddress}.Encode()
		if err != nil || string(text) != c.Data {
			t.Errorf("got %s, %v; want %s", text, err, c.Data)
		}
	}
	for _, c := range captures(t, "group_results") {
		g, err := streams.DecodeGroupResult([]byte(c.Data))
		if err != nil {
			t.Fatal(err)
		}
		text, err := streams.GroupResult{
			Status: g.Status, ReplyData: g.ReplyData, Content: g.Content, Metadata: g.Metadata, ExtraPayload: g.ExtraPayload,
		}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "result", []byte(c.Data), text)
	}
}

func TestRecordsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]error{
		`x`:                    streams.ErrSyntax,
		`{"execution_id":"e"}`: streams.ErrMissing,
		`{"execution_id":"e","message_id":"m","session_id":"s","status":"QUEUED","timeline":1}`: streams.ErrType,
	} {
		if _, err := streams.DecodeRecord([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}
