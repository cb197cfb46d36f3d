package render_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/render"
)

func clock(second int) time.Time { return time.Date(2000, 1, 1, 10, 0, second, 0, time.UTC) }

// TestGoldenRows shows the status rows of the story at some moments.
func TestGoldenRows(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		for _, width := range []int{40, 64, 100} {
			name := fmt.Sprintf("rows-%s-%d.txt", lang, width)
			t.Run(name, func(t *testing.T) {
				golden.Equal(t, filepath.Join("testdata", name), []byte(rowsOfStory(t, render.Options{Lang: lang, Width: width})))
			})
		}
	}
	t.Run("verbose", func(t *testing.T) {
		golden.Equal(t, "testdata/rows-verbose.txt", []byte(rowsOfStory(t, render.Options{Width: 120, Verbose: true, ASCII: true})))
	})
}

func rowsOfStory(t *testing.T, o render.Options) string {
	t.Helper()
	records := story(t)
	var b strings.Builder
	s := render.NewStatus()
	for second := range 22 {
		for len(records) > 0 && !records[0].Time.After(clock(second)) {
			s.Apply(records[0])
			records = records[1:]
		}
		switch second {
		case 0, 4, 6, 11, 15, 18, 21:
			total := s.Total()
			total.Budget = &event.Cost{Currency: "CNY", Amount: 5}
			total.Deadline, total.Stoppable = 30*time.Minute, true
			now := clock(second).Add(500 * time.Millisecond)
			fmt.Fprintf(&b, "after %d s\n%s\n\n", second, strings.Join(render.Rows(s.Rows(now), total, now, o, 0), "\n"))
		}
	}
	return b.String()
}

// exampleRows are the rows of the specification.
func exampleRows() ([]render.Row, render.Total, time.Time) {
	now := clock(41)
	cny := func(amount float64) *event.Cost { return &event.Cost{Currency: "CNY", Amount: amount} }
	rows := []render.Row{
		{ID: "tl", Name: "Team Leader", State: event.Waiting, Phase: render.PhaseReports, Unfinished: 2, Since: clock(0), Tokens: 3100, Cost: cny(0.004)},
		{ID: "uio_1", Name: "UI Operator_1", State: event.Waiting, Phase: render.PhaseAnswer, Doing: "ask_uio_001", On: "fse_1", WaitSince: clock(35), Since: clock(3), Tokens: 5700, Cost: cny(0.008)},
		{ID: "fse_1", Name: "Full-Stack Engineer_1", State: event.Working, Phase: render.PhaseTool, Doing: "write_file api.md", Since: clock(6), Tokens: 9200, Cost: cny(0.013)},
		{ID: "qae_1", Name: "QA Engineer_1", State: event.Idle, Phase: render.PhaseIdle, Since: clock(39)},
	}
	total := render.Total{
		Tokens: 18000, Cost: cny(0.025), Budget: cny(5), Since: clock(0), Deadline: 30 * time.Minute, Stoppable: true,
	}
	return rows, total, now
}

