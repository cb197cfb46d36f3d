package leader_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// summaryPrompt is how the prompt of a request for a summary begins.
const summaryPrompt = "You condense the older part"

func status() event.Call { return modeltest.Call("get_sub_agent_status", map[string]any{}) }

// TestAnEndpointThatRefusesALongConversation has a provider that refuses the
// leader's fourth request, in the words and with the statuses that providers
// have for it.
func TestAnEndpointThatRefusesALongConversation(t *testing.T) {
	for _, code := range []int{http.StatusBadRequest, http.StatusInternalServerError} {
		var refused atomic.Bool
		server := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply {
			switch system := req.Messages[0].Content; {
			case strings.HasPrefix(system, summaryPrompt):
				return say("One worker was hired for the page.")
			case strings.HasPrefix(system, "You are UI Operator_1"):
				return say("the page is ready")
			case refused.Load():
				return say("all is done")
			}
			switch req.Reply() {
			case 1:
				return say("I hire", create("uio", "design the page"))
			case 2, 3:
				return say("I look", status())
			}
			refused.Store(true)
			return modeltest.Reply{Err: &model.Error{
				Status: code, Message: "This model's maximum context length is 4096 tokens, however you requested 5120 tokens.",
			}}
		})
		l, err := leader.New(leader.Team{Model: leader.Model{Client: server.Client(), Name: "fake/fake"}}, leader.WithWorkDir(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "make a page in blue")
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait()
		if err != nil || res.Answer != "all is done" {
			t.Errorf("status %d: answer %q, %v", code, res.Answer, err)
		}
		checkRefused(t, server.Exchanges())
		records := collect(t, run.Events(t.Context()))
		if folded := dataOf[event.HistoryCompacted](records); len(folded) != 1 || folded[0].Dropped < 2 {
			t.Errorf("status %d: folded %+v", code, folded)
		}
	}
}

// checkRefused looks at the request for the summary and at the one after it.
func checkRefused(t *testing.T, exchanges []modeltest.Exchange) {
	t.Helper()
	summed := false
	for _, x := range exchanges {
		m := x.Request.Messages
		if strings.HasPrefix(m[0].Content, summaryPrompt) {
			if summed || len(x.Request.Tools) > 0 || !strings.Contains(m[1].Content, "> make a page in blue") {
				t.Errorf("request for a summary, another one before %t, %d tools: %s", summed, len(x.Request.Tools), m[1].Content)
			}
			summed = true
			continue
		}
		if !summed || strings.HasPrefix(m[0].Content, "You are UI") {
			continue
		}
		for _, want := range []string{
			"来自 Troupe 的消息", "One worker was hired for the page.", "How things stand now", "> make a page in blue",
			"UI Operator_1 (uio_1", "Task: design the page",
		} {
			if !strings.Contains(m[1].Content, want) {
				t.Errorf("the summary has no %q:\n%s", want, m[1].Content)
			}
		}
		return
	}
	t.Errorf("no request after a summary, which came: %t", summed)
}

// TestAWorkerIsBriefed folds a worker's conversation while it is asked
// something; the log stays one that every reader can fold.
func TestAWorkerIsBriefed(t *testing.T) {
	var after string
	refused := false
	_, records, err := do(t, players{
		"tl": sequence(
			say("", create("uio", "design in blue"), create("fse", "write the API")),
			say("waiting"), say("the page is ready"),
		),
		"fse_1": sequence(say("", modeltest.Call("ask_other_agent", map[string]any{"agent": "uio_1", "question": "which fields?"}))),
		"uio_1": func(req model.Request, n int) modeltest.Reply {
			last := req.Messages[len(req.Messages)-1]
			switch {
			case strings.HasPrefix(req.Messages[0].Content, summaryPrompt):
				return say("I began.")
			case refused && after == "":
				after = req.Messages[1].Content
				return say("", modeltest.Call("answer_other_agent", map[string]any{"question_id": "ask_fse_001", "answer": "mail"}))
			case refused:
				return say("designed")
			case n >= 2 && lastQuestion(req) != "" && last.Role == model.ToolRole:
				refused = true
				return modeltest.Reply{Err: model.NewError(model.ClassContextOverflow, "too long")}
			}
			look := say("I look", modeltest.Call("list_dir", map[string]any{}), modeltest.Call("list_active_sub_agents", map[string]any{}))
			look.Delay = 10 * time.Millisecond // the question comes meanwhile
			return look
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkLog(t, records)
	for _, want := range []string{"I began.", "> design in blue", "UI Operator_1 (uio_1", "Full-Stack Engineer_1 (fse_1", "ask_fse_001 from Full-Stack Engineer_1: which fields?"} {
		if !strings.Contains(after, want) {
			t.Errorf("the summary has no %q:\n%s", want, after)
		}
	}
	for _, d := range dataOf[event.MessageSent](records) {
		if strings.Contains(d.Content, "I began.") {
			t.Errorf("the summary was reported: %+v", d)
		}
	}
	if folded := dataOf[event.HistoryCompacted](records); len(folded) != 1 || !strings.HasPrefix(folded[0].ID, "msg_sys_") {
		t.Errorf("folded %+v", folded)
	}
}

// TestAWindowThatNobodyKnows warns of a share without a whole.
func TestAWindowThatNobodyKnows(t *testing.T) {
	for _, tt := range []struct {
		window   int
		warnings int
	}{{0, 1}, {8192, 0}} {
		_, records, err := do(t, players{"tl": sequence(say("done"))}, func(team *leader.Team) {
			team.Model.CompactAt, team.Model.ContextWindow = 0.8, tt.window
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := dataOf[event.Warning](records); len(got) != tt.warnings {
			t.Errorf("window %d: warnings %+v", tt.window, got)
		}
	}
	_, err := leader.New(leader.Team{Model: leader.Model{Client: players{}.client(), Name: "a/b", CompactAt: 80}})
	if err == nil || !strings.Contains(err.Error(), "the share is from 0 to 1") {
		t.Errorf("a share of 80: %v", err)
	}
}

// TestTheWindowOfATeamFile reads share and window, which an endpoint's own
// setting gives if nothing else does, or else what is known of the model.
func TestTheWindowOfATeamFile(t *testing.T) {
	for _, tt := range []struct {
		model, profile string
		want           int
	}{
		{"ollama, model: m", "{context_window: 8192, num_ctx: 4096}", 8192},
		{"ollama, model: m", "{num_ctx: 4096}", 4096},
		{"ollama, model: m", "{}", 0},
		{"deepseek, model: deepseek-chat", "{}", 128_000},
		{"deepseek, model: deepseek-chat", "{context_window: 64000}", 64_000},
	} {
		l, err := leader.Load(teamFile(t, "version: 1\nmodel: a\nmodels: {a: {provider: "+tt.model+", compact_at: 0.75, profile: "+tt.profile+"}}\n"+someRoles),
			env("DEEPSEEK_API_KEY", "sk-secret-1234"))
		if err != nil {
			t.Fatal(err)
		}
		if m := l.Team().Model; m.ContextWindow != tt.want || m.CompactAt != 0.75 {
			t.Errorf("%s %s: compacted at %v of %d tokens, want 0.75 of %d", tt.model, tt.profile, m.CompactAt, m.ContextWindow, tt.want)
		}
		if w := l.Warnings(); (len(w) == 0) != (tt.want > 0) {
			t.Errorf("%s %s: warnings %+v, want one exactly where no window is known", tt.model, tt.profile, w)
		}
	}
}
