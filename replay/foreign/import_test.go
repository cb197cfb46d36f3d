package foreign_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/replay/foreign"
)

// session is a session of Claude Code whose sub-agents have files of their own.
const session = "split/7d1c2a30-5b7e-4f0e-9a53-1f2f6b9f0c11.jsonl"

// transcripts are the files of testdata that are imported.
func transcripts(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob("testdata/import/*.json*")
	if err != nil || len(found) < 9 {
		t.Fatalf("found %q, %v", found, err)
	}
	return append(found, filepath.Join("testdata/import", session))
}

// imported reads a file of testdata.
func imported(t *testing.T, name string) []event.Record {
	t.Helper()
	began := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	records, err := foreign.ImportFile(filepath.Join("testdata/import", name), foreign.ImportOptions{Time: began})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestImport(t *testing.T) {
	for _, path := range transcripts(t) {
		name, err := filepath.Rel("testdata/import", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			records := imported(t, name)
			for _, fault := range faults(records) {
				t.Error(fault)
			}
			p := render.NewPrinter(render.Options{View: render.Lines, Width: 140, Verbose: true, Location: time.UTC})
			var b strings.Builder
			for _, rec := range records {
				b.WriteString(p.Record(rec))
			}
			golden.Equal(t, filepath.Join("testdata/import", "golden", filepath.Base(name)+".txt"), []byte(b.String()))
		})
	}
}

