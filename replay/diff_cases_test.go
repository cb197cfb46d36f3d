package replay_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// fact is a record to be numbered.
type fact struct {
	agent string
	data  event.Data
}

// logOf numbers records, a second apart.
func logOf(lines ...fact) []event.Record {
	records := make([]event.Record, len(lines))
	for i, l := range lines {
		records[i] = event.Record{
			V: event.Version, Seq: int64(i + 1), Time: time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC),
			Agent: l.agent, Turn: 1, Data: l.data,
		}
	}
	return records
}

func header(id string) fact {
	return fact{"", event.RunStarted{RunID: id, Task: "make a page", ModelKind: event.ModelReal}}
}

func born(id, role string) fact {
	parent := event.Leader
	if id == event.Leader {
		parent = ""
	}
	return fact{id, event.AgentCreated{Name: "The " + id, Role: role, Parent: parent, Prompt: "You are " + id + "."}}
}

func sent(id string, kind event.Kind, from, to, content string) fact {
	return fact{from, event.MessageSent{ID: id, Kind: kind, From: from, FromName: from, To: to, Content: content}}
}

func delivered(to, id string) fact { return fact{to, event.MessageDelivered{ID: id, Step: 1}} }

func requested(who, digest string) fact {
	return fact{who, event.ModelRequested{Step: 1, Model: "test/one", Digest: digest}}
}

func replied(who, text string) fact {
	return fact{who, event.ModelReplied{
		Step: 1, Text: text, Usage: event.Usage{Input: 100, Output: len(text)}, Cost: &event.Cost{Currency: "CNY", Amount: 0.5},
	}}
}

func finished() fact { return fact{"", event.RunFinished{Answer: "done"}} }

// divergence is that of an agent; it fails t if there is none.
func divergence(t *testing.T, d replay.Difference, id string) *replay.Divergence {
	t.Helper()
	for _, a := range d.Agents {
		if a.ID() == id && a.Divergence != nil {
			return a.Divergence
		}
	}
	t.Fatalf("%s did not part: %s", id, story(d))
	return nil
}

// opening is a run up to the first words of the leader.
func opening(id string) []fact {
	return []fact{
		header(id), born("tl", "tl"), sent("msg_user_001", event.Note, "user", "tl", "make a page"), delivered("tl", "msg_user_001"),
		requested("tl", "d1"), replied("tl", "plan"),
	}
}

// TestDiffPairsByTask has two agents of a role created in another order.
func TestDiffPairsByTask(t *testing.T) {
	run := func(id string, tasks ...string) []event.Record {
		lines := opening(id)
		for i, task := range tasks {
			agent, letter := fmt.Sprintf("uio_%d", i+1), fmt.Sprintf("task_%03d", i+1)
			lines = append(lines, born(agent, "uio"), sent(letter, event.Task, "tl", agent, task), delivered(agent, letter),
				requested(agent, "d"+task+letter), replied(agent, "I am "+agent+" and do: "+task))
		}
		return logOf(append(lines, finished())...)
	}
	a := run("A", "draw the form", "write the text")
	if d := diff(t, a, run("B", "write the text", "draw the form")); !d.Equal || d.Agents[1].B != "uio_2" {
		t.Errorf("the same tasks in another order: %s", story(d))
	}
	d := diff(t, a, run("B", "write the text", "draw the form in blue"))
	if got := divergence(t, d, "uio_1"); d.Agents[0].B != "uio_2" || got.Path != "$.data.content" {
		t.Errorf("a task that was changed a little: %s", story(d))
	}
	d = diff(t, a, run("B", "draw the form"))
	if got := divergence(t, d, "uio_2"); got.B != nil || d.Agents[0].B != "" {
		t.Errorf("an agent of one run only: %s", story(d))
	}
	d = diff(t, run("B", "draw the form"), a)
	if got := divergence(t, d, "uio_2"); got.A != nil || d.Agents[0].A != "" || d.First.SeqB == 0 {
		t.Errorf("an agent of the other run only: %s", story(d))
	}
}

