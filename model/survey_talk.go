package model

import (
	"encoding/json"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// talk is a conversation as the survey reads it.
type talk struct {
	lang        tongue
	agent, role string
	number      int // of the reply to give, from 1
	offered     map[string]bool
	messages    []Message
	// from is the index of the message that began the present round: the
	// task of a sub-agent, the person's request to the leader.
	from int
}

func newTalk(req Request) *talk {
	t := &talk{agent: req.Agent, role: req.AgentRole, number: 1, messages: req.Messages, offered: make(map[string]bool)}
	for _, tool := range req.Tools {
		t.offered[tool.Name] = true
	}
	for i, m := range req.Messages {
		switch {
		case m.Role == System && i == 0:
			t.lang = tongueOf(m.Content)
		case m.Role == Assistant:
			t.number++
		case m.Role == User && m.Origin.Kind == event.Task:
			t.from = i
		}
	}
	return t
}

// part is the part that the agent plays: that of its role, or the one that
// its task names; empty if it has none.
func (t *talk) part() string {
	switch t.role {
	case event.Leader, partScout, partReader:
		return t.role
	}
	for _, part := range []string{partScout, partReader} {
		if strings.HasPrefix(t.task(), t.lang.taskOpening(part)) {
			return part
		}
	}
	return ""
}

// task is the text of the message that began the round.
func (t *talk) task() string {
	if len(t.messages) == 0 {
		return ""
	}
	return originOf(t.messages[t.from]).Content
}

// round are the messages of the present round.
func (t *talk) round() []Message { return t.messages[t.from:] }

// did is a call of the round with its result.
type did struct {
	call   event.Call
	at     int // index of the message with the call, in the round
	result Message
	done   bool // a result is there
}

// failed reports whether the call brought no result of use.
func (d did) failed() bool { return d.done && d.result.IsError }

// argument is a text among the arguments of the call.
func (d did) argument(name string) string {
	var args map[string]any
	if json.Unmarshal([]byte(d.call.Arguments), &args) != nil {
		return ""
	}
	text, _ := args[name].(string)
	return text
}

// callsIn lists the calls of a tool in the messages, oldest first.
func callsIn(messages []Message, tool string) []did {
	var list []did
	open := make(map[string]int) // by call id
	for i, m := range messages {
		for _, c := range m.Calls {
			if c.Name == tool {
				open[c.ID] = len(list)
				list = append(list, did{call: c, at: i})
			}
		}
		if n, ok := open[m.CallID]; ok && m.Role == ToolRole {
			list[n].result, list[n].done = m, true
		}
	}
	return list
}

// calls lists the calls of a tool in the round.
func (t *talk) calls(tool string) []did { return callsIn(t.round(), tool) }

// lastCall is the last call of a tool in the round.
func (t *talk) lastCall(tool string) (did, bool) {
	list := t.calls(tool)
	if len(list) == 0 {
		return did{}, false
	}
	return list[len(list)-1], true
}

// answerAll answers every question that nobody tried to answer yet, in one
// move; ok is false if there is none, or no tool to answer with.
func (t *talk) answerAll(answer func(question string) string) (m move, ok bool) {
	tool := "answer_other_agent"
	if t.role == event.Leader {
		tool = "answer_sub_agent_question"
	}
	if !t.offered[tool] {
		return move{}, false
	}
	tried := make(map[string]bool)
	for _, d := range callsIn(t.messages, tool) {
		tried[d.argument("question_id")] = true
	}
	var askers []string
	for _, msg := range t.messages {
		o := originOf(msg)
		if o.QuestionID == "" || tried[o.QuestionID] {
			continue
		}
		m.call(tool, map[string]any{"question_id": o.QuestionID, "answer": answer(o.Content)})
		askers = append(askers, o.From)
	}
	if len(askers) == 0 {
		return move{}, false
	}
	m.text = t.lang.say("I answer %s.", "我来回答 %s。", strings.Join(askers, t.lang.say(", ", "、")))
	return m, true
}

// notes are the messages of the round that ask for something: not the one
// that began it, and none of the runtime.
func (t *talk) notes() []Origin {
	var list []Origin
	for _, m := range t.round()[min(1, len(t.round())):] {
		if o := originOf(m); m.Role == User && o.Kind == event.Note && o.FromID != event.Runtime {
			list = append(list, o)
		}
	}
	return list
}

// unheeded says of each note that the script cannot act on it.
func (t *talk) unheeded() []string {
	var lines []string
	for _, o := range t.notes() {
		lines = append(lines, t.lang.say("%s wrote: “%s” A script cannot act on that; the survey is unchanged.",
			"%s 写道：“%s” 脚本无法照办，调查内容不变。", o.From, clip(o.Content, 120)))
	}
	return lines
}

// answerText is what an answer says, without its frame.
func answerText(result string) string {
	_, rest, framed := strings.Cut(result, "\n<Answer ")
	if !framed {
		return result
	}
	_, rest, _ = strings.Cut(rest, ">\n")
	text, _, _ := strings.Cut(rest, "\n</Answer>")
	return text
}
