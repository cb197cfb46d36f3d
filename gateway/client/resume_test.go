package client_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/client"
)

// numbered keeps the messages that are made from the log, by their numbers. A
// number that comes twice has to be the same message.
type numbered map[int64]string

// take takes in a message whose number is new.
func (n numbered) take(p *peer, before int64, m client.Message) {
	p.Helper()
	if m.Seq != before+1 {
		return
	}
	text, err := m.Encode()
	if err != nil {
		p.Fatal(err)
	}
	if old, ok := n[m.Seq]; ok && old != string(text) {
		p.Errorf("message %d is\n%s\nand was\n%s", m.Seq, text, old)
	}
	n[m.Seq] = string(text)
}

// whole is what the log of a session says to a client.
func (r *rig) whole(p *peer) (list []string) {
	r.Helper()
	handle, _, err := r.sessions.Open(r.Context(), "ann", p.session)
	if err != nil {
		r.Fatal(err)
	}
	var records []event.Record
	for rec, err := range r.sessions.Records(r.Context(), handle, 0) {
		if err != nil {
			r.Fatal(err)
		}
		records = append(records, rec)
	}
	var f client.Fold
	for _, m := range take(r, &f, records) {
		m.SessionID = p.session
		text, err := m.Encode()
		if err != nil {
			r.Fatal(err)
		}
		list = append(list, string(text))
	}
	return list
}

