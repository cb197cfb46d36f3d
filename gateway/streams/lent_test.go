package streams_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/tools"
)

var (
	_ leader.Lender    = (*streams.Remote)(nil)
	_ streams.Workshop = (*leader.Workshop)(nil)
)

// spread is a script of a leader and three roles: each uses a tool, b asks c, c
// asks a, and a, who waits for b, may not ask b's asker in a circle.
const spread = `{"roles": {
	"tl": [
		{"when": {"number": "1"}, "text": "I split the work.", "calls": [
			{"tool": "create_sub_agent", "args": {"role": "a", "task": "part a"}},
			{"tool": "create_sub_agent", "args": {"role": "b", "task": "part b"}},
			{"tool": "create_sub_agent", "args": {"role": "c", "task": "part c"}}]},
		{"when": {"kind": "question"}, "calls": [{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "blue"}}]},
		{"when": {"number": "2"}, "calls": [{"tool": "wait_sub_agent_output", "args": {"until": "all"}}]},
		{"when": {}, "text": "all parts are there"}],
	"a": [
		{"when": {"kind": "question"}, "calls": [{"tool": "answer_other_agent", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "a says yes"}}]},
		{"when": {"number": "1"}, "text": "I look.", "calls": [{"tool": "look", "args": {"what": "a"}}]},
		{"when": {"number": "2"}, "calls": [{"tool": "ask_master", "args": {"question": "which colour?"}}]},
		{"when": {}, "text": "a is ready"}],
	"b": [
		{"when": {"number": "1"}, "calls": [{"tool": "look", "args": {"what": "b1"}}, {"tool": "look", "args": {"what": "b2, when all are there"}}]},
		{"when": {"number": "2"}, "calls": [{"tool": "ask_other_agent", "args": {"agent": "c_1", "question": "how far are you?"}}]},
		{"when": {}, "text": "b is ready"}],
	"c": [
		{"when": {"kind": "question"}, "text": "somebody asks", "calls": [{"tool": "ask_other_agent", "args": {"agent": "b_1", "question": "and you?"}}]},
		{"when": {"tool": "ask_other_agent"}, "calls": [{"tool": "answer_other_agent", "args": {"question_id": "ask_b_001", "answer": "c is half-way"}}]},
		{"when": {"number": "1"}, "calls": [{"tool": "look", "args": {"what": "slow"}}]},
		{"when": {}, "text": "c is ready"}]}}`

type lookArgs struct {
	What string `json:"what"`
}

// looking is a tool of where it runs.
func looking(place string, n *atomic.Int64) tools.Tool {
	return tools.Func("look", "looks", func(ctx context.Context, in lookArgs) (string, error) {
		n.Add(1)
		takes := map[string]time.Duration{"slow": 3 * time.Second, "b2, when all are there": time.Second}[in.What]
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		return place + " sees " + in.What, nil
	}, tools.Pure)
}

func spreadModel(t testing.TB, script string) leader.Model {
	t.Helper()
	s, err := model.ParseScript("spread", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return leader.Model{Client: model.NewScripted(s), Name: "scripted/spread", Scripted: true}
}

// abc are the three roles, made of what is at hand.
func abc(change func(*leader.Role)) []leader.Role {
	var list []leader.Role
	for _, id := range []string{"a", "b", "c"} {
		r := leader.Role{ID: id, Code: id, Name: "Role " + strings.ToUpper(id), Does: "does part " + id}
		change(&r)
		list = append(list, r)
	}
	return list
}

// lends starts a worker that lends roles of its own team.
func (r *rig) lends(id, agentType string, n *atomic.Int64) {
	r.t.Helper()
	l, err := leader.New(leader.Team{
		Model: spreadModel(r.t, spread), Context: "Notes of " + id,
		Roles: abc(func(role *leader.Role) { role.Tools, role.Prompt = []string{"look"}, "You live at "+id }),
	}, leader.WithTools(looking(id, n)), leader.WithWorkDir(r.t.TempDir()))
	if err != nil {
		r.t.Fatal(err)
	}
	w, err := leader.NewWorkshop(l)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = w.Close() })
	r.worker(id, agentType, echo, func(o *streams.WorkerOptions) {
		o.Agents = streams.NewAgents(w, 500*time.Millisecond)
	})
}

