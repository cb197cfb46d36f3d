package leader_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestStoppedElsewhere stops an agent in mid-step: the other side is told once,
// and a message is a new task.
func TestStoppedElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		plan []outline
		stop event.Call
		ends string
	}{
		{"stopped at work", []outline{tells("it rains")}, modeltest.Call("stop_sub_agent", map[string]any{"agent": "weather_1", "reason": "too late"}), "too late"},
		{"stopped while it asks", []outline{asksMaster("where?"), tells("it rains")}, modeltest.Call("stop_sub_agent", map[string]any{"agent": "weather_1", "reason": "too late"}), "too late"},
		{"terminated", []outline{tells("it rains")}, modeltest.Call("terminate_sub_agent", map[string]any{"agent": "weather_1"}), "terminated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &outpost{takes: time.Hour, plan: tt.plan}
			if len(tt.plan) > 1 {
				o.takes = time.Millisecond
			}
			again := modeltest.Call("send_message_to_sub_agent", map[string]any{"agent": "weather_1", "message": "once more"})
			res, records, err := do(t, players{event.Leader: func(_ model.Request, n int) modeltest.Reply {
				switch n {
				case 0:
					return say("", create("weather", "how is it?"))
				case 1:
					return modeltest.Reply{Delay: time.Minute, Calls: []event.Call{tt.stop}}
				case 2:
					o.takes = time.Millisecond
					o.plan = []outline{tells("now it snows")}
					return modeltest.Reply{Delay: time.Minute, Calls: []event.Call{again}}
				}
				return say("the end")
			}}, withRemote(o))
			if err != nil || res.Status != leader.StatusFinished {
				t.Fatalf("%+v, %v", res, err)
			}
			o.check(t)
			checkLog(t, records)
			if len(o.cancelled) != 1 || !strings.HasPrefix(o.cancelled[0], res.RunID+"-weather_1-1: ") || !strings.Contains(o.cancelled[0], tt.ends) {
				t.Errorf("the other side was told %q, want task 1 and %q", o.cancelled, tt.ends)
			}
			heard := o.heard()
			if terminated := tt.ends == "terminated"; slices.Contains(heard, "once more") == terminated {
				t.Errorf("it heard %q", heard)
			}
		})
	}
}

// TestMessagesToWorkElsewhere sends messages to an agent at work, which are
// refused with the reason, and to one at rest.
func TestMessagesToWorkElsewhere(t *testing.T) {
	t.Parallel()
	o := &outpost{takes: time.Minute, plan: []outline{tells("it rains")}}
	tell := func(text string) event.Call {
		return modeltest.Call("send_message_to_sub_agent", map[string]any{"agent": "weather_1", "message": text})
	}
	query := modeltest.Call("ask_sub_agent", map[string]any{"agent": "weather_1", "question": "and tomorrow?"})
	res, records, err := do(t, players{event.Leader: func(req model.Request, n int) modeltest.Reply {
		switch n {
		case 0:
			return say("", create("weather", "how is it?"))
		case 1:
			return modeltest.Reply{Delay: time.Second, Calls: []event.Call{tell("hurry"), query}}
		case 2:
			return say("I wait")
		case 3:
			return say("", query)
		}
		return say("the end: " + req.Messages[len(req.Messages)-1].Content)
	}}, withRemote(o))
	if err != nil || !strings.Contains(res.Answer, "it rains") {
		t.Fatalf("%+v, %v", res, err)
	}
	o.check(t)
	checkLog(t, records)
	if diff := cmp.Diff([]string{"how is it?", "and tomorrow?"}, o.heard()); diff != "" {
		t.Errorf("it heard (-want +got):\n%s", diff)
	}
	refused := 0
	for _, d := range dataOf[event.ToolFinished](records) {
		if d.IsError && strings.Contains(d.Result, "Weather_1 works elsewhere and takes no messages while it works") {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d messages were refused, want 2", refused)
	}
	atWork := false
	for i, rec := range records {
		switch d := rec.Data.(type) {
		case event.AgentState:
			atWork = atWork || rec.Agent == "weather_1" && d.To == event.Working
		case event.MessageSent:
			atWork = atWork && (d.From != "weather_1" || d.Kind != event.Completion)
		default:
		}
		if got := leader.TakesMessages("weather_1", records[:i+1]); got == atWork {
			t.Errorf("after record %d, %s of %s, it takes messages: %t, want %t", rec.Seq, rec.Type(), rec.Agent, got, !atWork)
		}
	}
}

// refusal is an error of the other side with more to tell.
type refusal struct{ why event.Failure }

func (e refusal) Error() string          { return "no: " + e.why.Message }
func (e refusal) Failure() event.Failure { return e.why }

// TestEndsElsewhere looks at what the leader hears of ends that are no report.
func TestEndsElsewhere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		plan   []outline
		change func(*leader.Team)
		reason event.Reason
		want   string
		cancel int
	}{
		{"failure", []outline{{err: refusal{event.Failure{Code: "context_overflow", Who: "server", Message: "the agent fell over", Hint: "pick it up"}}}}, nil, event.EndFailed, "pick it up", 1},
		{"error", []outline{{err: errors.New("the line is dead")}}, nil, event.EndFailed, "the line is dead", 1},
		{"nothing", []outline{{}}, nil, event.EndNatural, "Weather_1", 0},
		{"steps", []outline{proceeds("on and on")}, func(t *leader.Team) { t.Roles[0].MaxSteps = 10 }, event.EndLimit, "max_steps", 1},
		{"deadline", []outline{tells("it rains")}, func(t *leader.Team) { t.Limits.Deadline = time.Second }, event.EndLimit, "deadline", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &outpost{takes: 2 * time.Second, plan: tt.plan}
			_, records, _ := do(t, forecaster(), withRemote(o), func(team *leader.Team) {
				if tt.change != nil {
					tt.change(team)
				}
			})
			o.check(t)
			checkLog(t, records)
			var ends []event.MessageSent
			for _, d := range dataOf[event.MessageSent](records) {
				if d.Kind == event.Completion {
					ends = append(ends, d)
				}
			}
			if len(ends) != 1 || ends[0].Reason != tt.reason || !strings.Contains(ends[0].Content, tt.want) {
				t.Errorf("the leader heard %+v, want one end %s with %q", ends, tt.reason, tt.want)
			}
			if len(o.cancelled) != tt.cancel {
				t.Errorf("the other side was told %q", o.cancelled)
			}
			for _, d := range dataOf[event.MessageSent](records) {
				if d.To == "weather_1" && d.From == event.Runtime {
					t.Errorf("the runtime said %q to it", d.Content)
				}
			}
		})
	}
}

