package leader_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// players answers for each agent by its own function of the turn number, the
// count of its assistant messages.
type players map[string]func(req model.Request, n int) modeltest.Reply

func (p players) client() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		n := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				n++
			}
		}
		play, ok := p[req.Agent]
		if !ok {
			return modeltest.Reply{Text: "nothing to do for " + req.Agent}
		}
		return play(req, n)
	})
}

// sequence plays one reply after the other.
func sequence(replies ...modeltest.Reply) func(model.Request, int) modeltest.Reply {
	return func(_ model.Request, n int) modeltest.Reply {
		if n >= len(replies) {
			return modeltest.Reply{Text: "done"}
		}
		return replies[n]
	}
}

// lastQuestion is the id of the last question in the conversation.
func lastQuestion(req model.Request) string {
	id := ""
	for _, m := range req.Messages {
		if m.Origin.QuestionID != "" {
			id = m.Origin.QuestionID
		}
	}
	return id
}

func say(text string, calls ...event.Call) modeltest.Reply {
	return modeltest.Reply{Text: text, Calls: calls}
}

func create(role, task string) event.Call {
	return modeltest.Call("create_sub_agent", map[string]any{"role": role, "task": task})
}

// do runs one task in a bubble and returns result and records.
func do(t *testing.T, p players, change ...func(*leader.Team)) (leader.Result, []event.Record, error) {
	t.Helper()
	var res leader.Result
	var runErr error
	var records []event.Record
	synctest.Test(t, func(t *testing.T) {
		team := leader.Team{Model: leader.Model{Client: p.client(), Name: "test/test"}}
		for _, c := range change {
			c(&team)
		}
		l, err := leader.New(team, leader.WithWorkDir(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "make a page")
		if err != nil {
			t.Fatal(err)
		}
		res, runErr = run.Wait()
		for rec, err := range run.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, rec)
		}
	})
	return res, records, runErr
}

func TestATeamAtWork(t *testing.T) {
	p := players{
		"tl": func(req model.Request, n int) modeltest.Reply {
			if open := unanswered(req); len(open) > 0 {
				return say("", answer(event.Leader, open[0], "blue"))
			}
			switch n {
			case 0:
				return say("plan", create("uio", "design"), create("fse", "api"), create("res", "look"))
			default:
				return say("the page is ready")
			}
		},
		"uio_1": sequence(
			say("I ask for the colour", modeltest.Call("ask_master", map[string]any{"question": "which colour?"})),
			say("I ask fse too", modeltest.Call("ask_other_agent", map[string]any{"agent": "fse_1", "question": "which fields?"})),
			say("design done"),
		),
		"fse_1": func(req model.Request, n int) modeltest.Reply {
			if id := lastQuestion(req); id != "" && n == 1 {
				return say("", modeltest.Call("answer_other_agent", map[string]any{"question_id": id, "answer": "name, mail"}))
			}
			return modeltest.Reply{Text: "api done", Delay: time.Second}
		},
		"res_1": sequence(say("looked")),
	}
	res, records, err := do(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if res.Answer != "the page is ready" || res.Status != leader.StatusFinished {
		t.Errorf("got %+v", res)
	}
	for _, r := range records {
		b, _ := r.MarshalJSON()
		t.Log(string(b[:min(len(b), 300)]))
	}
	var answers []string
	for _, r := range records {
		if d, ok := r.Data.(event.QuestionClosed); ok {
			answers = append(answers, string(d.Outcome)+" "+d.Text)
		}
	}
	if got, want := strings.Join(answers, "; "), "answered blue; answered name, mail"; got != want {
		t.Errorf("questions ended with %q, want %q", got, want)
	}
}
