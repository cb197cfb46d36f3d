package foreign

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// chat turns one conversation into records.
type chat struct {
	b        *builder
	messages []chatMessage
	model    string
	tools    []string
	parent   string // of agents that are made: the leader of a group, else none
	agents   map[string]*agent
	first    *agent // the one that the person speaks to
}

func newChat(b *builder, c conversation, number int) *chat {
	r := &chat{b: b, model: c.model, tools: c.tools, agents: map[string]*agent{}}
	for i, raw := range c.messages {
		place := fmt.Sprintf("%s[%d]", c.place, i)
		if c.lines != nil {
			place = fmt.Sprintf("line %d", c.lines[i])
		}
		before := b.made()
		m := readMessage(&b.notes, raw, place)
		if m.text == "" && m.reasoning == "" && len(m.calls) == 0 && m.part != partTool && b.made() == before {
			b.notes.add(fmt.Sprintf("an empty message of %s", m.role), place)
		}
		r.messages = append(r.messages, m)
	}
	if number > 1 {
		b.warn(warnSource, fmt.Sprintf("conversation %d, at %s", number, c.place))
	}
	return r
}

// read records the conversation.
func (r *chat) read() {
	group := slices.ContainsFunc(r.messages, func(m chatMessage) bool { return m.part == partSpeaker })
	for _, m := range r.messages {
		r.b.at(m.at)
		switch {
		case m.part == partSystem && r.first == nil:
			continue // the prompt of the agent
		case m.part == partSystem:
			r.b.send(event.MessageSent{Kind: event.Note, From: event.Runtime, To: r.first.id, Content: m.text})
		case m.part == partPerson:
			r.person(m)
		case m.part == partTool:
			r.b.result(r.main(), m.callID, event.ToolFinished{Name: m.name, Result: m.text, IsError: m.failed}, m.place)
		case group:
			r.speaker(m)
		default:
			r.reply(m)
		}
	}
	r.main()
}

// main is the agent that the person speaks to, made when it is first needed:
// the first that speaks.
func (r *chat) main() *agent {
	if r.first != nil {
		return r.first
	}
	name, prompt := "Assistant", ""
	for _, m := range slices.Backward(r.messages) {
		switch {
		case m.part == partSpeaker:
			name, _, _ = splitRole(m.role)
		case m.part == partModel && m.name != "":
			name = m.name
		}
	}
	for _, m := range r.messages {
		if m.part != partSystem {
			break
		}
		prompt = paragraphs(prompt, m.text)
	}
	r.first = r.agent(name, prompt)
	return r.first
}

// agent is the agent of a name.
func (r *chat) agent(name, prompt string) *agent {
	key := strings.ToLower(name)
	if r.agents[key] == nil {
		d := event.AgentCreated{Name: name, Prompt: prompt, Tools: r.tools, Model: r.modelOf(name), Parent: r.parent}
		r.agents[key] = r.b.create(d)
		if r.agents[key].id == event.Leader {
			r.parent = event.Leader
		}
	}
	return r.agents[key]
}

// modelOf is the model that an agent's replies name.
func (r *chat) modelOf(name string) string {
	for _, m := range r.messages {
		if m.model != "" && (m.name == "" || strings.EqualFold(m.name, name)) {
			return m.model
		}
	}
	return r.model
}

// person records what the person says, or an agent whose name a message of the
// person bears.
func (r *chat) person(m chatMessage) {
	to := r.main()
	if from := r.agents[strings.ToLower(m.name)]; m.name != "" && from != nil && from != to {
		r.b.send(event.MessageSent{Kind: event.Note, From: from.id, FromName: m.name, To: to.id, Content: m.text})
		return
	}
	r.b.send(event.MessageSent{Kind: event.Note, From: event.Person, FromName: m.name, To: to.id, Content: m.text})
}

// reply records what a model said.
func (r *chat) reply(m chatMessage) {
	a := r.main()
	if m.name != "" {
		a = r.agent(m.name, "")
	}
	r.b.reply(a, event.ModelReplied{
		Text: m.text, Reasoning: m.reasoning, Calls: m.calls, Usage: m.usage,
		Finish: finishOf(m.finish), RawFinish: rawFinish(m.finish),
	})
}

// roleForm is a role that says to whom or how somebody speaks: "A (-> B)",
// "A (thought)".
var roleForm = regexp.MustCompile(`^(.+?)\s*\(\s*(?:(?:->|→)\s*(.+?)|(.+?))\s*\)$`)

// splitRole takes the role of a group's message apart.
func splitRole(role string) (name, to, remark string) {
	role = strings.TrimSpace(role)
	if m := roleForm.FindStringSubmatch(role); m != nil {
		return m[1], m[2], m[3]
	}
	return role, "", ""
}

// speaker records what somebody in a group says. The name of the sender is the
// role as it was written.
func (r *chat) speaker(m chatMessage) {
	main := r.main()
	name, to, remark := splitRole(m.role)
	if m.part == partModel {
		name = cmp.Or(m.name, main.name)
	}
	from := r.agent(name, "")
	msg := event.MessageSent{Kind: event.Progress, From: from.id, FromName: m.role, To: event.Person, Content: m.text}
	switch {
	case to != "" && partOf(to) != partPerson:
		msg.To = r.agent(to, "").id
		if msg.Kind = event.Note; from == main {
			msg.Kind = event.Task
		}
	case from != main:
		msg.To, msg.Kind, msg.Reason = main.id, event.Completion, event.EndNatural
	}
	r.b.begin(from)
	if strings.Contains(strings.ToLower(remark), "terminat") {
		first, _, _ := strings.Cut(strings.TrimSpace(m.text), "\n")
		r.b.warn(warnEnd, "the transcript's own end: "+first)
	}
	r.b.send(msg)
	from.unanswered = false
	if from != main || msg.To == event.Person && remark != "thought" {
		r.b.end(from, event.EndNatural)
	}
	if len(m.calls) > 0 || m.reasoning != "" {
		r.b.notes.add("the calls and the reasoning of a speaker in a group", m.place)
	}
}

// finishOf maps the word for the end of a reply; empty for none.
func finishOf(word string) event.Finish {
	switch word {
	case "":
		return ""
	case "stop", "end_turn", "stop_sequence":
		return event.FinishStop
	case "tool_calls", "function_call", "tool_use":
		return event.FinishToolCalls
	case "length", "max_tokens":
		return event.FinishLength
	case "content_filter", "refusal":
		return event.FinishContentFilter
	}
	return event.FinishUnknown
}

// rawFinish is the word itself when it is another than ours.
func rawFinish(word string) string {
	if word == string(finishOf(word)) {
		return ""
	}
	return word
}
