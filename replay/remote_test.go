package replay_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/replay"
)

// oracle is a Remote that goes on, asks, and then tells what it was answered.
type oracle struct{ cancels int }

func (o *oracle) Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		if s.Text == "for ever" {
			<-ctx.Done()
			return
		}
		time.Sleep(time.Second)
		switch s.Number {
		case 1:
			yield(event.ModelReplied{Text: "I look", Calls: []event.Call{{Name: event.CallGoOn, Arguments: "{}"}}}, nil)
		case 2:
			yield(event.ModelReplied{Calls: []event.Call{{Name: event.CallAskMaster, Arguments: `{"question":"where?"}`}}}, nil)
		default:
			yield(event.ModelReplied{Text: "it rains in " + s.Text}, nil)
		}
	}
}

func (o *oracle) Cancel(context.Context, event.RemoteStep, string) error {
	o.cancels++
	return nil
}

// oracleScript is a leader that asks, answers, asks again, and stops it then.
const oracleScript = `{"defaults": {"delay": "100ms"}, "roles": {"tl": [
	{"when": {"number": "1"}, "calls": [{"tool": "create_sub_agent", "args": {"role": "weather", "task": "how is it?"}}]},
	{"when": {"kind": "question"}, "calls": [{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "Oslo"}}]},
	{"when": {"kind": "completion", "last": "it rains in Oslo"}, "calls": [{"tool": "send_message_to_sub_agent", "args": {"agent": "weather_1", "message": "for ever"}}]},
	{"when": {"kind": "completion"}, "text": "the end"},
	{"when": {"tool": "send_message_to_sub_agent"}, "delay": "1m", "calls": [
		{"tool": "list_active_sub_agents", "args": {}},
		{"tool": "stop_sub_agent", "args": {"agent": "weather_1"}}]},
	{"when": {}, "text": "I wait"}]}}`

// TestVerifyRemote verifies a run with an agent that worked elsewhere, without a
// word to the other side, and goes on with a fork of it.
func TestVerifyRemote(t *testing.T) {
	t.Parallel()
	script, err := model.ParseScript("oracle.json", []byte(oracleScript))
	if err != nil {
		t.Fatal(err)
	}
	o := &oracle{}
	runs := t.TempDir()
	var dir string
	synctest.Test(t, func(t *testing.T) {
		l, err := leader.New(leader.Team{
			Model: leader.Model{Client: model.NewScripted(script), Name: "scripted/oracle", Scripted: true},
			Roles: []leader.Role{{ID: "weather", Name: "Weather", Code: "weather", Does: "knows", Remote: o, Place: leader.Place{Kind: "streams", Address: "sky"}}},
		}, leader.WithRunDir(runs), leader.WithSync("off"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.Do(t.Context(), "the weather")
		if err != nil || res.Answer != "the end" {
			t.Fatalf("%q, %v", res.Answer, err)
		}
		dir = filepath.Dir(res.Log)
	})
	if o.cancels != 1 {
		t.Errorf("the other side was told to stop %d times", o.cancels)
	}
	forkRemote(t, dir)
	records := readRun(t, dir)
	v, err := replay.Verify(t.Context(), replayed(records), replay.VerifyOptions{})
	if err != nil || !v.OK() {
		t.Errorf("verify: %+v, %v", v.First(), err)
	}
	for _, a := range v.Agents {
		if a.Agent == "weather_1" && (a.Records < 20 || a.Requests != 4 || len(a.MissingTools) > 0) {
			t.Errorf("of the agent elsewhere: %+v", a)
		}
	}
	if o.cancels != 1 {
		t.Error("verify told the other side to stop")
	}
	for i, rec := range records { // a change is found
		if d, ok := rec.Data.(event.ToolFinished); ok && d.Name == event.CallAskMaster {
			d.Result = "Bergen"
			records[i].Data = d
		}
	}
	if v, err := replay.Verify(t.Context(), replayed(records), replay.VerifyOptions{}); err != nil || v.First() == nil || v.First().Agent != "weather_1" {
		t.Errorf("a changed answer is not found: %s, %v", fmt.Sprint(v.First()), err)
	}
}

// forkRemote goes on with the run from before its agent was created.
func forkRemote(t *testing.T, dir string) {
	t.Helper()
	forked, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: 5, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	script, err := model.ParseScript("oracle.json", []byte(oracleScript))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		run, err := leader.Resume(t.Context(), forked.Dir, leader.WithSync("off"),
			leader.WithClient("scripted/oracle", leader.Model{Client: model.NewScripted(script), Name: "scripted/oracle", Scripted: true}),
			leader.WithRemotes(func(leader.Place) (leader.Remote, error) { return &oracle{}, nil }))
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(); err != nil || res.Answer != "the end" {
			t.Errorf("the fork ended with %q, %v", res.Answer, err)
		}
	})
}
