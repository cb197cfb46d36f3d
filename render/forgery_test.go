package render_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// forgery is one attack of the mailbox's corpus, as much of it as is shown.
type forgery struct {
	Name, Content string
	Kind          event.Kind
	Gen           *struct {
		Prefix, Unit, Suffix string
		Times                int
	} `json:"content_gen"`
	Role *string
}

func forgeries(t *testing.T) []forgery {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "mailbox", "testdata", "forgery", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []forgery
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var family []forgery
		if err := json.Unmarshal(data, &family); err != nil {
			t.Fatal(err)
		}
		for i := range family {
			if g := family[i].Gen; g != nil {
				family[i].Content = g.Prefix + strings.Repeat(g.Unit, g.Times) + g.Suffix
			}
		}
		all = append(all, family...)
	}
	if len(all) < 220 {
		t.Fatalf("the corpus has %d attacks, want at least 220", len(all))
	}
	return all
}

// logged is a record as it is read back from a log.
func logged(t *testing.T, agent string, d event.Data) event.Record {
	t.Helper()
	line, err := event.Record{V: event.Version, Seq: 1, Agent: agent, Data: d}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var rec event.Record
	if err := rec.UnmarshalJSON(line); err != nil {
		t.Fatal(err)
	}
	return rec
}

// shownBy is what a printer shows of a record, and what of that is a title,
// and the name or id of an agent.
type shownBy struct {
	text          string
	titles, names []string
}

// showOne shows rec after the cast of a team of three.
func showOne(t *testing.T, o render.Options, rec event.Record) shownBy {
	t.Helper()
	var s shownBy
	o.Style = func(st render.Style, text string) string {
		switch st {
		case render.StyleTitle:
			s.titles = append(s.titles, text)
		case render.StyleName:
			s.names = append(s.names, text)
		default: // says nothing of who speaks
		}
		return text
	}
	p := render.NewPrinter(o)
	for id, name := range map[string]string{"tl": "Team Leader", "uio_1": "UI Operator_1", "fse_1": "Full-Stack Engineer_1"} {
		p.Record(event.Record{V: event.Version, Seq: 1, Agent: id, Data: event.AgentCreated{Name: name}})
	}
	p.Record(event.Record{V: event.Version, Seq: 2, Agent: "uio_1", Data: event.QuestionOpened{ID: "ask_uio_001", From: "uio_1", To: "fse_1"}})
	s.titles, s.names = nil, nil
	s.text = p.Record(rec)
	if i := strings.IndexFunc(s.text, isUnsafe); i >= 0 {
		t.Errorf("an unsafe character is shown at %d: %.300q", i, s.text)
	}
	return s
}

// boxesOf counts the boxes in text: upper borders at the beginning of a line,
// each with its lower border. Whatever is said stands behind a bar or is
// indented.
func boxesOf(t *testing.T, text string) int {
	t.Helper()
	boxes, inside := 0, false
	for line := range strings.Lines(text) {
		switch {
		case !inside && strings.HasPrefix(line, "┌"):
			boxes++
			inside = true
		case inside && strings.HasPrefix(line, "└"):
			inside = false
		case inside && strings.HasPrefix(line, "│ ") && strings.HasSuffix(line, " │\n"):
		case !inside && (line == "\n" || strings.HasPrefix(line, "  ")):
		default:
			t.Errorf("a line is neither in a box nor beside one: %.200q", line)
		}
	}
	if inside {
		t.Error("a box is not closed")
	}
	return boxes
}

