package subagent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// office is a leader and two workers with inboxes, without a run.
type office struct {
	log      *transcript.Log
	exchange mailbox.Exchange
	leader   *mailbox.Box
	boxes    map[string]*mailbox.Box
}

var (
	leader = mailbox.Address{ID: event.Leader, Name: event.LeaderName, Code: event.Leader}
	uio    = mailbox.Address{ID: "uio_1", Name: "UI Operator_1", Code: "uio"}
	fse    = mailbox.Address{ID: "fse_1", Name: "Full-Stack Engineer_1", Code: "fse"}
)

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{log: transcript.NewMemory(transcript.Options{}), boxes: map[string]*mailbox.Box{}}
	ids := mailbox.NewIDs()
	post := mailbox.NewPost(o.log, ids, mailbox.PostOptions{})
	o.exchange = mailbox.Exchange{IDs: ids, Post: post, Desk: mailbox.NewDesk(o.log, ids, mailbox.DeskOptions{Leader: event.Leader})}
	for _, a := range []mailbox.Address{leader, uio, fse} {
		o.boxes[a.ID] = mailbox.NewBox(mailbox.BoxOptions{})
		if err := post.Register(a, o.boxes[a.ID]); err != nil {
			t.Fatal(err)
		}
	}
	o.leader = o.boxes[event.Leader]
	return o
}

// words answer nothing that these tests look at.
type words struct{ prompts.Words }

func (words) OpenQuestions([]agent.OpenQuestion) string { return "" }

type free struct{ limit *agent.LimitError }

func (f free) Reserve(agent.Need) ([]event.LimitWarned, error) {
	if f.limit != nil {
		return nil, f.limit
	}
	return nil, nil
}

func (free) Settle(agent.Need, event.Usage, *event.Cost) {}

// TestOneReportWhateverEndsTheTurn looks at what the leader is told.
func TestOneReportWhateverEndsTheTurn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		model  model.Client
		budget free
		stop   *agent.Stop
		reason event.Reason
		want   string
	}{
		{"a result", modeltest.Sequence(modeltest.Reply{Text: "the page is ready"}), free{}, nil, event.EndNatural, "the page is ready"},
		{
			"no endpoint", modeltest.Sequence(modeltest.Reply{Err: model.NewError(model.ClassAuth, "bad key")}),
			free{},
			nil,
			event.EndFailed, "bad key",
		},
		{
			"a limit", modeltest.Sequence(),
			free{&agent.LimitError{LimitReached: event.LimitReached{Limit: "tokens", Used: 9, Max: 9}, NoWrapUp: true}},
			nil,
			event.EndLimit, "tokens",
		},
		{
			"a stop", modeltest.Sequence(modeltest.Reply{Text: "never", Delay: time.Hour}),
			free{},
			&agent.Stop{Mode: agent.Now, By: event.PersonName, Reason: "wrong colours"}, event.EndStopped, "wrong colours",
		},
		{
			"the end of the agent", modeltest.Sequence(modeltest.Reply{Text: "never", Delay: time.Hour}),
			free{},
			&agent.Stop{Mode: agent.Terminate, By: event.LeaderName}, event.EndTerminated, "terminated",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t)
				a, err := agent.New(agent.Config{
					ID: uio.ID, Name: uio.Name, Code: uio.Code, Prompt: agent.NewPrompt("test"), Box: o.boxes[uio.ID],
					Shared: &agent.Shared{
						Role: "uio", Model: tt.model, ModelName: "test/test", Log: o.log, Post: o.exchange.Post, Desk: o.exchange.Desk,
						Budget: tt.budget, Words: words{prompts.In("en")}, Report: subagent.Reporter(o.exchange.Post, prompts.In("en")),
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- a.Run(ctx) }()
				send(t, o, event.Task, leader, uio, "design")
				synctest.Wait()
				if tt.stop != nil {
					a.Stop(*tt.stop)
					synctest.Wait()
				}
				got := o.leader.Drain()
				if len(got) != 1 || got[0].Kind != event.Completion || got[0].Reason != tt.reason || !strings.Contains(got[0].Content, tt.want) {
					t.Errorf("the leader got %+v, want one report %s with %q", got, tt.reason, tt.want)
				}
				cancel()
				<-done
			})
		})
	}
}

func send(t *testing.T, o *office, kind event.Kind, from, to mailbox.Address, text string) {
	t.Helper()
	_, err := o.exchange.Post.Send(mailbox.Outgoing{Kind: kind, From: from.ID, To: to.ID, Content: text})
	if err != nil {
		t.Fatal(err)
	}
}

// call is a tool call that notes what it is told.
func call(events *[]string) tools.Call {
	note := func(text string) { *events = append(*events, text) }
	return tools.Call{
		Agent: uio.ID, Turn: 1, ID: "call_1",
		Sent: func() { note("sent") },
		Blocked: func(on ...string) func() {
			note("waits for " + strings.Join(on, " "))
			return func() { note("goes on") }
		},
	}
}

func TestPeersAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		p := subagent.Peers{Exchange: o.exchange, Words: prompts.In("en"), AskTimeout: time.Minute}
		var events []string
		go func() {
			synctest.Wait()
			id := o.boxes[fse.ID].Drain()[0].ID
			if _, err := o.exchange.Desk.Answer(fse.ID, fse.Code, id, "name, mail", 1); err != nil {
				t.Error(err)
			}
		}()
		got, err := p.AskOther(t.Context(), call(&events), tools.AskOtherArgs{Agent: "full-stack engineer_1", Question: "which fields?"})
		if err != nil {
			t.Fatal(err)
		}
		m, err := mailbox.Parse(got)
		want := mailbox.Message{ID: "ans_fse_001", Kind: event.Answer, From: fse.Name, QuestionID: "ask_uio_001", Content: "name, mail"}
		if err != nil || m != want {
			t.Errorf("got %+v (%v), want %+v", m, err, want)
		}
		if want := []string{"sent", "waits for ask_uio_001 fse_1", "goes on"}; !slices.Equal(events, want) {
			t.Errorf("the call did %q, want %q", events, want)
		}

		_, err = p.AskMaster(t.Context(), call(&events), tools.AskMasterArgs{Question: "which colour?"})
		if err == nil || !strings.Contains(err.Error(), "ask_uio_002") {
			t.Errorf("nobody answered in time, and the result is %v", err)
		}
		if got := o.leader.Drain(); len(got) != 1 || got[0].Content != "which colour?" {
			t.Errorf("the leader got %+v", got)
		}
	})
}

func TestPeersTell(t *testing.T) {
	o := newOffice(t)
	p := subagent.Peers{Exchange: o.exchange, Words: prompts.In("en"), Active: func() string { return "the team" }}
	var events []string
	got, err := p.AskOther(t.Context(), call(&events), tools.AskOtherArgs{Agent: "fse_1", Question: "the page is ready", Expects: "none"})
	if err != nil || !strings.Contains(got, "msg_uio_001") {
		t.Errorf("got %q (%v)", got, err)
	}
	if m := o.boxes[fse.ID].Drain(); len(m) != 1 || m[0].Kind != event.Note {
		t.Errorf("the other got %+v, want a note", m)
	}
	if len(events) != 0 {
		t.Errorf("a message without a reply waited: %q", events)
	}
	if got, err := p.ListActive(t.Context(), call(&events)); err != nil || got != "the team" {
		t.Errorf("got %q (%v)", got, err)
	}
}

// TestRefusalsTellWhatToDo reads every refusal in both languages.
func TestRefusalsTellWhatToDo(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		o := newOffice(t)
		p := subagent.Peers{Exchange: o.exchange, Words: prompts.In(lang), MayAsk: []string{"res"}}
		free := p
		free.MayAsk = nil
		var events []string
		ask := func(p subagent.Peers, who string) error {
			_, err := p.AskOther(t.Context(), call(&events), tools.AskOtherArgs{Agent: who, Question: "?", Expects: "none"})
			return err
		}
		answer := func(id string) error {
			_, err := p.AnswerOther(t.Context(), call(&events), tools.AnswerArgs{QuestionID: id, Answer: "a"})
			return err
		}
		for _, q := range []mailbox.Ask{{ID: "ask_fse_001", From: fse.ID, To: uio.ID}, {ID: "ask_fse_002", From: fse.ID, To: uio.ID}} {
			if _, _, err := o.exchange.Desk.Ask(q); err != nil {
				t.Fatal(err)
			}
		}
		if err := answer("ask_fse_002"); err != nil {
			t.Fatal(err)
		}
		terminated := mailbox.Address{ID: "res_1", Name: "Researcher_1", Code: "res"}
		if err := errors.Join(o.exchange.Post.Register(terminated, mailbox.NewBox(mailbox.BoxOptions{})),
			o.exchange.Post.Close(terminated.ID, "not needed")); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name  string
			err   error
			wants []string
		}{
			{"terminated agent", ask(free, terminated.ID), []string{p.Words.TerminatedAgent(terminated.Name)}},
			{"unknown agent", ask(free, "nobody"), []string{"nobody", fse.Name}},
			{"itself", ask(free, "uio_1"), nil},
			{"the leader", ask(free, "tl"), []string{"Team Leader"}},
			{"not allowed", ask(p, "fse_1"), []string{fse.Name, "res"}},
			{"unknown question", answer("ask_x_001"), []string{"ask_x_001", "ask_fse_001"}},
			{"closed question", answer("ask_fse_002"), []string{"ask_fse_002"}},
		} {
			if tt.err == nil {
				t.Errorf("%s, %s: allowed", lang, tt.name)
				continue
			}
			for _, want := range tt.wants {
				if !strings.Contains(tt.err.Error(), want) {
					t.Errorf("%s, %s: %q has no %q", lang, tt.name, tt.err, want)
				}
				if strings.Contains(tt.err.Error(), "mailbox:") {
					t.Errorf("%s, %s: %q is no word of the team", lang, tt.name, tt.err)
				}
			}
		}
	}
}

func TestOutcomes(t *testing.T) {
	w := prompts.In("en")
	for _, tt := range []struct {
		end   mailbox.Ending
		isErr bool
		want  string
	}{
		{mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Implicit, Text: "blue"}}, false, "blue"},
		{mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "msg_uio_001", Outcome: event.Answered, Text: "thanks"}}, false, "thanks"},
		{mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "ask_uio_001", Outcome: event.OverBudget, Text: "half"}}, false, "half"},
		{mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Terminated}}, true, "terminated"},
		{mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "ask_uio_001", Outcome: event.RefusedCycle, Text: "ask_fse_001", Detail: "a → b → a"}}, true, "ask_fse_001"},
		{mailbox.Ending{QuestionClosed: event.QuestionClosed{ID: "ask_tl_001"}, Yielded: "ask_uio_002"}, false, "ask_uio_002"},
	} {
		text, err := subagent.Outcome(w, "UI Operator_1", tt.end)
		if err != nil {
			text = err.Error()
		}
		if (err != nil) != tt.isErr || !strings.Contains(text, tt.want) || !strings.Contains(text, tt.end.ID) {
			t.Errorf("%s: %q (error %t), want %q in it (error %t)", tt.end.Outcome, text, err != nil, tt.want, tt.isErr)
		}
	}
}
