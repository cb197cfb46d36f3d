package studio

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// translator turns the records of a session into the messages of one response. It
// is a fold, without clock and network. The response begins with the record of
// the prompt that it answers; of what was before it keeps what it has to know.
type translator struct {
	view
	// prefix begins the ids of messages, which are counted.
	prefix string
	// seen reports whether a command is a prompt of this connection, once.
	seen func(command string) bool

	ids      int
	out      []Message
	response *stream   // nil before it begins
	open     []*stream // all others, in the order in which they began

	names     map[string]string // of agents
	waiting   map[string]string // tools whose calls need leave, by the approval
	questions []string          // open ones to the person

	step      int // of the leader, in this response
	iteration *stream
	models    map[string]*stream // by agent
	tools     map[string]*stream // by agent and call
	thinking  speech             // of the leader
	chat      speech
}

// view is what a response shows.
type view struct {
	verbose, iterations bool
	// notes are told first.
	notes []string
}

// stream is something that has begun and not ended yet.
type stream struct{ end Message }

func newTranslator(prefix string, v view, seen func(command string) bool) *translator {
	return &translator{
		view: v, prefix: prefix, seen: seen, names: map[string]string{event.Leader: event.LeaderName}, waiting: map[string]string{},
		models: map[string]*stream{}, tools: map[string]*stream{}, thinking: speech{typ: TypeThinking}, chat: speech{typ: TypeChat},
	}
}

// apply takes a record and returns what is to be sent for it. rests says that the
// turn of the team has ended, and with it all but the response.
func (t *translator) apply(rec event.Record) (messages []Message, rests bool) {
	t.learn(rec)
	if t.response != nil {
		rests = t.tell(rec)
	}
	return t.take(), rests
}

// take returns what was written since the last call.
func (t *translator) take() []Message {
	out := t.out
	t.out = nil
	return out
}

// finish ends all that is open, with what went wrong if something did. Before a
// response has begun it says only that.
func (t *translator) finish(wrong string) []Message {
	t.endAll()
	if wrong != "" {
		t.say(Message{Type: TypeError, Event: EventError, Content: wrong})
	}
	if t.response != nil {
		t.out = append(t.out, t.response.end)
	}
	return t.take()
}

// learn keeps what has to be known of a record, also before the response.
func (t *translator) learn(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		t.prompt(d.RequestID)
	case event.RunResumed:
		t.prompt(d.RequestID)
	case event.MessageSent:
		t.prompt(d.RequestID)
		t.names[d.From] = d.FromName
	case event.AgentCreated:
		t.names[rec.Agent] = d.Name
	case event.QuestionOpened:
		if d.To == event.Person {
			t.questions = append(t.questions, d.ID)
		}
	case event.QuestionClosed:
		t.prompt(d.ID)
		t.questions = slices.DeleteFunc(t.questions, func(id string) bool { return id == d.ID })
	case event.ApprovalRequested:
		t.waiting[d.ID] = d.Name
	case event.ApprovalDecided:
		delete(t.waiting, d.ID)
	default: // is told or not, and then forgotten
	}
}

// prompt begins the response with the first prompt of the connection.
func (t *translator) prompt(command string) {
	if command == "" || !t.seen(command) || t.response != nil {
		return
	}
	id := t.id()
	t.out = append(t.out, Message{ID: id, Type: TypeResponse, Event: EventStart})
	t.response = &stream{Message{ID: id, Type: TypeResponse, Event: EventEnd}}
	for _, note := range t.notes {
		(&speech{typ: TypeThinking}).whole(t, note)
	}
}

// tell writes what a record of the response means to its reader.
func (t *translator) tell(rec event.Record) (rests bool) {
	switch d := rec.Data.(type) {
	case event.ModelRequested:
		t.requested(rec.Agent, d)
	case event.ModelThinking:
		t.piece(rec.Agent, &t.thinking, d.Offset, d.Text)
	case event.ModelDelta:
		t.piece(rec.Agent, &t.chat, d.Offset, d.Text)
	case event.ModelReplied:
		t.replied(rec.Agent, d)
	case event.ModelRetried:
		t.cut(rec.Agent)
	case event.ModelFailed:
		t.cut(rec.Agent)
		t.endIn(t.models, rec.Agent)
	case event.ToolStarted:
		t.started(rec.Agent, d)
	case event.ToolFinished:
		t.endIn(t.tools, rec.Agent+"/"+d.CallID)
	case event.MessageSent:
		t.message(d)
	case event.QuestionClosed:
		if d.Outcome == event.Answered && ofSubAgent(d.From) {
			t.bubble(t.names[d.From], event.Answer, d.Text)
		}
	case event.TurnEnded:
		if rec.Agent == event.Leader {
			t.endIteration()
		}
	default:
		return t.rest(rec)
	}
	return false
}

// rest ends what is open with the turn of the team.
func (t *translator) rest(rec event.Record) bool {
	wrong := ""
	switch d := rec.Data.(type) {
	case event.RunFinished:
		if d.Partial {
			wrong = "the answer is not complete: the limit " + d.Limit + " was reached"
		}
	case event.RunFailed:
		wrong = d.Failure.String()
	case event.RunSuspended:
		wrong = t.suspended(d)
	default:
		return false
	}
	t.endAll()
	if wrong != "" {
		t.say(Message{Type: TypeError, Event: EventError, Content: wrong})
	}
	return true
}

