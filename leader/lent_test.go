package leader_test

import (
	"context"
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
)

// neighbour is a Lender in memory: the reference run's workers, made somewhere
// else.
type neighbour struct {
	shop *leader.Workshop
	e    *effects

	mu       sync.Mutex // guards all below
	lent     int
	returned map[string]string // why, by the task of the turn; empty for a natural end
}

func newNeighbour(t testing.TB, e *effects, dir string) *neighbour {
	t.Helper()
	l, err := leader.New(referenceTeam(), leader.WithTools(e.deploy(), peek(), rests()), leader.WithWorkDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	shop, err := leader.NewWorkshop(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shop.Close() })
	return &neighbour{shop: shop, e: e, returned: map[string]string{}}
}

func (n *neighbour) Step(context.Context, event.RemoteStep) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) { yield(nil, fmt.Errorf("nobody steps here")) }
}

func (n *neighbour) Lend(_ context.Context, who event.RemoteAgent) (*event.Loan, error) {
	n.mu.Lock()
	n.lent++
	n.mu.Unlock()
	loan, err := n.shop.Describe(who.Role, "any")
	return &loan, err
}

func (n *neighbour) Reply(ctx context.Context, _ event.RemoteStep, q event.LentRequest) iter.Seq2[event.Data, error] {
	return n.shop.Reply(ctx, "any", q)
}

func (n *neighbour) Call(ctx context.Context, s event.RemoteStep, _ event.LentTool, c event.LentCall) iter.Seq2[event.Data, error] {
	return n.shop.Call(ctx, s.Role, "any", c)
}

func (n *neighbour) back(task, why string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.returned[task] = why
	return nil
}

func (n *neighbour) Return(_ context.Context, s event.RemoteStep) error { return n.back(s.Task, "") }

func (n *neighbour) Cancel(_ context.Context, s event.RemoteStep, reason string) error {
	return n.back(s.Task, reason)
}

// lentTeam is the reference team with its workers at a neighbour's.
func lentTeam(n *neighbour) leader.Team {
	team := referenceTeam()
	role := &team.Roles[0]
	role.Tools, role.Model = nil, leader.Model{}
	role.Remote, role.Place = n, leader.Place{Kind: "streams", Address: "actors"}
	return team
}

// TestALentTeamIsAsAtHome performs the reference run with workers that are lent,
// cuts its log at every record, and resumes what is left: messages, money and
// effects are those of the run at home.
func TestALentTeamIsAsAtHome(t *testing.T) {
	t.Parallel()
	home, _ := recordReference(t)
	dir := t.TempDir()
	var e effects
	n := newNeighbour(t, &e, dir)
	whole := perform(t, dir, lentTeam(n), nil, leader.WithRunDir(dir), leader.WithSync("off"))
	if whole.err != nil || whole.Answer != home.Answer {
		t.Fatalf("the lent run ended with %q, %v; at home with %q", whole.Answer, whole.err, home.Answer)
	}
	checkLog(t, whole.records)
	if diff := cmp.Diff(letters(home.records), letters(whole.records)); diff != "" {
		t.Errorf("messages (-home +lent):\n%s", diff)
	}
	tokens, _ := spent(home.records)
	if got, _ := spent(whole.records); got != tokens {
		t.Errorf("%d tokens, at home %d", got, tokens)
	}
	if n.lent != 1 {
		t.Errorf("the role was asked for %d times", n.lent)
	}
	for task, why := range n.returned {
		if failed := strings.Contains(task, "a_3"); failed != (why != "") {
			t.Errorf("turn %s was given back because %q", task, why)
		}
	}
	text, err := os.ReadFile(whole.Log)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(whole.records); cut += 3 {
		resumeLent(t, whole, text, cut)
	}
}

func resumeLent(t *testing.T, want played, text []byte, cut int) {
	t.Helper()
	var e effects
	for _, rec := range want.records[:cut] { // what began may have been done
		if d, ok := rec.Data.(event.ToolStarted); ok && d.Name == "deploy" {
			e.add(rec.Agent + " " + strings.Split(d.Arguments, `"`)[3])
		}
	}
	n := newNeighbour(t, &e, t.TempDir())
	var got played
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(want.records[cut-1].Time) + time.Hour)
		run, err := leader.Resume(t.Context(), cutLog(t, text, cut), leader.WithSync("off"),
			leader.WithClient("test/test", leader.Model{Client: reference(), Name: "test/test"}),
			leader.WithRemotes(func(leader.Place) (leader.Remote, error) { return n, nil }))
		if err != nil {
			t.Fatal(err)
		}
		got.Result, got.err = run.Wait()
		got.records = recorded(t, run)
	})
	checkResumed(t, want, got, e.counts(), want.records[:cut])
	created := slices.IndexFunc(want.records[:cut], func(rec event.Record) bool {
		d, ok := rec.Data.(event.AgentCreated)
		return ok && d.Lent != nil
	}) >= 0
	if all := len(dataOf[event.AgentCreated](want.records[:cut])) == 6; all && n.lent > 0 {
		t.Errorf("cut after %d: the log knows all agents, and the role was asked for again", cut)
	} else if !created && n.lent != 1 {
		t.Errorf("cut after %d: the role was asked for %d times", cut, n.lent)
	}
}

// TestALoanThatCannotBePaid limits money where the lent model has no price.
func TestALoanThatCannotBePaid(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t, new(effects), t.TempDir())
	p := perform(t, t.TempDir(), lentTeam(n), nil, leader.WithOverride(func(team *leader.Team) {
		team.Limits.Budget = 5
		team.Model.Price = &leader.Price{Currency: "CNY", Input: 1, Output: 1}
	}))
	refused := 0
	for _, d := range dataOf[event.ToolFinished](p.records) {
		if d.Name == "create_sub_agent" && d.IsError && strings.Contains(d.Result, "limit budget needs prices in one currency") {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d agents were refused, want 5", refused)
	}
}