func TestRowsExample(t *testing.T) {
	rows, total, now := exampleRows()
	got := strings.Join(render.Rows(rows, total, now, render.Options{Lang: "zh", Width: 90}, 0), "\n")
	want := `● Team Leader            等汇报  2 个子智能体未完成            00:41  3.1k  ¥0.004
● UI Operator_1          等回答  ask_uio_001 → fse_1，已等 6s  00:38  5.7k  ¥0.008
● Full-Stack Engineer_1  工具    write_file api.md             00:35  9.2k  ¥0.013
○ QA Engineer_1          空闲                                  00:02  0     —
合计 18.0k token  ¥0.025 / ¥5.00   00:41 / 30:00   Ctrl-C 轻停，再按一次立即停`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestRowsFold(t *testing.T) {
	rows, total, now := exampleRows()
	rows[0].State, rows[0].Phase = event.Idle, render.PhaseIdle
	for range 6 {
		rows = append(rows, rows[3])
	}
	first := func(maxLines int) []string {
		var names []string
		for _, line := range render.Rows(rows, total, now, render.Options{Width: 80}, maxLines) {
			names = append(names, strings.Fields(line + " -")[0]+" "+strings.Fields(line + " - -")[1])
		}
		return names
	}
	for _, tt := range []struct {
		maxLines int
		want     []string
	}{
		{1, []string{"Total 18.0k"}},
		{2, []string{"+10 -", "Total 18.0k"}},
		{4, []string{"● UI", "● Full-Stack", "+8 -", "Total 18.0k"}},
		{5, []string{"○ Team", "● UI", "● Full-Stack", "+7 -", "Total 18.0k"}},
	} {
		if diff := cmp.Diff(tt.want, first(tt.maxLines)); diff != "" {
			t.Errorf("at most %d lines (-want +got):\n%s", tt.maxLines, diff)
		}
	}
	if got := len(first(11)); got != 11 {
		t.Errorf("%d lines where all have room, want 11", got)
	}
	if got := len(first(0)); got != 11 {
		t.Errorf("%d lines without a bound, want 11", got)
	}
}

func TestRowsNeverWider(t *testing.T) {
	states := rapid.SampledFrom([]event.State{event.Created, event.Working, event.Waiting, event.Idle, event.Failing, event.Stopped, event.Finished, "dreaming"})
	rapid.Check(t, func(t *rapid.T) {
		o := render.Options{
			Width: rapid.IntRange(24, 120).Draw(t, "width"), Verbose: rapid.Bool().Draw(t, "verbose"),
			Lang: rapid.SampledFrom([]string{"zh", "en"}).Draw(t, "lang"), AmbiguousWidth: rapid.IntRange(1, 2).Draw(t, "ambiguous"),
		}
		row := rapid.Custom(func(t *rapid.T) render.Row {
			return render.Row{
				Name: mixedText().Draw(t, "name"), State: states.Draw(t, "state"), Doing: mixedText().Draw(t, "doing"),
				On: mixedText().Draw(t, "on"), Model: mixedText().Draw(t, "model"), Tokens: rapid.IntRange(0, 1e9).Draw(t, "tokens"),
				Scripted: rapid.Bool().Draw(t, "scripted"), WaitSince: clock(1),
			}
		})
		rows := rapid.SliceOfN(row, 0, 12).Draw(t, "rows")
		maxLines := rapid.IntRange(1, 14).Draw(t, "lines")
		lines := render.Rows(rows, render.Total{Stoppable: true, MaxTokens: 2e6}, clock(5), o, maxLines)
		if len(lines) > maxLines {
			t.Fatalf("%d lines, want at most %d", len(lines), maxLines)
		}
		for _, line := range lines {
			if got := render.Width(line, o.AmbiguousWidth); got > o.Width || strings.ContainsFunc(line, isUnsafe) || strings.ContainsAny(line, "\n\t") {
				t.Fatalf("line %q is unsafe or %d wide, want at most %d", line, got, o.Width)
			}
		}
	})
}

// TestStatusCost checks that money is never said to be less than it is.
func TestStatusCost(t *testing.T) {
	reply := func(agent string, tokens int, c *event.Cost) event.Record {
		return event.Record{V: 1, Agent: agent, Data: event.ModelReplied{Usage: event.Usage{Input: tokens}, Cost: c}}
	}
	cny := &event.Cost{Currency: "CNY", Amount: 1.5}
	for _, tt := range []struct {
		name    string
		records []event.Record
		want    string
	}{
		{"nothing yet", nil, "—"},
		{"no price", []event.Record{reply("tl", 10, nil)}, "—"},
		{"zero cost is unknown", []event.Record{reply("tl", 10, &event.Cost{})}, "—"},
		{"price", []event.Record{reply("tl", 10, cny), reply("uio_1", 10, cny)}, "¥3.00"},
		{"one without a price", []event.Record{reply("tl", 10, cny), reply("uio_1", 10, nil)}, ">¥1.50"},
		{"a script needs no price", []event.Record{reply("tl", 10, cny), reply("uio_1", 0, nil)}, "¥1.50"},
		{"two currencies", []event.Record{reply("tl", 10, cny), reply("uio_1", 10, &event.Cost{Currency: "USD", Amount: 1})}, ">¥1.50"},
		{"failed call", []event.Record{reply("tl", 10, cny), {V: 1, Agent: "tl", Data: event.ModelFailed{Usage: event.Usage{Input: 5}}}}, ">¥1.50"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := render.NewStatus()
			s.Apply(event.Record{V: 1, Agent: "tl", Data: event.AgentCreated{Name: "Team Leader"}})
			for _, rec := range tt.records {
				s.Apply(rec)
			}
			line := render.Rows(nil, s.Total(), clock(0), render.Options{}, 0)[0]
			if !strings.Contains(line, "tokens  "+tt.want+"   ") {
				t.Errorf("total line %q has no cost %s", line, tt.want)
			}
		})
	}
}