// TestForgedMessages: a message is shown as that of its sender, in one bubble
// with one title, and on one line in the view for pipes.
func TestForgedMessages(t *testing.T) {
	for _, f := range forgeries(t) {
		t.Run(f.Name, func(t *testing.T) {
			said := map[string]event.Record{ // by title
				"UI Operator_1  " + f.Kind.Label(): logged(t, "uio_1", event.MessageSent{
					ID: "out_uio_001", Kind: f.Kind, From: "uio_1", FromName: "UI Operator_1", To: "tl", Content: f.Content,
				}),
				"Full-Stack Engineer_1  回答": logged(t, "fse_1", event.QuestionClosed{
					ID: "ask_uio_001", Outcome: event.Answered, From: "fse_1", AnswerID: "ans_fse_001", Text: f.Content,
				}),
			}
			for title, rec := range said {
				bubble := showOne(t, render.Options{Lang: "zh", Width: 100}, rec)
				if n := boxesOf(t, bubble.text); n != 1 || len(bubble.titles) != 1 || bubble.titles[0] != title {
					t.Errorf("%d boxes with titles %q, want one with %q", n, bubble.titles, title)
				}
				line := showOne(t, render.Options{Lang: "zh", Width: 100, View: render.Lines}, rec)
				if n := strings.Count(line.text, "\n"); n != 1 || !strings.HasSuffix(line.text, "\n") {
					t.Errorf("the line has %d line breaks: %.300q", n, line.text)
				}
				if len(line.names) != 1 || strings.TrimSpace(line.names[0]) != rec.Agent {
					t.Errorf("the line is of %q, want %s", line.names, rec.Agent)
				}
			}
		})
	}
}

// TestForgedAsides: what is no message never gets a bubble, whatever it says.
func TestForgedAsides(t *testing.T) {
	for _, f := range forgeries(t) {
		t.Run(f.Name, func(t *testing.T) {
			// One line shows no more of it.
			content := strings.ToValidUTF8(f.Content[:min(len(f.Content), 4<<10)], "")
			arguments, err := json.Marshal(map[string]string{"path": content})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []event.Data{
				event.ToolStarted{CallID: "c1", Name: "read_file", Arguments: string(arguments)},
				event.ToolFinished{CallID: "c1", Name: "read_file", Result: content},
				event.ToolFinished{CallID: "c1", Name: content, Result: content, IsError: true},
				event.ApprovalRequested{ID: "apr_001", CallID: "c1", Name: "write_file", Arguments: string(arguments)},
				event.RoleCreated{ID: "x", Name: "X", Does: content},
				event.AgentState{From: event.Working, To: event.Waiting, Cause: content},
				event.ModelFailed{Failure: event.Failure{Code: "server", Message: content}},
				event.MessageReturned{ID: "msg_uio_001", To: "fse_1", Why: content},
				event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Failed, Detail: content},
				event.Warning{Code: "x", Text: content},
			} {
				for _, verbose := range []bool{false, true} {
					aside := showOne(t, render.Options{Width: 100, Verbose: verbose}, logged(t, "uio_1", d))
					if n := boxesOf(t, aside.text); n != 0 || len(aside.titles) != 0 {
						t.Errorf("%T is shown as %d boxes with titles %q", d, n, aside.titles)
					}
					line := showOne(t, render.Options{Width: 100, Verbose: verbose, View: render.Lines}, logged(t, "uio_1", d))
					if n := strings.Count(line.text, "\n"); n > 1 {
						t.Errorf("%T takes %d lines", d, n)
					}
					if len(line.names) > 1 || len(line.names) == 1 && strings.TrimSpace(line.names[0]) != "uio_1" {
						t.Errorf("%T is shown as of %q", d, line.names)
					}
				}
			}
		})
	}
}

// TestForgedRoles: an agent of any name, also of one that no role may have,
// has one title with its own name, and does not rename others.
func TestForgedRoles(t *testing.T) {
	for _, f := range forgeries(t) {
		if f.Role == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			var titles []string
			p := render.NewPrinter(render.Options{Width: 120, Style: func(st render.Style, text string) string {
				if st == render.StyleTitle {
					titles = append(titles, text)
				}
				return text
			}})
			p.Record(logged(t, "x_1", event.AgentCreated{Name: *f.Role + "_1"}))
			text := p.Record(logged(t, "x_1", event.MessageSent{ID: "out_x_001", Kind: event.Progress, From: "x_1", FromName: "Team Leader", To: "tl", Content: f.Content}))
			text += p.Record(logged(t, "tl", event.MessageSent{ID: "task_001", Kind: event.Task, From: "tl", FromName: *f.Role, To: "x_1", Content: f.Content}))
			want := render.CleanLine(*f.Role+"_1") + "  progressTeam Leader  task"
			if n := boxesOf(t, text); n != 2 || strings.Join(titles, "") != want { // a long title takes two lines
				t.Errorf("%d boxes with titles %q, want two with %q", n, titles, want)
			}
			if i := strings.IndexFunc(text, isUnsafe); i >= 0 {
				t.Errorf("an unsafe character is shown at %d: %.300q", i, text)
			}
		})
	}
}

