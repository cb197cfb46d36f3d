package leader_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// actor is a scripted agent: it makes the moves of its plan, one a reply, and
// answers the questions in its conversation when the plan is over.
type actor struct {
	plan   []move
	eager  bool // answers before it goes on with its plan
	silent bool // never answers by the answer tool
}

// move is one reply of an actor's plan.
type move struct {
	text  string
	calls []event.Call
	err   error // the model fails
	panic bool  // the model panics
}

// does is a move of nothing but calls.
func does(list ...event.Call) move { return move{calls: list} }

// planned is the id of a call of an actor's plan, both counted from 0.
func planned(who string, nth, call int) string { return fmt.Sprintf("plan/%s/%d/%d", who, nth, call) }

// reply is the move as the model makes it.
func (m move) reply(who string, nth int) modeltest.Reply {
	if m.panic {
		panic("the script says so")
	}
	list := slices.Clone(m.calls)
	for i := range list {
		list[i].ID = planned(who, nth, i)
	}
	return modeltest.Reply{Text: m.text, Calls: list, Err: m.err}
}

// unanswered lists the questions in a conversation for which it has no call
// of an answer tool.
func unanswered(req model.Request) []string {
	var open []string
	for _, m := range req.Messages {
		if m.Origin.QuestionID != "" {
			open = append(open, m.Origin.QuestionID)
		}
		for _, c := range m.Calls {
			var in struct {
				ID string `json:"question_id"`
			}
			if json.Unmarshal([]byte(c.Arguments), &in) == nil {
				open = slices.DeleteFunc(open, func(id string) bool { return id == in.ID })
			}
		}
	}
	return open
}

func answer(who, id, text string) event.Call {
	tool := "answer_other_agent"
	if who == event.Leader {
		tool = "answer_sub_agent_question"
	}
	return modeltest.Call(tool, map[string]any{"question_id": id, "answer": text})
}

// ask is a question of from to to, by the tool that from has for it.
func ask(from, to string) event.Call {
	switch {
	case from == event.Leader:
		return modeltest.Call("ask_sub_agent", map[string]any{"agent": to, "question": "what of " + to + "?"})
	case to == event.Leader:
		return modeltest.Call("ask_master", map[string]any{"question": "what now?"})
	}
	return modeltest.Call("ask_other_agent", map[string]any{"agent": to, "question": "what of " + to + "?"})
}

// tellOther is a note of one sub-agent to another; expects is "reply" or
// "none".
func tellOther(to, expects string) event.Call {
	return modeltest.Call("ask_other_agent", map[string]any{"agent": to, "question": "know this", "expects": expects})
}

// waitFor waits for any or all of the agents, all that work if there are none.
func waitFor(until string, agents ...string) event.Call {
	args := map[string]any{"until": until}
	if len(agents) > 0 {
		args["agents"] = agents
	}
	return modeltest.Call("wait_sub_agent_output", args)
}

// halt is a call of stop_sub_agent or terminate_sub_agent.
func halt(tool, who string) event.Call {
	return modeltest.Call(tool, map[string]any{"agent": who, "reason": "enough"})
}

// hire is the leader's first move: it creates n actors, a_1 to a_n.
func hire(n int) move {
	m := move{text: "I make a team"}
	for range n {
		m.calls = append(m.calls, create("actor", "play your part"))
	}
	return m
}

// cast is a model that plays all agents of a run, each reply after a delay
// that follows from the seed.
type cast struct {
	seed   uint64
	actors map[string]actor
	most   time.Duration // of a delay; 0: none
	spent  atomic.Int64  // nanoseconds of all delays so far

	mu   sync.Mutex     // guards made
	made map[string]int // moves of its plan, by agent
}

func newCast(seed uint64, most time.Duration, actors map[string]actor) *cast {
	return &cast{seed: seed, actors: actors, most: most, made: map[string]int{}}
}

func (c *cast) client() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		r := c.reply(req)
		r.Delay = c.delay(req)
		return r
	})
}

