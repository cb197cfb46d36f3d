package mailbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/mailbox"
)

// protocolExamples are the examples of the protocol document, in its order;
// each text stands byte for byte in testdata/protocol. They are the law, so
// nothing rewrites those files.
var protocolExamples = map[string]mailbox.Message{
	"2.1-task.txt": {
		ID: "task_001", Kind: mailbox.Task, From: "Team Leader",
		Content: "请为项目设计前端配色方案，输出 design.md 到 sub_agent_results/design/。",
	},
	"2.2-note-leader.txt": {
		ID: "msg_tl_002", Kind: mailbox.Note, From: "Team Leader",
		Content: "先不要创建 API，先确认一下现有的 auth 模块是否可复用。",
	},
	"2.3-question-leader.txt": {
		ID: "ask_tl_001", Kind: mailbox.Question, From: "Team Leader",
		Content: "你预计还需要多久完成？",
	},
	"3.1-progress.txt": {
		ID: "out_uio_001", Kind: mailbox.Progress, From: "UI Operator_1",
		Content: "我现在开始分析现有设计风格和用户需求...",
	},
	"3.2-completion.txt": {
		ID: "out_uio_002", Kind: mailbox.Completion, From: "UI Operator_1",
		Content: "我完成了前端配色的设计，生成了 design.md，主色调为蓝色系。",
	},
	"3.3-question-to-leader.txt": {
		ID: "ask_fse_001", Kind: mailbox.Question, From: "Full-Stack Engineer_1",
		Content: "我该怎么处理版本冲突问题？项目里当前用的是什么分支策略？",
	},
	"4.1-question-to-agent.txt": {
		ID: "ask_uio_001", Kind: mailbox.Question, From: "UI Operator_1",
		Content: "API 接口已经确定了吗？我需要接口字段来设计表单。",
	},
	"4.2-answer.txt": {
		ID: "ans_fse_001", Kind: mailbox.Answer, From: "Full-Stack Engineer_1", QuestionID: "ask_uio_001",
		Content: "已经确定，见 api.md。用户注册接口为 POST /api/users，字段为...",
	},
	"4.3-note-agent.txt": {
		ID: "msg_uio_003", Kind: mailbox.Note, From: "UI Operator_1",
		Content: "前端页面已经 ready，可以开始对接了。",
	},
}

func TestProtocolExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/protocol/*.txt")
	if err != nil || len(files) != len(protocolExamples) {
		t.Fatalf("%d example files (%v), want %d", len(files), err, len(protocolExamples))
	}
	var texts []string
	var messages []mailbox.Message
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, want := string(data), protocolExamples[filepath.Base(file)]
		if got, err := mailbox.Format(want); err != nil || got != text {
			t.Errorf("%s: Format = %q, %v\nwant %q", file, got, err, text)
		}
		if got, err := mailbox.Parse(text); err != nil || got != want {
			t.Errorf("%s: Parse = %+v, %v\nwant %+v", file, got, err, want)
		}
		texts, messages = append(texts, text), append(messages, want)
	}
	got, err := mailbox.ParseAll(strings.Join(texts, "\n\n"))
	if err != nil || len(got) != len(messages) {
		t.Fatalf("ParseAll of all examples: %d messages, %v", len(got), err)
	}
	for i := range got {
		if got[i] != messages[i] {
			t.Errorf("ParseAll: message %d = %+v, want %+v", i, got[i], messages[i])
		}
	}
}

func TestFormatRefuses(t *testing.T) {
	good := mailbox.Message{ID: "msg_a_001", Kind: mailbox.Note, From: "A_1", Content: "x"}
	answer := mailbox.Message{ID: "ans_a_001", Kind: mailbox.Answer, From: "A_1", QuestionID: "ask_b_001", Content: "x"}
	with := func(m mailbox.Message, change func(*mailbox.Message)) mailbox.Message {
		change(&m)
		return m
	}
	tests := []struct {
		name  string
		m     mailbox.Message
		field string // empty: the message is fine
		words string // in the error
	}{
		{"good note", good, "", ""},
		{"good answer", answer, "", ""},
		{"no kind", with(good, func(m *mailbox.Message) { m.Kind = "" }), "kind", "six kinds"},
		{"label for a kind", with(good, func(m *mailbox.Message) { m.Kind = "消息" }), "kind", "消息"},
		{"no name", with(good, func(m *mailbox.Message) { m.From = "" }), "from", "empty"},
		{"no id", with(good, func(m *mailbox.Message) { m.ID = "" }), "id", "empty"},
		{"id of 128 runes", with(good, func(m *mailbox.Message) { m.ID = strings.Repeat("消", 128) }), "", ""},
		{"id of 129 runes", with(good, func(m *mailbox.Message) { m.ID = strings.Repeat("消", 129) }), "id", "128"},
		{"id with space", with(good, func(m *mailbox.Message) { m.ID = "msg a" }), "id", "U+0020"},
		{"id with NBSP", with(good, func(m *mailbox.Message) { m.ID = "msg\u00a0a" }), "id", "U+00A0"},
		{"id with line break", with(good, func(m *mailbox.Message) { m.ID = "msg\na" }), "id", "U+000A"},
		{"id with NEL", with(good, func(m *mailbox.Message) { m.ID = "msg\u0085a" }), "id", "U+0085"},
		{"id with zero width", with(good, func(m *mailbox.Message) { m.ID = "msg\u200ba" }), "id", "U+200B"},
		{"id with quote", with(good, func(m *mailbox.Message) { m.ID = `msg"a` }), "id", "U+0022"},
		{"id with apostrophe", with(good, func(m *mailbox.Message) { m.ID = "msg'a" }), "id", "U+0027"},
		{"id with less", with(good, func(m *mailbox.Message) { m.ID = "msg<a" }), "id", "U+003C"},
		{"id with amp", with(good, func(m *mailbox.Message) { m.ID = "msg&a" }), "id", "U+0026"},
		{"id of no character", with(good, func(m *mailbox.Message) { m.ID = "msg\ufffe" }), "id", "U+FFFE"},
		{"id of bad UTF-8", with(good, func(m *mailbox.Message) { m.ID = "msg\xff" }), "id", "byte 3"},
		{"private id", with(good, func(m *mailbox.Message) { m.ID = "msg\ue000" }), "", ""},
		{"answer without question", with(answer, func(m *mailbox.Message) { m.QuestionID = "" }), "question_id", "empty"},
		{"answer to a quote", with(answer, func(m *mailbox.Message) { m.QuestionID = `a" b="` }), "question_id", "U+0022"},
		{"note with question", with(good, func(m *mailbox.Message) { m.QuestionID = "ask_b_001" }), "question_id", "no answer"},
		{"content of bad UTF-8", with(good, func(m *mailbox.Message) { m.Content = "中\x80" }), "content", "byte 3"},
		{"cut content", with(good, func(m *mailbox.Message) { m.Content = "中"[:2] }), "content", "byte 0"},
		{"replacement rune", with(good, func(m *mailbox.Message) { m.Content = "\ufffd" }), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := mailbox.Format(tt.m)
			if tt.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				checkRoundTrip(t, tt.m)
				return
			}
			fault, ok := errors.AsType[*mailbox.FormatError](err)
			if !ok || fault.Field != tt.field || text != "" {
				t.Fatalf("Format = %q, %v, want a *FormatError about %s", text, err, tt.field)
			}
			if want := "mailbox: " + tt.field + " "; !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("error %q, want it to begin with %q and hold %q", err, want, tt.words)
			}
		})
	}
}

// cjkText is about n bytes of ordinary Chinese text.
func cjkText(n int) string {
	const paragraph = "已经确定，见 api.md。用户注册接口为 POST /api/users，字段为用户名、邮箱和密码；来自旧系统的账号先不迁移。\n"
	return strings.Repeat(paragraph, n/len(paragraph)+1)[:n/len(paragraph)*len(paragraph)]
}

// benchmarkMessages are the loads of the benchmarks: text as it mostly is,
// text full of what must be escaped, and an answer, whose tag etree handles.
func benchmarkMessages() map[string]mailbox.Message {
	const size = 10 << 10
	markup := strings.Repeat("第一行 &amp; <Output>\n来自 A 的消息\n", size/48)
	return map[string]mailbox.Message{
		"cjk":    {ID: "out_uio_001", Kind: mailbox.Progress, From: "UI Operator_1", Content: cjkText(size)},
		"markup": {ID: "out_uio_001", Kind: mailbox.Progress, From: "UI Operator_1", Content: markup},
		"answer": {ID: "ans_uio_001", Kind: mailbox.Answer, From: "UI Operator_1", QuestionID: "ask_fse_001", Content: cjkText(size)},
	}
}

func BenchmarkFormat(b *testing.B) {
	for name, m := range benchmarkMessages() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(m.Content)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := mailbox.Format(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleFormat() {
	text, err := mailbox.Format(mailbox.Message{
		ID:         "ans_fse_001",
		Kind:       mailbox.Answer,
		From:       "Full-Stack Engineer_1",
		QuestionID: "ask_uio_001",
		Content:    "见 api.md；注意 </Answer> 之后没有别的字段。",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(text)
	// Output:
	// 来自 Full-Stack Engineer_1 的回答
	// id: ans_fse_001
	//
	// <Full-Stack Engineer_1>
	// <Answer question_id="ask_uio_001">
	// 见 api.md；注意 &lt;/Answer> 之后没有别的字段。
	// </Answer>
	// </Full-Stack Engineer_1>
}
