package render_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/render"
)

// show is all that a printer says of the records.
func show(records []event.Record, o render.Options) string {
	o.Location = time.UTC
	p := render.NewPrinter(o)
	var b strings.Builder
	for _, rec := range records {
		b.WriteString(p.Record(rec))
	}
	return b.String()
}

func TestGoldenViews(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		for _, view := range []render.View{render.Bubbles, render.Lines} {
			for _, width := range []int{40, 64, 100} {
				name := fmt.Sprintf("%s-%s-%d.txt", view, lang, width)
				t.Run(name, func(t *testing.T) {
					golden.Equal(t, filepath.Join("testdata", name), []byte(show(story(t), render.Options{Width: width, Lang: lang, View: view})))
				})
			}
		}
	}
}

func TestVerboseShowsStates(t *testing.T) {
	golden.Equal(t, "testdata/lines-verbose.txt", []byte(show(story(t), render.Options{Width: 100, View: render.Lines, Verbose: true, ASCII: true})))
}

func TestOnly(t *testing.T) {
	for _, tt := range []struct {
		only   string
		agents []string // that may speak or be spoken to
	}{
		{"uio_1", []string{"uio_1"}},
		{"uio", []string{"uio_1"}},
		{"ui operator_1", []string{"uio_1"}},
		{"leader", []string{"leader"}},
		{"tl", []string{"leader"}},
		{"nobody", nil},
	} {
		t.Run(tt.only, func(t *testing.T) {
			got := show(story(t), render.Options{Width: 100, View: render.Lines, Only: []string{tt.only}})
			seen := map[string]bool{}
			for line := range strings.Lines(got) {
				agent := strings.Fields(line)[1]
				about := agent == "run"
				for _, a := range tt.agents {
					about = about || agent == a || strings.Contains(line, "→ "+a)
				}
				if !about {
					t.Errorf("line is about neither the run nor %v: %s", tt.agents, line)
				}
				seen[agent] = true
			}
			for _, a := range append(tt.agents, "run") {
				if !seen[a] {
					t.Errorf("nothing is shown of %s:\n%s", a, got)
				}
			}
		})
	}
}

// TestEveryTypeIsSafe shows the empty record of every type, in every view.
func TestEveryTypeIsSafe(t *testing.T) {
	for _, typ := range append(event.Types(), "of.tomorrow") {
		var rec event.Record
		line := fmt.Sprintf(`{"v":1,"seq":1,"ts":"2000-01-01T10:00:00Z","type":%q,"agent":"x_1","data":{}}`, typ)
		if err := rec.UnmarshalJSON([]byte(line)); err != nil {
			t.Fatal(err)
		}
		for _, o := range []render.Options{{}, {View: render.Lines}, {Verbose: true}, {View: render.Lines, Verbose: true, Lang: "zh"}} {
			got := show([]event.Record{rec, rec}, o)
			if typ.Live() && got != "" {
				t.Errorf("%s is live and shows %q", typ, got)
			}
			if got != "" && !strings.HasSuffix(got, "\n") {
				t.Errorf("%s shows %q without a line break at its end", typ, got)
			}
			if o.Verbose && got == "" && !typ.Live() && typ != event.TypeQuestionOpened {
				t.Errorf("%s shows nothing, also when verbose", typ)
			}
			render.NewStatus().Apply(rec)
		}
	}
	if got := show([]event.Record{{}}, render.Options{Verbose: true}); got != "" {
		t.Errorf("a record without data shows %q", got)
	}
}

// TestNothingUnsafeIsShown puts escape sequences into every text of a record.
func TestNothingUnsafeIsShown(t *testing.T) {
	const bad = "a\x1b[2Jb\x1b]0;t\ac\u202ed\u009b1me\r\nf\x00"
	f := event.Failure{Code: bad, Message: bad, Hint: bad}
	for _, d := range []event.Data{
		event.RunStarted{RunID: bad, TeamName: bad, Task: bad},
		event.RunSuspended{Cause: bad, ID: bad},
		event.RunResumed{Task: bad},
		event.RunFinished{Answer: bad, Partial: true, Limit: bad, Cost: &event.Cost{Currency: bad, Amount: 1}},
		event.RunFailed{Failure: f},
		event.AgentCreated{Name: bad, Model: bad},
		event.AgentState{From: bad, To: bad, Cause: bad},
		event.TurnEnded{Reason: bad, Limit: bad},
		event.TurnEnded{Failure: &f},
		event.RoleCreated{Name: bad, Does: bad},
		event.MessageDelivered{ID: bad},
		event.MessageSent{ID: bad, Kind: bad, From: bad, FromName: bad, To: bad, Content: bad, Reason: bad},
		event.MessageReturned{ID: bad, To: bad, Why: bad},
		event.QuestionClosed{ID: bad, Outcome: bad, From: bad, AnswerID: bad, Text: bad},
		event.QuestionClosed{ID: bad, Outcome: bad, Detail: bad},
		event.ModelRequested{Model: bad},
		event.ModelRetried{Failure: f},
		event.ModelFailed{Failure: f},
		event.ModelFailed{Failure: event.Failure{Code: "cancelled", Message: bad}},
		event.ModelProfile{Endpoint: bad, Switch: bad, Value: bad, Why: bad},
		event.ToolStarted{CallID: "c", Name: bad, Arguments: `{"path":"\u001b[2J"}`},
		event.ToolFinished{Name: bad, Result: bad},
		event.ToolFinished{Name: bad, Result: bad, IsError: true},
		event.ToolFinished{Name: bad, Result: bad, File: bad},
		event.ApprovalRequested{ID: bad, Name: bad, Arguments: bad},
		event.ApprovalDecided{ID: bad, Decision: bad, By: bad, Reason: bad},
		event.ArtifactCreated{Path: bad},
		event.LimitWarned{Limit: bad},
		event.LimitReached{Limit: bad},
		event.Warning{Code: bad, Text: bad},
		event.Unknown{Name: bad},
	} {
		rec := event.Record{V: 1, Seq: 1, Agent: bad, Data: d}
		records := []event.Record{rec, note("hello")}
		for _, o := range []render.Options{{Verbose: true}, {View: render.Lines, Verbose: true, Lang: "zh"}} {
			got := show(records, o)
			if i := strings.IndexFunc(got, isUnsafe); i >= 0 {
				t.Errorf("%T shows %q, unsafe at %d", d, got, i)
			}
			if n := strings.Count(show(records[:1], o), "\n"); o.View == render.Lines && n != 1 {
				t.Errorf("%T takes %d lines, want 1", d, n)
			}
		}
	}
}

