package leader_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// family is a fake of one family of endpoints: as strict as they are, and as
// odd in what it sends.
type family struct {
	name     string
	provider string // as the team file names it
	key      string // the variable of the key; empty where none is needed
	// fault says why a request is refused; empty if it is taken.
	fault func(req modeltest.ChatRequest) string
	// body is the reply as it goes over the wire.
	body func(req modeltest.ChatRequest, r modeltest.Reply) string
	// learns is the one switch that may be learned from a refusal, and refusals
	// how many there are; -1 is up to one for each agent.
	learns   string
	refusals int
	retries  int // of replies that broke
}

func families() []family {
	deep := family{name: "deepseek", provider: "deepseek", key: "DEEPSEEK_API_KEY", fault: missesReasoning, body: deepseekBody}
	unknown := deep
	unknown.name, unknown.provider = "deepseek behind an unknown address", "openai-compatible"
	unknown.learns, unknown.refusals = "echo_reasoning", 1
	return []family{
		deep,
		unknown,
		{
			name: "moonshot", provider: "moonshot", key: "MOONSHOT_API_KEY", fault: notAlternating, body: moonshotBody,
			learns: "merge_same_role", refusals: -1,
		},
		{name: "ollama", provider: "ollama", fault: nullContent, body: ollamaBody},
		{
			name: "azure", provider: "azure", key: "AZURE_OPENAI_API_KEY", fault: oldAzure, body: azureBody,
			learns: "no_stream_usage", refusals: 1,
		},
		{name: "vllm", provider: "vllm", fault: nullContent, body: breaksOnce(vllmBody), retries: 1},
	}
}

// TestATeamAtEveryFamilyOfEndpoints runs the same team against a strict fake
// of each family: every question is answered, all report, and nothing is
// refused but what is learned from.
func TestATeamAtEveryFamilyOfEndpoints(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			desk := &strictDesk{family: f, refused: map[string]int{}}
			server := modeltest.NewServer(t, desk.handle)
			run, err := f.team(t, server.URL).Start(t.Context(), "Design a signup page and write its API.")
			if err != nil {
				t.Fatal(err)
			}
			var records []event.Record
			for rec, err := range run.Events(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				records = append(records, rec)
			}
			res, err := run.Wait()
			if err != nil || res.Status != leader.StatusFinished || res.Answer != allDone {
				t.Errorf("the run ended %s with %q, %v", res.Status, res.Answer, err)
			}
			checkQuestions(t, records)
			desk.check(t, records)
		})
	}
}

// team loads a team whose only model is the family's at url.
func (f family) team(t *testing.T, url string) *leader.Leader {
	t.Helper()
	text := "version: 1\nmodel: house\nroles:\n" +
		"  uio: {name: UI Operator, does: designs pages}\n  fse: {name: Full-Stack Engineer, does: writes code}\n  res: {name: Researcher, does: looks around}\n" +
		"models:\n  house: {provider: " + f.provider + ", model: test-model, base_url: \"${URL}\", retry: {max: 2, base: 1ms, cap: 1ms}}\n"
	l, err := leader.Load(teamFile(t, text), env("URL", url, f.key, modeltest.TestKey), leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// checkQuestions finds both questions and their answers.
func checkQuestions(t *testing.T, records []event.Record) {
	t.Helper()
	opened := dataOf[event.QuestionOpened](records)
	closed := map[string]event.QuestionClosed{}
	for _, c := range dataOf[event.QuestionClosed](records) {
		closed[c.ID] = c
	}
	if len(opened) != 2 {
		t.Errorf("%d questions were asked, want 2", len(opened))
	}
	want := map[string]string{"ask_uio_001": "blue", "ask_fse_001": "e-mail and password"}
	for _, q := range opened {
		if c := closed[q.ID]; c.Outcome != event.Answered || c.Text != want[q.ID] {
			t.Errorf("question %s was closed as %q with %q, want the answer %q", q.ID, c.Outcome, c.Text, want[q.ID])
		}
	}
}

// strictDesk is the door of a family's fake: it refuses what the family and
// what every endpoint refuses, and counts it.
type strictDesk struct {
	family family

	mu      sync.Mutex     // guards all below
	refused map[string]int // by the agent whose request it was
	other   []string       // faults that no endpoint forgives
}

func (d *strictDesk) handle(req modeltest.ChatRequest) modeltest.Reply {
	who := speaker(req)
	if fault := brokenHistory(req.Messages); fault != "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.other = append(d.other, who+": "+fault)
		return refuseWith(fault)
	}
	if fault := d.family.fault(req); fault != "" {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.refused[who]++
		return refuseWith(fault)
	}
	return modeltest.Reply{Wire: modeltest.Wire{Body: d.family.body(req, signup(who, req))}}
}

func refuseWith(words string) modeltest.Reply {
	return modeltest.Reply{Err: &model.Error{Status: http.StatusBadRequest, Message: words}}
}

// check holds what was refused against what may be learned.
func (d *strictDesk) check(t *testing.T, records []event.Record) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, fault := range d.other {
		t.Errorf("a request no endpoint takes: %s", fault)
	}
	sum := 0
	for who, n := range d.refused {
		if sum += n; n > 1 {
			t.Errorf("%s was refused %d times, want what was learned remembered", who, n)
		}
	}
	if d.family.refusals >= 0 && sum != d.family.refusals {
		t.Errorf("%d requests were refused, want %d", sum, d.family.refusals)
	}
	learned := dataOf[event.ModelProfile](records)
	if len(learned) != min(sum, 1) {
		t.Errorf("after %d refusals the log tells of %+v, want one switch at most", sum, learned)
	}
	for _, l := range learned {
		if l.Switch != d.family.learns {
			t.Errorf("learned %s: %s from %q, want only %q", l.Switch, l.Value, l.Why, d.family.learns)
		}
	}
	if got := len(dataOf[event.ModelRetried](records)); got != d.family.retries {
		t.Errorf("%d calls were tried again, want %d", got, d.family.retries)
	}
	if got := dataOf[event.ModelFailed](records); len(got) > 0 {
		t.Errorf("calls failed: %+v", got)
	}
}

