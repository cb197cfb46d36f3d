package leader_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/tools"
)

func workshopOf(t *testing.T, team leader.Team, opts ...leader.Option) *leader.Workshop {
	t.Helper()
	team.Model = leader.Model{Client: forecaster().client(), Name: "test/test"}
	l, err := leader.New(team, append([]leader.Option{leader.WithWorkDir(t.TempDir())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	w, err := leader.NewWorkshop(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestTheRoleThatIsLent finds it by its id, by the agent type, or because it is
// the only one.
func TestTheRoleThatIsLent(t *testing.T) {
	t.Parallel()
	two := workshopOf(t, leader.Team{Roles: []leader.Role{
		{ID: "draw", Name: "Draw", Prompt: "draw well"},
		{ID: "write", Name: "Write", Prompt: "write well"},
		{ID: "far", Name: "Far", Remote: weather()},
	}})
	one := workshopOf(t, leader.Team{Roles: []leader.Role{{ID: "draw", Name: "Draw", Prompt: "draw well"}}})
	for _, tt := range []struct {
		shop            *leader.Workshop
		role, agentType string
		want            string
	}{
		{two, "write", "studio", "write well"},
		{two, "pages", "draw", "draw well"},
		{two, "pages", "studio", ""},
		{two, "far", "studio", ""},
		{one, "pages", "studio", "draw well"},
	} {
		loan, err := tt.shop.Describe(tt.role, tt.agentType)
		if tt.want == "" {
			if err == nil || !strings.Contains(err.Error(), "draw, write") {
				t.Errorf("role %s of type %s: %v", tt.role, tt.agentType, err)
			}
			continue
		}
		if err != nil || loan.Prompt != tt.want {
			t.Errorf("role %s of type %s: %q, %v; want %q", tt.role, tt.agentType, loan.Prompt, err, tt.want)
		}
	}
}

// TestAWorkshopKeepsItsRulesAndSecrets calls what the rules there deny, what they
// ask leave for, and what tells a secret.
func TestAWorkshopKeepsItsRulesAndSecrets(t *testing.T) {
	t.Parallel()
	tell := tools.FuncCall("tell", "tells", func(_ context.Context, c tools.Call, in nameArgs) (string, error) {
		c.Output("the password is hunter2hunter2")
		return in.Name + ": hunter2hunter2", nil
	}, tools.About(tools.TextSubject, "name"))
	w := workshopOf(t, leader.Team{
		Roles:       []leader.Role{{ID: "draw", Name: "Draw", Tools: []string{"tell", "write_file"}}},
		Permissions: leader.Permissions{Deny: []string{"tell(never*)"}, Ask: []string{"write_file(**)"}},
	}, leader.WithTools(tell), leader.WithSecrets("hunter2hunter2"))
	loan, err := w.Describe("draw", "")
	if err != nil || len(loan.Tools) != 2 || loan.Tools[0].About != "name" || !loan.Tools[1].Asks || loan.Tools[1].About != "path" || loan.Tools[1].Subject != "path" {
		t.Errorf("the loan is %+v, %v", loan.Tools, err)
	}
	call := func(arguments string) (out string, done event.ToolFinished) {
		c := event.LentCall{CallID: "c", Name: "tell", Arguments: arguments, Agent: "draw_1"}
		for d, err := range w.Call(t.Context(), "draw", "", c) {
			if err != nil {
				t.Fatal(err)
			}
			switch d := d.(type) {
			case event.ToolOutput:
				out += d.Text
			case event.ToolFinished:
				done = d
			default:
				t.Errorf("unexpected %T", d)
			}
		}
		return out, done
	}
	out, done := call(`{"name": "anna"}`)
	if done.IsError || !strings.HasPrefix(done.Result, "anna: ") || strings.Contains(out+done.Result, "hunter2") || out == "" {
		t.Errorf("it tells %q and %+v", out, done)
	}
	out, done = call(`{"name": "never mind"}`)
	if !done.IsError || out != "" || !strings.Contains(done.Result, "tell(never*)") {
		t.Errorf("what is denied tells %q and %+v", out, done)
	}
	if _, done = call(`{`); !done.IsError {
		t.Errorf("broken arguments bring %+v", done)
	}
}
