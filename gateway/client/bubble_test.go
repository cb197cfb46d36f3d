package client_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/leader"
)

// watched is a client that reads all the time, and answers pings.
type watched struct {
	*peer
	mu   sync.Mutex // guards all below
	got  []client.Message
	at   []time.Time
	code websocket.StatusCode
	done chan struct{} // closed when the connection has ended
}

// watch reads for a peer in the background until its connection ends.
func (p *peer) watch() *watched {
	w := &watched{peer: p, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			m, err := p.read(100 * time.Hour)
			w.mu.Lock()
			if err != nil {
				w.code = websocket.CloseStatus(err)
				w.mu.Unlock()
				return
			}
			w.got, w.at = append(w.got, m), append(w.at, time.Now())
			w.mu.Unlock()
			if m.Body.Type() == client.TypePing {
				w.pong(m)
			}
		}
	}()
	return w
}

// pong answers a ping; the connection may have ended meanwhile.
func (w *watched) pong(ping client.Message) {
	m := client.Message{ID: fmt.Sprintf("msg_test_%d", ids.Add(1)), ReplyTo: ping.ID, Body: client.Pong{}}
	text, _ := m.Encode()
	_ = w.ws.Write(context.Background(), websocket.MessageText, text)
}

// seen are the messages that fit so far.
func (w *watched) seen(fits func(client.Message) bool) (list []client.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.got {
		if fits(m) {
			list = append(list, m)
		}
	}
	return list
}

// one is the only message that fits.
func (w *watched) one(fits func(client.Message) bool) client.Message {
	w.Helper()
	list := w.seen(fits)
	if len(list) != 1 {
		w.Fatalf("%d messages fit, want one: %+v", len(list), list)
	}
	return list[0]
}

// gone reports whether the connection has ended.
func (w *watched) gone() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// bubble runs a test in a bubble with a rig in it.
func bubble(t *testing.T, change func(*rig), play func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *rig) {
			inBubble(r)
			if change != nil {
				change(r)
			}
		})
		play(r)
		r.stop()
	})
}

func TestHeartbeats(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		w := r.open(client.Abilities{}, nil).watch()
		time.Sleep(10 * time.Minute)
		if n := len(w.seen(ofType(client.TypePing))); w.gone() || n < 25 || n > 31 {
			t.Errorf("after 10 minutes %d pings came, gone %t", n, w.gone())
		}
		id := w.send(client.Message{Body: client.Ping{}})
		time.Sleep(time.Second)
		if m := w.one(ofType(client.TypePong)); m.ReplyTo != id {
			t.Errorf("pong answers %q", m.ReplyTo)
		}
		w.drop()
	})
}

// A client that pings by itself is not asked.
func TestClientPings(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		w := r.open(client.Abilities{}, nil).watch()
		for range 100 {
			time.Sleep(19 * time.Second)
			w.send(client.Message{Body: client.Ping{}})
		}
		if n := len(w.seen(ofType(client.TypePing))); n > 0 || w.gone() {
			t.Errorf("%d pings came, gone %t", n, w.gone())
		}
		w.drop()
	})
}

// A client that says nothing is dead after two heartbeats, whenever it spoke last,
// and its session is not.
func TestSilentClient(t *testing.T) {
	for _, spoke := range []time.Duration{0, time.Second, 10 * time.Second, 19 * time.Second, 21 * time.Second} {
		t.Run(spoke.String(), func(t *testing.T) { silent(t, spoke) })
	}
}