// TestStatusElapsed checks that the time of a run does not count its pauses.
func TestStatusElapsed(t *testing.T) {
	s := render.NewStatus()
	for _, rec := range []event.Record{
		{V: 1, Time: clock(0), Data: event.RunStarted{}},
		{V: 1, Time: clock(10), Data: event.RunSuspended{}},
		{V: 1, Time: clock(100), Data: event.RunResumed{}},
	} {
		s.Apply(rec)
	}
	want := render.Total{Since: clock(100), Earlier: 10 * time.Second}
	if diff := cmp.Diff(want, s.Total()); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
}

// TestStatusOfTheNewestTask checks that what was spent on the tasks before is in
// the total of the run only.
func TestStatusOfTheNewestTask(t *testing.T) {
	spent := func(tokens int) event.Record {
		return event.Record{V: 1, Agent: "tl", Data: event.ModelReplied{
			Usage: event.Usage{Input: tokens}, Cost: &event.Cost{Currency: "CNY", Amount: float64(tokens)},
		}}
	}
	s := render.NewStatus()
	for _, rec := range []event.Record{
		{V: 1, Time: clock(0), Data: event.RunStarted{Task: "one"}},
		spent(10),
		{V: 1, Time: clock(10), Data: event.RunFinished{}},
		{V: 1, Time: clock(100), Data: event.RunResumed{Task: "two"}},
		spent(2),
		{V: 1, Time: clock(103), Data: event.RunSuspended{}},
		{V: 1, Time: clock(200), Data: event.RunResumed{}},
		spent(3),
	} {
		s.Apply(rec)
	}
	total := func(tokens int, earlier time.Duration) render.Total {
		return render.Total{
			Tokens: tokens, Cost: &event.Cost{Currency: "CNY", Amount: float64(tokens)}, Since: clock(200), Earlier: earlier,
		}
	}
	if diff := cmp.Diff(total(15, 13*time.Second), s.Total()); diff != "" {
		t.Errorf("the run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(total(5, 3*time.Second), s.TaskTotal()); diff != "" {
		t.Errorf("the newest task (-want +got):\n%s", diff)
	}
}

// TestStatusClockAhead checks that a log written by a clock that is ahead shows
// no times from the future.
func TestStatusClockAhead(t *testing.T) {
	s := render.NewStatus()
	s.Apply(event.Record{V: 1, Time: clock(30), Agent: "tl", Data: event.AgentCreated{Name: "Team Leader"}})
	if got := s.Rows(clock(10))[0].Since; !got.Equal(clock(10)) {
		t.Errorf("Since = %v, want %v", got, clock(10))
	}
}

// TestStatusPhases checks what a row says for each thing an agent can wait for.
func TestStatusPhases(t *testing.T) {
	created := event.AgentCreated{Name: "UI Operator_1", Model: "m", Scripted: true}
	to := func(s event.State, cause string) event.Data { return event.AgentState{To: s, Cause: cause} }
	call := event.ToolStarted{CallID: "c1", Name: "read_file", Arguments: `{"path":"a.md"}`}
	for _, tt := range []struct {
		name  string
		data  []event.Data
		phase render.Phase
		doing string
	}{
		{"created", nil, render.PhaseReady, ""},
		{"working", []event.Data{to(event.Working, "")}, render.PhaseWorking, ""},
		{"thinking", []event.Data{to(event.Working, ""), event.ModelRequested{}}, render.PhaseThinking, ""},
		{"thought", []event.Data{to(event.Working, ""), event.ModelRequested{}, event.ModelReplied{}}, render.PhaseWorking, ""},
		{"tool", []event.Data{to(event.Working, ""), call}, render.PhaseTool, "read_file a.md"},
		{"tool ended", []event.Data{to(event.Working, ""), call, event.ToolFinished{CallID: "c1"}}, render.PhaseWorking, ""},
		{"waiting", []event.Data{to(event.Waiting, "a lock")}, render.PhaseWaiting, "a lock"},
		{"reports", []event.Data{event.ToolStarted{CallID: "c1", Name: "wait_sub_agent_output"}, to(event.Waiting, "")}, render.PhaseReports, ""},
		{"question", []event.Data{event.QuestionOpened{ID: "ask_uio_001", From: "uio_1", To: "tl"}, to(event.Waiting, "")}, render.PhaseAnswer, "ask_uio_001"},
		{"question answered", []event.Data{event.QuestionOpened{ID: "q", From: "uio_1"}, to(event.Waiting, "x"), event.QuestionClosed{ID: "q"}}, render.PhaseWaiting, "x"},
		{"reply awaited", []event.Data{event.QuestionOpened{ID: "msg_1", From: "uio_1", Reply: true}, to(event.Waiting, "")}, render.PhaseAnswer, "msg_1"},
		{"question beside work", []event.Data{event.QuestionOpened{ID: "q", From: "uio_1"}, to(event.Working, ""), call}, render.PhaseTool, "read_file a.md"},
		{"approval", []event.Data{event.ApprovalRequested{ID: "apr_001", Name: "run_command", Arguments: `{"command":"ls"}`}, to(event.Waiting, "")}, render.PhaseApproval, "apr_001 run_command ls"},
		{"approval decided", []event.Data{event.ApprovalRequested{ID: "apr_001"}, event.ApprovalDecided{ID: "apr_001"}, to(event.Waiting, "x")}, render.PhaseWaiting, "x"},
		{"one of two approvals decided", []event.Data{event.ApprovalRequested{ID: "apr_001"}, event.ApprovalRequested{ID: "apr_002", Name: "x"}, event.ApprovalDecided{ID: "apr_001"}, to(event.Waiting, "")}, render.PhaseApproval, "apr_002 x"},
		{"one of two questions answered", []event.Data{event.QuestionOpened{ID: "q1", From: "uio_1"}, event.QuestionOpened{ID: "q2", From: "uio_1"}, to(event.Waiting, ""), event.QuestionClosed{ID: "q2"}}, render.PhaseAnswer, "q1"},
		{"idle", []event.Data{to(event.Working, ""), call, to(event.Idle, "")}, render.PhaseIdle, ""},
		{"works anew", []event.Data{to(event.Working, ""), call, event.TurnEnded{}, to(event.Idle, ""), to(event.Working, "")}, render.PhaseWorking, ""},
		{"failed", []event.Data{to(event.Failing, "502")}, render.PhaseFailed, "502"},
		{"stopped", []event.Data{to(event.Stopped, "by user")}, render.PhaseStopped, "by user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := render.NewStatus()
			for _, d := range append([]event.Data{created}, tt.data...) {
				s.Apply(event.Record{V: 1, Time: clock(1), Agent: "uio_1", Data: d})
			}
			row := s.Rows(clock(2))[0]
			if row.Phase != tt.phase || row.Doing != tt.doing {
				t.Errorf("row does %q %q, want %q %q", row.Phase, row.Doing, tt.phase, tt.doing)
			}
			if row.ID != "uio_1" || row.Name != "UI Operator_1" || row.Model != "m" || !row.Scripted {
				t.Errorf("row is not that of the agent: %+v", row)
			}
		})
	}
}

func TestTerminatedHasNoRow(t *testing.T) {
	s := render.NewStatus()
	s.Apply(event.Record{V: 1, Agent: "uio_1", Data: event.AgentCreated{Name: "UI Operator_1"}})
	s.Apply(event.Record{V: 1, Agent: "uio_1", Data: event.ModelReplied{Usage: event.Usage{Input: 7}}})
	s.Apply(event.Record{V: 1, Agent: "uio_1", Data: event.AgentState{To: event.Finished}})
	if rows := s.Rows(clock(0)); len(rows) != 0 {
		t.Errorf("terminated agent has a row: %+v", rows)
	}
	if got := s.Total().Tokens; got != 7 {
		t.Errorf("total is %d tokens, want those of the terminated agent, 7", got)
	}
}
