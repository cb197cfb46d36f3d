package client_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/client"
)

// A client that counts all that it sends, what is refused too, is never left with a
// number that it cannot get over.
func TestCountingAll(t *testing.T) {
	r := newRig(t, nil)
	p := r.fresh("/client")
	n := int64(0)
	send := func(text string) {
		t.Helper()
		n++
		p.write(fmt.Sprintf(`{"id":"m%d","seq":%d,%s}`, n, n, text))
	}
	served := func(after string) {
		t.Helper()
		send(`"type":"request","method":"agents"`)
		if _, answer := p.response(fmt.Sprintf("m%d", n)); answer.Error != nil {
			t.Errorf("after %s: %v", after, answer.Error)
		}
	}
	hello := func(more string) { send(`"type":"hello","token":"` + annToken + `"` + more) }
	hello("")
	ack := p.next()
	for name, text := range map[string]string{
		"one of a wrong kind":   `"type":"request","content":"x"`,
		"one without a type":    `"text":"x"`,
		"one of the server's":   `"type":"hello.ack"`,
		"one of no known type":  `"type":"wish"`,
		"one of no method":      `"type":"request","method":"dance"`,
		"a second hello":        `"type":"hello"`,
		"one that is too large": `"type":"request","method":"prompt","text":"` + strings.Repeat("x", 20<<10) + `"`,
		"a ping":                `"type":"ping"`,
		"an event":              `"type":"event","event":"seen"`,
		"a fragment":            `"type":"fragment","of":"f","index":0,"count":9,"data":"{"`,
		"a bad fragment":        `"type":"fragment","of":"g","index":3,"count":2,"data":"{"`,
	} {
		send(text)
		served(name)
	}
	p.drop()
	p.dialIn("/client")
	n += 2 // which were lost
	hello(fmt.Sprintf(`,"session_id":%q`, ack.SessionID))
	p.find(ofType(client.TypeResumed))
	served("a hello behind a gap")
	send(`"type":"ping"`)
	n++
	send(`"type":"request","method":"agents"`)
	p.refused(fmt.Sprintf("m%d", n), 409) // what was lost in this connection is still missed
}

// The largest number is one like others.
func TestLargestNumber(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	for range 2 {
		id := p.send(client.Message{Seq: math.MaxInt64, Body: client.Request{Method: client.MethodAgents}})
		if _, answer := p.response(id); answer.Error != nil {
			t.Error(answer.Error)
		}
	}
}
