package client_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway/client"
)

// Random and broken frames do no harm: the connection or at least the server stays,
// and nobody gets what is not theirs. TROUPE_SOAK=1 sends 100,000.
func TestRandomFrames(t *testing.T) {
	n := 3000
	if os.Getenv("TROUPE_SOAK") != "" {
		n = 100_000
	}
	r := newRig(t, nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	owner := r.open(tooled(), nil)
	owner.says("say secret of ann")
	seeds := frames(t, owner.session)
	sent := 0
	for sent < n {
		p := r.fresh("/client")
		if random.IntN(4) > 0 {
			p.write(`{"type":"hello","token":"` + bobToken + `"}`)
		}
		done := make(chan struct{})
		go func() { defer close(done); p.swallow(t) }()
		for range 1 + random.IntN(200) {
			typ := websocket.MessageText
			if random.IntN(50) == 0 {
				typ = websocket.MessageBinary
			}
			if p.ws.Write(t.Context(), typ, mutate(random, seeds)) != nil {
				break
			}
			sent++
		}
		_ = p.ws.Write(t.Context(), websocket.MessageText, []byte(`{"id":"msg_end","type":"ping"}`))
		<-done // all were served, or the connection has ended
		p.drop()
	}
	if got := owner.says("say alive"); got != "alive" {
		t.Errorf("the server answers %q", got)
	}
	r.noSecrets()
	if strings.Contains(r.logged.String(), "panic") {
		t.Errorf("the server panicked:\n%s", r.logged)
	}
}

// swallow reads all that comes up to the pong to the last ping, none of which may
// be of another user.
func (p *peer) swallow(t *testing.T) {
	t.Helper()
	for {
		_, text, err := p.ws.Read(t.Context())
		if err != nil {
			return
		}
		if strings.Contains(string(text), "secret of ann") {
			t.Errorf("another user was sent %s", text)
		}
		if strings.Contains(string(text), `"reply_to":"msg_end"`) {
			return
		}
	}
}

// frames are messages of every kind, good ones.
func frames(t *testing.T, session string) (list [][]byte) {
	t.Helper()
	for _, m := range []client.Message{
		{SessionID: session, Body: client.Hello{Token: bobToken, LastSeq: 3, Capabilities: tooled()}},
		{Content: []client.Part{client.Text("say x")}, Body: client.Request{Method: client.MethodPrompt}},
		{Body: client.Request{Method: client.MethodCancel}},
		{Body: client.Request{Method: client.MethodAgents}},
		{Body: client.Request{Method: client.MethodHistory, After: 2}},
		{Body: client.Request{Method: client.MethodRefresh}},
		{Body: client.Request{Method: client.MethodAnswer, QuestionID: "ask_tl_001", Text: "x"}},
		{Body: client.Request{Method: client.MethodApprove, ApprovalID: "apr_001", Decision: "allow"}},
		{Body: client.ToolResult{CallID: "tl/call_1"}},
		{Body: client.Ping{}},
		{Body: client.Pong{}},
		{Body: client.Fragment{Of: "x", Count: 2, Data: "{"}},
		{Seq: 3, Ack: true, Body: client.Event{Event: "ack", Of: "m"}},
	} {
		m.ID = "msg_x"
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	return append(list, []byte(`{"type":"`+strings.Repeat("x", 20_000)+`"}`), []byte(`[[[[`), []byte(`null`))
}

// mutate makes a frame: random bytes, or a good one that was changed.
func mutate(random *rand.Rand, seeds [][]byte) []byte {
	text := slices.Clone(seeds[random.IntN(len(seeds))])
	switch random.IntN(4) {
	case 0:
		text = make([]byte, random.IntN(300))
		for i := range text {
			text[i] = byte(random.IntN(256))
		}
	case 1:
		for range 1 + random.IntN(4) {
			if len(text) > 0 {
				text[random.IntN(len(text))] = byte(random.IntN(256))
			}
		}
	case 2:
		other := seeds[random.IntN(len(seeds))]
		text = append(text[:random.IntN(len(text)+1)], other[random.IntN(len(other)+1):]...)
	default:
	}
	return text
}
