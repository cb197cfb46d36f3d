package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// Reply is what a model under test says. The zero value is an empty reply.
type Reply struct {
	// Text and Reasoning come before the calls.
	Text, Reasoning string
	// Calls are tool calls, see [Call]; those without an id get one.
	Calls []event.Call
	// Finish is why the model stopped; empty means tool_calls if there are
	// calls, else stop.
	Finish event.Finish
	// Usage is what the reply cost; the server estimates it if it is zero.
	Usage event.Usage
	// Delay goes before the first piece.
	Delay time.Duration
	// Err ends the reply after Text and Reasoning, in place of calls and
	// finish. The server answers with the status of an [*model.Error], or 500.
	Err error
	// Wire says how [Server] sends the reply; clients ignore it.
	Wire Wire
}

// Wire is how a [Server] sends a reply. The zero value is a well-behaved
// server.
type Wire struct {
	// Status and Header are those of the answer; 0 means 200.
	Status int
	Header http.Header
	// Body, if not empty, is sent in place of all that the reply says.
	Body string
	// Chunk is how many characters of text, reasoning and arguments a piece
	// has; 0 means all at once. Pace goes between the pieces.
	Chunk int
	Pace  time.Duration
	// CutAfter breaks the connection after so many bytes of the body; 0 means
	// never.
	CutAfter int
	// NoDone, NoFinish and NoUsage leave these out of a stream.
	NoDone, NoFinish, NoUsage bool
	// RawFinish is sent as finish reason in place of [Reply.Finish].
	RawFinish string
}

// Call is a call of the tool. args is encoded as JSON; a string is taken as
// the exact text of the arguments, which may be broken, and nil is {}.
func Call(name string, args any) event.Call {
	switch a := args.(type) {
	case nil:
		return event.Call{Name: name, Arguments: "{}"}
	case string:
		return event.Call{Name: name, Arguments: a}
	}
	text, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("modeltest: arguments of %s: %v", name, err))
	}
	return event.Call{Name: name, Arguments: string(text)}
}

// finish is the finish reason with its default.
func (r Reply) finish() event.Finish {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return event.FinishToolCalls
	default:
		return event.FinishStop
	}
}

// calls are the calls, all with an id.
func (r Reply) calls(prefix string) []event.Call {
	var out []event.Call
	for i, c := range r.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%s_%d", prefix, i+1)
		}
		out = append(out, c)
	}
	return out
}

// number is the number of the reply that messages wait for, from 1.
func number(messages []model.Message) int {
	n := 1
	for _, m := range messages {
		if m.Role == model.Assistant {
			n++
		}
	}
	return n
}
