package envelope

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// job is a message on its way into a session.
type job struct {
	ticket
	text    string // what is read there
	warning string // of a version that is not known
	late    string // the line before a message that is old

	handle string // of the session
	*errand
}

// task hands a task to the team.
func (d *Door) task(ctx context.Context, v *visit, e Envelope) error {
	where := threadsOf(e.Metadata, e.Payload)
	if err := where.check(e.Metadata); err != nil {
		return err
	}
	text := e.Text()
	if strings.TrimSpace(text) == "" {
		return &Error{Invalid, []Remark{{Reason: BadField, Field: fieldPayload, Offset: -1, Want: WantText}}}
	}
	what := digest(appendjson.String(nil, e.Receiver), e.Payload, appendjson.String(nil, where.question))
	return d.hand(ctx, v, &job{text: text, late: d.late(e), ticket: ticket{
		Sender: e.Sender, Receiver: e.Receiver, MsgID: e.MsgID, What: hex.EncodeToString(what[:6]),
		Session: where.conversation(e.Sender, e.MsgID), Question: where.question,
	}})
}

// down hands over a message of a version that is not known, as text. Its sender is
// who came in, whatever it says, and where it belongs is read as far as it can be.
func (d *Door) down(ctx context.Context, v *visit, f Finding) error {
	e := f.Envelope
	if !v.id.Anyone || e.Sender == "" {
		e.Sender = v.id.User
	}
	if e.Receiver == "" || !d.known(e.Receiver) {
		e.Receiver = d.opts.Team
	}
	what := digest(v.raw)
	if e.MsgID == "" || len(e.MsgID) > maxID {
		e.MsgID = "text-" + hex.EncodeToString(what[:16])
	}
	raw := parse(v.raw)
	where := threadsOf(parse(raw[fieldMetadata]), raw[fieldPayload])
	warning := (&Error{Down, f.Notes}).Error()
	d.opts.Logger.Warn().AnErr("err", d.arrived(v, errors.New(warning))).Msg("an envelope of an unknown version is handed over as text")
	return d.hand(ctx, v, &job{text: Text(f, v.raw, d.opts.Words), warning: warning, ticket: ticket{
		Sender: e.Sender, Receiver: e.Receiver, MsgID: e.MsgID, What: hex.EncodeToString(what[:6]),
		Session: where.conversation(e.Sender, e.MsgID),
	}})
}

// hand gives a message to its session, unless it has it, and waits for what comes
// of it.
func (d *Door) hand(ctx context.Context, v *visit, j *job) error {
	if err := d.deliver(ctx, v, j); err != nil {
		return err
	}
	if j.warning != "" && !j.warned {
		w := event.Warning{Code: codeUnknownProto, Text: j.warning + " (" + j.id + ")"}
		if err := d.opts.Warn(ctx, j.handle, w); err != nil {
			return err
		}
	}
	return d.await(ctx, v, j)
}

// deliver gives a message to its session, unless it has it. Of messages with one id
// that come at once, each finds what the one before it left.
func (d *Door) deliver(ctx context.Context, v *visit, j *job) error {
	leave, err := d.alone(ctx, LogID(j.Sender, j.MsgID))
	if err != nil {
		return err
	}
	defer leave()
	if err := d.look(ctx, v, j); err != nil {
		return err
	}
	switch {
	case j.clash:
		return conflict(j)
	case j.given:
		return nil
	}
	if err := d.give(ctx, v, j); err != nil {
		return err
	}
	d.opts.Note(gateway.AuditEntry{
		Event: gateway.AuditSession, OK: true, User: v.id.User, Session: j.Session, Protocol: protocol, Remote: v.r.RemoteAddr,
		Detail: fmt.Sprintf("message %s from %s to %s", j.MsgID, j.Sender, j.Receiver),
	})
	return nil
}

