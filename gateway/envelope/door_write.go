package envelope

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// protocol is the name of the door in the audit.
const protocol = "envelope"

// resultID is the id of a result: the same whenever the same result is sent.
func resultID(what string, at time.Time) string {
	sum := digest(appendjson.String(nil, what), appendjson.String(nil, at.UTC().Format(time.RFC3339Nano)))
	return "r-" + hex.EncodeToString(sum[:8])
}

// result answers with a result, in the dialect of the request. One in which it has
// no form does not lose it: then it is an envelope.
func (d *Door) result(v *visit, e Envelope) error {
	text, _, err := v.dialect.Write(e)
	if err != nil {
		d.opts.Logger.Warn().Err(err).Msg("a dialect has no form for a result, which goes back as an envelope")
		if text, err = Encode(e); err != nil {
			return err
		}
	}
	writeBody(v.w, http.StatusOK, text)
	return nil
}

// pendingAnswer is the answer while there is no result.
type pendingAnswer struct {
	// Run is the ticket, Location where it is good.
	Run      string `json:"run"`
	Location string `json:"location"`
	// Status is "working" or, when the team waits for a person, "waiting".
	Status  string   `json:"status"`
	Waits   *waiting `json:"waits_for,omitempty"`
	Session string   `json:"session,omitempty"`
	// RequestID is that of the result to come.
	RequestID string `json:"request_id"`
}

// In how many seconds it makes sense to come back: for work, and for a person.
const (
	afterWork   = 1
	afterPerson = 5
)

// pending answers with a ticket.
func (d *Door) pending(v *visit, t ticket, waits *waiting) error {
	a := pendingAnswer{Run: t.String(), Status: "working", Waits: waits, Session: t.Session, RequestID: cmp.Or(t.Request, t.MsgID)}
	after := afterWork
	if waits != nil {
		a.Status, after = "waiting", afterPerson
	}
	a.Location = strings.TrimSuffix(d.opts.Path, "/") + "/" + a.Run
	if v.dialect.name != Native {
		a.Location += "?dialect=" + url.QueryEscape(v.dialect.name)
	}
	v.w.Header().Set("Location", a.Location)
	v.w.Header().Set("Retry-After", strconv.Itoa(after))
	writeJSON(v.w, http.StatusAccepted, a)
	return nil
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte("{}")
	}
	writeBody(w, status, text)
}

// writeBody answers with a line of JSON. Who does not read it comes back.
func writeBody(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// refusal is the body of an answer that refuses.
type refusal struct {
	*gateway.Error
	Reason Reason `json:"reason,omitempty"`
	Field  string `json:"field,omitempty"`
	// Faults are all that was found; Reason and Field are those of the first.
	Faults []Remark `json:"faults,omitempty"`
}

// refuse answers with an error, and writes it into the log and the audit.
func (d *Door) refuse(v *visit, err error) {
	body := refusal{}
	if faulty, ok := errors.AsType[*Error](err); ok {
		first := faulty.Remarks[0]
		body = refusal{d.refusalOf(v, faulty), first.Reason, first.Field, faulty.Remarks}
	} else {
		body.Error = gateway.ErrorOf(err)
	}
	d.opts.Logger.Warn().AnErr("err", d.arrived(v, err)).Msg("an envelope is refused")
	d.audit(v, body)
	h := v.w.Header()
	switch body.Code {
	case gateway.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case gateway.StatusTooLarge, http.StatusRequestTimeout:
		h.Set("Connection", "close") // the rest of the message is not read
	default:
	}
	if body.RetryAfterMS > 0 {
		h.Set("Retry-After", strconv.FormatInt((body.RetryAfterMS+999)/1000, 10))
	}
	writeJSON(v.w, int(body.Code), body)
}

// audit notes a refusal that is about who somebody is or how much it sends.
func (d *Door) audit(v *visit, body refusal) {
	e := gateway.AuditEntry{Event: gateway.AuditAuth, User: v.id.User, Protocol: protocol, Remote: v.r.RemoteAddr, Detail: body.Message}
	switch body.Code {
	case gateway.StatusUnauthorized, gateway.StatusForbidden:
	case gateway.StatusTooMany, gateway.StatusTooLarge:
		e.Event = gateway.AuditLimit
	default:
		return
	}
	d.opts.NoteRefusal(e)
}

// arrived is an error with who sent what, in which only what a remark would show is
// shown.
func (d *Door) arrived(v *visit, err error) error {
	who := cmp.Or(v.id.User, "somebody")
	if v.raw == nil {
		return fmt.Errorf("%s %s from %s at %s: %w", v.r.Method, d.opts.Path, who, v.r.RemoteAddr, err)
	}
	return fmt.Errorf("from %s at %s: %w; what arrived: %s", who, v.r.RemoteAddr, err, redacted(v.raw))
}

// redacted says what a message is without saying what is in it: the fields of the
// envelope as remarks show them, of payload, metadata and unknown ones the kind.
func redacted(raw []byte) string {
	text := string(raw)
	members, r := scan(text)
	if r != nil {
		return fmt.Sprintf("%d bytes", len(raw))
	}
	const most = 16
	var parts []string
	for i, m := range members {
		if i == most {
			parts = append(parts, "…")
			break
		}
		value := text[m.start:m.end]
		switch m.name {
		case fieldMsgID, fieldSender, fieldReceiver, fieldType, fieldTS, fieldProto:
			value = shown(value)
		default:
			value = kindOf(value)
		}
		parts = append(parts, shortName(m.name)+" "+value)
	}
	return fmt.Sprintf("%d bytes: %s", len(raw), strings.Join(parts, ", "))
}

// shortName is a name as it may stand in a line.
func shortName(name string) string {
	if len(name) > maxShown {
		name = name[:maxShown] + "…"
	}
	if quoted := strconv.QuoteToGraphic(name); strings.ContainsFunc(name, unicode.IsSpace) || len(quoted) != len(name)+len(`""`) {
		return quoted
	}
	return name
}

// statusOf is the status for what is wrong with a message.
func statusOf(r Reason) gateway.Status {
	switch r {
	case TooLarge:
		return gateway.StatusTooLarge
	case WrongSender, UnlistedTool:
		return gateway.StatusForbidden
	case UnknownReceiver, UnknownRequest:
		return gateway.StatusNotFound
	case Conflict:
		return gateway.StatusConflict
	default:
		return gateway.StatusBad
	}
}

// refusalOf words what is wrong with a message, and what to do about it.
func (d *Door) refusalOf(v *visit, err *Error) *gateway.Error {
	first := err.Remarks[0]
	e := gateway.NewError(statusOf(first.Reason), "%s", strings.TrimPrefix(err.Error(), "envelope: "))
	switch first.Reason {
	case TooLarge:
		return e.WithHint(fmt.Sprintf("a message has at most %d bytes; put what is large into a file and name it", d.opts.MaxBytes))
	case WrongSender:
		return e.WithHint(fmt.Sprintf("the token is that of %q: send it as that", v.id.User))
	case UnknownReceiver, Broadcast, SelfAddressed:
		return e.WithHint("send it to one of " + strings.Join(append([]string{d.opts.Team}, d.roleNames()...), ", "))
	case UnlistedTool:
		return e.WithHint("tools that may be called stand in serve.envelope.tools of the team file")
	case UnknownRequest:
		return e.WithHint("this server asks nobody by envelopes; results come in the answer to a task or a call")
	case Conflict:
		return e.WithHint("an id stands for one message; give another one an id of its own")
	default:
		return e.WithHint("look at the message with: troupe envelope explain; the fields stand in docs/envelope.md")
	}
}