func (c *cast) reply(req model.Request) modeltest.Reply {
	if len(req.Tools) == 0 { // a last word, with a call all the same, as models do
		return modeltest.Reply{Text: "wrapped up", Calls: []event.Call{ask(req.Agent, event.Leader)}}
	}
	a := c.actors[req.Agent]
	open := unanswered(req)
	if a.silent {
		open = nil
	}
	if len(open) == 0 || !a.eager {
		if nth, ok := c.advance(req.Agent, len(a.plan)); ok {
			return a.plan[nth].reply(req.Agent, nth)
		}
	}
	if len(open) == 0 {
		return modeltest.Reply{Text: req.Agent + " has done its part"}
	}
	var r modeltest.Reply
	for _, id := range open {
		r.Calls = append(r.Calls, answer(req.Agent, id, "the answer to "+id))
	}
	return r
}

// advance counts one more move of an agent's plan; ok is false when all were
// made.
func (c *cast) advance(who string, all int) (nth int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	nth = c.made[who]
	if nth >= all {
		return 0, false
	}
	c.made[who]++
	return nth, true
}

// delay is how long a reply takes, in milliseconds that differ between agents.
func (c *cast) delay(req model.Request) time.Duration {
	if c.most == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(req.Agent))
	rng := rand.New(rand.NewPCG(c.seed, h.Sum64()+uint64(len(req.Messages))))
	d := time.Duration(1+rng.Int64N(c.most.Milliseconds())) * time.Millisecond
	c.spent.Add(int64(d))
	return d
}

// actors is a team with one role, whose instances are a_1, a_2, and so on.
func actors(client model.Client, change ...func(*leader.Team)) leader.Team {
	team := leader.Team{
		Model: leader.Model{Client: client, Name: "test/test"},
		Roles: []leader.Role{{ID: "actor", Name: "Actor", Code: "a", Does: "plays", Tools: []string{}}},
	}
	for _, c := range change {
		c(&team)
	}
	return team
}

// played is a run that is over.
type played struct {
	leader.Result
	err     error
	records []event.Record
}

// perform runs one task of the team in a bubble of its own, which fails the
// test if a goroutine is left. The person acts beside the run.
func perform(t *testing.T, dir string, team leader.Team, person func(*leader.Run), opts ...leader.Option) played {
	t.Helper()
	var p played
	synctest.Test(t, func(t *testing.T) {
		run := start(t.Context(), t, dir, team, opts...)
		var others sync.WaitGroup
		if person != nil {
			others.Go(func() { person(run) })
		}
		p.Result, p.err = run.Wait()
		others.Wait()
		p.records = recorded(t, run)
	})
	return p
}

// start begins a run.
func start(ctx context.Context, t *testing.T, dir string, team leader.Team, opts ...leader.Option) *leader.Run {
	t.Helper()
	l, err := leader.New(team, append([]leader.Option{leader.WithWorkDir(dir)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Start(ctx, "put on a play")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// recorded lists the records of a run that has ended.
func recorded(t *testing.T, run *leader.Run) []event.Record {
	t.Helper()
	var records []event.Record
	for rec, err := range run.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// dataOf lists the data of one type.
func dataOf[T event.Data](records []event.Record) []T {
	var list []T
	for _, rec := range records {
		if d, ok := rec.Data.(T); ok {
			list = append(list, d)
		}
	}
	return list
}

// outcomes lists how the questions of a run ended, in their order.
func outcomes(records []event.Record) []event.Outcome {
	var list []event.Outcome
	for _, d := range dataOf[event.QuestionClosed](records) {
		list = append(list, d.Outcome)
	}
	return list
}

// resultOf is the result of the call, false if there is none.
func resultOf(records []event.Record, call string) (rec event.Record, d event.ToolFinished, ok bool) {
	for _, rec := range records {
		if d, ok := rec.Data.(event.ToolFinished); ok && d.CallID == call {
			return rec, d, true
		}
	}
	return event.Record{}, event.ToolFinished{}, false
}

// dump shows a log when a test failed.
func dump(t *testing.T, records []event.Record) {
	t.Helper()
	if !t.Failed() {
		return
	}
	var b strings.Builder
	for _, rec := range records {
		if d, ok := rec.Data.(event.AgentCreated); ok {
			d.Prompt, d.Tools = "", nil
			rec.Data = d
		}
		line, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(string(line[:min(len(line), 400)]) + "\n")
	}
	t.Log(b.String())
}

// send is a note of the leader.
func send(to, text string) event.Call {
	return modeltest.Call("send_message_to_sub_agent", map[string]any{"agent": to, "message": text})
}

// pass lets time pass for the person; it is called in a bubble.
func pass(d time.Duration) { time.Sleep(d) }