// silent is a client that says something after a while, and nothing any more.
func silent(t *testing.T, spoke time.Duration) {
	t.Helper()
	bubble(t, nil, func(r *rig) {
		p := r.open(client.Abilities{Streaming: true}, nil)
		time.Sleep(spoke)
		began := time.Now()
		p.says("stream 3")
		if code := p.closedWith(); code != -1 {
			t.Errorf("the connection was closed with %d, want none", code)
		}
		if took := time.Since(began); took < 39*time.Second || took > 41*time.Second {
			t.Errorf("the silent client was dead after %s", took)
		}
		if !slices.ContainsFunc(r.audited(), func(e gateway.AuditEntry) bool { return strings.Contains(e.Detail, "silent") }) {
			t.Error("the audit does not say so")
		}
		w := r.open(client.Abilities{}, p).watch()
		again := w.ask(client.MethodPrompt, "say again")
		synctest.Wait()
		if got := text0(w.one(answerTo(again))); got != "again" {
			t.Errorf("the answer is %q", got)
		}
		w.drop()
	})
}

// A client that takes nothing any more holds up nobody, and nothing is left of it.
func TestHalfOpenConnection(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		p := r.open(client.Abilities{Streaming: true}, nil)
		p.ask(client.MethodPrompt, "stream 20")
		other := r.open(client.Abilities{}, p).watch() // the pipe of p is full now
		time.Sleep(2 * time.Minute)
		if len(other.seen(ofType(client.TypeResponse))) != 1 {
			t.Error("the team was held up")
		}
		if code := p.closedWith(); code != -1 {
			t.Errorf("the connection was closed with %d, want none", code)
		}
		other.drop()
	})
}

// A client that reads slowly lags, and gets all.
func TestSlowReader(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		p := r.open(client.Abilities{Streaming: true}, nil)
		fast := r.open(client.Abilities{}, p).watch()
		for i := range 5 {
			time.Sleep(time.Second)
			p.ask(client.MethodPrompt, fmt.Sprintf("stream %d", 10+i))
		}
		var got numbered = map[int64]string{}
		for answers := 0; answers < 5; {
			time.Sleep(5 * time.Second)
			before := p.last
			m := p.next()
			got.take(p, before, m)
			p.send(client.Message{Body: client.Pong{}}) // it is slow, and not dead
			if m.Body.Type() == client.TypeResponse {
				answers++
			}
		}
		if n := len(fast.seen(ofType(client.TypeResponse))); n != 5 {
			t.Errorf("the fast one has %d answers", n)
		}
		want := r.whole(p)
		for i := range p.last {
			if got[i+1] != want[i] {
				t.Errorf("message %d is %s, want %s", i+1, got[i+1], want[i])
			}
		}
		fast.drop()
		p.drop()
	})
}

// A token that ends is warned of; refreshed it goes on, else the client is sent
// away and comes back with another one.
func TestTokenExpires(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		token, id, err := r.auth.Issue("ann")
		if err != nil {
			t.Fatal(err)
		}
		open := func(token string) *watched {
			p := &peer{rig: r, parts: map[string][]string{}}
			p.dialIn("/client")
			p.send(client.Message{Body: client.Hello{Token: token}})
			p.session = p.next().SessionID
			return p.watch()
		}
		kept, lost := open(token), open(token)
		time.Sleep(time.Until(id.Expires) - time.Minute + time.Second)
		kept.one(isEvent(client.EventExpiring))
		lost.one(isEvent(client.EventExpiring))
		refresh := kept.ask(client.MethodRefresh, "")
		synctest.Wait()
		var renewed client.Token
		response, _ := kept.one(answerTo(refresh)).Body.(client.Response)
		unmarshal(t, response.Result, &renewed)
		if renewed.Token == token || time.Until(renewed.Expires) < 14*time.Minute {
			t.Errorf("the new token ends at %v", renewed.Expires)
		}
		time.Sleep(2 * time.Minute)
		if !lost.gone() || lost.code != 4401 {
			t.Errorf("gone %t, closed with %d, want 4401", lost.gone(), lost.code)
		}
		e, _ := lost.one(ofType(client.TypeResponse)).Body.(client.Response)
		if e.Error == nil || e.Error.Code != gateway.StatusUnauthorized {
			t.Errorf("the end was told as %+v", e)
		}
		if kept.gone() {
			t.Error("who refreshed was sent away")
		}
		// A token of another user does not take the connection over, one of the
		// same user does.
		other, _, _ := r.auth.Issue("bob")
		bad := kept.send(client.Message{Body: client.Request{Method: client.MethodRefresh, Token: other}})
		another, _, _ := r.auth.Issue("ann")
		good := kept.send(client.Message{Body: client.Request{Method: client.MethodRefresh, Token: another}})
		synctest.Wait()
		if r, _ := kept.one(answerTo(bad)).Body.(client.Response); r.Error == nil || r.Error.Code != gateway.StatusForbidden {
			t.Errorf("the token of another: %+v", r)
		}
		if r, _ := kept.one(answerTo(good)).Body.(client.Response); r.Error != nil {
			t.Errorf("a new token: %+v", r.Error)
		}
		time.Sleep(16 * time.Minute)
		if !kept.gone() || kept.code != 4401 {
			t.Errorf("gone %t, closed with %d, want 4401", kept.gone(), kept.code)
		}
		r.noSecrets()
	})
}