// TestStyles checks that styles change nothing but what they wrap.
func TestStyles(t *testing.T) {
	for _, view := range []render.View{render.Bubbles, render.Lines} {
		o := render.Options{Width: 64, Lang: "zh", View: view, Verbose: true}
		plain := show(story(t), o)
		used := map[render.Style]bool{}
		o.Style = func(st render.Style, text string) string {
			if text == "" || strings.ContainsAny(text, "\n") {
				t.Errorf("style %d gets %q", st, text)
			}
			used[st] = true
			return "\x1b[1m" + text + "\x1b[0m"
		}
		styled := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(show(story(t), o))
		if styled != plain {
			t.Errorf("styled text differs:\n%s\nwant:\n%s", styled, plain)
		}
		for _, st := range []render.Style{render.StyleDim, render.StyleWarn, render.StyleError} {
			if !used[st] {
				t.Errorf("style %d is not used in view %s", st, view)
			}
		}
	}
}

// TestFailureIsToldOnce checks that a turn that ends with the failure of its
// model call does not tell it again.
func TestFailureIsToldOnce(t *testing.T) {
	got := show(story(t), render.Options{Width: 100})
	if n := strings.Count(got, "502 Bad Gateway"); n != 1 {
		t.Errorf("the failure is told %d times, want 1:\n%s", n, got)
	}
}

func BenchmarkPrinter(b *testing.B) {
	rec := note(strings.Repeat("API 接口已经确定了吗？我需要接口字段来设计表单。", 20))
	for _, view := range []render.View{render.Bubbles, render.Lines} {
		b.Run(string(view), func(b *testing.B) {
			p := render.NewPrinter(render.Options{Width: 100, View: view})
			b.ReportAllocs()
			for b.Loop() {
				p.Record(rec)
			}
		})
	}
}

// The file of a result that is too long for the log is named in every view.
func TestFileOfALongResultIsNamed(t *testing.T) {
	const file = "files/9f86d081884c7d659a2feaa0c55ad015.txt"
	for _, d := range []event.ToolFinished{
		{CallID: "c", Name: "search", Result: "first line", File: file, Bytes: 1 << 20},
		{CallID: "c", Name: "search", Result: "first line", File: file, Bytes: 1 << 20, IsError: true},
	} {
		for _, o := range []render.Options{{Width: 120}, {Width: 120, View: render.Lines}} {
			if got := show([]event.Record{{V: 1, Seq: 1, Agent: "uio_1", Data: d}}, o); !strings.Contains(got, file) {
				t.Errorf("error %v, view %q: shown as %q", d.IsError, o.View, got)
			}
		}
	}
}

// TestAgentsElsewhereAreToldWithTheirPlace shows the place once: it stands for
// the model where nobody here knows that.
func TestAgentsElsewhereAreToldWithTheirPlace(t *testing.T) {
	for _, tt := range []struct{ model, want string }{
		{"deepseek/deepseek-chat", "Writer_1  deepseek/deepseek-chat  streams/writers\n"},
		{"streams/writers", "Writer_1  streams/writers\n"},
	} {
		got := show([]event.Record{{V: 1, Seq: 1, Agent: "wri_1", Data: event.AgentCreated{
			Name: "Writer_1", Role: "wri", Code: "wri", Model: tt.model, Remote: "streams/writers",
		}}}, render.Options{View: render.Lines})
		if !strings.Contains(got, tt.want) {
			t.Errorf("model %s: no %q in\n%s", tt.model, tt.want, got)
		}
	}
}