// TestDiffCauses looks at how an agent came to go another way.
func TestDiffCauses(t *testing.T) {
	worker := func(letter, task string) []fact {
		return []fact{born("uio_1", "uio"), sent(letter, event.Task, "tl", "uio_1", task), delivered("uio_1", letter), requested("uio_1", "d2")}
	}
	write := fact{"uio_1", event.ArtifactCreated{Path: "notes/a.md", Bytes: 1}}
	call := []fact{
		{"tl", event.ToolStarted{CallID: "c1", Name: "read_file", Arguments: `{"path":"notes/a.md"}`}},
	}
	result := func(text string) fact {
		return fact{"tl", event.ToolFinished{CallID: "c1", Name: "read_file", Result: text}}
	}
	join := func(id string, parts ...any) []event.Record {
		lines := opening(id)
		for _, part := range parts {
			switch p := part.(type) {
			case fact:
				lines = append(lines, p)
			case []fact:
				lines = append(lines, p...)
			}
		}
		return logOf(lines...)
	}
	started := worker("task_001", "draw")
	hear := func(text string) []fact {
		return []fact{replied("uio_1", text), sent("out_uio_001", event.Progress, "uio_1", "tl", text), delivered("tl", "out_uio_001"), requested("tl", "d3"+text)}
	}
	decided := func(decision string) []fact {
		return []fact{
			{"tl", event.ApprovalRequested{ID: "ap_1", CallID: "c1", Name: "read_file"}},
			{"", event.ApprovalDecided{ID: "ap_1", Decision: decision}},
		}
	}
	notice := func(used float64) []fact {
		text := fmt.Sprintf("%v of 10 used", used)
		return []fact{{"tl", event.LimitWarned{Limit: "steps", Used: used, Max: 10}}, sent("msg_sys_001", event.Note, "sys", "tl", text), delivered("tl", "msg_sys_001")}
	}
	for _, tt := range []struct {
		name  string
		a, b  []event.Record
		agent string // that is looked at
		want  replay.Cause
		path  string
	}{
		{
			"another reply to the same request", join("A", started, replied("uio_1", "x"), finished()), join("B", started, replied("uio_1", "y"), finished()),
			"uio_1",
			replay.Cause{Kind: replay.CauseModel, SameRequest: true},
			"$.data.text",
		},
		{
			"another request for the same conversation", join("A", requested("tl", "d3"), finished()), join("B", requested("tl", "d4"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseRuntime},
			"$.data.digest",
		},
		{
			"progress that differs", join("A", started, hear("x"), replied("tl", "seen x"), finished()), join("B", started, hear("y"), replied("tl", "seen y"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseAgent, Agent: "uio_1", SeqA: 11, SeqB: 11, Via: "out_uio_001"},
			"$.data.text",
		},
		{
			"a file that another wrote", join("A", started, replied("uio_1", "x"), write, call, result("x"), finished()), join("B", started, replied("uio_1", "y"), write, call, result("y"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseAgent, Agent: "uio_1", SeqA: 11, SeqB: 11, Via: "notes/a.md"},
			"$.data.result",
		},
		{
			"a tool", join("A", call, result("x"), finished()), join("B", call, result("y"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseTool},
			"$.data.result",
		},
		{
			"a decision", join("A", call, decided("allow"), result("x"), finished()), join("B", call, decided("deny"), result("no"), finished()),
			"tl",
			replay.Cause{Kind: replay.CausePerson},
			"$.data.decision",
		},
		{
			"a limit", join("A", notice(8), finished()), join("B", finished()),
			"tl",
			replay.Cause{Kind: replay.CauseEnd},
			"",
		},
		{
			"a limit, then more", join("A", notice(8), replied("tl", "x"), finished()), join("B", replied("tl", "x"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseLimit},
			"",
		},
		{
			"a run that was cut off", join("A", started, finished()), join("B"),
			"uio_1",
			replay.Cause{Kind: replay.CauseTeam},
			"",
		},
		{
			"a message that came later", join("A", sent("msg_uio_001", event.Note, "uio_1", "tl", "hi"), delivered("tl", "msg_uio_001"), requested("tl", "d3"), finished()),
			join("B", sent("msg_uio_001", event.Note, "uio_1", "tl", "hi"), requested("tl", "d4"), delivered("tl", "msg_uio_001"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseTiming},
			"",
		},
		{
			"a word of the runtime", join("A", sent("msg_sys_001", event.Note, "sys", "tl", "hi"), delivered("tl", "msg_sys_001"), finished()),
			join("B", sent("msg_sys_001", event.Note, "sys", "tl", "ho"), delivered("tl", "msg_sys_001"), finished()),
			"tl",
			replay.Cause{Kind: replay.CauseRuntime},
			"$.data.content",
		},
		{
			"a turn that was stopped", join("A", fact{"tl", event.TurnEnded{Reason: event.EndNatural}}, finished()), join("B", fact{"tl", event.TurnEnded{Reason: event.EndStopped}}, finished()),
			"tl",
			replay.Cause{Kind: replay.CauseRuntime},
			"$.data.reason",
		},
		{
			"a turn that the person stopped", join("A", fact{"tl", event.TurnEnded{Reason: event.EndNatural}}, finished()),
			join("B", fact{"tl", event.AgentStopping{Mode: event.StopSoft, By: event.PersonName}}, fact{"tl", event.TurnEnded{Reason: event.EndStopped}}, finished()),
			"tl",
			replay.Cause{Kind: replay.CausePerson},
			"$.data.reason",
		},
		{
			"a turn at a limit", join("A", fact{"tl", event.TurnEnded{Reason: event.EndNatural}}, finished()), join("B", fact{"tl", event.TurnEnded{Reason: event.EndLimit, Limit: "steps"}}, finished()),
			"tl",
			replay.Cause{Kind: replay.CauseLimit},
			"$.data.reason",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := diff(t, tt.a, tt.b)
			got := divergence(t, d, tt.agent)
			if diff := cmp.Diff(tt.want, got.Cause); diff != "" || got.Path != tt.path {
				t.Errorf("path %q, want %q; cause (-want +got):\n%s", got.Path, tt.path, diff)
			}
		})
	}
}

// TestDiffLeavesOut has runs that differ in what does not count.
func TestDiffLeavesOut(t *testing.T) {
	warned := func(used float64, word string) []fact {
		return []fact{
			{"tl", event.LimitWarned{Limit: "steps", Used: used, Max: 10}},
			sent("msg_sys_001", event.Note, "sys", "tl", word),
			delivered("tl", "msg_sys_001"),
		}
	}
	tool := func(name, call, text string) []fact {
		return []fact{
			{"tl", event.ToolStarted{CallID: call, Name: name, Arguments: "{}"}},
			{"tl", event.ToolFinished{CallID: call, Name: name, Result: text, DurationMS: int64(len(text))}},
		}
	}
	a := append(opening("A"), warned(8, "8 of 10")...)
	b := append(opening("B"), warned(9, "9 of 10")...)
	for _, name := range []string{
		"create_sub_agent", "wait_sub_agent_output", "stop_sub_agent", "list_active_sub_agents", "get_sub_agent_status",
	} {
		a, b = append(a, tool(name, "x", "working for 1s")...), append(b, tool(name, "y", "working for 12s")...)
	}
	b = append(b, fact{"tl", event.ModelRetried{Attempt: 1}}, fact{"tl", event.Warning{Code: "endpoint_wait"}},
		fact{"tl", event.AgentState{From: event.Working, To: event.Waiting}})
	if d := diff(t, logOf(append(a, finished())...), logOf(append(b, finished())...)); !d.Equal {
		t.Errorf("got %s", story(d))
	}
}

// TestDiffCosts adds up what came of a difference.
func TestDiffCosts(t *testing.T) {
	more := []fact{replied("tl", "second"), replied("tl", "third")}
	a := logOf(append(opening("A"), replied("tl", "first"), finished())...)
	b := logOf(append(append(opening("B"), more...), finished())...)
	d := diff(t, a, b)
	cny := func(amount float64) *event.Cost { return &event.Cost{Currency: "CNY", Amount: amount} }
	want := replay.Costs{
		A: replay.Spent{Steps: 1, Usage: event.Usage{Input: 100, Output: 5}, Cost: cny(0.5)},
		B: replay.Spent{Steps: 2, Usage: event.Usage{Input: 200, Output: 11}, Cost: cny(1), DurationMS: 1000},
	}
	if diff := cmp.Diff(want, *d.Agents[0].Since); diff != "" {
		t.Errorf("the agent (-want +got):\n%s", diff)
	}
	want.A.DurationMS, want.B.DurationMS = 2000, 3000 // to the end of the run, from the record before
	if diff := cmp.Diff(want, *d.Since); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
	if got := d.B.Spent; got.Steps != 3 || *got.Cost != *cny(1.5) || got.DurationMS != 8000 {
		t.Errorf("the whole run spent %+v", got)
	}
}

// TestDiffOfUnfinishedRuns compares a run with its own beginnings, and with a
// damaged one.
func TestDiffOfUnfinishedRuns(t *testing.T) {
	whole := play{}.record(t)
	for n := range whole {
		d := diff(t, whole, whole[:n])
		if ended := n >= len(whole)-3; d.B.End != "" || d.B.Records != int64(n) || d.Equal && !ended || !d.Equal && d.First == nil {
			t.Fatalf("%d of %d records: %s", n, len(whole), story(d))
		}
	}
	damage := &transcript.DamageError{Path: "log.jsonl", Line: 4, Err: errors.New("no record")}
	broken := func() iter.Seq2[event.Record, error] {
		return func(yield func(event.Record, error) bool) {
			for _, rec := range whole[:3] {
				if !yield(rec, nil) {
					return
				}
			}
			yield(event.Record{}, damage)
		}
	}
	d, err := replay.Diff(played(whole), broken, replay.DiffOptions{})
	if err != nil || d.B.Damage == "" || d.B.Records != 3 || d.Equal {
		t.Errorf("a damaged log: %v, %s", err, story(d))
	}
	lost := errors.New("the disk is gone")
	_, err = replay.Diff(played(whole), func() iter.Seq2[event.Record, error] {
		return func(yield func(event.Record, error) bool) { yield(event.Record{}, lost) }
	}, replay.DiffOptions{})
	if !errors.Is(err, lost) {
		t.Errorf("error %v, want %v", err, lost)
	}
}

// TestDiffGrows compares a run that is being written while it is read.
func TestDiffGrows(t *testing.T) {
	whole := play{}.record(t)
	reads := 0
	growing := func() iter.Seq2[event.Record, error] {
		reads++
		return played(whole[:min(20+30*reads, len(whole))])()
	}
	d, err := replay.Diff(played(whole[:50]), growing, replay.DiffOptions{})
	if err != nil || !d.Equal || d.B.Records != 50 {
		t.Errorf("%v, %s", err, story(d))
	}
}

func TestDiffNamesTheFork(t *testing.T) {
	fork := func(id string, from *event.Origin) []event.Record {
		records := logOf(opening(id)...)
		head := records[0].Data.(event.RunStarted)
		head.Fork = from
		records[0].Data = head
		return records
	}
	a := fork("A", nil)
	b, c := fork("B", &event.Origin{RunID: "A", Seq: 5}), fork("C", &event.Origin{RunID: "A", Seq: 4})
	for _, tt := range []struct {
		a, b []event.Record
		want replay.ForkPoint
	}{
		{a, b, replay.ForkPoint{Of: "a", RunID: "A", Seq: 5}},
		{c, a, replay.ForkPoint{Of: "b", RunID: "A", Seq: 4}},
		{b, c, replay.ForkPoint{RunID: "A", Seq: 4}},
	} {
		d := diff(t, tt.a, tt.b)
		if d.Fork == nil || *d.Fork != tt.want || !d.Equal {
			t.Errorf("got %s", story(d))
		}
	}
}

func TestDiffOfTeams(t *testing.T) {
	run := func(team string) []event.Record {
		records := logOf(opening("A")...)
		head := records[0].Data.(event.RunStarted)
		head.Team = []byte(team)
		records[0].Data = head
		return records
	}
	d := diff(t, run(`{"roles":[{"id":"a","prompt":"x"},{"id":"b"}],"limits":{"steps":4},"tags":[1,2]}`),
		run(`{"roles":[{"id":"c"},{"id":"a","prompt":"y"}],"limits":{"steps":5},"tags":[1],"new":true}`))
	var got []string
	for _, c := range d.Team {
		got = append(got, strings.TrimPrefix(c.Path, "$.data.team.")+": "+c.A+" > "+c.B)
	}
	want := []string{
		"limits.steps: 4 > 5", "new:  > true", "roles[0].prompt: x > y", `roles[1]: {"id":"b"} > `, `roles[0]:  > {"id":"c"}`, "tags[1]: 2 > ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiffTexts(t *testing.T) {
	var long strings.Builder
	for i := range 200_000 {
		fmt.Fprintln(&long, "line", i)
	}
	for _, tt := range []struct {
		name, a, b string
		context    int
		want       string
	}{
		{"a line among others", "1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\n4\nfive\n6\n7\n8", 2, " 3\n 4\n-5\n+five\n 6\n 7\n"},
		{"no context", "1\n2\n3", "1\ntwo\n3", -1, "-2\n+two\n"},
		{"nothing and something", "", "new", 3, "+new\n"},
		{"JSON is laid out", `{"a":1,"b":[1,2]}`, `{"a":1,"b":[1,3]}`, 1, "     1,\n-    2\n+    3\n   ]\n"},
		{"long texts", long.String() + "x\n" + long.String(), long.String() + "y\n" + long.String(), 1, " line 199999\n-x\n+y\n line 0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := opening("A"), opening("B")
			a, b = append(a, replied("tl", tt.a)), append(b, replied("tl", tt.b))
			d, err := replay.Diff(played(logOf(a...)), played(logOf(b...)), replay.DiffOptions{Context: tt.context})
			if err != nil {
				t.Fatal(err)
			}
			if got := divergence(t, d, "tl").Diff; got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}
