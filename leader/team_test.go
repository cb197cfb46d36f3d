package leader_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// results lists what the leader's tool calls of one step returned.
func results(t *testing.T, records []event.Record, step int) []string {
	t.Helper()
	var list []string
	current := 0
	for _, rec := range records {
		if rec.Agent != event.Leader {
			continue
		}
		switch d := rec.Data.(type) {
		case event.ModelReplied:
			current++
		case event.ToolFinished:
			if current == step {
				list = append(list, d.Result)
			}
		default:
		}
	}
	return list
}

// calls makes a leader that makes these calls in one step and then ends.
func calls(c ...event.Call) players {
	return players{"tl": sequence(say("plan", c...), say("done"))}
}

func TestLimitsOnSubAgents(t *testing.T) {
	busy := func(p players) players {
		for _, id := range []string{"uio_1", "uio_2", "fse_1"} {
			p[id] = func(model.Request, int) modeltest.Reply { return modeltest.Reply{Text: "ok", Delay: time.Minute} }
		}
		return p
	}
	for _, tt := range []struct {
		name  string
		team  func(*leader.Team)
		calls []event.Call
		wants []string // part of each result
	}{
		{
			"places", func(t *leader.Team) { t.Limits.Agents = 2 },
			[]event.Call{create("uio", "a"), create("UI Operator", "b"), create("fse", "c")},
			[]string{"Places used: 1, free: 1", "Places used: 2, free: 0", "2"},
		},
		{
			"unlimited places", func(t *leader.Team) { t.Limits.Agents = leader.Unlimited },
			[]event.Call{create("uio", "a")},
			[]string{"no limit"},
		},
		{
			"spawns", func(t *leader.Team) { t.Limits.Spawns = 1 },
			[]event.Call{create("uio", "a"), create("fse", "b")},
			[]string{"uio_1", "1"},
		},
		{
			"instances of a role", func(t *leader.Team) {
				t.Roles = []leader.Role{{Name: "UI Operator", MaxInstances: 1}, {Name: "Full-Stack Engineer"}}
			},
			[]event.Call{create("uio", "a"), create("uio", "b"), create("FSE", "c")},
			[]string{"UI Operator_1", "UI Operator", "Full-Stack Engineer_1 (fse_1)"},
		},
		{
			"unknown role", func(*leader.Team) {},
			[]event.Call{create("painter", "a")},
			[]string{"uio, fse, cr, res, qae"},
		},
		{
			"bad arguments", func(*leader.Team) {},
			[]event.Call{
				modeltest.Call("create_sub_agent", `{"role": "uio"`), modeltest.Call("create_sub_agent", map[string]any{"role": "uio"}),
				modeltest.Call("create_subagent", map[string]any{}), create("uio", " "),
			},
			[]string{"JSON", "task", "create_sub_agent", "task"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, records, err := do(t, busy(calls(tt.calls...)), tt.team)
			if err != nil {
				t.Fatal(err)
			}
			got := results(t, records, 1)
			if len(got) != len(tt.wants) {
				t.Fatalf("results %q, want %d", got, len(tt.wants))
			}
			for i, want := range tt.wants {
				if !strings.Contains(got[i], want) {
					t.Errorf("result %d is %q, want %q in it", i+1, got[i], want)
				}
			}
		})
	}
}

// TestTheLeaderHearsWhoWasFiltered: a content filter stops a sub-agent, by a
// refusal or in its reply; its leader is told who and why, and nothing is asked
// again.
func TestTheLeaderHearsWhoWasFiltered(t *testing.T) {
	for name, filtered := range map[string]modeltest.Reply{
		"reply":   {Text: "half", Finish: event.FinishContentFilter},
		"refusal": {Err: model.NewError(model.ClassContentFilter, "the provider's content filter refused it")},
	} {
		t.Run(name, func(t *testing.T) {
			asked, heard := 0, ""
			p := players{
				"tl": func(req model.Request, n int) modeltest.Reply {
					if n == 0 {
						return say("", create("uio", "draw"))
					}
					heard += req.Messages[len(req.Messages)-1].Content
					return say("done")
				},
				"uio_1": func(model.Request, int) modeltest.Reply { asked++; return filtered },
			}
			if _, _, err := do(t, p); err != nil {
				t.Fatal(err)
			}
			if asked != 1 || !strings.Contains(heard, "UI Operator_1") || !strings.Contains(heard, "content filter") {
				t.Errorf("asked %d times, the leader heard %q; want one call, who it was and why", asked, heard)
			}
		})
	}
}

// TestARefusedCreationUsesNoNumber counts instances without gaps.
func TestARefusedCreationUsesNoNumber(t *testing.T) {
	p := players{"tl": sequence(say("", create("uio", "a"), create("fse", "x"), create("uio", "b")), say("wait"), say("", create("fse", "c")), say("done"))}
	p["uio_1"] = func(model.Request, int) modeltest.Reply { return modeltest.Reply{Text: "ok", Delay: time.Minute} }
	_, records, err := do(t, p, func(t *leader.Team) { t.Limits.Agents = 1 })
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, rec := range records {
		if rec.Type() == event.TypeAgentCreated {
			ids = append(ids, rec.Agent)
		}
	}
	if got, want := strings.Join(ids, " "), "tl uio_1 fse_1"; got != want {
		t.Errorf("agents %q, want %q", got, want)
	}
}