// What comes again has no effect, and the same answer: for five minutes from
// memory, a prompt for as long as the log is there.
func TestMessagesThatComeAgain(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		w := r.open(client.Abilities{}, nil).watch()
		prompt := client.Message{ID: "msg_p", Content: []client.Part{client.Text("say once")}, Body: client.Request{Method: client.MethodPrompt}}
		steer := client.Message{ID: "msg_s", Content: []client.Part{client.Text("x")}, Body: client.Request{Method: client.MethodSteer, Agent: "tl"}}
		for _, pause := range []time.Duration{0, 4 * time.Minute, 4 * time.Hour} {
			time.Sleep(pause)
			w.send(prompt)
			time.Sleep(time.Second)
			w.send(steer)
			time.Sleep(time.Second)
		}
		answers := w.seen(answerTo("msg_p"))
		if len(answers) != 3 {
			t.Fatalf("the prompt has %d answers, want 3", len(answers))
		}
		for _, a := range answers {
			if text0(a) != "once" || a.Body.(client.Response).Error != nil {
				t.Errorf("the prompt was answered by %+v", a)
			}
		}
		if n := len(w.seen(isEvent("run.finished"))); n != 1 {
			t.Errorf("the team worked %d times", n)
		}
		for _, a := range w.seen(answerTo("msg_s")) {
			if e := a.Body.(client.Response).Error; e == nil || e.Code != gateway.StatusConflict {
				t.Errorf("the message to a team at rest: %+v", a.Body)
			}
		}
		// While it is served, on two connections at once.
		other := r.open(client.Abilities{}, w.peer).watch()
		slow := client.Message{ID: "msg_w", Content: []client.Part{client.Text("wait done")}, Body: client.Request{Method: client.MethodPrompt}}
		w.send(slow)
		other.send(slow)
		time.Sleep(10 * time.Minute)
		w.one(answerTo("msg_w"))
		other.one(answerTo("msg_w"))
		// A stop that comes again stops nothing that began meanwhile; much later
		// nobody knows it any more.
		stop := client.Message{ID: "msg_stop", Body: client.Request{Method: client.MethodCancel}}
		w.send(stop)
		for i, pause := range []time.Duration{5*time.Minute - 10*time.Second, 20 * time.Minute} {
			time.Sleep(pause)
			id := w.ask(client.MethodPrompt, "wait done")
			time.Sleep(time.Second)
			w.send(stop)
			time.Sleep(10 * time.Minute)
			if got := text0(w.one(answerTo(id))); (got == "done") != (i == 0) {
				t.Errorf("the stop that came again %s later left %q", pause, got)
			}
		}
		w.drop()
		other.drop()
	})
}

