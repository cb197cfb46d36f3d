package client_test

import (
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/gateway/client"
)

// Of two windows one executes a call; the other one does when that has gone.
func TestOneWindowExecutes(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		open := func(instance string, before *peer) *watched {
			p := &peer{rig: r, parts: map[string][]string{}}
			p.dialIn("/client")
			if before != nil {
				p.session = before.session
			}
			p.send(client.Message{SessionID: p.session, Body: client.Hello{Token: annToken, Capabilities: tooled(), ClientInfo: client.Info{Instance: instance}}})
			p.session = p.next().SessionID
			return p.watch()
		}
		one := open("one", nil)
		prompt := one.ask(client.MethodPrompt, "say hello")
		synctest.Wait()
		one.one(answerTo(prompt))
		two := open("two", one.peer)
		synctest.Wait()
		id := one.ask(client.MethodPrompt, "fetch sun")
		synctest.Wait()
		calls, skipped := len(one.seen(ofType(client.TypeToolCall))), len(two.seen(isEvent(client.EventSkipped)))
		a, b := one, two
		if calls == 0 {
			a, b = two, one
			calls, skipped = len(two.seen(ofType(client.TypeToolCall))), len(one.seen(isEvent(client.EventSkipped)))
		}
		if calls != 1 || skipped != 1 {
			t.Fatalf("%d windows execute the call, %d do not", calls, skipped)
		}
		a.drop()
		synctest.Wait()
		call, _ := b.one(ofType(client.TypeToolCall)).Body.(client.ToolCall)
		if !call.Again {
			t.Errorf("the call came to the other window as %+v", call)
		}
		b.result(call, "bright")
		synctest.Wait()
		b.one(answerTo(id))
		b.drop()
	})
}

// A call goes to the connection that a client opened last: the one before may only
// seem to live.
func TestTheLastConnectionExecutes(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		old := r.open(tooled(), nil)
		seems := old.watch()
		prompt := old.ask(client.MethodPrompt, "say hello")
		synctest.Wait()
		seems.one(answerTo(prompt))
		p := r.open(tooled(), old).watch()
		synctest.Wait()
		for i := range 20 {
			id := p.ask(client.MethodPrompt, "fetch sun")
			synctest.Wait()
			calls := p.seen(ofType(client.TypeToolCall))
			if len(calls) != i+1 {
				t.Fatalf("%d calls came after %d prompts", len(calls), i+1)
			}
			call, _ := calls[i].Body.(client.ToolCall)
			p.result(call, "bright")
			synctest.Wait()
			p.one(answerTo(id))
		}
		if calls := seems.seen(ofType(client.TypeToolCall)); len(calls) > 0 {
			t.Errorf("%d calls went to the connection that was left: %+v", len(calls), calls[0])
		}
		old.drop()
		p.drop()
	})
}
