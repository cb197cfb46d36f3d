package leader_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestRebuildTellsWhatWasTold makes the agents of a run again from its header:
// prompt and tools are those of the records, also of a role that lists no tools
// and of one that the leader made.
func TestRebuildTellsWhatWasTold(t *testing.T) {
	custom := map[string]any{"name": "Mute", "does": "thinks", "prompt": "-", "tools": []string{}}
	_, records, err := do(t, players{"tl": sequence(
		say("", modeltest.Call("create_custom_agent", custom)),
		say("", create("bare", "think"), create("full", "look"), create("Mute", "think")),
	)}, func(team *leader.Team) {
		team.Roles = []leader.Role{
			{ID: "bare", Name: "Bare", Code: "bare", Does: "thinks", Tools: []string{}},
			{ID: "full", Name: "Full", Code: "full", Does: "looks", MayAsk: []string{"bare"}},
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	header, _ := records[0].Data.(event.RunStarted)
	team, err := leader.Rebuild(header)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = team.Close() }()
	agents := 0
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.RoleCreated:
			team.AddRole(d)
		case event.AgentCreated:
			agents++
			cfg, missing, err := team.Agent(rec.Agent, d)
			if err != nil || len(missing) > 0 || cfg.Prompt.String() != d.Prompt || !slices.Equal(cfg.Tools.Names(), d.Tools) {
				t.Errorf("%s: missing %q, tools %q, want %q (%v); the prompt is the same: %t",
					rec.Agent, missing, cfg.Tools.Names(), d.Tools, err, cfg.Prompt.String() == d.Prompt)
			}
			d.Tools = append(slices.Clone(d.Tools), "price")
			if _, missing, err = team.Agent(rec.Agent, d); err != nil || !slices.Equal(missing, []string{"price"}) {
				t.Errorf("%s with another tool: missing %q (%v)", rec.Agent, missing, err)
			}
		default:
		}
	}
	if agents != 4 {
		t.Errorf("%d agents, want 4", agents)
	}
}
