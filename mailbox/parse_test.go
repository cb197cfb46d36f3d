package mailbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// frame is a message text made by hand from its lines.
func frame(lines ...string) string { return strings.Join(lines, "\n") }

func TestParseOlderTexts(t *testing.T) {
	tests := []struct {
		name string
		text string
		want mailbox.Message
	}{
		{
			"question with a target",
			frame("来自 UI Operator_1 向 Code Reviewer_1 的提问", "id: ask_1", "", "<UI Operator_1>", `<Ask target="Code Reviewer_1">`, "x", "</Ask>", "</UI Operator_1>"),
			mailbox.Message{ID: "ask_1", Kind: mailbox.Question, From: "UI Operator_1", Content: "x"},
		},
		{
			"target in the header alone",
			frame("来自 A_1 向 Team Leader 的提问", "id: ask_1", "", "<A_1>", "<Ask>", "x", "</Ask>", "</A_1>"),
			mailbox.Message{ID: "ask_1", Kind: mailbox.Question, From: "A_1", Content: "x"},
		},
		{
			"name that ends in 向",
			frame("来自 A 向 向 B 的提问", "id: ask_1", "", "<A 向>", "<Ask>", "x", "</Ask>", "</A 向>"),
			mailbox.Message{ID: "ask_1", Kind: mailbox.Question, From: "A 向", Content: "x"},
		},
		{
			"older label of a completion",
			frame("来自 A_1 的任务结束汇报", "id: out_1", "", "<A_1>", "<Output>", "完", "</Output>", "</A_1>"),
			mailbox.Message{ID: "out_1", Kind: mailbox.Completion, From: "A_1", Content: "完"},
		},
		{
			"subtype and target",
			frame("来自 A_1 的消息", "id: msg_1", "", "<A_1>", `<Message subtype="info" target="B_1">`, "x", "</Message>", "</A_1>"),
			mailbox.Message{ID: "msg_1", Kind: mailbox.Note, From: "A_1", Content: "x"},
		},
		{
			"answer with a target",
			frame("来自 A_1 的回答", "id: ans_1", "", "<A_1>", `<Answer target="B_1" question_id="ask_1">`, "x", "</Answer>", "</A_1>"),
			mailbox.Message{ID: "ans_1", Kind: mailbox.Answer, From: "A_1", QuestionID: "ask_1", Content: "x"},
		},
		{
			"id without the space",
			frame("来自 A_1 的消息", "id:msg_1", "", "<A_1>", "<Message>", "x", "</Message>", "</A_1>"),
			mailbox.Message{ID: "msg_1", Kind: mailbox.Note, From: "A_1", Content: "x"},
		},
		{
			"content that was never escaped",
			frame("来自 A_1 的消息", "id: msg_1", "", "<A_1>", "<Message>", "</Message> & <A_1>", "来自 B_1 的消息", "</Message>", "</A_1>"),
			mailbox.Message{ID: "msg_1", Kind: mailbox.Note, From: "A_1", Content: "</Message> & <A_1>\n来自 B_1 的消息"},
		},
		{
			"a literal escape is lost",
			frame("来自 A_1 的消息", "id: msg_1", "", "<A_1>", "<Message>", "&lt;b&gt; &amp;amp; &#x6765;自", "</Message>", "</A_1>"),
			mailbox.Message{ID: "msg_1", Kind: mailbox.Note, From: "A_1", Content: "<b&gt; &amp; 来自"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mailbox.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("Parse = %+v, want %+v", got, tt.want)
			}
			checkRoundTrip(t, got)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	good := []string{"来自 A_1 的消息", "id: msg_1", "", "<A_1>", "<Message>", "x", "</Message>", "</A_1>"}
	answer := []string{"来自 A_1 的回答", "id: ans_1", "", "<A_1>", `<Answer question_id="ask_1">`, "x", "</Answer>", "</A_1>"}
	line := func(base []string, n int, text string) string {
		lines := append([]string(nil), base...)
		lines[n-1] = text
		return frame(lines...)
	}
	tests := []struct {
		name string
		text string
		line int
		want []string // words in the reason
	}{
		{"empty", "", 1, []string{"header"}},
		{"BOM", "\ufeff" + frame(good...), 1, []string{"header"}},
		{"CRLF", strings.Join(good, "\r\n"), 1, []string{"header"}},
		{"unknown kind", line(good, 1, "来自 A_1 的系统通知"), 1, []string{"six kinds", "系统通知"}},
		{"space after the kind", line(good, 1, "来自 A_1 的消息 "), 1, []string{"header"}},
		{"no name", line(good, 1, "来自 的消息"), 1, []string{"header"}},
		{"no id", line(good, 2, "ID: msg_1"), 2, []string{"id:", "ID: msg_1"}},
		{"two spaces in the id line", line(good, 2, "id:  msg_1"), 2, []string{"id", "U+0020"}},
		{"CR after the id", line(good, 2, "id: msg_1\r"), 2, []string{"id", "U+000D"}},
		{"empty id", line(good, 2, "id: "), 2, []string{"id", "empty"}},
		{"line after the id", line(good, 3, "to: B_1"), 3, []string{"empty line", "to: B_1"}},
		{"no frame", line(good, 4, "x"), 4, []string{"<A_1>", `"x"`}},
		{"other name", line(good, 4, "<B_1>"), 4, []string{"A_1", "B_1"}},
		{"bad name", frame("来自  A 的消息", "id: msg_1", "", "< A>", "<Message>", "x", "</Message>", "</ A>"), 4, []string{"space"}},
		{"target of a note", line(good, 1, "来自 A_1 向 B_1 的消息"), 4, []string{"A_1 向 B_1"}},
		{"target that is no name", frame("来自 A_1 向  的提问", "id: ask_1", "", "<A_1>", "<Ask>", "x", "</Ask>", "</A_1>"), 4, []string{"A_1"}},
		{"name with target", frame("来自 A 向 B 的提问", "id: ask_1", "", "<A 向 B>", "<Ask>", "x", "</Ask>", "</A 向 B>"), 4, []string{"向"}},
		{"tag of another kind", line(good, 5, "<Task>"), 5, []string{"<Message>", "消息", "<Task>"}},
		{"unknown attribute", line(good, 5, `<Message from="B_1">`), 5, []string{"from"}},
		{"attribute in a name space", line(good, 5, `<Message a:target="B_1">`), 5, []string{"a:target"}},
		{"question of a note", line(good, 5, `<Message question_id="ask_1">`), 5, []string{"question_id"}},
		{"attribute twice", line(good, 5, `<Message target="a" target="a">`), 5, []string{"target", "twice"}},
		{"answer to nothing", line(answer, 5, "<Answer>"), 5, []string{"Answer"}},
		{"answer to empty", line(answer, 5, `<Answer question_id="">`), 5, []string{"question_id", "empty"}},
		{"answer with a target only", line(answer, 5, `<Answer target="B_1">`), 5, []string{"question_id", "empty"}},
		{"answer to two", line(answer, 5, `<Answer question_id="a" question_id="b">`), 5, []string{"question_id", "twice"}},
		{"answer to an escaped quote", line(answer, 5, `<Answer question_id="a&quot;b">`), 5, []string{"question_id", "U+0022"}},
		{"answer to a tab", line(answer, 5, "<Answer question_id=\"a\tb\">"), 5, []string{"question_id", "U+0009"}},
		{"closed tag", line(answer, 5, `<Answer question_id="a"/>`), 5, []string{"no opening tag"}},
		{"two tags", line(answer, 5, `<Answer question_id="a"></Answer><Answer question_id="b">`), 5, []string{"no opening tag"}},
		{"tag in a tag", line(answer, 5, `<Answer question_id="a"><b/>`), 5, []string{"no opening tag"}},
		{"text after the tag", line(answer, 5, `<Answer question_id="a">b`), 5, []string{"no opening tag"}},
		{"CR after the tag", line(answer, 5, "<Answer question_id=\"a\">\r"), 5, []string{"no opening tag"}},
		{"open quote", line(answer, 5, `<Answer question_id="a>`), 5, []string{"no opening tag"}},
		{"own entity", line(answer, 5, `<Answer question_id="&e;">`), 5, []string{"no opening tag"}},
		{"content of bad UTF-8", line(good, 6, "x\xff"), 5, []string{"content", "byte 1"}},
		{"name of bad UTF-8", frame("来自 A\xff 的消息", "id: msg_1", "", "<A\xff>", "<Message>", "x", "</Message>", "</A\xff>"), 4, []string{"UTF-8"}},
		{"cut after the header", good[0], 1, []string{"id:"}},
		{"cut after the tag", frame(good[:5]...), 5, []string{"not closed", "</Message>", "</A_1>"}},
		{"inner tag not closed", line(good, 7, "</Messages>"), 5, []string{"not closed"}},
		{"outer tag not closed", line(good, 8, "</A_2>"), 5, []string{"not closed"}},
		{"no content line", frame("来自 A_1 的消息", "id: msg_1", "", "<A_1>", "<Message>", "</Message>", "</A_1>"), 5, []string{"not closed"}},
		{"CR in the end", line(good, 7, "</Message>\r"), 5, []string{"not closed"}},
		{"LF at the end", frame(good...) + "\n", 9, []string{"end"}},
		{"text at the end", frame(good...) + "x", 8, []string{"end"}},
		{"line at the end", frame(good...) + "\nx", 9, []string{"end"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, one := mailbox.Parse(tt.text)
			_, all := mailbox.ParseAll(tt.text)
			for _, err := range []error{one, all} {
				fault, ok := errors.AsType[*mailbox.ParseError](err)
				if !ok {
					t.Fatalf("error %v, want a *ParseError", err)
				}
				if fault.Line != tt.line {
					t.Errorf("%v: blames line %d, want %d", err, fault.Line, tt.line)
				}
				for _, word := range tt.want {
					if !strings.Contains(fault.Reason, word) {
						t.Errorf("reason %q does not hold %q", fault.Reason, word)
					}
				}
				if want := fmt.Sprintf("mailbox: line %d: ", tt.line); !strings.HasPrefix(err.Error(), want) {
					t.Errorf("error %q does not begin with %q", err, want)
				}
			}
		})
	}
}

func TestParseErrorStaysShort(t *testing.T) {
	_, err := mailbox.Parse("来自 " + strings.Repeat("长", 1<<20))
	if n := len(err.Error()); n > 1000 {
		t.Errorf("the error has %d bytes", n)
	}
}

func TestParseTakesExactlyOne(t *testing.T) {
	two := mustFormat(t, ordinary("msg_tl_001"), ordinary("msg_tl_002"))
	if m, err := mailbox.Parse(two); err == nil {
		t.Errorf("Parse of two messages = %+v, want an error", m)
	}
	got, err := mailbox.ParseAll(two)
	if want := []mailbox.Message{ordinary("msg_tl_001"), ordinary("msg_tl_002")}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("ParseAll = %+v, %v, want %+v", got, err, want)
	}
}

func TestParseAllRefuses(t *testing.T) {
	one := mustFormat(t, ordinary("msg_tl_001"))
	for name, tt := range map[string]struct {
		between string
		line    int
	}{
		"nothing":           {"", 8},
		"one line break":    {"\n", 9},
		"three line breaks": {"\n\n\n", 10},
		"CRLF":              {"\r\n\r\n", 8},
		"text":              {"\n\n顺便说一句\n\n", 10},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mailbox.ParseAll(one + tt.between + one)
			fault, ok := errors.AsType[*mailbox.ParseError](err)
			if !ok || got != nil || fault.Line != tt.line {
				t.Errorf("ParseAll = %+v, %v, want no messages and an error in line %d", got, err, tt.line)
			}
		})
	}
	if got, err := mailbox.ParseAll(one + "\n\n"); err == nil {
		t.Errorf("ParseAll with an empty line at the end = %+v, want an error", got)
	}
}

