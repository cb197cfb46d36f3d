package client_test

import (
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/internal/golden"
)

// One recorded run, with a sub-agent, a tool of the client, a question and an
// approval, makes exactly these messages. With -update a run is recorded anew.
func TestRecordedConversation(t *testing.T) {
	const log, messages = "testdata/conversation/log.jsonl", "testdata/conversation/messages.jsonl"
	if golden.Updating() {
		golden.Equal(t, log, recordConversation(t))
	}
	var f client.Fold
	golden.Equal(t, messages, lines(t, take(t, &f, readLog(t, log))))
	if prompts, calls := f.Open(); len(prompts) > 0 || calls > 0 {
		t.Errorf("in the end the prompts %v and %d calls are open", prompts, calls)
	}
}

// recordConversation plays the conversation and returns its log.
func recordConversation(t *testing.T) (log []byte) {
	t.Helper()
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	p.says("hire say looked around")
	id := p.send(client.Message{ID: "msg_fetch", Content: []client.Part{client.Text("fetch sun")}, Body: client.Request{Method: client.MethodPrompt}})
	call, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
	p.result(call, "bright")
	p.response(id)
	id = p.ask(client.MethodPrompt, "ask")
	asked := p.find(isEvent("question.opened"))
	p.find(isEvent("run.suspended"))
	q := p.send(client.Message{Content: []client.Part{client.Text("green")}, Body: client.Request{Method: client.MethodAnswer, QuestionID: idOf(t, asked)}})
	p.both(q, id, "heard")
	id = p.ask(client.MethodPrompt, "touch it")
	wanted := p.find(isEvent("approval.requested"))
	p.find(isEvent("run.suspended"))
	a := p.send(client.Message{Body: client.Request{Method: client.MethodApprove, ApprovalID: idOf(t, wanted), Decision: "deny", Reason: "not now"}})
	p.both(a, id, "heard")
	handle, _, err := r.sessions.Open(t.Context(), "ann", p.session)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range r.sessions.Records(t.Context(), handle, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := rec.Data.(event.RunStarted); ok {
			d.WorkDir, d.Team = "", nil // of this machine, and long
			rec.Data = d
		}
		if d, ok := rec.Data.(event.RunResumed); ok {
			d.WorkDir, d.Team = "", nil
			rec.Data = d
		}
		if d, ok := rec.Data.(event.AgentCreated); ok {
			d.Prompt = "…"
			rec.Data = d
		}
		if log, err = rec.AppendJSON(log); err != nil {
			t.Fatal(err)
		}
		log = append(log, '\n')
	}
	return log
}
