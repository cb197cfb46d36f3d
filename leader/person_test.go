package leader_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// touched counts what the tool touch did.
type touched struct {
	mu    sync.Mutex // guards names
	names []string
}

type touchArgs struct {
	Name string `json:"name"`
}

// tool is touch, whose calls need leave.
func (x *touched) tool() tools.Tool {
	return tools.FuncCall("touch", "touch a thing", func(_ context.Context, call tools.Call, in touchArgs) (string, error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.names = append(x.names, in.Name)
		return "touched " + in.Name, nil
	}, tools.Asks(), tools.About(tools.TextSubject, "name"))
}

func (x *touched) all() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.names)
}

func touch(name string) event.Call { return modeltest.Call("touch", map[string]any{"name": name}) }

// desk is a run under way in a bubble, whose tool needs leave.
type desk struct {
	t   *testing.T
	run *leader.Run
	*touched
}

func open(t *testing.T, p players, change func(*leader.Team), opts ...leader.Option) *desk {
	t.Helper()
	d := &desk{t: t, touched: &touched{}}
	team := leader.Team{Model: leader.Model{Client: p.client(), Name: "test/test"}}
	team.Limits.Deadline = leader.Unlimited
	team.Leader.Tools = []string{"touch"}
	team.Roles = []leader.Role{{Name: "UI Operator"}, {Name: "Full-Stack Engineer"}}
	if change != nil {
		change(&team)
	}
	opts = append([]leader.Option{leader.WithWorkDir(t.TempDir()), leader.WithTools(d.tool())}, opts...)
	l, err := leader.New(team, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if d.run, err = l.Start(t.Context(), "touch things"); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return d
}

// pending lists what waits for the person: its id and what it is about.
func (d *desk) pending() []string {
	var list []string
	for _, p := range d.run.Pending() {
		text := p.Text
		if p.IsApproval() {
			text = p.Tool + p.Arguments
		}
		list = append(list, p.ID+" "+p.Agent+" "+text)
	}
	return list
}

func (d *desk) state(id string) event.State {
	for _, s := range d.run.Agents() {
		if s.ID == id {
			return s.State
		}
	}
	return ""
}

func (d *desk) approve(id string, c leader.Decision) {
	d.t.Helper()
	if err := d.run.Approve(id, c); err != nil {
		d.t.Error(err)
	}
	synctest.Wait()
}

// end waits for the end and returns the records.
func (d *desk) end() (leader.Result, []event.Record, error) {
	d.t.Helper()
	res, err := d.run.Wait()
	return res, recorded(d.t, d.run), err
}

// toolResults are the results of an agent's calls, in order.
func toolResults(records []event.Record, agent string) []string {
	var list []string
	for _, rec := range records {
		if d, ok := rec.Data.(event.ToolFinished); ok && rec.Agent == agent {
			list = append(list, d.Result)
		}
	}
	return list
}

func decisions(records []event.Record) []string {
	var list []string
	for _, d := range dataOf[event.ApprovalDecided](records) {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s by %s %s", d.ID, d.Decision, d.By, d.Rule)))
	}
	return list
}

func TestACallWaitsForLeaveAndOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{
			"tl":    sequence(say("plan", create("uio", "touch"), create("fse", "look")), say("wait"), say("wait"), say("all done")),
			"uio_1": sequence(say("", touch("a"), touch("b")), say("touched both")),
			"fse_1": sequence(modeltest.Reply{Text: "looked", Delay: time.Minute}),
		}, nil)
		time.Sleep(time.Hour)
		want := []string{`apr_001 uio_1 touch{"name":"a"}`, `apr_002 uio_1 touch{"name":"b"}`}
		if got := d.pending(); !slices.Equal(got, want) && !slices.Equal(got, []string{`apr_001 uio_1 touch{"name":"b"}`, `apr_002 uio_1 touch{"name":"a"}`}) {
			t.Errorf("pending %q, want %q", got, want)
		}
		if got := d.state("uio_1"); got != event.Waiting || d.state("fse_1") != event.Idle {
			t.Errorf("uio_1 is %s, fse_1 is %s", got, d.state("fse_1"))
		}
		if got := d.run.Agents()[1].WaitsFor; !slices.Equal(got, []string{"apr_001 → user", "apr_002 → user"}) {
			t.Errorf("uio_1 waits for %q", got)
		}
		if age := time.Since(d.run.Pending()[0].Since); age < 59*time.Minute {
			t.Errorf("the approval waits for %s", age)
		}
		first := d.run.Pending()[0]
		d.approve("apr_001", leader.Decision{Allow: true})
		if got := d.all(); len(got) != 1 || !strings.Contains(first.Arguments, got[0]) {
			t.Errorf("touched %q after leave for %s", got, first.Arguments)
		}
		d.approve("apr_002", leader.Decision{Reason: "Leave it alone."})
		res, records, err := d.end()
		if err != nil || res.Answer != "all done" || len(d.all()) != 1 {
			t.Errorf("%+v, %v, touched %q", res, err, d.all())
		}
		got := toolResults(records, "uio_1")
		if len(got) != 2 || !slices.ContainsFunc(got, func(r string) bool { return strings.Contains(r, "refused this call of touch (Leave it alone)") }) {
			t.Errorf("results %q", got)
		}
		for _, f := range dataOf[event.ToolFinished](records) {
			if f.Name == "touch" && f.DurationMS != 0 {
				t.Errorf("the wait counts as work: %d ms", f.DurationMS)
			}
		}
		for id, want := range map[string]error{"apr_001": leader.ErrEnded} {
			if err := d.run.Approve(id, leader.Decision{Allow: true}); !errors.Is(err, want) {
				t.Errorf("%s after the end: %v", id, err)
			}
		}
	})
}