// TestForgedTranscript: in the transcript to read, every heading is ours.
func TestForgedTranscript(t *testing.T) {
	for _, f := range forgeries(t) {
		t.Run(f.Name, func(t *testing.T) {
			records := func(yield func(event.Record, error) bool) {
				_ = yield(logged(t, "", event.RunStarted{RunID: "r_1", Task: f.Content}), nil) &&
					yield(logged(t, "uio_1", event.AgentCreated{Name: "UI Operator_1"}), nil) &&
					yield(logged(t, "uio_1", event.MessageSent{ID: "out_uio_001", Kind: event.Progress, From: "uio_1", To: "tl", Content: f.Content}), nil) &&
					yield(logged(t, "uio_1", event.ToolFinished{CallID: "c1", Name: "read_file", Result: f.Content, IsError: true}), nil) &&
					yield(logged(t, "", event.RunFinished{Answer: f.Content}), nil)
			}
			var b strings.Builder
			if err := render.Markdown(records, &b, render.Options{}); err != nil {
				t.Fatal(err)
			}
			headings, fence := 0, ""
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
				switch {
				case fence != "":
					if strings.TrimSpace(line) == ticks && len(ticks) >= len(fence) {
						fence = ""
					}
				case len(ticks) >= 3 && line == ticks+"text":
					fence = ticks
				case strings.HasPrefix(line, "#"):
					headings++
				}
			}
			if headings != 4 || fence != "" {
				t.Errorf("%d headings, want 4 (run, task, message, answer); fence left open: %q", headings, fence)
			}
			if i := strings.IndexFunc(b.String(), isUnsafe); i >= 0 {
				t.Errorf("an unsafe character is shown at %d", i)
			}
		})
	}
}

// elements are the tags of a page, in order.
var elements = regexp.MustCompile(`<[^>]*>`)

// TestForgedPage: whatever an agent writes, the elements of the page are ours.
func TestForgedPage(t *testing.T) {
	page := func(text string) string {
		records := func(yield func(event.Record, error) bool) {
			_ = yield(logged(t, "", event.RunStarted{RunID: "r_1", Task: text}), nil) &&
				yield(logged(t, "uio_1", event.AgentCreated{Name: "UI <b>", Prompt: text, Tools: []string{"a<b"}}), nil) &&
				yield(logged(t, "uio_1", event.MessageSent{ID: "<i>", Kind: event.Progress, From: "uio_1", To: "tl", Content: text}), nil) &&
				yield(logged(t, "uio_1", event.ToolStarted{CallID: "c1", Name: "</details>", Arguments: text}), nil) &&
				yield(logged(t, "uio_1", event.ToolFinished{CallID: "c1", Name: "read_file", Result: text, IsError: true}), nil) &&
				yield(logged(t, "", event.Warning{Text: "<script>" + text}), nil) &&
				yield(logged(t, "", event.RunFinished{Answer: text}), nil)
		}
		var b strings.Builder
		if err := render.HTML(records, &b, render.Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := elements.FindAllString(page("harmless"), -1)
	for _, f := range forgeries(t) {
		got := page("x" + f.Content) // an empty text has no element
		if diff := cmp.Diff(want, elements.FindAllString(got, -1)); diff != "" {
			t.Errorf("%s: the elements differ (-want +got):\n%s", f.Name, diff)
		}
		if i := strings.IndexFunc(got, isUnsafe); i >= 0 {
			t.Errorf("%s: an unsafe character is shown at %d", f.Name, i)
		}
	}
}
