package leader_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// outpost is a Remote in memory. It says the lines of its plan, one a step, and
// works on when nobody listens.
type outpost struct {
	plan []outline
	// takes is how long a line takes.
	takes time.Duration

	mu        sync.Mutex // guards all below
	begun     map[string]event.RemoteStep
	order     []string // ids in the order in which they were begun
	cancelled []string // "task: reason"
	broken    []string // what a runtime must not do
}

// outline is what the other side says in one step.
type outline struct {
	deltas []string
	reply  event.ModelReplied
	err    error
}

func tells(text string) outline {
	return outline{deltas: []string{text[:1], text[1:]}, reply: event.ModelReplied{Text: text}}
}

func proceeds(text string) outline {
	return outline{reply: event.ModelReplied{Text: text, Calls: []event.Call{{Name: event.CallGoOn, Arguments: "{}"}}}}
}

func asksMaster(question string) outline {
	return outline{reply: event.ModelReplied{Calls: []event.Call{{Name: event.CallAskMaster, Arguments: fmt.Sprintf(`{"question":%q}`, question)}}}}
}

// begin notes a step. The same one must come with the same words, and say that
// it comes again.
func (o *outpost) begin(s event.RemoteStep) outline {
	o.mu.Lock()
	defer o.mu.Unlock()
	want, known := o.begun[s.ID]
	want.Again = true
	switch {
	case known && !cmp.Equal(want, s):
		o.broken = append(o.broken, fmt.Sprintf("step %s is %+v, want %+v", s.ID, s, want))
	case !known && s.Again:
		o.broken = append(o.broken, fmt.Sprintf("step %s is new and says that it comes again", s.ID))
	case !known:
		if o.begun == nil {
			o.begun = map[string]event.RemoteStep{}
		}
		o.begun[s.ID] = s
		o.order = append(o.order, s.ID)
	}
	return o.plan[min(s.Number, len(o.plan))-1]
}

func (o *outpost) Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		line := o.begin(s)
		select {
		case <-time.After(o.takes):
		case <-ctx.Done():
			return
		}
		for _, text := range line.deltas {
			if !yield(event.ModelDelta{Text: text}, nil) {
				return
			}
		}
		if line.err != nil {
			yield(nil, line.err)
			return
		}
		yield(line.reply, nil)
	}
}

func (o *outpost) Cancel(ctx context.Context, s event.RemoteStep, reason string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ctx.Err() != nil {
		o.broken = append(o.broken, "cancelled with a context that has ended")
	}
	o.cancelled = append(o.cancelled, s.Task+": "+reason)
	return nil
}

// heard are the texts of the steps, in the order in which they were begun.
func (o *outpost) heard() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var texts []string
	for _, id := range o.order {
		texts = append(texts, o.begun[id].Text)
	}
	return texts
}

func (o *outpost) check(t *testing.T) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.broken {
		t.Error(b)
	}
}

// weather is a plan with all that a remote can say.
func weather() *outpost {
	return &outpost{takes: 2 * time.Second, plan: []outline{proceeds("I look at the sky"), asksMaster("which city?"), tells("it rains in Oslo")}}
}

// withRemote gives a team one role, which runs at o.
func withRemote(o leader.Remote) func(*leader.Team) {
	return func(t *leader.Team) {
		t.Roles = []leader.Role{{ID: "weather", Name: "Weather", Code: "weather", Does: "knows the weather", Remote: o, Place: leader.Place{Kind: "streams", Address: "weather_agent"}}}
	}
}

// forecaster is a leader that wants the weather and answers its questions.
func forecaster() players {
	return players{event.Leader: func(req model.Request, n int) modeltest.Reply {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case n == 0:
			return say("I ask", create("weather", "how is the weather?"))
		case last.Origin.Kind == event.Question:
			return say("", modeltest.Call("answer_sub_agent_question", map[string]any{"question_id": last.Origin.QuestionID, "answer": "Oslo <now>"}))
		case last.Origin.Kind == event.Completion:
			return say("they say: " + last.Origin.Content)
		}
		return say("I wait")
	}}
}