func TestWhatCannotBeApproved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{"tl": sequence(say("", touch("a")), say("", touch("b")), say("done"))}, nil)
		for _, tt := range []struct {
			id   string
			d    leader.Decision
			want error
			text string
		}{
			{"apr_009", leader.Decision{Allow: true}, leader.ErrNoApproval, "apr_001"},
			{"apr_001", leader.Decision{Reason: "\xff"}, nil, "UTF-8"},
		} {
			err := d.run.Approve(tt.id, tt.d)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s %+v: %v", tt.id, tt.d, err)
			}
		}
		d.approve("apr_001", leader.Decision{})
		if err := d.run.Approve("apr_001", leader.Decision{Allow: true}); !errors.Is(err, leader.ErrDecided) || !strings.Contains(err.Error(), "deny") {
			t.Errorf("a second decision: %v", err)
		}
		d.approve("apr_002", leader.Decision{Allow: true})
		if _, _, err := d.end(); err != nil || !slices.Equal(d.all(), []string{"b"}) {
			t.Errorf("%v, touched %q", err, d.all())
		}
	})
}

// TestAlwaysIsAboutTheSameThing asks about a thing once, and lets go of those
// who wait for the same.
func TestAlwaysIsAboutTheSameThing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{
			"tl":    sequence(say("plan", create("uio", "touch"), create("fse", "touch")), say("wait"), say("wait"), say("done")),
			"uio_1": sequence(say("", touch("a*")), say("", touch("a*")), say("", touch("ab")), say("done")),
			"fse_1": sequence(say("", touch("a*")), say("done")),
		}, nil)
		if got := len(d.run.Pending()); got != 2 {
			t.Fatalf("%d wait", got)
		}
		if got := d.run.Pending()[0].Rule; got != `touch(a\*)` {
			t.Errorf("always would allow %q", got)
		}
		d.approve("apr_001", leader.Decision{Allow: true, Always: true})
		if got := d.all(); !slices.Equal(got, []string{"a*", "a*", "a*"}) {
			t.Errorf("touched %q", got)
		}
		if got := d.pending(); !slices.Equal(got, []string{`apr_003 uio_1 touch{"name":"ab"}`}) {
			t.Errorf("pending %q", got)
		}
		d.approve("apr_003", leader.Decision{})
		_, records, err := d.end()
		want := []string{`apr_001 allow by user touch(a\*)`, "apr_002 allow by sys", "apr_003 deny by user"}
		if got := decisions(records); err != nil || !slices.Equal(got, want) {
			t.Errorf("decided %q (%v), want %q", got, err, want)
		}
	})
}