func TestAgentsAreAddressedByIDAndName(t *testing.T) {
	send := func(agent string) event.Call {
		return modeltest.Call("send_message_to_sub_agent", map[string]any{"agent": agent, "message": "hello"})
	}
	p := players{"tl": sequence(
		say("", create("uio", "a")),
		say("", send("uio_1"), send("UI Operator_1"), send("ui  operator_1"), send("UIO_1"), send("uio_2"), send("tl")), say("done"),
	)}
	_, records, err := do(t, p)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range results(t, records, 2) {
		ok := strings.HasPrefix(got, "Sent msg_tl_00") && strings.Contains(got, "UI Operator_1")
		if ok != (i < 4) {
			t.Errorf("message %d: %q", i+1, got)
		}
	}
	if got := results(t, records, 2)[4]; !strings.Contains(got, "uio_2") || !strings.Contains(got, "UI Operator_1") {
		t.Errorf("an unknown agent gives %q, want it and those that exist", got)
	}
}

func TestCustomAgents(t *testing.T) {
	custom := func(args map[string]any) event.Call {
		all := map[string]any{"name": "SEO Expert", "does": "finds words", "prompt": "Find words."}
		maps.Copy(all, args)
		return modeltest.Call("create_custom_agent", all)
	}
	p := players{"tl": sequence(
		say("", custom(nil), custom(nil), custom(map[string]any{"name": "Team Leader"}),
			custom(map[string]any{"name": "Writer", "tools": []string{"write_file"}}),
			custom(map[string]any{"name": "Runner", "tools": []string{"run_command"}}),
			custom(map[string]any{"name": "Thinker", "model": "other/model"}),
			custom(map[string]any{"name": "Reader", "tools": []string{"read_file"}})),
		say("", create("seoe", "find"), create("Reader", "read"), modeltest.Call("list_agents", map[string]any{})), say("done"),
	)}
	_, records, err := do(t, p, func(t *leader.Team) { t.Roles = []leader.Role{{Name: "UI Operator"}} })
	if err != nil {
		t.Fatal(err)
	}
	wants := []string{"SEO Expert", "same name", "kept for", "write_file", "run_command", "other/model", "Reader"}
	for i, got := range results(t, records, 1) {
		if !strings.Contains(got, wants[i]) {
			t.Errorf("result %d is %q, want %q in it", i+1, got, wants[i])
		}
	}
	second := results(t, records, 2)
	if !strings.Contains(second[0], "SEO Expert_1") || !strings.Contains(second[1], "Reader_1") || !strings.Contains(second[2], "finds words") {
		t.Errorf("a role made in the run is not used: %q", second)
	}
}

func TestStatusOfAgents(t *testing.T) {
	p := players{
		"tl": sequence(
			say("", create("uio", "look at the page"), create("fse", "fail")),
			say("", modeltest.Call("wait_sub_agent_output", map[string]any{"timeout": "30s", "until": "all"})),
			modeltest.Reply{Delay: time.Second, Calls: []event.Call{ // the failed one reports first and rests then
				modeltest.Call("get_sub_agent_status", map[string]any{}), modeltest.Call("list_active_sub_agents", map[string]any{}),
			}},
			say("", modeltest.Call("terminate_sub_agent", map[string]any{"agent": "uio_1"}), modeltest.Call("terminate_sub_agent", map[string]any{"agent": "fse_1"})),
			say("", modeltest.Call("terminate_sub_agent", map[string]any{"agent": "fse_1"})), say("done"),
		),
		"uio_1": func(model.Request, int) modeltest.Reply { return modeltest.Reply{Text: "late", Delay: time.Hour} },
		"fse_1": func(model.Request, int) modeltest.Reply {
			return modeltest.Reply{Delay: time.Second, Err: model.NewError(model.ClassAuth, "bad key")}
		},
	}
	_, records, err := do(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := results(t, records, 2)[0]; !strings.Contains(got, "out_fse_001") || !strings.Contains(got, "UI Operator_1") {
		t.Errorf("the wait for all ended with %q; a failure ends it at once", got)
	}
	status := results(t, records, 3)
	for _, want := range []string{"look at the page", "working", "failed", "bad key"} {
		if !strings.Contains(status[0], want) {
			t.Errorf("the status has no %q:\n%s", want, status[0])
		}
	}
	if got := results(t, records, 5)[0]; !strings.Contains(got, "terminated") {
		t.Errorf("terminating twice gives %q", got)
	}
}

func TestAToolCannotHaveTheNameOfAToolOfTheWorkspace(t *testing.T) {
	own := tools.Func("read_file", "Reads", func(context.Context, struct{}) (string, error) { return "", nil })
	_, err := leader.New(leader.Team{Model: leader.Model{Client: oneReply{}, Name: "test/test"}}, leader.WithTools(own))
	if err == nil || !strings.Contains(err.Error(), `tool "read_file"`) {
		t.Errorf("New = %v, want an error that names the tool", err)
	}
}
