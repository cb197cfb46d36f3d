package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

func note(content string) event.Record {
	return event.Record{V: 1, Seq: 1, Data: event.MessageSent{
		ID: "msg_uio_001", Kind: event.Note, From: "uio_1", FromName: "UI Operator_1", To: "fse_1", Content: content,
	}}
}

// TestBoxesAreStraight is the promise of the package: whatever is said, every
// line of a box has the same width, and no line is wider than asked.
func TestBoxesAreStraight(t *testing.T) {
	kinds := rapid.SampledFrom(append(event.Kinds(), "unheard-of"))
	rapid.Check(t, func(t *rapid.T) {
		o := render.Options{
			Width:          rapid.IntRange(24, 120).Draw(t, "width"),
			Lang:           rapid.SampledFrom([]string{"zh", "en"}).Draw(t, "lang"),
			ASCII:          rapid.Bool().Draw(t, "ascii"),
			AmbiguousWidth: rapid.IntRange(1, 2).Draw(t, "ambiguous"),
		}
		rec := event.Record{V: 1, Seq: 1, Data: event.MessageSent{
			ID: mixedText().Draw(t, "id"), Kind: kinds.Draw(t, "kind"), From: "uio_1", To: mixedText().Draw(t, "to"),
			FromName: mixedText().Draw(t, "name"), Content: mixedText().Draw(t, "content"),
		}}
		p := render.NewPrinter(o)
		p.Record(event.Record{V: 1, Seq: 1, Data: event.RunStarted{ModelKind: event.ModelScripted}})
		checkBox(t, p.Record(rec), o)
	})
}

// checkBox checks the lines of one bubble.
func checkBox(t *rapid.T, bubble string, o render.Options) {
	bar := "│"
	if o.ASCII {
		bar = "|"
	}
	box, outside := 0, false
	for line := range strings.Lines(bubble) {
		line = strings.TrimSuffix(line, "\n")
		width := render.Width(line, o.AmbiguousWidth)
		if width > o.Width {
			t.Fatalf("line %q is %d wide, want at most %d", line, width, o.Width)
		}
		if i := strings.IndexFunc(line, isUnsafe); i >= 0 {
			t.Fatalf("line %q has an unsafe character at %d", line, i)
		}
		switch {
		case box == 0:
			box = width
		case outside:
		case width != box:
			t.Fatalf("line %q is %d wide, the box is %d:\n%s", line, width, box, bubble)
		case !strings.HasPrefix(line, bar):
			outside = true // the lower border was the last line of the box
		}
	}
	if box < o.Width-1 || !outside {
		t.Fatalf("the box is %d wide of %d:\n%s", box, o.Width, bubble)
	}
}

func TestBubbleASCII(t *testing.T) {
	got := show([]event.Record{note("先别建 API")}, render.Options{Width: 30, ASCII: true})
	want := `+----------------------------+
| UI Operator_1  message     |
|                            |
| 先别建 API                 |
+----------------------------+
  msg_uio_001 -> fse_1

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bubble (-want +got):\n%s", diff)
	}
}

func TestBubbleAmbiguous(t *testing.T) {
	got := show([]event.Record{note("a→b")}, render.Options{Width: 31, AmbiguousWidth: 2})
	want := `┌─────────────┐
│ UI Operator_1  message   │
│                          │
│ a→b                     │
└─────────────┘
  msg_uio_001 → fse_1

`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bubble of a terminal with wide ambiguous characters (-want +got):\n%s", diff)
	}
}

func TestScriptIsLabelled(t *testing.T) {
	whole := []event.Record{
		{V: 1, Seq: 1, Data: event.RunStarted{RunID: "r", ModelKind: event.ModelScripted}},
		{V: 1, Seq: 2, Agent: "uio_1", Data: event.AgentCreated{Name: "UI Operator_1", Code: "uio"}},
		note("hello"),
	}
	one := []event.Record{
		{V: 1, Seq: 1, Data: event.RunStarted{RunID: "r", ModelKind: event.ModelReal}},
		{V: 1, Seq: 2, Agent: "uio_1", Data: event.AgentCreated{Name: "UI Operator_1", Code: "uio", Scripted: true}},
		note("hello"),
	}
	none := []event.Record{note("hello")}
	for _, tt := range []struct {
		name    string
		records []event.Record
		o       render.Options
		want    string
	}{
		{"run, zh", whole, render.Options{Lang: "zh"}, "UI Operator_1  消息  〔脚本〕"},
		{"run, zh, ASCII", whole, render.Options{Lang: "zh_CN.UTF-8", ASCII: true}, "UI Operator_1  消息  [脚本]"},
		{"agent, en", one, render.Options{}, "UI Operator_1  message  〔script〕"},
		{"agent, en, ASCII", one, render.Options{ASCII: true}, "UI Operator_1  message  [script]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(tt.records, tt.o); !strings.Contains(got, tt.want) {
				t.Errorf("bubble has no title %q:\n%s", tt.want, got)
			}
		})
	}
	if got := show(none, render.Options{}); strings.Contains(got, "script") {
		t.Errorf("a real model is called a script:\n%s", got)
	}
}

func TestLongBubbleIsBounded(t *testing.T) {
	header := event.Record{V: 1, Seq: 1, Data: event.RunStarted{RunID: "r_7k3m"}}
	got := show([]event.Record{header, note(strings.Repeat("line\n", 300))}, render.Options{Width: 60})
	if n := strings.Count(got, "│ line"); n != 40 {
		t.Errorf("%d lines of content are shown, want 40", n)
	}
	if want := "  … 261 more: troupe replay --json r_7k3m\n"; !strings.Contains(got, want) {
		t.Errorf("bubble does not say %q:\n%s", want, got[len(got)-300:])
	}
}

// TestAnswerBubble checks who is said to answer whom.
func TestAnswerBubble(t *testing.T) {
	opened := event.Record{V: 1, Seq: 1, Data: event.QuestionOpened{ID: "ask_uio_001", From: "uio_1", To: "fse_1"}}
	for _, tt := range []struct {
		name   string
		closed event.QuestionClosed
		want   []string
	}{
		{
			"answered",
			event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Answered, From: "fse_1", AnswerID: "ans_fse_001", Text: "yes"},
			[]string{"│ fse_1  answer ", "│ yes ", "  ans_fse_001 → uio_1  re ask_uio_001\n"},
		},
		{
			"implicit",
			event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Implicit, From: "fse_1", Text: "yes"},
			[]string{"│ fse_1  answer ", "  → uio_1  re ask_uio_001  answered by its output\n"},
		},
		{
			"partial text",
			event.QuestionClosed{ID: "ask_uio_001", Outcome: event.OverBudget, Text: "half"},
			[]string{"│ fse_1  answer ", "│ half ", "  → uio_1  re ask_uio_001  reached a limit\n"},
		},
		{
			"none",
			event.QuestionClosed{ID: "ask_uio_001", Outcome: event.RefusedCycle, Detail: "uio_1 → fse_1 → uio_1"},
			[]string{"  uio_1  unanswered  ask_uio_001  refused: agents would\n    wait in a circle", "uio_1 → fse_1 → uio_1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := show([]event.Record{opened, {V: 1, Seq: 2, Data: tt.closed}}, render.Options{Width: 60})
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("text has no %q:\n%s", want, got)
				}
			}
		})
	}
}
