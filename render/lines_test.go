package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// TestLinesStayAligned shows agents whose ids have every usual length: once the
// longest has been seen, all texts begin in one column.
func TestLinesStayAligned(t *testing.T) {
	ids := []string{"tl", "uio_1", "scout_1", "reader_1", "researcher_12"}
	var records []event.Record
	for range 2 {
		for n, from := range ids {
			code, _, _ := strings.Cut(from, "_")
			records = append(records, event.Record{V: 1, Seq: 1, Agent: from, Data: event.MessageSent{
				ID: fmt.Sprintf("msg_%s_001", code), Kind: event.Note, From: from, To: ids[(n+1)%len(ids)], Content: "here",
			}})
		}
	}
	for _, width := range []int{80, 120, 200} {
		lines := strings.Split(strings.TrimSuffix(show(records, render.Options{View: render.Lines, Width: width}), "\n"), "\n")
		places := map[int]bool{}
		for _, line := range lines[len(ids):] {
			before, _, _ := strings.Cut(line, "here")
			places[render.Width(before, 1)] = true
		}
		if len(places) != 1 {
			t.Errorf("at width %d the texts begin in %d columns:\n%s", width, len(places), strings.Join(lines, "\n"))
		}
	}
}

// TestLinesFitTheWidth shows texts that are longer than any screen: each line
// but that of a failure ends where the screen does.
func TestLinesFitTheWidth(t *testing.T) {
	long := strings.Repeat("a long text of words ", 20)
	records := []event.Record{
		{V: 1, Seq: 1, Agent: "tl", Data: event.MessageSent{ID: "task_001", Kind: event.Task, From: "tl", To: "uio_1", Content: long}},
		{V: 1, Seq: 2, Agent: "uio_1", Data: event.ToolStarted{CallID: "c", Name: "search_files", Arguments: `{"pattern": "` + long + `"}`}},
		{V: 1, Seq: 3, Agent: "uio_1", Data: event.ToolFinished{CallID: "c", Name: "search_files", Result: long}},
	}
	for _, width := range []int{40, 71, 72, 80, 120} {
		got := show(records, render.Options{View: render.Lines, Lang: "en", Width: width})
		for line := range strings.Lines(got) {
			if w := render.Width(strings.TrimSuffix(line, "\n"), 1); w > width || w < width-1 {
				t.Errorf("at width %d a line is %d wide: %s", width, w, line)
			}
		}
	}
}

// TestACancelledCallIsNoFailure shows calls that somebody cut short, and one
// that failed.
func TestACancelledCallIsNoFailure(t *testing.T) {
	failed := func(code, message string) []event.Record {
		return []event.Record{{V: 1, Seq: 1, Agent: "uio_1", Data: event.ModelFailed{Failure: event.Failure{Code: code, Message: message}}}}
	}
	for _, lang := range []string{"zh", "en"} {
		o := render.Options{View: render.Lines, Lang: lang}
		word := map[string]string{"zh": "失败", "en": "failed"}[lang]
		if got := show(failed("cancelled", "Ctrl-C"), o); strings.Contains(got, word) || !strings.Contains(got, "Ctrl-C") {
			t.Errorf("a cancelled call is shown as %q", got)
		}
		if got := show(failed("server_error", "boom"), o); !strings.Contains(got, word) {
			t.Errorf("a failed call is shown as %q", got)
		}
	}
}

// TestAnAnswerIsShownOnce ends asks in both ways: with an answer, which stands
// on a line of its own, and without one.
func TestAnAnswerIsShownOnce(t *testing.T) {
	for result, want := range map[string]bool{
		"来自 Scout_1 的回答\nid: ans_scout_001\n\n<Scout_1>\n<Answer question_id=\"ask_uio_001\">\nyes\n</Answer>\n</Scout_1>": false,
		"Scout_1 declined to answer.": true,
	} {
		got := show([]event.Record{
			{V: 1, Seq: 1, Agent: "uio_1", Data: event.ToolStarted{CallID: "c", Name: "ask_other_agent", Arguments: `{"agent": "scout_1"}`}},
			{V: 1, Seq: 2, Agent: "uio_1", Data: event.ToolFinished{CallID: "c", Name: "ask_other_agent", Result: result}},
		}, render.Options{View: render.Lines, Lang: "en"})
		if strings.Contains(got, "Scout_1") != want {
			t.Errorf("the result %q is shown as %q", result, got)
		}
	}
}