func TestARoleThatRunsElsewhere(t *testing.T) {
	t.Parallel()
	o := weather()
	res, records, err := do(t, forecaster(), withRemote(o))
	if err != nil || res.Answer != "they say: it rains in Oslo" {
		t.Errorf("the run ended with %q, %v", res.Answer, err)
	}
	o.check(t)
	checkLog(t, records)
	if diff := cmp.Diff([]string{"how is the weather?", "", "Oslo <now>"}, o.heard()); diff != "" {
		t.Errorf("the other side heard (-want +got):\n%s", diff)
	}
	first := o.begun[o.order[0]]
	if first.Name != "Weather_1" || first.Role != "weather" || first.Run != res.RunID || first.TraceID == "" || first.Answers() || first.ID != first.Task {
		t.Errorf("the task came as %+v", first)
	}
	if third := o.begun[o.order[2]]; !third.Answers() || third.Task != first.ID || third.Number != 3 {
		t.Errorf("the answer came as %+v", third)
	}
	var said []string
	for _, d := range dataOf[event.MessageSent](records) {
		if d.From == "weather_1" {
			said = append(said, fmt.Sprintf("%s: %s", d.Kind, d.Content))
		}
	}
	if diff := cmp.Diff([]string{"progress: I look at the sky", "question: which city?", "completion: it rains in Oslo"}, said); diff != "" {
		t.Errorf("it said (-want +got):\n%s", diff)
	}
	for _, rec := range records {
		if rec.Agent != "weather_1" {
			continue
		}
		switch d := rec.Data.(type) {
		case event.AgentCreated:
			if d.Remote != "streams/weather_agent" || d.Model != d.Remote || !slices.Equal(d.Tools, []string{"ask_master", "go_on"}) {
				t.Errorf("created as %+v", d)
			}
		case event.ModelRequested:
			if d.Reserved != 0 || d.ReservedCost != nil {
				t.Errorf("%d tokens were reserved for it", d.Reserved)
			}
		case event.ModelReplied:
			if d.Usage != (event.Usage{}) || d.Cost != nil {
				t.Errorf("its tokens were counted as %+v", d.Usage)
			}
		}
	}
}

// TestRemoteResumesAtEveryRecord cuts the log of a run with a remote at every
// record and goes on: the other side begins no step twice, and the end is the
// same.
func TestRemoteResumesAtEveryRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	team := leader.Team{Model: leader.Model{Client: forecaster().client(), Name: "test/test"}}
	withRemote(weather())(&team)
	want := perform(t, dir, team, nil, leader.WithRunDir(dir), leader.WithSync("off"), leader.WithMeta(map[string]string{"user": "ann"}))
	if want.err != nil {
		t.Fatal(want.err)
	}
	text, err := os.ReadFile(want.Log)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(want.records); n++ {
		o := weather()
		for _, rec := range want.records[:n] { // what the other side knew by then
			if d, ok := rec.Data.(event.ModelRequested); ok && rec.Agent == "weather_1" {
				o.begin(stepOf(t, want.records, d.Step, want.RunID))
			}
		}
		before := len(o.order)
		var got played
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(want.records[n-1].Time) + time.Hour)
			run, err := leader.Resume(t.Context(), cutLog(t, text, n), leader.WithSync("off"),
				leader.WithClient("test/test", leader.Model{Client: forecaster().client(), Name: "test/test"}),
				leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
					if p != (leader.Place{Kind: "streams", Address: "weather_agent"}) {
						t.Errorf("the place is %+v", p)
					}
					return o, nil
				}))
			if err != nil {
				t.Fatal(err)
			}
			got.Result, got.err = run.Wait()
			got.records = recorded(t, run)
		})
		if got.err != nil || got.Answer != want.Answer {
			t.Errorf("after %d %s: %q, %v", n, want.records[n-1].Type(), got.Answer, got.err)
		}
		o.check(t)
		checkLog(t, got.records)
		if diff := cmp.Diff(letters(want.records), letters(got.records)); diff != "" {
			t.Errorf("after %d: messages (-whole run +resumed):\n%s", n, diff)
		}
		if len(o.order) != 3 || before > 3 {
			t.Errorf("after %d %s the other side knew %d steps and then %q", n, want.records[n-1].Type(), before, o.order)
		}
	}
}