// TestImportKeepsAll looks for what a person would miss, field by field.
func TestImportKeepsAll(t *testing.T) {
	for _, tt := range []struct {
		file, what string
		want       event.Data
		agent      string
	}{
		{
			"claude-inline.jsonl", "the header", event.RunStarted{
				RunID: "import-3f0a6c52-9c1e-4a57-8f6d-0f4a1d2b7e90", Task: "购物车的总价差一分钱，找出原因并修好。",
				Program: "Claude Code 1.0.88", ModelKind: event.ModelReal,
				Import: &event.Import{Format: "claude-code", File: "claude-inline.jsonl", ID: "3f0a6c52-9c1e-4a57-8f6d-0f4a1d2b7e90"},
			}, "",
		},
		{
			"claude-inline.jsonl", "a reply of four lines", event.ModelReplied{
				Step: 1, Text: "I'll have the code searched and read the tests meanwhile.",
				Reasoning: "Rounding, probably. I should look for the place where prices are summed.",
				Calls: []event.Call{
					{ID: "toolu_01A", Name: "Task", Arguments: `{"description":"Find rounding","prompt":"Find every place where prices are rounded. List file and line.","subagent_type":"general-purpose"}`},
					{ID: "toolu_01B", Name: "Read", Arguments: `{"file_path":"/srv/dev/shop/cart_test.go"}`},
				},
				Finish: event.FinishToolCalls, RawFinish: "tool_use", Usage: event.Usage{Input: 18223, Output: 214}, DurationMS: 3000,
			}, event.Leader,
		},
		{
			"claude-inline.jsonl", "the agent of a sidechain", event.AgentCreated{
				Name: "general-purpose", Role: "general-purpose", Code: "generalpurpose", Parent: event.Leader, Tools: []string{}, CallID: "toolu_01A",
				Model: "claude-sonnet-4-20250514",
			}, "generalpurpose_1",
		},
		{
			"claude-inline.jsonl", "its task", event.MessageSent{
				ID: "task_001", Kind: event.Task, From: event.Leader, FromName: "Claude Code", To: "generalpurpose_1",
				Content: "Find every place where prices are rounded. List file and line.", CallID: "toolu_01A",
			}, event.Leader,
		},
		{
			"claude-inline.jsonl", "its report", event.MessageSent{
				ID: "out_generalpurpose_001", Kind: event.Completion, From: "generalpurpose_1", FromName: "general-purpose", To: event.Leader,
				Content: "Two places:\n- cart.go:41 rounds each line\n- cart.go:57 rounds the sum again", Reason: event.EndNatural,
			}, "generalpurpose_1",
		},
		{
			"claude-inline.jsonl", "a picture", event.MessageSent{
				ID: "msg_user_002", Kind: event.Note, From: event.Person, FromName: event.PersonName, To: event.Leader,
				Content: "是的。看这张截图。\n\n[image: image/png 12 bytes of base64]",
			}, event.Person,
		},
		{
			"claude-inline.jsonl", "an error of the service", event.ModelFailed{
				Step: 1, Failure: event.Failure{Code: "api_error", Who: "server", Message: "API Error: 529 overloaded"},
			}, event.Leader,
		},
		{
			"claude-inline.jsonl", "a line that was torn off", event.Warning{Code: "not_imported", Text: "not imported: a line that is no JSON object, at line 26"}, "",
		},
		{
			session, "a summary of older steps", event.HistoryCompacted{
				ID: "msg_sys_001", Summary: "This session is being continued: two chapters were checked, figure 3 is missing.", Dropped: 4,
			}, event.Leader,
		},
		{
			session, "the agent of a file of its own", event.AgentCreated{
				Name: "Explore_2", Role: "Explore", Code: "explore", Parent: event.Leader, Tools: []string{}, CallID: "toolu_B",
				Model: "claude-haiku-4-5-20251001",
			}, "explore_2",
		},
		{"claude-stream.jsonl", "what a stream says at its end", event.Warning{Code: "import_source", Text: "result: success"}, ""},
		{
			"chat-request.json", "the prompt and the tools", event.AgentCreated{
				Name: "Poet", Role: "tl", Code: "tl", Prompt: "Be short.", Tools: []string{"weather"}, Model: "gpt-4.1",
			}, event.Leader,
		},
		{
			"chat-request.json", "a broken call", event.ToolStarted{CallID: "call_2", Name: "weather", Arguments: "{broken"}, event.Leader,
		},
		{
			"chat-request.json", "members without a place", event.Warning{Code: "not_imported", Text: "not imported: members of a message of assistant: annotations, at $.messages[6]"}, "",
		},
		{
			"chat-request.json", "a part of an unknown type", event.Warning{Code: "not_imported", Text: `not imported: content of type "hologram", at $.messages[1] part 3`}, "",
		},
		{
			"chat-lines.jsonl", "tokens", event.ModelReplied{
				Step: 2, Text: "2", Finish: event.FinishStop, Usage: event.Usage{Input: 20, CachedInput: 16, Output: 1},
			}, event.Leader,
		},
		{
			"taubench-airline-one-task.json", "the second use of an id", event.ToolStarted{
				CallID: "call_HGn16KZh9oNCruxsMJ4gYXan~2", Name: "search_onestop_flight", Arguments: `{"origin":"JFK","destination":"SEA","date":"2024-05-20"}`,
			}, event.Leader,
		},
	} {
		t.Run(tt.file+" "+tt.what, func(t *testing.T) {
			records := imported(t, tt.file)
			i := slices.IndexFunc(records, func(rec event.Record) bool { return rec.Agent == tt.agent && cmp.Equal(rec.Data, tt.want) })
			if i >= 0 {
				return
			}
			for _, rec := range records {
				if rec.Type() == tt.want.Type() && rec.Agent == tt.agent {
					t.Logf("(-want +got)\n%s", cmp.Diff(tt.want, rec.Data))
				}
			}
			t.Errorf("%s is not among the records", tt.what)
		})
	}
}

// TestImportEnds tells a run that ended from one that was cut off.
func TestImportEnds(t *testing.T) {
	for file, want := range map[string]string{
		"claude-inline.jsonl":            "说明写好了，代码未改。",
		"claude-stream.jsonl":            "There are 12 files.",
		session:                          "One fault: figure 3 of chapter 1 is missing.",
		"chat-sharegpt.json":             "pong",
		"whowhen-handcrafted-32.json":    "",
		"taubench-airline-one-task.json": "warning the transcript ends before tl has said its last word",
	} {
		records := imported(t, file)
		got := string(records[len(records)-1].Type())
		switch d := records[len(records)-1].Data.(type) {
		case event.RunFinished:
			got = d.Answer
		case event.Warning:
			got += " " + d.Text
		default:
		}
		if got != want {
			t.Errorf("%s ends with %q, want %q", file, got, want)
		}
	}
}

func TestImportErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		format foreign.Format
		want   error
	}{
		"empty":            {"", "", foreign.ErrFormat},
		"no JSON":          {"hello\nworld\n", "", foreign.ErrFormat},
		"no messages":      {`{"a":[1,2],"b":{"role":1}}`, "", foreign.ErrFormat},
		"forced, no chat":  {`{"a":1}`, foreign.FormatOpenAI, foreign.ErrFormat},
		"forced, nothing":  {`{"type":"mode","sessionId":"s"}`, foreign.FormatClaudeCode, foreign.ErrFormat},
		"our own log":      {`{"v":1,"seq":1,"ts":"2026-01-01T00:00:00Z","type":"run.started","data":{}}`, "", foreign.ErrFormat},
		"an unknown force": {`[]`, "xml", foreign.ErrFormat},
	} {
		_, err := foreign.Import(foreign.ImportOptions{Format: tt.format}, foreign.Source{Name: name, Reader: strings.NewReader(tt.text)})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
	if _, err := foreign.ImportUpTo(1000, foreign.ImportOptions{}, []foreign.Source{{Name: "endless", Reader: endless{}}}); !errors.Is(err, foreign.ErrTooLarge) {
		t.Errorf("endless: error %v", err)
	}
	if _, err := foreign.ImportFile("testdata/none.json", foreign.ImportOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// endless is a file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestDetect(t *testing.T) {
	for _, path := range transcripts(t) {
		want := foreign.FormatOpenAI
		if strings.Contains(path, "claude") || strings.Contains(path, "split") {
			want = foreign.FormatClaudeCode
		}
		if got, err := foreign.DetectFile(path); got != want || err != nil {
			t.Errorf("%s is detected as %q, %v; want %q", path, got, err, want)
		}
	}
	for text, want := range map[string]foreign.Format{
		"\ufeff [ {\"role\":\"user\",\"content\":\"a":                                           foreign.FormatOpenAI, // cut off
		"{\n \"messages\": [\n {\"ro":                                                           foreign.FormatOpenAI,
		`{"v":1,"seq":1,"ts":"2026-01-01T00:00:00Z","type":"run.started","data":{"task":"cut o`: foreign.FormatTroupe,
		`[1,2]`:          "",
		`{"a":1}`:        "",
		"name,role\n1,2": "",
		"":               "",
	} {
		if got := foreign.Detect([]byte(text)); got != want {
			t.Errorf("%q is detected as %q, want %q", text, got, want)
		}
	}
}

// TestImportOldestCall gives a sub-agent that no call names to the first call of
// a reply that started none, whatever the ids of the calls.
func TestImportOldestCall(t *testing.T) {
	text := strings.Join([]string{
		`{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"Look."}}`,
		`{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m","role":"assistant","content":[` +
			`{"type":"tool_use","id":"z","name":"Task","input":{"prompt":"first"}},{"type":"tool_use","id":"a","name":"Task","input":{"prompt":"second"}}]}}`,
		`{"type":"user","uuid":"3","isSidechain":true,"sessionId":"s","message":{"role":"user","content":"other words"}}`,
	}, "\n")
	records, err := foreign.Import(foreign.ImportOptions{}, foreign.Source{Name: "s.jsonl", Reader: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if d, ok := rec.Data.(event.AgentCreated); ok && d.Parent != "" {
			if d.CallID != "z" {
				t.Errorf("the sub-agent works for call %q, want z", d.CallID)
			}
			return
		}
	}
	t.Error("there is no sub-agent")
}