// A client that loses its connection again and again, wherever it is, and sends again
// what was not answered, gets each message of the session exactly once.
func TestReconnectAnywhere(t *testing.T) {
	r := newRig(t, nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	p := r.open(tooled(), nil)
	got := numbered{}
	prompts := []string{"stream 12", "fetch a b", "say done", "stream 30"}
	for i, text := range prompts {
		prompt := client.Message{ID: fmt.Sprintf("msg_any_%d", i), Content: []client.Part{client.Text(text)}, Body: client.Request{Method: client.MethodPrompt}}
		id := p.send(prompt)
		for answered := false; !answered; {
			for range 1 + random.IntN(9) {
				before := p.last
				m := p.next()
				got.take(p, before, m)
				if c, ok := m.Body.(client.ToolCall); ok {
					p.result(c, "x") // also again: the last one may be lost
				}
				if answered = answerTo(id)(m); answered {
					break
				}
			}
			if !answered {
				p.drop()
				p = r.open(tooled(), p)
				p.find(ofType(client.TypeResumed))
				p.send(prompt) // which may be lost, too
			}
		}
	}
	want := r.whole(p)
	for int(p.last) < len(want) {
		before := p.last
		got.take(p, before, p.next())
	}
	for i, text := range want {
		if have := got[int64(i)+1]; have != text {
			t.Errorf("message %d is\n%s\nwant\n%s", i+1, have, text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d messages came of %d", len(got), len(want))
	}
}

// The connection is cut in the middle of a stream: the rest comes, and nothing
// twice.
func TestCutInMidStream(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	id := p.ask(client.MethodPrompt, "stream 40")
	p.find(ofType(client.TypeChunk))
	p.find(ofType(client.TypeChunk))
	p.drop()
	last := p.last
	q := r.open(tooled(), p)
	resumed, _ := q.find(ofType(client.TypeResumed)).Body.(client.Resumed)
	if resumed.FirstSeq != last+1 {
		t.Errorf("resumed: %+v, want the first number %d", resumed, last+1)
	}
	list := q.until(answerTo(id))
	seen := map[int64]bool{}
	for _, m := range list {
		if _, live := m.Body.(client.Chunk); live {
			continue
		}
		if m.Seq <= last || seen[m.Seq] && m.Body.Type() != client.TypeEvent {
			t.Errorf("message %d came again", m.Seq)
		}
		seen[m.Seq] = true
	}
	if i := slices.IndexFunc(list, ofType(client.TypeFinal)); i < 0 || len(text0(list[i])) < 40 {
		t.Errorf("the whole text did not come")
	}
}

// A tool that the client works at over a lost connection, and over a restart of the
// server, is called again with the same id, and its effect is one.
func TestOpenCallComesAgain(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	id := p.ask(client.MethodPrompt, "fetch sun")
	first, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
	p.drop()
	for range 2 {
		p = r.open(tooled(), p)
		again, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
		if again.CallID != first.CallID || !again.Again || !bytes.Equal(again.Arguments, first.Arguments) {
			t.Errorf("the call came again as %+v, was %+v", again, first)
		}
		p.drop()
		r.stop()
		r.start()
	}
	p = r.open(tooled(), p)
	call, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
	p.result(call, "bright")
	p.result(call, "dark")
	if m, _ := p.response(id); text0(m) != "heard bright" {
		t.Errorf("the answer is %q", text0(m))
	}
	p.drop()
	p = r.open(tooled(), p)
	p.refused(p.result(call, "dark"), 1001)
	if got := p.says("say more"); got != "more" {
		t.Errorf("the answer is %q", got)
	}
}

// The server is killed and started again: the session goes on from its log, with
// the work that was under way.
func TestServerRestarts(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	id := p.ask(client.MethodPrompt, "stream 60")
	p.find(ofType(client.TypeChunk))
	p.drop()
	r.stop()
	r.start()
	p = r.open(tooled(), p)
	if m, _ := p.response(id); len(text0(m)) < 60*2 {
		t.Errorf("the answer is %q", text0(m))
	}
	// What was answered is answered again in the same way, and not done again.
	again := p.send(client.Message{ID: id, Content: []client.Part{client.Text("stream 60")}, Body: client.Request{Method: client.MethodPrompt}})
	if m, _ := p.response(again); len(text0(m)) < 60*2 {
		t.Errorf("the second answer is %q", text0(m))
	}
	said := 0
	for _, text := range r.whole(p) {
		if bytes.Contains([]byte(text), []byte(`"stream 60"`)) && bytes.Contains([]byte(text), []byte("agent.message")) {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the prompt is in the session %d times", said)
	}
	// A session of which the log knows less than the client has expired.
	p.last += 1000
	r.openExpired(p.session, p.last)
	r.openExpired("sess_never", 0)
}

// openExpired says hello to a session that cannot be gone on with.
func (r *rig) openExpired(session string, last int64) {
	r.Helper()
	p := &peer{rig: r, parts: map[string][]string{}}
	p.dialIn("/client/" + session)
	p.send(client.Message{SessionID: session, Body: client.Hello{Token: annToken, LastSeq: last}})
	m := p.next()
	if e, ok := m.Body.(client.Expired); !ok || e.Reason == "" {
		r.Errorf("hello to %s at %d was answered by %+v", session, last, m)
	}
	p.send(client.Message{Body: client.Hello{}})
	if m := p.next(); m.Body.Type() != client.TypeHelloAck || m.SessionID == session {
		r.Errorf("beginning anew was answered by %+v", m)
	}
}

// Wherever a client stood, also between two messages of one record, it gets exactly
// what it lacks. A call that is over is left out by its number.
func TestReconnectAtEveryNumber(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	id := p.ask(client.MethodPrompt, "fetch sun")
	call := p.find(ofType(client.TypeToolCall))
	p.result(call.Body.(client.ToolCall), "bright")
	p.response(id)
	whole := r.whole(p)
	p.drop()
	r.stop() // so that only the log knows
	r.start()
	for last := range len(whole) + 1 {
		q := r.open(tooled(), &peer{session: p.session, last: int64(last)})
		resumed, _ := q.find(ofType(client.TypeResumed)).Body.(client.Resumed)
		if resumed.FirstSeq != int64(last)+1 {
			t.Errorf("behind %d it goes on with %d", last, resumed.FirstSeq)
		}
		end := q.ask(client.MethodAgents, "") // answered after, or between, what is missing
		answered := false
		for at := last; at < len(whole) || !answered; {
			m := q.next()
			switch text, _ := m.Encode(); {
			case answerTo(end)(m):
				answered = true
			case m.Seq == call.Seq && at == int(call.Seq)-1:
				if at++; !isEvent(client.EventSkipped)(m) {
					t.Fatalf("behind %d the call that is over came again: %s", last, text)
				}
			case at < len(whole) && string(text) == whole[at]:
				at++
			default:
				t.Fatalf("behind %d came %s", last, text)
			}
		}
		q.drop()
	}
}

// Of two calls that are open the one that has its result does not come again.
func TestReturnedCallDoesNotComeAgain(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(tooled(), nil)
	id := p.ask(client.MethodPrompt, "fetch sun rain")
	one, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
	two, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
	p.result(two, "wet")
	p.find(isEvent("tool.returned"))
	p.drop()
	r.stop()
	r.start()
	p = r.open(tooled(), p)
	again, _ := p.find(ofType(client.TypeToolCall)).Body.(client.ToolCall)
	p.result(one, "bright")
	for _, m := range p.until(answerTo(id)) {
		if m.Body.Type() == client.TypeToolCall {
			t.Errorf("a call came again: %+v", m.Body)
		}
	}
	if again.CallID != one.CallID {
		t.Errorf("%s came again, want %s", again.CallID, one.CallID)
	}
}