// A tool that the client does not execute in time is an error for the team, which
// goes on; what comes late is refused.
func TestToolTakesTooLong(t *testing.T) {
	bubble(t, func(r *rig) { r.team = func(t *leader.Team) { t.Limits.ToolTimeout = 30 * time.Second } }, func(r *rig) {
		w := r.open(tooled(), nil).watch()
		id := w.ask(client.MethodPrompt, "fetch sun")
		time.Sleep(29 * time.Second)
		call, _ := w.one(ofType(client.TypeToolCall)).Body.(client.ToolCall)
		if call.TimeoutMS != 30_000 || len(w.seen(answerTo(id))) > 0 {
			t.Errorf("before its time is over: %+v", call)
		}
		time.Sleep(2 * time.Second)
		if got := text0(w.one(answerTo(id))); !strings.Contains(got, "1002") {
			t.Errorf("the team heard %q", got)
		}
		late := w.result(call, "sunny")
		synctest.Wait()
		if r, _ := w.one(answerTo(late)).Body.(client.Response); r.Error == nil || r.Error.Code != gateway.StatusToolUnknown || r.Error.Who != gateway.WhoTool {
			t.Errorf("the late result: %+v", r.Error)
		}
		w.drop()
	})
}

// While a tool call is open, all else is served: the client may need the team to
// answer before it can.
func TestRequestDuringToolCall(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		w := r.open(tooled(), nil).watch()
		first := w.ask(client.MethodPrompt, "fetch sun")
		synctest.Wait()
		call, _ := w.one(ofType(client.TypeToolCall)).Body.(client.ToolCall)
		agents, second := w.ask(client.MethodAgents, ""), w.ask(client.MethodPrompt, "say meanwhile")
		steer := w.send(client.Message{Body: client.Request{Method: client.MethodSteer, Agent: "tl", Text: "hurry"}})
		began := time.Now()
		synctest.Wait()
		w.one(answerTo(agents))
		w.one(answerTo(steer))
		w.result(call, "bright")
		time.Sleep(time.Second)
		w.one(answerTo(first))
		w.one(answerTo(second))
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("that took %s", took)
		}
		w.drop()
	})
}

// Who does not say hello, or only nonsense, is sent away.
func TestNoHello(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		for name, frames := range map[string][]string{
			"nothing":      nil,
			"no hellos":    {`{"type":"ping"}`, `{"type":"ping"}`, `{"type":"ping"}`, `{"type":"ping"}`, `{"type":"ping"}`},
			"refused ones": {`{"type":"hello","token":"` + annToken + `","session_id":"nobody's"}`, `{"type":"hello","token":"` + annToken + `","protocol":7}`},
		} {
			p := &peer{rig: r, parts: map[string][]string{}}
			p.dialIn("/client")
			began, w := time.Now(), p.watch()
			for _, text := range frames {
				w.write(text)
			}
			<-w.done
			if took := time.Since(began); w.code != 4408 || took > 11*time.Second {
				t.Errorf("%s: closed with %d after %s, want 4408", name, w.code, took)
			}
		}
	})
}

// When the server stops, all connections are told, also those that have not said
// hello.
func TestServerStops(t *testing.T) {
	closing := make(chan struct{})
	bubble(t, func(r *rig) {
		closing = make(chan struct{})
		r.tune = func(o *client.Options) { o.Closing = closing }
	}, func(r *rig) {
		w := r.open(client.Abilities{}, nil).watch()
		p := &peer{rig: r, parts: map[string][]string{}}
		p.dialIn("/client")
		fresh := p.watch()
		synctest.Wait()
		close(closing)
		r.stop()
		synctest.Wait()
		for name, c := range map[string]*watched{"with a session": w, "without": fresh} {
			if !c.gone() || c.code != websocket.StatusGoingAway {
				t.Errorf("a connection %s: gone %t, closed with %d", name, c.gone(), c.code)
			}
		}
		r.start()
		if _, status, err := r.connect("/client", nil); err == nil || status != http.StatusServiceUnavailable {
			t.Errorf("a server that stops lets in: %d, %v", status, err)
		}
	})
}
