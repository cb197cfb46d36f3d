package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

const (
	labelEn = "Made by a script (scripted/survey), not by a language model."
	labelZh = "由脚本（scripted/survey）生成，不是语言模型。"
)

// stage is a conversation with one agent of the survey, built by hand.
type stage struct {
	t   *testing.T
	req model.Request
	// answer gives the results of the tools; the real ones are run if it does
	// not know the call.
	answer func(c event.Call) (result string, isError, known bool)
	set    tools.Set
	calls  []event.Call // that were made
}

// workerPrompt and leaderPrompt begin as the real ones do.
const (
	workerPrompt = "You are Scout_1, a sub-agent in the role Scout."
	leaderPrompt = "You are the Team Leader.\n\n# Roles, by id\n\n- `scout`: Scout.\n- `reader`: Reader.\n"
)

// newStage begins a conversation of a role; no folder means no real tools.
func newStage(t *testing.T, role, dir, prompt string, offers ...string) *stage {
	t.Helper()
	s := &stage{t: t, req: model.Request{Agent: role + "_1", AgentRole: role}}
	if role == event.Leader {
		s.req.Agent = role
	}
	s.req.Messages = []model.Message{{Role: model.System, Content: prompt}}
	for _, name := range offers {
		s.req.Tools = append(s.req.Tools, model.Tool{Name: name})
	}
	if dir != "" {
		ws, err := tools.NewWorkspace(dir, tools.WorkspaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ws.Close() })
		if s.set, err = tools.NewSet(ws.Tools()...); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// hear adds a message of the mailbox.
func (s *stage) hear(kind event.Kind, from, fromID, id, content string) *stage {
	m := model.Message{Role: model.User, Content: "(frame) " + content}
	m.Origin = model.Origin{Kind: kind, From: from, FromID: fromID, ID: id, Content: content}
	if kind == event.Question {
		m.Origin.QuestionID = id
	}
	s.req.Messages = append(s.req.Messages, m)
	return s
}

// reply is the next reply of the survey.
func (s *stage) reply() (text string, calls []event.Call) {
	s.t.Helper()
	for chunk, err := range model.Survey(model.SurveyOptions{}).Stream(s.t.Context(), s.req) {
		if err != nil {
			s.t.Fatal(err)
		}
		if chunk.Usage != nil {
			s.t.Errorf("a script has no tokens, got %+v", *chunk.Usage)
		}
		text += chunk.Text
		calls = append(calls, chunk.Calls...)
	}
	return text, calls
}

// step takes one reply and gives each of its calls a result.
func (s *stage) step() (text string, calls []event.Call) {
	s.t.Helper()
	text, calls = s.reply()
	s.req.Messages = append(s.req.Messages, model.Message{Role: model.Assistant, Content: text, Calls: calls})
	for _, c := range calls {
		s.calls = append(s.calls, c)
		result, isError := s.run(c)
		s.req.Messages = append(s.req.Messages, model.Message{
			Role: model.ToolRole, CallID: c.ID, ToolName: c.Name, Content: result, IsError: isError,
		})
	}
	return text, calls
}

func (s *stage) run(c event.Call) (string, bool) {
	if s.answer != nil {
		if result, isError, known := s.answer(c); known {
			return result, isError
		}
	}
	result, err := s.set.Run(s.t.Context(), c.Name, tools.Call{Agent: s.req.Agent, ID: c.ID, Arguments: json.RawMessage(c.Arguments)})
	if err != nil {
		return err.Error(), true
	}
	return result, false
}

// finish takes steps until the turn ends.
func (s *stage) finish() string {
	s.t.Helper()
	for range 30 {
		if text, calls := s.step(); len(calls) == 0 {
			return text
		}
	}
	s.t.Fatalf("the turn does not end; calls: %v", s.calls)
	return ""
}

// made lists the names of the calls that were made.
func (s *stage) made() []string {
	var names []string
	for _, c := range s.calls {
		names = append(names, c.Name)
	}
	return names
}

// frame is an answer as the asker's tool returns it.
func frame(from, text string) string {
	return fmt.Sprintf("来自 %[1]s 的回答\nid: ans_x_001\n\n<%[1]s>\n<Answer question_id=\"ask_x_001\">\n%[2]s\n</Answer>\n</%[1]s>", from, text)
}

// fill writes files; a name that ends in a slash is a folder.
func fill(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(at, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mustHave checks that a report has the lines, whole.
func mustHave(t *testing.T, report string, lines ...string) {
	t.Helper()
	all := strings.Split(report, "\n")
	for _, line := range lines {
		if !slices.Contains(all, line) {
			t.Errorf("the report lacks the line %q; it is\n%s", line, report)
		}
	}
}

var (
	scoutTools  = []string{"ask_master", "ask_other_agent", "answer_other_agent", "list_dir"}
	readerTools = []string{"ask_master", "ask_other_agent", "answer_other_agent", "search_files", "read_file", "list_dir"}
	leaderTools = []string{"create_sub_agent", "create_custom_agent", "answer_sub_agent_question", "wait_sub_agent_output"}
)

func TestSurveyIsOpenedByItsName(t *testing.T) {
	c, info, err := model.Open(model.Spec{Provider: "scripted", Model: "survey"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (model.Info{Ref: "scripted/survey", Scripted: true}); c == nil || info != want {
		t.Errorf("got %+v, want %+v", info, want)
	}
}

func TestSurveyTeam(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		var ids []string
		for _, r := range model.SurveyTeam(lang) {
			ids = append(ids, r.ID)
			if r.Name == "" || r.Does == "" || r.Code == "" || len(r.Tools) == 0 {
				t.Errorf("%s: role %+v is not complete", lang, r)
			}
			if known := tools.DefaultRoleTools(); slices.ContainsFunc(r.Tools, func(name string) bool { return !slices.Contains(known, name) }) {
				t.Errorf("%s: %s has tools %v, not only reading ones", lang, r.ID, r.Tools)
			}
		}
		if want := []string{"scout", "reader"}; !slices.Equal(ids, want) {
			t.Errorf("%s: roles %v, want %v", lang, ids, want)
		}
	}
}

func TestSurveyPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pace = 300 * time.Millisecond
		s := newStage(t, "scout", "", workerPrompt)
		s.hear(event.Task, "Team Leader", "tl", "task_001", "go")
		began, pieces := time.Now(), 0
		for chunk, err := range model.Survey(model.SurveyOptions{Pace: pace}).Stream(t.Context(), s.req) {
			if err != nil {
				t.Fatal(err)
			}
			if chunk.Text != "" {
				pieces++
			}
		}
		if took := time.Since(began); took < pace/2 || took > 2*pace {
			t.Errorf("a reply took %s, want about %s", took, pace)
		}
		if pieces < 10 {
			t.Errorf("it came in %d pieces, want more to watch", pieces)
		}
	})
}

func TestSurveyEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "scout", "", workerPrompt)
		s.hear(event.Task, "Team Leader", "tl", "task_001", "go")
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		var last error
		for _, err := range model.Survey(model.SurveyOptions{Pace: time.Hour}).Stream(ctx, s.req) {
			last = err
		}
		if last == nil || time.Since(began) > time.Second {
			t.Errorf("got error %v after %s, want one as soon as the context ends", last, time.Since(began))
		}
	})
}