// stepOf is the step that the run must have taken for request number n of the
// remote.
func stepOf(t *testing.T, records []event.Record, n int, run string) event.RemoteStep {
	t.Helper()
	header, _ := records[0].Data.(event.RunStarted)
	s := event.RemoteStep{
		RemoteAgent: event.RemoteAgent{Run: run, TraceID: header.TraceID, Agent: "weather_1", Name: "Weather_1", Role: "weather"},
		Task:        run + "-weather_1-1", Number: n, Text: []string{"how is the weather?", "", "Oslo <now>"}[n-1], Metadata: map[string]string{"user": "ann"},
	}
	if s.ID = s.Task; n > 1 {
		s.ID += fmt.Sprintf("-%d", n)
	}
	return s
}

// TestARemoteThatNobodyReaches asks for the place when it is needed.
func TestARemoteThatNobodyReaches(t *testing.T) {
	t.Parallel()
	place := leader.Place{Kind: "streams", Address: "weather_agent", Via: "redis://u:hunter2@h:6379/0?db=1&api_key=hunter2"}
	team := leader.Team{
		Model: leader.Model{Client: forecaster().client(), Name: "test/test"},
		Roles: []leader.Role{{ID: "weather", Name: "Weather", Place: place}},
	}
	_, err := leader.New(team)
	if err == nil || !strings.Contains(err.Error(), "streams/weather_agent") || !strings.Contains(err.Error(), "WithRemotes") {
		t.Errorf("New: %v", err)
	}
	var asked []leader.Place
	l, err := leader.New(team, leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
		asked = append(asked, p)
		return weather(), nil
	}))
	if err != nil || len(asked) != 1 || asked[0] != place {
		t.Fatalf("New: %v, asked for %+v", err, asked)
	}
	if header := string(leader.Header(l)); strings.Contains(header, "hunter2") || !strings.Contains(header, `"via":"redis://u@h:6379/0?db=1"`) {
		t.Errorf("the header has %s", header)
	}
	_, err = leader.New(team, leader.WithRemotes(func(leader.Place) (leader.Remote, error) { return nil, errors.New("no such kind") }))
	if err == nil || !strings.Contains(err.Error(), "no such kind") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("New: %v", err)
	}
	team.Roles[0].Tools, team.Roles[0].Prompt = []string{"read_file"}, "be kind"
	_, err = leader.New(team, leader.WithRemotes(func(leader.Place) (leader.Remote, error) { return weather(), nil }))
	if err == nil || !strings.Contains(err.Error(), "tools, a prompt") {
		t.Errorf("New: %v", err)
	}
}

// TestStepsSayMoreThanTheirDeltas holds the text of a reply against the pieces
// before it: nothing that was said is lost.
func TestStepsSayMoreThanTheirDeltas(t *testing.T) {
	t.Parallel()
	for want, line := range map[string]outline{
		"it rains":             {deltas: []string{"it ", "rains"}, reply: event.ModelReplied{Text: "it rains"}},
		"it rains a lot":       {deltas: []string{"it ", "rains"}, reply: event.ModelReplied{Text: "it rains a lot"}},
		"it rains\n\nit pours": {deltas: []string{"it rains"}, reply: event.ModelReplied{Text: "it pours"}},
		"only deltas":          {deltas: []string{"only deltas"}},
	} {
		res, _, err := do(t, forecaster(), withRemote(&outpost{plan: []outline{line}}))
		if err != nil || res.Answer != "they say: "+want {
			t.Errorf("the run ended with %q, %v; want %q", res.Answer, err, want)
		}
	}
}

// TestTheTeamOfTheManualLoads loads the team file of docs/remote.md.
func TestTheTeamOfTheManualLoads(t *testing.T) {
	t.Parallel()
	var places []string
	l, err := leader.Load("testdata/remote/team.yaml", leader.WithClient("deepseek/deepseek-chat", leader.Model{Client: forecaster().client(), Name: "test/test"}),
		leader.WithEnv(func(string) (string, bool) { return "", false }),
		leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
			places = append(places, p.String()+" "+p.Via+p.TokenEnv)
			return weather(), nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"streams/weather_agent ", "streams/design redis://127.0.0.1:6379/0", "envelope/https://post.example.invalid/envelope POST_TOKEN"}
	if diff := cmp.Diff(want, places); diff != "" || len(l.Team().Roles) != 4 {
		t.Errorf("places (-want +opened):\n%s", diff)
	}
}
