package model_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func loadSignup(t *testing.T) *model.Script {
	t.Helper()
	s, err := model.LoadScript(os.DirFS("testdata"), "scripts/signup.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t *testing.T, text string) model.Client {
	t.Helper()
	s, err := model.ParseScript("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return model.NewScripted(s)
}

func system() model.Message { return model.Message{Role: model.System, Content: "lead"} }

func user(o model.Origin) model.Message {
	return model.Message{Role: model.User, Content: "<frame>" + o.Content + "</frame>", Origin: o}
}

func said(calls ...event.Call) model.Message {
	return model.Message{Role: model.Assistant, Calls: calls}
}

func result(id, text string) model.Message {
	return model.Message{Role: model.ToolRole, CallID: id, Content: text}
}

func play(t *testing.T, c model.Client, agent string, messages ...model.Message) modeltest.Got {
	t.Helper()
	role, _, _ := strings.Cut(agent, "_")
	return modeltest.Collect(c.Stream(t.Context(), model.Request{Agent: agent, AgentRole: role, Messages: messages}))
}

var (
	task     = user(model.Origin{Kind: event.Note, From: "User", FromID: event.Person, ID: "msg_user_001", Content: "a signup page"})
	question = user(model.Origin{Kind: event.Question, From: "UI Operator_1", FromID: "uio_1", ID: "ask_uio_001", QuestionID: "ask_uio_001", Content: "Which colour?"})
	report   = user(model.Origin{Kind: event.Completion, From: "UI Operator_1", FromID: "uio_1", ID: "out_uio_001", Content: "design.md is ready.\nMore."})
)

func TestScriptPlaysTheLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := model.NewScripted(loadSignup(t))
		first := play(t, c, event.Leader, system(), task)
		want := []event.Call{
			{ID: "call_tl_1_1", Name: "create_sub_agent", Arguments: `{"role":"uio","task":"Design the page for: a signup page"}`},
			{ID: "call_tl_1_2", Name: "create_sub_agent", Arguments: `{"role":"fse","task":"Write the interface for: a signup page"}`},
		}
		if diff := cmp.Diff(want, first.Calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if first.Text != "I split the work." || first.Reasoning == "" || first.Finish != event.FinishToolCalls || first.Usage.Input != 120 {
			t.Errorf("got %+v, want the first entry", first)
		}
		rest := []model.Message{system(), task, said(first.Calls...), result("call_tl_1_1", "ok"), result("call_tl_1_2", "ok")}
		if got := play(t, c, event.Leader, rest...); got.Text != "Waiting for reports." || got.Usage != nil {
			t.Errorf("got %+v, want the second reply without usage", got)
		}
		rest = append(rest, said(), question, report)
		if got := play(t, c, event.Leader, rest...); len(got.Calls) != 1 || got.Calls[0].Arguments != `{"answer":"Blue, as on the home page.","question_id":"ask_uio_001"}` {
			t.Errorf("got %+v, want the answer to the question although a report came after it", got)
		}
		rest = append(rest[:len(rest)-2], report, report)
		if got := play(t, c, event.Leader, rest...); got.Text != "UI Operator_1: design.md is ready.\nUI Operator_1: design.md is ready.\n" {
			t.Errorf("text %q, want both reports", got.Text)
		}
		rest = append(rest, said())
		if got := play(t, c, event.Leader, rest...); got.Text != "Still waiting." {
			t.Errorf("got %+v, want no second play for the same report", got)
		}
	})
}

func TestScriptPlaysTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := model.NewScripted(loadSignup(t))
		own := user(model.Origin{Kind: event.Task, Content: "Design"})
		ask := event.Call{ID: "c1", Name: "ask_master"}
		got := play(t, c, "uio_2", own, said(ask), result("c1", "Blue"))
		if got.Err != nil || got.Calls[0].Arguments != `{"content":"# Design\n\nColour: Blue\n","path":"design.md"}` {
			t.Errorf("got %+v, want task and tool result in the file", got)
		}
		got = play(t, c, "qae_1", own)
		if len(got.Calls) != 1 || got.Calls[0].Arguments != `{"path": "api.md", ` {
			t.Errorf("calls %+v, want the damaged one", got.Calls)
		}
		got = play(t, c, "qae_1", own, said(event.Call{ID: "c1", Name: "write_file"}), result("c1", "arguments are no JSON"))
		if got.Text != "The call was damaged: arguments are no JSON" {
			t.Errorf("got %+v, want the reply to the tool result", got)
		}
	})
}

func TestScriptTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := parse(t, `{"roles": {"*": [{"text": "汉字abcd", "delay": "2s", "chunk": 2, "pace": "500ms"}]}}`)
		began := time.Now()
		var pieces []string
		var at []time.Duration
		for chunk, err := range c.Stream(t.Context(), model.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if chunk.Text != "" {
				pieces, at = append(pieces, chunk.Text), append(at, time.Since(began))
			}
		}
		if diff := cmp.Diff([]string{"汉字", "ab", "cd"}, pieces); diff != "" {
			t.Errorf("pieces (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{2 * time.Second, 2500 * time.Millisecond, 3 * time.Second}, at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

func TestScriptFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := model.WithRetry(model.NewScripted(loadSignup(t)), model.RetryPolicy{Rand: noJitter})
		for _, agent := range []string{"uio_1", "uio_2"} { // each agent has its own
			began := time.Now()
			got := play(t, c, agent, task)
			if got.Err != nil || len(got.Calls) != 1 || len(got.Notices) != 1 {
				t.Fatalf("got %+v, want one retry and then the call", got)
			}
			if took := time.Since(began); took != 2*time.Second+200*time.Millisecond {
				t.Errorf("took %s, want two delays and the wait that was asked for", took)
			}
		}
	})
	faults := []struct{ fault, class, text string }{
		{`{"status": 401}`, model.ClassAuth, ""},
		{`{"status": 503, "message": "later"}`, model.ClassOverloaded, ""},
		{`{"stop_after": 3}`, model.ClassTruncatedStream, "汉字a"},
		{`{"stop_after": 99}`, model.ClassTruncatedStream, "汉字abc"},
		{`{"empty": true}`, model.ClassEmptyResponse, ""},
	}
	for _, tt := range faults {
		c := parse(t, `{"roles": {"*": [{"text": "汉字abc", "calls": [{"tool": "f"}], "fault": `+tt.fault+`}]}}`)
		got := play(t, c, "uio_1")
		if e := asError(t, got.Err); e.Class != tt.class || e.Partial != tt.text || got.Text != tt.text || len(got.Calls) != 0 {
			t.Errorf("%s: got %+v, want class %s with text %q and no calls", tt.fault, got, tt.class, tt.text)
		}
		if got = play(t, c, "uio_1"); got.Err != nil || len(got.Calls) != 1 {
			t.Errorf("%s: got %+v the second time, want the reply", tt.fault, got)
		}
	}
	c := parse(t, `{"roles": {"*": [{"fault": {"status": 500, "times": -1}}]}}`)
	for range 3 {
		if got := play(t, c, "uio_1"); got.Err == nil {
			t.Error("a fault for always came to an end")
		}
	}
}

func TestScriptConditions(t *testing.T) {
	old := user(model.Origin{Kind: event.Note, From: "QA_1", FromID: "qae_1", Content: "urgent: old"})
	tests := []struct {
		when     string
		messages []model.Message
		fits     bool
	}{
		{`{}`, nil, true},
		{`{"number": 2}`, []model.Message{task, said()}, true},
		{`{"number": "1"}`, []model.Message{task, said()}, false},
		{`{"number": "2-3"}`, []model.Message{task, said(), said(), said()}, false},
		{`{"last": "^urgent"}`, []model.Message{task, old, said()}, true},
		{`{"last": "frame"}`, []model.Message{task}, true},
		{`{"last": "urgent"}`, []model.Message{old, task}, false},
		{`{"any": "(?i)LEAD"}`, []model.Message{system(), task}, true},
		{`{"any": "nowhere"}`, []model.Message{system(), task}, false},
		{`{"new": "urgent"}`, []model.Message{task, old}, true},
		{`{"new": "urgent"}`, []model.Message{task, old, said()}, false},
		{`{"new": "urgent"}`, []model.Message{task, said(), old, task}, true},
		{`{"from": "qae"}`, []model.Message{old}, true},
		{`{"from": "qae_1"}`, []model.Message{old}, true},
		{`{"from": "qae_2"}`, []model.Message{old}, false},
		{`{"from": "qae", "kind": "question"}`, []model.Message{old, question}, false},
		{`{"tool": "stat"}`, []model.Message{task, said(event.Call{ID: "c", Name: "stat"}), result("c", "")}, true},
		{`{"tool": "stat"}`, []model.Message{task, said(event.Call{ID: "c", Name: "stat"}), result("c", ""), said()}, false},
	}
	for _, tt := range tests {
		c := parse(t, `{"roles": {"uio": [{"when": `+tt.when+`, "text": "fits"}]}}`)
		got := play(t, c, "uio_1", tt.messages...)
		if (got.Err == nil) != tt.fits {
			t.Errorf("%s: got %+v, fits should be %t", tt.when, got, tt.fits)
		}
	}
}