// genName draws valid display names, also such as hold words of the frame.
func genName() *rapid.Generator[string] {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"UI", "Task", "的", "的消息", "向", "来自", "Team Leader", "User", "C++", "QA:", "^$|\\", "🚀", "Full-Stack", "3D"}),
		rapid.StringMatching(`[\p{Han}\p{Latin}0-9._-]{1,8}`),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "words"), " ") + rapid.SampledFrom([]string{"", "_1", "_12"}).Draw(t, "number")
	}).Filter(func(name string) bool { return mailbox.ValidName(name) == nil })
}

// genMessage draws valid messages with contents of any runes, many of them
// from the frame.
func genMessage() *rapid.Generator[mailbox.Message] {
	id := rapid.StringMatching(`(task|out|ask|msg|ans)_[a-z]{1,3}_[0-9]{3,5}`)
	return rapid.Custom(func(t *rapid.T) mailbox.Message {
		m := mailbox.Message{
			ID:   id.Draw(t, "id"),
			Kind: rapid.SampledFrom(event.Kinds()).Draw(t, "kind"),
			From: genName().Draw(t, "from"),
		}
		if m.Kind == mailbox.Answer {
			m.QuestionID = id.Draw(t, "question")
		}
		piece := rapid.OneOf(rapid.SampledFrom(hostilePieces(m.From)), rapid.String())
		m.Content = strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "content"), "")
		return m
	})
}

func TestBatchesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(genMessage(), 1, 6).Draw(t, "messages")
		texts := make([]string, len(want))
		for i, m := range want {
			text, err := mailbox.Format(m)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := mailbox.Parse(text); err != nil || got != m {
				t.Fatalf("Parse(Format(m)) = %+v, %v, want %+v", got, err, m)
			}
			texts[i] = text
		}
		got, err := mailbox.ParseAll(strings.Join(texts, "\n\n"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the batch differs (-want +got):\n%s", diff)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for name, m := range benchmarkMessages() {
		b.Run(name, func(b *testing.B) {
			text := mustFormat(b, m)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := mailbox.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleParseAll() {
	messages, err := mailbox.ParseAll(`来自 Team Leader 的任务发布
id: task_001

<Team Leader>
<Task>
请设计注册页。
</Task>
</Team Leader>

来自 Full-Stack Engineer_1 的提问
id: ask_fse_001

<Full-Stack Engineer_1>
<Ask>
需要验证码吗？
</Ask>
</Full-Stack Engineer_1>`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range messages {
		fmt.Printf("%s %s (%s): %s\n", m.From, m.Kind.Label(), m.ID, m.Content)
	}
	// Output:
	// Team Leader 任务发布 (task_001): 请设计注册页。
	// Full-Stack Engineer_1 提问 (ask_fse_001): 需要验证码吗？
}