// TestADeniedCallHasNoEffect denies one agent's call by a rule; another's runs.
func TestADeniedCallHasNoEffect(t *testing.T) {
	for lang, want := range map[string]string{"en": `the team's rule "touch(secret*)" forbids`, "zh": `团队的规则 "touch(secret*)" 禁止`} {
		synctest.Test(t, func(t *testing.T) {
			d := open(t, players{
				"tl":    sequence(say("plan", create("uio", "touch"), create("fse", "touch")), say("wait"), say("wait"), say("done")),
				"uio_1": sequence(say("", touch("secret 1"), touch("Secret 2")), say("done")),
				"fse_1": sequence(say("", touch("open")), say("done")),
			}, func(team *leader.Team) {
				team.Permissions = leader.Permissions{Deny: []string{"touch(secret*)"}, Allow: []string{"touch(open)", "touch"}}
			}, leader.WithLang(lang))
			res, records, err := d.end()
			if err != nil || res.Status != leader.StatusFinished || !slices.Equal(d.all(), []string{"open"}) {
				t.Errorf("%+v, %v, touched %q", res, err, d.all())
			}
			for _, r := range toolResults(records, "uio_1") {
				if !strings.Contains(r, want) || !strings.Contains(r, "touch(open)") {
					t.Errorf("the model reads %q, want %q and what it may do", r, want)
				}
			}
			if n := len(dataOf[event.ApprovalRequested](records)); n != 0 {
				t.Errorf("%d approvals were asked for", n)
			}
			started, _ := records[0].Data.(event.RunStarted)
			if !strings.Contains(string(started.Team), `"deny":["touch(secret*)"]`) || !strings.Contains(string(started.Team), `"headless":"deny"`) {
				t.Errorf("the header is %s", started.Team)
			}
		})
	}
}

// TestFiftyApprovalsKeepTheirOrder lets fifty agents ask at once, and decides
// from the last to the first.
func TestFiftyApprovalsKeepTheirOrder(t *testing.T) {
	const n = 50
	synctest.Test(t, func(t *testing.T) {
		p := players{}
		var hires []event.Call
		for i := range n {
			hires = append(hires, create("uio", "touch"))
			p[fmt.Sprintf("uio_%d", i+1)] = sequence(say("", touch(fmt.Sprint("thing ", i+1))), say("done"))
		}
		p["tl"] = func(_ model.Request, turn int) modeltest.Reply {
			if turn == 0 {
				return say("plan", hires...)
			}
			return say("done")
		}
		d := open(t, p, func(team *leader.Team) {
			team.Limits = leader.Limits{Agents: n, Spawns: n, Deadline: leader.Unlimited, Parallel: leader.Unlimited}
		})
		pending := d.run.Pending()
		if len(pending) != n {
			t.Fatalf("%d wait", len(pending))
		}
		for i, p := range pending {
			if want := fmt.Sprintf("apr_%03d", i+1); p.ID != want {
				t.Errorf("place %d has %s", i, p.ID)
			}
		}
		for i := n - 1; i >= 0; i-- {
			d.approve(pending[i].ID, leader.Decision{Allow: i%2 == 0})
		}
		_, records, err := d.end()
		if err != nil || len(d.all()) != n/2 {
			t.Errorf("%v, touched %d", err, len(d.all()))
		}
		for _, name := range d.all() {
			i := slices.IndexFunc(pending, func(p leader.Pending) bool { return p.Arguments == fmt.Sprintf(`{"name":"%s"}`, name) })
			if i%2 != 0 {
				t.Errorf("%s was touched and %s refused", name, pending[i].ID)
			}
		}
		if got := decisions(records); len(got) != n || got[0] != "apr_050 deny by user" {
			t.Errorf("%d decisions, the first %s", len(got), got[0])
		}
	})
}