// spreadTeam is the team whose roles run at two types of workers.
func (r *rig) spreadTeam() leader.Team {
	return leader.Team{
		Model: spreadModel(r.t, spread),
		Roles: abc(func(role *leader.Role) {
			agentType := map[string]string{"a": "one", "b": "one", "c": "two"}[role.ID]
			role.Place = leader.Place{Kind: "streams", Address: agentType}
			role.Remote = streams.NewRemote(r.client, agentType, streams.RemoteOptions{Gone: 10 * time.Second})
		}),
	}
}

// recordsOf are the records of a run.
func recordsOf(t *testing.T, run *leader.Run) iter.Seq[event.Record] {
	t.Helper()
	return func(yield func(event.Record) bool) {
		for rec, err := range run.Records(0) {
			if err != nil {
				t.Error(err)
			}
			if !yield(rec) {
				return
			}
		}
	}
}

// reportsOf are the completions and the progress of a run.
func reportsOf(t *testing.T, run *leader.Run) []string {
	t.Helper()
	var list []string
	for rec := range recordsOf(t, run) {
		if d, ok := rec.Data.(event.MessageSent); ok && (d.Kind == event.Completion || d.Kind == event.Progress) {
			list = append(list, string(d.Kind)+" "+d.From+": "+d.Content)
		}
	}
	slices.Sort(list)
	return list
}

// TestTeamSpreadOverWorkers runs a team whose roles are lent by two workers: all
// is as at home, but for what the tools see.
func TestTeamSpreadOverWorkers(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		var n atomic.Int64
		local := leader.Team{Model: spreadModel(t, spread), Roles: abc(func(role *leader.Role) { role.Tools = []string{"look"} })}
		l, err := leader.New(local, leader.WithTools(looking("home", &n)), leader.WithWorkDir(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		at, err := l.Start(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		want, err := at.Wait()
		if err != nil {
			t.Fatal(err)
		}
		r.lends("w-1", "one", &n)
		r.lends("w-2", "two", &n)
		n.Store(0)
		if l, err = leader.New(r.spreadTeam(), leader.WithWorkDir(t.TempDir())); err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		got, err := run.Wait()
		if err != nil || got.Answer != want.Answer {
			t.Errorf("the run ended with %q, %v; at home with %q", got.Answer, err, want.Answer)
		}
		if diff := cmp.Diff(reportsOf(t, at), reportsOf(t, run)); diff != "" {
			t.Errorf("what the leader heard (-home +spread):\n%s", diff)
		}
		if n.Load() != 4 {
			t.Errorf("tools ran %d times, want 4", n.Load())
		}
		outcomes := map[event.Outcome]int{}
		for rec := range recordsOf(t, run) {
			switch d := rec.Data.(type) {
			case event.QuestionClosed:
				outcomes[d.Outcome]++
			case event.ToolFinished:
				if d.Name == "look" && !strings.HasPrefix(d.Result, map[string]string{"a_1": "w-1", "b_1": "w-1", "c_1": "w-2"}[rec.Agent]) {
					t.Errorf("%s saw %q", rec.Agent, d.Result)
				}
			case event.AgentCreated:
				if rec.Agent == "c_1" && (d.Lent == nil || d.Model != "scripted/spread" || !slices.Contains(d.Tools, "look") ||
					!strings.Contains(d.Prompt, "You live at w-2") || !strings.Contains(d.Prompt, "Notes of w-2")) {
					t.Errorf("c_1 is made of %+v", d)
				}
			default:
			}
		}
		if want := map[event.Outcome]int{event.Answered: 2, event.RefusedCycle: 1}; !cmp.Equal(outcomes, want) {
			t.Errorf("questions ended %v, want %v", outcomes, want)
		}
		v, err := replay.Verify(t.Context(), run.Records(0), replay.VerifyOptions{})
		if err != nil || !v.OK() {
			t.Errorf("verify: %+v %v %v", v.First(), v.Violations, err)
		}
		for _, a := range v.Agents {
			if len(a.MissingTools) > 0 {
				t.Errorf("verify misses tools of %s", a.Agent)
			}
		}
		eventually(t, "all loans to be given back", func() error {
			for _, session := range []string{"a_1", "b_1", "c_1"} {
				all, err := r.client.Records(t.Context(), run.ID()+"-"+session)
				if err != nil || len(all) != 1 || all[0].Status != streams.Completed {
					return fmt.Errorf("%s: %+v, %w", session, all, err)
				}
			}
			return nil
		})
	})
}