// TestAnInterruptedRunLeavesWorkElsewhere pauses a run while the other side
// works, then while it waits for an answer: nothing is cancelled.
func TestAnInterruptedRunLeavesWorkElsewhere(t *testing.T) {
	t.Parallel()
	for _, plan := range [][]outline{{tells("it rains")}, {asksMaster("where?"), tells("it rains")}} {
		o := &outpost{takes: time.Second, plan: plan}
		if len(plan) == 1 {
			o.takes = 24 * time.Hour
		}
		team := leader.Team{Model: leader.Model{Client: players{event.Leader: sequence(
			say("", create("weather", "how is it?")), modeltest.Reply{Delay: 5 * time.Second, Text: "I wait"}, modeltest.Reply{Delay: 29 * time.Minute, Text: "I wait"},
		)}.client(), Name: "test/test"}}
		withRemote(o)(&team)
		p := perform(t, t.TempDir(), team, func(run *leader.Run) {
			<-time.After(10 * time.Second)
			run.Pause("test")
		})
		if p.Status != leader.StatusSuspended || len(o.cancelled) > 0 {
			t.Errorf("the run ended %s, %v, and the other side was told %q", p.Status, p.err, o.cancelled)
		}
		o.check(t)
	}
}

// TestARunThatEndsCancelsWorkElsewhere ends a run by a failure of its leader
// while the other side works.
func TestARunThatEndsCancelsWorkElsewhere(t *testing.T) {
	t.Parallel()
	o := &outpost{takes: 24 * time.Hour, plan: []outline{tells("it rains")}}
	_, records, err := do(t, players{event.Leader: sequence(
		say("", create("weather", "how is it?")), modeltest.Reply{Delay: time.Minute, Err: model.NewError(model.ClassAuth, "the key is bad")},
	)}, withRemote(o))
	if err == nil || len(o.cancelled) != 1 {
		t.Errorf("the run ended with %v, and the other side was told %q", err, o.cancelled)
	}
	o.check(t)
	checkLog(t, records)
}

// chatterbox lends a model that talks without end.
type chatterbox struct{ *outpost }

func (c chatterbox) Lend(context.Context, event.RemoteAgent) (*event.Loan, error) {
	return &event.Loan{Models: []event.LentModel{{Name: "m", Scripted: true}}}, nil
}

func (c chatterbox) Reply(ctx context.Context, s event.RemoteStep, _ event.LentRequest) iter.Seq2[event.Data, error] {
	return c.Step(ctx, s)
}

func (c chatterbox) Call(context.Context, event.RemoteStep, event.LentTool, event.LentCall) iter.Seq2[event.Data, error] {
	return func(func(event.Data, error) bool) {}
}

func (c chatterbox) Return(context.Context, event.RemoteStep) error { return nil }

// TestTheOtherSideSaysTooMuch ends a turn whose agent elsewhere talks without end,
// and cancels its task there.
func TestTheOtherSideSaysTooMuch(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]func(*outpost) leader.Remote{
		"another program": func(o *outpost) leader.Remote { return o },
		"another Troupe":  func(o *outpost) leader.Remote { return chatterbox{o} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outpost{plan: []outline{{deltas: slices.Repeat([]string{strings.Repeat("x", 1<<20)}, 300), reply: event.ModelReplied{Text: "end"}}}}
			var told string
			_, records, err := do(t, players{event.Leader: func(req model.Request, n int) modeltest.Reply {
				if n == 0 {
					return say("", create("weather", "how is it?"))
				}
				told = req.Messages[len(req.Messages)-1].Content
				return say("the end")
			}}, withRemote(behind(o)))
			if err != nil || !strings.Contains(told, "more than 8 MiB") || len(told) > 1<<20 {
				t.Errorf("the leader was told %d bytes: %.400s, %v", len(told), told, err)
			}
			checkLog(t, records)
			if len(o.cancelled) != 1 {
				t.Errorf("cancelled %q", o.cancelled)
			}
		})
	}
}
