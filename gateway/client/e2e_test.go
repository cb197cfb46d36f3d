package client_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/client"
)

func TestConversation(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	if !strings.HasPrefix(p.session, "sess_") {
		t.Errorf("the session is called %q", p.session)
	}
	if got := p.says("say hello"); got != "hello" {
		t.Errorf("the answer is %q", got)
	}

	// A text comes in pieces, then as a whole.
	id := p.ask(client.MethodPrompt, "stream 5")
	var text string
	var final client.Message
	for _, m := range p.until(answerTo(id)) {
		switch b := m.Body.(type) {
		case client.Chunk:
			if b.Offset != len(text) {
				t.Errorf("a piece at %d came after %d bytes", b.Offset, len(text))
			}
			text += text0(m)
		case client.Final:
			final = m
		default:
		}
	}
	if text != "字0 字1 字2 字3 字4 " || text0(final) != text {
		t.Errorf("the pieces are %q, the whole is %q", text, text0(final))
	}

	// The client executes tools, in any order.
	id = p.ask(client.MethodPrompt, "fetch sun rain")
	var calls []client.ToolCall
	p.until(func(m client.Message) bool {
		if c, ok := m.Body.(client.ToolCall); ok {
			calls = append(calls, c)
		}
		return len(calls) == 2
	})
	slices.Reverse(calls)
	for _, c := range calls {
		p.result(c, "got "+string(c.Arguments))
	}
	if m, _ := p.response(id); text0(m) != `heard got {"name":"sun"}; got {"name":"rain"}` {
		t.Errorf("the answer is %q", text0(m))
	}

	// A question is answered, a call approved.
	id = p.ask(client.MethodPrompt, "ask")
	asked := p.find(isEvent("question.opened"))
	p.find(isEvent("run.suspended"))
	q := p.send(client.Message{Content: []client.Part{client.Text("green")}, Body: client.Request{Method: client.MethodAnswer, QuestionID: idOf(t, asked)}})
	p.both(q, id, "heard")
	id = p.ask(client.MethodPrompt, "touch it")
	wanted := p.find(isEvent("approval.requested"))
	p.find(isEvent("run.suspended"))
	a := p.send(client.Message{Body: client.Request{Method: client.MethodApprove, ApprovalID: idOf(t, wanted), Decision: "allow"}})
	p.both(a, id, "heard touched it")

	// A running team is steered and stopped.
	id = p.ask(client.MethodPrompt, "hire wait done")
	p.find(func(m client.Message) bool {
		e, ok := m.Body.(client.Event)
		return ok && e.Event == "agent.created" && e.Agent == "aid_1"
	})
	s := p.send(client.Message{Body: client.Request{Method: client.MethodSteer, Agent: "aid_1", Text: "faster"}})
	p.response(s)
	_, agents := p.response(p.ask(client.MethodAgents, ""))
	if !strings.Contains(string(agents.Result), `"aid_1"`) {
		t.Errorf("the agents are %s", agents.Result)
	}
	c := p.ask(client.MethodCancel, "")
	p.both(c, id, "")
	r.noSecrets()
}

// result answers a call.
func (p *peer) result(c client.ToolCall, text string) (id string) {
	p.Helper()
	return p.send(client.Message{Role: "tool", Content: []client.Part{client.Text(text)}, Body: client.ToolResult{CallID: c.CallID}})
}

// both waits for the answers to a request and to the prompt that it moves on, in
// any order; the prompt's begins with want.
func (p *peer) both(request, prompt, want string) {
	p.Helper()
	missing := map[string]bool{request: true, prompt: true}
	for len(missing) > 0 {
		m := p.find(ofType(client.TypeResponse))
		r, _ := m.Body.(client.Response)
		if !missing[m.ReplyTo] || r.Error != nil {
			p.Errorf("%s was answered by %v", m.ReplyTo, r.Error)
		}
		if delete(missing, m.ReplyTo); m.ReplyTo == prompt && !strings.HasPrefix(text0(m), want) {
			p.Errorf("the prompt was answered by %q, want %q", text0(m), want)
		}
	}
}