// alone waits until nobody delivers a message with the id, and keeps others out until
// leave is called.
func (d *Door) alone(ctx context.Context, id string) (leave func(), err error) {
	mine := make(chan struct{})
	for {
		before := d.enter(id, mine)
		if before == mine {
			return func() { d.leave(id, mine) }, nil
		}
		select {
		case <-before:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// enter returns who delivers the id: mine, if nobody did.
func (d *Door) enter(id string, mine chan struct{}) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if before := d.delivering[id]; before != nil {
		return before
	}
	d.delivering[id] = mine
	return mine
}

func (d *Door) leave(id string, mine chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.delivering, id)
	close(mine)
}

// conflict refuses a message whose id, or the question that it answers, stands for
// something else.
func conflict(j *job) error {
	if j.question != "" {
		return refused(Conflict, fieldMetadata+"."+metaQuestion)
	}
	return refused(Conflict, fieldMsgID)
}

// look reads what the session knows of a message.
func (d *Door) look(ctx context.Context, v *visit, j *job) error {
	var last int64
	var err error
	if j.handle, last, err = d.opts.Sessions.Open(ctx, v.id.User, j.Session); err != nil {
		return err
	}
	j.errand = newErrand(j.ticket)
	j.errand.text = d.opts.Mask(j.text)
	if last == 0 {
		return nil
	}
	return j.read(d.opts.Sessions.Records(ctx, j.handle, 0))
}

// give hands a message to whom it is for.
func (d *Door) give(ctx context.Context, v *visit, j *job) error {
	agent, known, err := d.agentOf(ctx, j.handle, j.Receiver)
	switch {
	case err != nil:
		return err
	case !known:
		return refused(UnknownReceiver, fieldReceiver)
	case j.question != "":
		return d.answer(ctx, v, j)
	case agent != "":
		if err = d.opts.Sessions.Tell(ctx, j.handle, j.id, agent, j.late+j.text); codeOf(err) != gateway.CodeRest {
			return err
		}
	}
	text := j.late + j.text
	if !d.inTeam(j.Receiver) {
		text = d.opts.Words.AddressedTo(j.Receiver) + "\n" + text
	}
	return d.opts.Sessions.Submit(ctx, j.handle, j.id, text, nil)
}

// answer gives an answer to the question of a team. A second copy of the message that
// came at the same time finds the first one's.
func (d *Door) answer(ctx context.Context, v *visit, j *job) error {
	err := d.opts.Sessions.Answer(ctx, j.handle, j.question, j.text)
	if err == nil {
		j.given, j.waits = true, nil
		return nil
	}
	if again := d.look(ctx, v, j); again == nil && j.given {
		return nil
	}
	return err
}

// codeOf is the code of an error of the sessions; empty for others.
func codeOf(err error) string {
	type failing interface {
		error
		Failure() event.Failure
	}
	if f, ok := errors.AsType[failing](err); ok {
		return f.Failure().Code
	}
	return ""
}

// await waits for what comes of a message, and answers with it.
func (d *Door) await(ctx context.Context, v *visit, j *job) error {
	ctx, cancel := context.WithTimeout(ctx, v.wait)
	defer cancel()
	if v.wait > 0 && !j.settled() {
		for rec, err := range d.opts.Sessions.Follow(ctx, j.handle, j.seq) {
			if err != nil {
				if ctx.Err() != nil || codeOf(err) == gateway.CodeClosed {
					break
				}
				return err
			}
			if j.apply(rec); j.settled() {
				break
			}
		}
	}
	if j.end == nil || !j.given {
		return d.pending(v, j.ticket, j.waits)
	}
	e := Envelope{MsgID: j.MsgID, Sender: j.Sender, Receiver: j.Receiver, Type: Task}
	answer := e.Answer(resultID(j.id, j.end.at), j.end.at, j.end.Outcome)
	answer.Metadata = map[string]json.RawMessage{metaSession: appendjson.String(nil, j.Session)}
	return d.result(v, answer)
}

// fetch answers with the result for a ticket.
func (d *Door) fetch(ctx context.Context, v *visit, run string) error {
	t, err := d.ticket(v, run)
	if err != nil {
		return err
	}
	if t.Request != "" {
		return d.fetchCall(ctx, v, t)
	}
	j, err := d.recall(ctx, v, t)
	if err != nil {
		return err
	}
	return d.await(ctx, v, j)
}

// ticket reads the ticket in an address. Nobody comes for what another has asked.
func (d *Door) ticket(v *visit, run string) (ticket, error) {
	t, err := readTicket(run)
	if err == nil && !v.id.Anyone && t.Sender != v.id.User {
		_, err = readTicket("")
	}
	return t, err
}

// recall finds the message of a ticket in its session.
func (d *Door) recall(ctx context.Context, v *visit, t ticket) (*job, error) {
	j := &job{ticket: t}
	if err := d.look(ctx, v, j); err != nil {
		return nil, err
	}
	if !j.given {
		_, err := readTicket("")
		return nil, err
	}
	return j, nil
}

// stop stops the work on a message: the agent that got it, or the whole team.
func (d *Door) stop(ctx context.Context, v *visit, run string) error {
	t, err := d.ticket(v, run)
	if err != nil {
		return err
	}
	if t.Request != "" {
		return stopCall()
	}
	j, err := d.recall(ctx, v, t)
	if err != nil {
		return err
	}
	if j.end == nil {
		err = d.opts.Sessions.Stop(ctx, j.handle, j.agent, event.StopNow)
		if err != nil && codeOf(err) != gateway.CodeRest {
			return err
		}
		d.opts.Note(gateway.AuditEntry{
			Event: gateway.AuditSession, OK: true, User: v.id.User, Session: j.Session, Protocol: protocol, Remote: v.r.RemoteAddr,
			Detail: "stopped the work on message " + j.MsgID,
		})
	}
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}
