package leader_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/mailbox"
)

// TestWhatThePersonCannotDo lists the errors of a run's methods.
func TestWhatThePersonCannotDo(t *testing.T) {
	c := newCast(1, 0, map[string]actor{
		event.Leader: {plan: []move{hire(2)}},
		"a_1":        {plan: []move{does(ask("a_1", event.Leader)), does(sleep(10_000))}},
		"a_2":        {plan: []move{does(sleep(20_000))}},
	})
	var unknown *mailbox.UnknownError
	synctest.Test(t, func(t *testing.T) {
		run := start(t.Context(), t, t.TempDir(), actors(c.client(), unlimited), leader.WithTools(nap(), boom()))
		time.Sleep(time.Second)
		if err := run.Stop("a_2", leader.Terminate); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, tt := range []struct {
			name string
			err  error
			is   error
			says string
		}{
			{"tell nobody", run.Tell("a_9", "hello"), nil, "Actor_1"},
			{"tell the terminated", run.Tell("Actor_2", "hello"), mailbox.ErrTerminated, "Actor_2"},
			{"tell no text", run.Tell("a_1", "\xff"), mailbox.ErrContent, ""},
			{"reply to nothing", run.Reply("ask_tl_009", "yes"), mailbox.ErrUnknownQuestion, "ask_tl_009"},
			{"reply to the leader's question", run.Reply("ask_a_001", "yes"), mailbox.ErrNotYours, "ask_a_001"},
			{"stop nobody", run.Stop("nobody", leader.Soft), nil, "nobody"},
			{"stop the leader", run.Stop("team leader", leader.Now), nil, "pause"},
			{"stop the terminated", run.Stop("a_2", leader.Now), nil, "Actor_2 is terminated"},
			{"pause one", run.Stop("a_1", agent.Pause), nil, "mode"},
			{"stop in no way", run.Stop("a_1", 0), nil, "mode"},
		} {
			typed, ok := errors.AsType[*leader.Error](tt.err)
			if !ok || typed.Who != "client" || !strings.Contains(tt.err.Error(), tt.says) || tt.is != nil && !errors.Is(tt.err, tt.is) {
				t.Errorf("%s: %v", tt.name, tt.err)
			}
		}
		if !errors.As(run.Tell("a_9", "hello"), &unknown) || len(unknown.Known) != 2 {
			t.Errorf("the error does not know who there is: %v", unknown)
		}
		if _, err := run.Wait(); err != nil {
			t.Error(err)
		}
		for name, err := range map[string]error{
			"tell": run.Tell("a_1", "hello"), "stop": run.Stop("a_1", leader.Soft),
		} {
			if !errors.Is(err, leader.ErrEnded) {
				t.Errorf("%s after the end: %v", name, err)
			}
		}
		if run.Reply("ask_a_001", "yes") == nil {
			t.Error("a reply after the end was taken")
		}
		run.Pause("too late")
		checkLog(t, recorded(t, run))
	})
}

