package replay_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/replay"
)

// changedRun is a run that a limit ended, and that was resumed with more steps,
// of which the leader may take two, and in another language.
func changedRun(t *testing.T) []event.Record {
	t.Helper()
	return scene{
		name: "changed", lang: "en", resumed: true,
		cast: cast{
			"tl": lines(say("I hire one", create("uio", "design the page")), say("wait"), say("not all of it"), say("", create("res", "look")), say("", call("list_agents")), say("all of it")),
			"uio_1": func(_ model.Request, n int) reply {
				if n < 9 {
					return say("I look", call("read_file", "path", "notes.md", "offset", string(rune('1'+n))))
				}
				return say("seen")
			},
		},
		team: func(t *leader.Team) { t.Limits.MaxSteps, t.Limits.Steps = 4, 6 },
		changes: []leader.Option{leader.WithLang("zh"), leader.WithOverride(func(t *leader.Team) {
			t.Limits.Steps, t.Leader.MaxSteps = 30, 2
		})},
	}.record(t)
}

// TestChangedTeam verifies a run that went on with another team: from there on
// the agents are made of that one. What the log says of it is needed for that.
func TestChangedTeam(t *testing.T) {
	records := changedRun(t)
	i := slices.IndexFunc(records, func(rec event.Record) bool { return rec.Type() == event.TypeRunResumed })
	resumed, ok := records[i].Data.(event.RunResumed)
	if !ok || len(resumed.Team) == 0 || resumed.Lang != "zh" {
		t.Fatalf("resumed in %q with the team %s", resumed.Lang, resumed.Team)
	}
	if n := count[event.ModelRequested](records[i:]); n < 4 {
		t.Fatalf("%d requests after the run was resumed; too few to show anything", n)
	}
	check(t, verify(t, records, nil))

	for name, forget := range map[string]func(*event.RunResumed){
		"team": func(d *event.RunResumed) { d.Team = nil },
		"lang": func(d *event.RunResumed) { d.Lang = "" },
	} {
		log := slices.Clone(records)
		change(log, i, forget)
		if verify(t, log, nil).OK() {
			t.Errorf("the run is the same without its new %s", name)
		}
	}
}

// TestChangedLimits holds the requests of a resumed run to its new limits.
func TestChangedLimits(t *testing.T) {
	log := changedRun(t)
	i := slices.IndexFunc(log, func(rec event.Record) bool { return rec.Type() == event.TypeRunResumed })
	header, _ := log[0].Data.(event.RunStarted)
	change(log, i, func(d *event.RunResumed) { d.Team = header.Team })
	first := log[i+find[event.ModelRequested](t, log[i:], nil)].Seq
	found, err := replay.Check(sequence(log))
	if err != nil || !slices.ContainsFunc(found, func(v replay.Violation) bool { return v.Rule == replay.RuleBudget && v.Seq == first }) {
		t.Errorf("found %v (%v), want %s at %d", found, err, replay.RuleBudget, first)
	}
}
