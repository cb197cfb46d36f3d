package replay_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// longRun is a run of so many workers and at least so many records.
func longRun(tb testing.TB, agents, size int) []event.Record {
	tb.Helper()
	steps := size / (5 * agents)
	c := cast{"tl": func(_ model.Request, n int) reply {
		if n > 0 {
			return say("they work")
		}
		var calls []event.Call
		for range agents {
			calls = append(calls, create("uio", "look at all"))
		}
		return say("", calls...)
	}}
	for i := range agents {
		c[fmt.Sprintf("uio_%d", i+1)] = func(_ model.Request, n int) reply {
			if n >= steps {
				return say("seen")
			}
			return say("", call("read_file", "path", fmt.Sprintf("file%d.md", n)))
		}
	}
	l, err := leader.New(leader.Team{
		Model:  leader.Model{Client: c.client(), Name: "scripted/long", Scripted: true},
		Limits: leader.Limits{MaxSteps: leader.Unlimited, Steps: leader.Unlimited, Agents: leader.Unlimited, Tokens: leader.Unlimited},
	}, leader.WithWorkDir(tb.TempDir()))
	if err != nil {
		tb.Fatal(err)
	}
	run, err := l.Start(tb.Context(), "look at all")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := run.Wait(); err != nil {
		tb.Fatal(err)
	}
	var records []event.Record
	for rec, err := range run.Events(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}
