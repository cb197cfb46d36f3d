package envelope

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// call runs a call of a tool, or finds that it ran, and answers with its result.
func (d *Door) call(ctx context.Context, v *visit, e Envelope, c ToolCall) error {
	if !d.known(e.Receiver) {
		return refused(UnknownReceiver, fieldReceiver)
	}
	ctx, cancel := context.WithTimeout(ctx, v.wait)
	defer cancel()
	a, err := d.opts.Calls.do(ctx, e.Sender, c)
	if errors.Is(err, errRuns) {
		return d.pending(v, ticket{Sender: e.Sender, Receiver: e.Receiver, Request: c.RequestID}, nil)
	}
	if err != nil {
		return err
	}
	return d.resultOf(v, e, a)
}

// resultOf answers with the end of a call.
func (d *Door) resultOf(v *visit, e Envelope, a answer) error {
	return d.result(v, e.Answer(resultID(a.CallID, a.at), a.at, Outcome{Text: a.Result, Failed: a.IsError}))
}

// fetchCall answers with the result of the call that a ticket names.
func (d *Door) fetchCall(ctx context.Context, v *visit, t ticket) error {
	_, gone := readTicket("")
	if d.opts.Calls == nil {
		return gone
	}
	a, run, known := d.opts.Calls.look(t.Sender, t.Request)
	if !known {
		return gone
	}
	if run != nil {
		ctx, cancel := context.WithTimeout(ctx, v.wait)
		defer cancel()
		select {
		case <-run.done:
		case <-ctx.Done():
			return d.pending(v, t, nil)
		}
		if run.end != nil {
			a = *run.end
		}
	}
	if a.CallID == "" { // it was cut short
		return stops()
	}
	asked := Envelope{Sender: t.Sender, Receiver: t.Receiver, Type: Call, Payload: json.RawMessage(object(fields{"request_id": appendjson.String(nil, t.Request)}))}
	return d.resultOf(v, asked, a)
}

// stopCall refuses to stop a call.
func stopCall() error {
	return gateway.NewError(gateway.StatusConflict, "a call of a tool is not stopped").WithHint("it ends by itself, at the latest when its time is over")
}