func TestScriptPrefersTheAgent(t *testing.T) {
	c := parse(t, `{"roles": {"*": [{"text": "all"}, {"text": "all 2"}], "uio": [{"text": "role"}], "uio_2": [{"text": "agent"}]}}`)
	for agent, want := range map[string]string{"uio_2": "agent", "uio_1": "role", "fse_1": "all"} {
		if got := play(t, c, agent, task); got.Text != want {
			t.Errorf("%s says %q, want %q", agent, got.Text, want)
		}
	}
	if got := play(t, c, "uio_2", task, said()); got.Text != "all 2" {
		t.Errorf("got %+v, want the entry for everyone when agent and role have no second reply", got)
	}
}

func TestScriptMistakes(t *testing.T) {
	golden.Equal(t, "testdata/script_mistakes.golden", []byte(strings.Join([]string{
		mistakes(`{"roles": {"*": [{"text": "a",}]}}`),
		mistakes("{\n \"roles\": [1]\n}"),
		mistakes(`[]`),
		mistakes(`{}`),
		mistakes(`{"role": {}, "defaults": {"delay": "fast", "chunk": -1}}`),
		mistakes(`{"x-note": "kept out", "roles": {"uio": [
			{"txt": "a"},
			7,
			{"text": 5},
			{"text": "{{.Nothing"},
			{"when": {"number": "0-", "last": "(", "kind": "shout"}},
			{"calls": [{"name": "f"}, {"tool": "f", "args": [1]}, {"tool": "f", "args": {"a": ["{{"]}}, {"tool": "f", "args": {}, "arguments": ""}]},
			{"finish": "tired", "usage": {"tokens": 3}},
			{"fault": {"status": 200}},
			{"fault": {}},
			{"fault": {"empty": true, "stop_after": 2, "retry_after": "x"}}
		]}}`),
	}, "\n")))
}

func mistakes(text string) string {
	_, err := model.ParseScript("bad.json", []byte(text))
	if err == nil {
		return "no mistake found in " + text + "\n"
	}
	return err.Error() + "\n"
}

func TestScriptMissing(t *testing.T) {
	_, err := model.LoadScript(fstest.MapFS{}, "none.json")
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("error %v, want one that names the missing file", err)
	}
	s := loadSignup(t)
	if diff := cmp.Diff([]string{"*", "tl", "uio"}, s.Roles()); diff != "" || s.Name != "signup page" {
		t.Errorf("script %q with roles (-want +got):\n%s", s.Name, diff)
	}
}

func TestScriptHasNothingToSay(t *testing.T) {
	c := parse(t, `{"roles": {"tl": [{"text": "one"}, {"when": {"kind": "question"}}]}}`)
	e := asError(t, play(t, c, "uio_1", question).Err)
	golden.Equal(t, "testdata/script_unmatched.golden", []byte(e.Error()+"\n"))
	if e.Class != model.ClassBadRequest || e.Retryable {
		t.Errorf("error %+v, want bad_request", e)
	}
	c = parse(t, `{"roles": {"*": [{"text": "{{.Results.stat}}"}]}}`)
	e = asError(t, play(t, c, "uio_1", task).Err)
	if e.Class != model.ClassBadRequest || !strings.Contains(e.Message, "roles.*[0].text") || !strings.Contains(e.Message, "stat") {
		t.Errorf("error %+v, want bad_request that names the template and the key", e)
	}
}

// FuzzParseScript: a script is refused with a reason, or can be played.
func FuzzParseScript(f *testing.F) {
	text, err := os.ReadFile("testdata/scripts/signup.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"roles": {"*": [{"when": {"number": "1-2"}, "text": "{{.Task}}"}]}}`))
	f.Add([]byte(`{"roles": {"*": [null, {"when": null, "calls": [null], "fault": null}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := model.ParseScript("fuzz", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "model: script fuzz: ") {
				t.Errorf("error %q does not name the script", err)
			}
			return
		}
		synctest.Test(t, func(t *testing.T) {
			got := play(t, model.NewScripted(s), "uio_1", task)
			if (got.Err == nil) == (got.Finish == "") || got.AfterErr > 0 {
				t.Errorf("got %+v, want an error or a finish", got)
			}
		})
	})
}