// TestTasksThatAreNone refuses them before anything starts.
func TestTasksThatAreNone(t *testing.T) {
	l, err := leader.New(actors(newCast(1, 0, nil).client()), leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for name, task := range map[string]string{
		"empty": "", "blank": " \n\t", "no UTF-8": "make \xff", "too large": strings.Repeat("x", 4<<20+1),
	} {
		_, err := l.Do(t.Context(), task)
		if e, ok := errors.AsType[*leader.Error](err); !ok || e.Code != "bad_task" || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadersOfARun lets many read, one slowly, one only a little.
func TestReadersOfARun(t *testing.T) {
	c := newCast(1, slowest, map[string]actor{
		event.Leader: {plan: []move{hire(3), does(waitFor("all"))}},
		"a_1":        {plan: []move{does(ask("a_1", "a_2")), does(sleep(1000))}},
		"a_2":        {plan: []move{does(sleep(2000))}},
	})
	synctest.Test(t, func(t *testing.T) {
		run := start(t.Context(), t, t.TempDir(), actors(c.client(), rough), leader.WithTools(nap(), boom()))
		var readers sync.WaitGroup
		seen := make([][]int64, 20)
		for i := range seen {
			readers.Go(func() {
				for rec, err := range run.Events(t.Context()) {
					if err != nil {
						t.Error(err)
						return
					}
					if rec.Seq > 0 {
						seen[i] = append(seen[i], rec.Seq)
					}
					switch {
					case i == 0:
						time.Sleep(time.Minute)
					case i == 1 && rec.Seq == 5:
						return
					}
				}
			})
		}
		if _, err := run.Wait(); err != nil {
			t.Error(err)
		}
		readers.Wait()
		records := recorded(t, run)
		checkLog(t, records)
		for i, list := range seen {
			want := len(records)
			if i == 1 {
				want = 5
			}
			if len(list) != want {
				t.Errorf("reader %d saw %d records, want %d", i, len(list), want)
			}
			for j, seq := range list {
				if seq != int64(j+1) {
					t.Fatalf("reader %d saw record %d as number %d", i, seq, j+1)
				}
			}
		}
	})
}

// TestAgentsTellsWhoDoesWhat looks at a run at chosen moments.
func TestAgentsTellsWhoDoesWhat(t *testing.T) {
	c := newCast(1, 0, map[string]actor{
		event.Leader: {plan: []move{hire(3), does(waitFor("all", "a_3"))}},
		"a_1":        {plan: []move{does(sleep(1000)), does(ask("a_1", "a_2"))}},
		"a_2":        {plan: []move{does(sleep(10_000))}},
		"a_3":        {plan: []move{does(sleep(20_000))}},
	})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		run := start(t.Context(), t, t.TempDir(), actors(c.client(), rough), leader.WithTools(nap(), boom()))
		look := func(at time.Duration) []string {
			time.Sleep(time.Until(began.Add(at)))
			synctest.Wait()
			var list []string
			for _, a := range run.Agents() {
				unread := ""
				if a.Unread > 0 {
					unread = fmt.Sprintf(" unread %d since %s", a.Unread, a.OldestUnread.Sub(began))
				}
				list = append(list, fmt.Sprintf("%s %s since %s, waits for %q, runs %q, turn %d%s",
					a.ID, a.State, a.Since.Sub(began), a.WaitsFor, a.Tools, a.Turns, unread))
			}
			return list
		}
		for _, tt := range []struct {
			at   time.Duration
			want []string
		}{
			{500 * time.Millisecond, []string{
				`tl waiting since 0s, waits for ["a_3"], runs ["wait_sub_agent_output"], turn 1`,
				`a_1 working since 0s, waits for [], runs ["nap"], turn 1`,
				`a_2 working since 0s, waits for [], runs ["nap"], turn 1`,
				`a_3 working since 0s, waits for [], runs ["nap"], turn 1`,
			}},
			{5 * time.Second, []string{
				`tl waiting since 0s, waits for ["a_3"], runs ["wait_sub_agent_output"], turn 1`,
				`a_1 waiting since 1s, waits for ["ask_a_001 → a_2"], runs ["ask_other_agent"], turn 1`,
				`a_2 working since 0s, waits for [], runs ["nap"], turn 1 unread 1 since 1s`,
				`a_3 working since 0s, waits for [], runs ["nap"], turn 1`,
			}},
			{15 * time.Second, []string{
				`tl waiting since 0s, waits for ["a_3"], runs ["wait_sub_agent_output"], turn 1 unread 2 since 10s`,
				`a_1 idle since 10s, waits for [], runs [], turn 1`,
				`a_2 idle since 10s, waits for [], runs [], turn 1`,
				`a_3 working since 0s, waits for [], runs ["nap"], turn 1`,
			}},
		} {
			if diff := cmp.Diff(tt.want, look(tt.at)); diff != "" {
				t.Errorf("after %s (-want +got):\n%s", tt.at, diff)
			}
		}
		if _, err := run.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestSeveralRunsOfOneTeam runs one team's tasks side by side, with the
// built-in roles.
func TestSeveralRunsOfOneTeam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := leader.Team{Model: leader.Model{Client: players{
			"tl":    sequence(say("I make a team", create("uio", "design"), create("res", "look")), say("wait for them"), say("ready")),
			"uio_1": sequence(say("", ask("uio_1", "res_1")), say("designed")),
			"res_1": sequence(say("looked")),
		}.client(), Name: "test/test"}}
		l, err := leader.New(team, leader.WithWorkDir(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Team().Roles) < 3 {
			t.Fatalf("the team has the roles %v", l.Team().Roles)
		}
		ids := map[string]bool{}
		var runs sync.WaitGroup
		for range 8 {
			run, err := l.Start(t.Context(), "make a page")
			if err != nil {
				t.Fatal(err)
			}
			ids[run.ID()] = true
			runs.Go(func() {
				res, err := run.Wait()
				if err != nil || res.Status != leader.StatusFinished {
					t.Errorf("%s: %v", res.Status, err)
				}
				checkLog(t, recorded(t, run))
			})
		}
		runs.Wait()
		if len(ids) != 8 {
			t.Errorf("%d different run ids, want 8", len(ids))
		}
	})
}
