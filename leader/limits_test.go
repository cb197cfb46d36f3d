package leader_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/leader"
)

func TestSetLimit(t *testing.T) {
	team := leader.Team{
		Roles: []leader.Role{{Name: "A", MaxSteps: 30}, {Name: "B", MaxSteps: 7}}, Limits: leader.Limits{MaxSteps: 30},
	}
	before := team.Roles
	for _, s := range []string{
		"agents=3", "spawns=4", "max_steps=50", "leader.max_steps=80", "steps=unlimited", "tokens=4000000", "budget=2.5",
		"deadline=1h30m", "parallel=2", "inbox=9", "ask_timeout=unlimited", "tool_timeout=90s",
	} {
		name, value, _ := strings.Cut(s, "=")
		if err := team.SetLimit(name, value); err != nil {
			t.Error(err)
		}
	}
	want := leader.Limits{
		Agents: 3, Spawns: 4, MaxSteps: 50, Steps: leader.Unlimited, Tokens: 4_000_000, Budget: 2.5,
		Deadline: 90 * time.Minute, Parallel: 2, Inbox: 9, AskTimeout: leader.Unlimited, ToolTimeout: 90 * time.Second,
	}
	if diff := cmp.Diff(want, team.Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	if a, b, tl := team.Roles[0].MaxSteps, team.Roles[1].MaxSteps, team.Leader.MaxSteps; a != 50 || b != 7 || tl != 80 {
		t.Errorf("roles may take %d and %d steps, the leader %d; want 50, 7 and 80", a, b, tl)
	}
	if before[0].MaxSteps != 30 {
		t.Error("the caller's roles were changed")
	}
}

func TestSetLimitRefuses(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"token", "5", "limits are agents, spawns"},
		{"depth", "2", "there is no limit"},
		{"tokens", "0", "a whole number above 0"},
		{"tokens", "-1", "a whole number above 0"},
		{"tokens", "4e6", "a whole number above 0"},
		{"tokens", "", "a whole number above 0"},
		{"tokens", "99999999999", "a whole number above 0"},
		{"budget", "NaN", "a number above 0"},
		{"budget", "-2", "a number above 0"},
		{"budget", "1e99", "a number above 0"},
		{"deadline", "30", "a duration"},
		{"deadline", "-1s", "a duration"},
		{"max_steps", "none", "unlimited"},
	} {
		var team leader.Team
		err := team.SetLimit(tt.name, tt.value)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s: %v, want %q", tt.name, tt.value, err, tt.want)
		}
		if team.Limits != (leader.Limits{}) {
			t.Errorf("%s=%s set %+v", tt.name, tt.value, team.Limits)
		}
	}
	for _, name := range leader.LimitNames() {
		var team leader.Team
		if err := team.SetLimit(name, "unlimited"); err != nil {
			t.Errorf("the limit %s: %v", name, err)
		}
	}
}

// TestNewTakesOverrides changes a team in code by an option.
func TestNewTakesOverrides(t *testing.T) {
	roles := []leader.Role{{Name: "A", Does: "a"}}
	l, err := leader.New(leader.Team{Model: leader.Model{Client: echo{}, Name: "own/echo"}, Roles: roles},
		leader.WithOverride(func(t *leader.Team) { t.Limits.Tokens, t.Roles[0].MaxSteps = 5, 7 }))
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Team(); got.Limits.Tokens != 5 || got.Roles[0].MaxSteps != 7 || roles[0].MaxSteps != 0 {
		t.Errorf("the team has limits %+v and roles %+v, the caller's are %+v", got.Limits, got.Roles, roles)
	}
}