// idOf is the id in the data of an event.
func idOf(t *testing.T, m client.Message) string {
	t.Helper()
	e, _ := m.Body.(client.Event)
	var data struct{ ID string }
	unmarshal(t, e.Data, &data)
	return data.ID
}

// A session belongs to the trace of the client, if that has one.
func TestTrace(t *testing.T) {
	r := newRig(t, nil)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	p := r.fresh("/client")
	p.send(client.Message{TraceID: trace, Body: client.Hello{Token: annToken}})
	p.session = p.next().SessionID
	id := p.ask(client.MethodPrompt, "say x")
	for _, m := range p.until(answerTo(id)) {
		if m.TraceID != trace {
			t.Errorf("%+v belongs to another trace", m)
		}
	}
	for _, e := range r.audited() {
		if e.Event == "session" && e.TraceID != trace {
			t.Errorf("%+v belongs to another trace", e)
		}
	}
	// What is none is not taken over.
	id = p.send(client.Message{TraceID: "trace_9f8e7d", Body: client.Request{Method: client.MethodAgents}})
	if m, _ := p.response(id); m.TraceID != trace {
		t.Errorf("the answer belongs to %q", m.TraceID)
	}
}

// A tool that models cannot have, or too many of them, are refused.
func TestToolsThatAreNone(t *testing.T) {
	r := newRig(t, nil)
	many := make([]client.Tool, 200)
	for i := range many {
		many[i].Name = strings.Repeat("x", i+1)
	}
	for _, list := range [][]client.Tool{{{}}, {{Name: "a"}, {Name: "a"}}, many} {
		p := r.fresh("/client")
		p.send(client.Message{Body: client.Hello{Token: annToken, Capabilities: client.Abilities{ToolCallbacks: true, Tools: list}}})
		if e, _ := p.next().Body.(client.Response); e.Error == nil {
			t.Errorf("%d tools were taken", len(list))
		}
		p.drop()
	}
	p := r.open(client.Abilities{ToolCallbacks: true, Tools: []client.Tool{{Name: "a b"}}}, nil)
	_, res := p.response(p.ask(client.MethodPrompt, "say x"))
	if res.Error == nil || !strings.Contains(res.Error.Message, "a b") {
		t.Errorf("a name that no tool has: %+v", res)
	}
}

// A client that does not stream gets whole texts and no pieces.
func TestWholeTextsOnly(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	id := p.ask(client.MethodPrompt, "stream 5")
	finals := 0
	for _, m := range p.until(answerTo(id)) {
		switch m.Body.(type) {
		case client.Chunk:
			t.Errorf("a piece came: %+v", m)
		case client.Final:
			finals++
		default:
		}
	}
	if finals != 1 {
		t.Errorf("%d texts came, want 1", finals)
	}
}

// TestTextOfAPrompt: the words are those of the content, or of the field text where the
// content has none, as one that has only parts that nobody knows here.
func TestTextOfAPrompt(t *testing.T) {
	p := newRig(t, nil).open(client.Abilities{}, nil)
	image := client.Part{Kind: "image", Raw: []byte(`{"type":"image","url":"x"}`)}
	for _, tt := range []struct {
		content []client.Part
		text    string
		want    string
	}{
		{nil, "say field", "field"},
		{[]client.Part{client.Text("say content")}, "say field", "content"},
		{[]client.Part{image}, "say field", "field"},
		{[]client.Part{client.Text("")}, "say field", "field"},
		{[]client.Part{image, client.Text("say "), image, client.Text("parts")}, "say field", "parts"},
		{[]client.Part{image}, "", ""},
	} {
		id := p.send(client.Message{Content: tt.content, Body: client.Request{Method: client.MethodPrompt, Text: tt.text}})
		m, r := p.response(id)
		if text0(m) != tt.want || (r.Error != nil) != (tt.want == "") {
			t.Errorf("%+v and %q: the answer is %q, %v", tt.content, tt.text, text0(m), r.Error)
		}
	}
}