// speaker is the agent whose request it is.
func speaker(req modeltest.ChatRequest) string {
	for name, id := range map[string]string{"UI Operator_1": "uio_1", "Full-Stack Engineer_1": "fse_1", "Researcher_1": "res_1"} {
		if strings.HasPrefix(req.Messages[0].Content, "You are "+name) {
			return id
		}
	}
	return event.Leader
}

const allDone = "The signup page and its API are ready."

// reports are what the sub-agents say at their end.
var reports = map[string]string{
	"uio_1": "The signup page is designed.", "fse_1": "The API is written.", "res_1": "Others sign up by e-mail.",
}

// signup plays all agents: what each says follows from its conversation alone.
// The leader's first step is one call while nobody else is there, so that what
// a lone tool loop teaches is known before the others begin.
func signup(who string, req modeltest.ChatRequest) modeltest.Reply {
	call := func(tool string, kv ...string) event.Call {
		args := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			args[kv[i]] = kv[i+1]
		}
		return modeltest.Call(tool, args)
	}
	first := req.Reply() == 1
	switch {
	case who == event.Leader && first, who == "res_1" && first:
		return say("I look around.", call("list_dir"))
	case who == event.Leader && req.Reply() == 2:
		return say("I plan three parts.", create("uio", "design the page"), create("fse", "write the API"), create("res", "look at others"))
	case who == "uio_1" && first:
		return say("I ask for the colour.", call("ask_master", "question", "Which colour?"))
	case who == "fse_1" && first:
		return say("", call("ask_other_agent", "agent", "UI Operator_1", "question", "Which fields?"))
	}
	switch id := openQuestion(req.Messages); {
	case id != "" && who == event.Leader:
		return say("", call("answer_sub_agent_question", "question_id", id, "answer", "blue"))
	case id != "":
		return say("", call("answer_other_agent", "question_id", id, "answer", "e-mail and password"))
	case who != event.Leader:
		return say(reports[who])
	}
	for _, text := range reports {
		if !slices.ContainsFunc(req.Messages, func(m model.Message) bool { return m.Role == model.User && strings.Contains(m.Content, text) }) {
			return say("I wait for the reports.")
		}
	}
	return say(allDone)
}

var questionID = regexp.MustCompile(`\bask_[a-z]+_\d+\b`)

// openQuestion is a question that came and that no call has answered.
func openQuestion(messages []model.Message) string {
	var answers strings.Builder
	for _, m := range messages {
		for _, c := range m.Calls {
			answers.WriteString(c.Arguments)
		}
	}
	for _, m := range messages {
		if m.Role != model.User {
			continue
		}
		for _, id := range questionID.FindAllString(m.Content, -1) {
			if !strings.Contains(answers.String(), id) {
				return id
			}
		}
	}
	return ""
}

// brokenHistory says what no endpoint takes: calls without a result of their
// own, results without a call, an id twice, a system message that is not first.
func brokenHistory(messages []model.Message) string {
	ids := map[string]bool{}
	var open []string
	for i, m := range messages {
		if m.Role == model.ToolRole {
			at := slices.Index(open, m.CallID)
			if at < 0 {
				return fmt.Sprintf("messages[%d]: result of %q without its call", i, m.CallID)
			}
			open = slices.Delete(open, at, at+1)
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("messages[%d]: calls %q have no result", i, open)
		}
		if (m.Role == model.System) != (i == 0) {
			return fmt.Sprintf("messages[%d]: the system message must be the first one", i)
		}
		for _, c := range m.Calls {
			if ids[c.ID] || !json.Valid([]byte(c.Arguments)) {
				return fmt.Sprintf("messages[%d]: call %q is not unique, or its arguments are no JSON", i, c.ID)
			}
			ids[c.ID] = true
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("calls %q have no result", open)
	}
	return ""
}
