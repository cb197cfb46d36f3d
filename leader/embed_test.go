package leader_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestAnInterruptedRunTellsWhy ends the context of a run in the ways that
// programs do and asks the error for the cause.
func TestAnInterruptedRunTellsWhy(t *testing.T) {
	mine := errors.New("the shop closes")
	for name, tt := range map[string]struct {
		end   func(context.CancelCauseFunc)
		wants []error
	}{
		"cancelled": {func(cancel context.CancelCauseFunc) { cancel(nil) }, []error{context.Canceled}},
		"cause":     {func(cancel context.CancelCauseFunc) { cancel(mine) }, []error{context.Canceled, mine}},
	} {
		t.Run(name, func(t *testing.T) {
			team, err := leader.New(leader.Team{Model: leader.Model{Client: modeltest.Sequence(say("hello"))}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			tt.end(cancel)
			res, err := team.Do(ctx, "task")
			if res.Status != leader.StatusSuspended {
				t.Errorf("the run is %s, want suspended", res.Status)
			}
			for _, want := range tt.wants {
				if !errors.Is(err, want) {
					t.Errorf("the error %v is not %v", err, want)
				}
			}
		})
	}
}

// TestMistakesAreSaidOnce makes teams with mistakes, and one with an option
// that is nil.
func TestMistakesAreSaidOnce(t *testing.T) {
	client := leader.Model{Client: modeltest.Sequence(say("hello"))}
	for name, tt := range map[string]struct {
		team leader.Team
		want string
	}{
		"nothing":   {leader.Team{}, "leader: the team has no model; set Team.Model"},
		"no name":   {leader.Team{Model: client, Roles: []leader.Role{{ID: "uio"}}}, `leader: role "uio" has no name; set its Name`},
		"one model": {leader.Team{Leader: leader.Lead{Model: client}, Roles: []leader.Role{{Name: "A B"}}}, "leader: role ab has no model; set its Model or Team.Model"},
		"none":      {leader.Team{Model: client}, ""},
	} {
		got := ""
		if _, err := leader.New(tt.team, nil); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestALimitNamesWhatToRaise reaches each kind of limit and reads the hint: a
// setting that it names must exist in a team file.
func TestALimitNamesWhatToRaise(t *testing.T) {
	list := say("again", modeltest.Call("list_agents", map[string]any{}))
	for name, tt := range map[string]struct {
		change func(*leader.Team)
		limit  string
		want   string
	}{
		"steps of the leader": {func(t *leader.Team) { t.Leader.MaxSteps = 2 }, "max_steps", "raise leader.max_steps"},
		"steps of the run":    {func(t *leader.Team) { t.Limits.Steps = 2 }, "steps", "raise limits.steps"},
		"tokens":              {func(t *leader.Team) { t.Limits.Tokens = 1 }, "tokens", "raise limits.tokens"},
		"one call repeated":   {func(*leader.Team) {}, "repeated_call", ""},
	} {
		p := players{"tl": sequence(list, list, list, list, list, list, list)}
		res, _, err := do(t, p, tt.change)
		e, ok := errors.AsType[*leader.Error](err)
		if !ok || res.Limit != tt.limit {
			t.Errorf("%s: the run ended by %q (%v), want %s", name, res.Limit, err, tt.limit)
			continue
		}
		if tt.want != "" && e.Hint != tt.want || tt.want == "" && (e.Hint == "" || strings.Contains(e.Hint, "raise")) {
			t.Errorf("%s: the hint is %q, want %q", name, e.Hint, tt.want)
		}
	}
}