// suspended words why the team stands still. A question to the person was told
// already, and the next prompt answers it.
func (t *translator) suspended(d event.RunSuspended) string {
	switch d.Cause {
	case event.SuspendQuestion:
		return ""
	case event.SuspendApproval:
		return fmt.Sprintf("a call of %s needs leave (%s), which cannot be given here (use the client protocol, or troupe answer)", t.waiting[d.ID], d.ID)
	}
	by := d.By
	if by == "" {
		by = "interrupted"
	}
	return by + " (the team goes on with your next message in this session)"
}

// requested tells of a call of a model, and of a step of the leader, which lasts
// until the next one.
func (t *translator) requested(agent string, d event.ModelRequested) {
	ours := agent == event.Leader
	if ours && d.Purpose == "" {
		t.endIteration()
		if t.iterations {
			content := fmt.Sprintf("iteration %d", t.step)
			t.iteration = t.start(Message{Type: TypeIteration, Content: content})
			t.iteration.end.Content = content
		}
		t.step++
	}
	if ours || t.verbose {
		t.endIn(t.models, agent)
		t.models[agent] = t.start(Message{Type: TypeModelInvocation})
	}
}

// piece streams what the leader says.
func (t *translator) piece(agent string, s *speech, offset int, text string) {
	if agent != event.Leader {
		return
	}
	if s == &t.chat { // what is thought is thought before
		t.end(t.thinking.on)
		t.thinking.on = nil
	}
	s.piece(t, offset, text)
}

// replied completes what the leader says. A summary of older steps is no word of
// the leader.
func (t *translator) replied(agent string, d event.ModelReplied) {
	if agent == event.Leader && d.Purpose == "" {
		t.thinking.whole(t, d.Reasoning)
		t.chat.whole(t, d.Text)
	}
	t.endIn(t.models, agent)
}

// cut ends what the leader began to say and does not go on with.
func (t *translator) cut(agent string) {
	if agent == event.Leader {
		t.thinking.stop(t)
		t.chat.stop(t)
	}
}

// started tells of a call of a tool.
func (t *translator) started(agent string, d event.ToolStarted) {
	args := object(d.Arguments)
	if t.verbose {
		args = with(args, "_agent", t.nameOf(agent))
	}
	s := t.start(Message{Type: TypeToolCall, Func: d.Name, Args: args})
	s.end.Func, s.end.Args = d.Name, args
	t.tools[agent+"/"+d.CallID] = s
}

// message shows what agents say to others: the leader to the person, and
// sub-agents to anybody.
func (t *translator) message(d event.MessageSent) {
	switch {
	case d.From == event.Leader && d.To == event.Person:
		(&speech{typ: TypeChat}).whole(t, d.Content)
	case ofSubAgent(d.From):
		t.bubble(d.FromName, d.Kind, d.Content)
	}
}

// bubble shows a message in its three parts: who, what kind, and what.
func (t *translator) bubble(name string, kind event.Kind, content string) {
	s := t.start(Message{Type: TypeChat})
	t.delta(s, "**"+name+"** "+kind.Label()+"\n\n")
	for _, part := range pieces(content) {
		t.delta(s, part)
	}
	t.end(s)
}

func ofSubAgent(id string) bool {
	return id != event.Leader && id != event.Person && id != event.Runtime
}

func (t *translator) nameOf(agent string) string {
	if name := t.names[agent]; name != "" {
		return name
	}
	return agent
}

// endIteration ends the step of the leader.
func (t *translator) endIteration() {
	t.end(t.iteration)
	t.iteration = nil
}

// endIn ends a stream of a map.
func (t *translator) endIn(of map[string]*stream, key string) {
	t.end(of[key])
	delete(of, key)
}

// endAll ends what is open, what began last first, but not the response.
func (t *translator) endAll() {
	for len(t.open) > 0 {
		t.end(t.open[len(t.open)-1])
	}
	t.iteration = nil
	clear(t.models)
	clear(t.tools)
	t.thinking.stop(t)
	t.chat.stop(t)
}

// id makes an id.
func (t *translator) id() string {
	t.ids++
	return fmt.Sprintf("%s-%d", t.prefix, t.ids)
}

// say writes a message that is no part of a stream.
func (t *translator) say(m Message) {
	m.ID = t.id()
	t.out = append(t.out, m)
}

// start begins a stream.
func (t *translator) start(m Message) *stream {
	m.ID, m.Event = t.id(), EventStart
	t.out = append(t.out, m)
	s := &stream{Message{ID: m.ID, Type: m.Type, Event: EventEnd}}
	t.open = append(t.open, s)
	return s
}

// delta goes on with a stream.
func (t *translator) delta(s *stream, content string) {
	if content != "" {
		t.out = append(t.out, Message{ID: s.end.ID, Type: s.end.Type, Event: EventDelta, Content: content})
	}
}

// end ends a stream, unless it is nil or has ended.
func (t *translator) end(s *stream) {
	if i := slices.Index(t.open, s); i >= 0 {
		t.open = slices.Delete(t.open, i, i+1)
		t.out = append(t.out, s.end)
	}
}

// object is the arguments of a call as a JSON object, which they may not be: a
// model wrote them.
func object(arguments string) json.RawMessage {
	text := strings.TrimSpace(strings.ToValidUTF8(arguments, "\uFFFD"))
	if text == "" {
		return json.RawMessage("{}")
	}
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return with(json.RawMessage("{}"), "_invalid", arguments)
}

// with adds a field to a JSON object.
func with(object json.RawMessage, key, value string) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	text, err := json.Marshal(value)
	if err != nil {
		return object
	}
	fields[key] = text
	if text, err = json.Marshal(fields); err != nil {
		return object
	}
	return text
}