func TestNobodyIsThere(t *testing.T) {
	p := players{
		"tl":    sequence(say("plan", create("uio", "touch"), create("fse", "look")), say("wait"), say("wait"), say("done")),
		"uio_1": sequence(say("", touch("a")), say("went on")),
		"fse_1": sequence(modeltest.Reply{Text: "looked", Delay: time.Hour}),
	}
	for _, tt := range []struct {
		headless  leader.Headless
		status    leader.Status
		touched   int
		decisions string
		result    string
	}{
		{"", leader.StatusFinished, 0, "apr_001 deny by sys", "nobody is there to be asked"},
		{leader.HeadlessDeny, leader.StatusFinished, 0, "apr_001 deny by sys", "nobody is there to be asked"},
		{leader.HeadlessAllow, leader.StatusFinished, 1, "apr_001 allow by sys", "touched a"},
		{leader.HeadlessSuspend, leader.StatusSuspended, 0, "", ""},
	} {
		t.Run(string(tt.headless), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, p, func(team *leader.Team) { team.Permissions.Headless = tt.headless }, leader.WithAttendance(leader.Unattended))
				res, records, err := d.end()
				if res.Status != tt.status || len(d.all()) != tt.touched {
					t.Errorf("%+v (%v), touched %q", res, err, d.all())
				}
				if tt.status == leader.StatusFinished {
					got := strings.Join(decisions(records), "; ")
					if result := toolResults(records, "uio_1"); got != tt.decisions || len(result) != 1 || !strings.Contains(result[0], tt.result) {
						t.Errorf("decided %q, result %q", got, result)
					}
					return
				}
				checkWaits(t, records, err, event.RunSuspended{Cause: event.SuspendApproval, ID: "apr_001"}, `touch {"name":"a"}`)
				if len(dataOf[event.TurnEnded](records)) < 2 {
					t.Error("the others did not finish first")
				}
			})
		})
	}
}

// checkWaits wants a run that was suspended because it waits for a person.
func checkWaits(t *testing.T, records []event.Record, err error, want event.RunSuspended, text string) {
	t.Helper()
	last := records[len(records)-1]
	if d, ok := last.Data.(event.RunSuspended); !ok || d != want {
		t.Errorf("the log ends with %s %+v, want %+v", last.Type(), last.Data, want)
	}
	if n := len(dataOf[event.ApprovalDecided](records)) + len(dataOf[event.QuestionClosed](records)); n != 0 {
		t.Errorf("%d of what waits was closed", n)
	}
	for _, f := range dataOf[event.ToolFinished](records) {
		if f.Name == "touch" && f.IsError || f.Name == "ask_user" {
			t.Errorf("a call that waits has a result: %+v", f)
		}
	}
	e, ok := errors.AsType[*leader.Error](err)
	if !ok || e.Code != leader.CodeWaiting || !strings.Contains(e.Message, text) || !strings.Contains(e.Message, want.ID) || !e.Retryable {
		t.Errorf("error %#v, want code waiting with %q", err, text)
	}
}

func TestRulesAreCheckedAtOnce(t *testing.T) {
	_, err := leader.New(leader.Team{
		Model:       leader.Model{Client: players{}.client(), Name: "test/test"},
		Permissions: leader.Permissions{Deny: []string{"write_fil(a)"}, Ask: []string{"read_file(["}, Headless: "never"},
	})
	for _, want := range []string{`did you mean "write_file"?`, "not closed", `headless is "never"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