func TestSurveyRepliesFollowFromTheRequestAlone(t *testing.T) {
	s := newStage(t, "scout", fill(t, map[string]string{"a.go": "package a"}), workerPrompt, scoutTools...)
	s.answer = leaderSays("yes")
	s.hear(event.Task, "Team Leader", "tl", "task_001", "go")
	for range 5 {
		text, calls := s.reply()
		again, callsAgain := s.reply()
		if diff := cmp.Diff(calls, callsAgain); diff != "" || text != again {
			t.Fatalf("the same request got %q and %q, calls differ: %s", text, again, diff)
		}
		s.step()
	}
}

func TestSurveyInARoleItDoesNotKnow(t *testing.T) {
	s := newStage(t, "uio", "", workerPrompt, scoutTools...)
	s.answer = func(event.Call) (string, bool, bool) { return "delivered", false, true }
	s.hear(event.Task, "Team Leader", "tl", "task_001", "design a page")
	s.hear(event.Question, "FSE_1", "fse_1", "ask_fse_001", "which colour?")
	_, calls := s.step()
	if len(calls) != 1 || calls[0].Name != "answer_other_agent" || !strings.Contains(calls[0].Arguments, "only surveys") {
		t.Errorf("the question got %v, want an honest answer", calls)
	}
	text, calls := s.step()
	if len(calls) > 0 || !strings.HasPrefix(text, labelEn) || !strings.Contains(text, "only surveys") {
		t.Errorf("got %q and calls %v, want it to say that it only surveys folders", text, calls)
	}
}

// leaderSays answers ask_master.
func leaderSays(text string) func(event.Call) (string, bool, bool) {
	return func(c event.Call) (string, bool, bool) {
		if c.Name != "ask_master" {
			return "", false, false
		}
		return frame("Team Leader", text), false, true
	}
}

// argument is a text among the arguments of a call.
func argument(t *testing.T, c event.Call, name string) string {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		t.Fatal(err)
	}
	text, _ := args[name].(string)
	return text
}
