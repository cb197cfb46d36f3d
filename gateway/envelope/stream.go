package envelope

import (
	"crypto/sha256"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Stream checks messages in the order in which they arrive, and knows those
// that came before: one that comes again is [Repeat], and an id that stands
// for something else the second time is a fault. It remembers every id; who
// serves has a [Deduper] in its place, which forgets.
type Stream struct {
	options Options
	seen    map[[sha256.Size]byte][sha256.Size]byte // what an id of a sender stands for
}

// NewStream is a stream to which nothing has come yet.
func NewStream(o Options) *Stream {
	return &Stream{options: o, seen: map[[sha256.Size]byte][sha256.Size]byte{}}
}

// Check is the function [Check] for the next message.
func (s *Stream) Check(raw []byte) Finding {
	f := Check(raw, s.options)
	if f.Verdict.Refused() || f.Verdict == Down {
		return f
	}
	e := f.Envelope
	same := false
	if c, ok := e.ToolCall(); ok {
		switch known, isNew := s.meet("request", e.Sender, c.RequestID, c.digest()); {
		case isNew:
		case !known:
			return f.conflict(fieldPayload + ".request_id")
		default:
			f.repeated(fieldPayload + ".request_id")
			same = true
		}
	}
	known, isNew := s.meet("message", e.Sender, e.MsgID, digest(appendjson.String(nil, e.Receiver), appendjson.String(nil, string(e.Type)), e.Payload))
	switch {
	case isNew:
	case !known:
		return f.conflict(fieldMsgID)
	case !same:
		f.repeated(fieldMsgID)
	}
	return f
}

// meet notes what an id of a sender stands for. known is false if it stood for
// something else before.
func (s *Stream) meet(kind, sender, id string, what [sha256.Size]byte) (known, isNew bool) {
	key := digest(appendjson.String(nil, kind), appendjson.String(nil, sender), appendjson.String(nil, id))
	before, ok := s.seen[key]
	if !ok {
		s.seen[key] = what
	}
	return ok && before == what, !ok
}

// conflict refuses a message whose id was used for something else.
func (f Finding) conflict(field string) Finding {
	f.Verdict = Invalid
	f.Faults = append(f.Faults, Remark{Reason: Conflict, Field: field, Offset: -1})
	return f
}

// repeated notes that a message came before.
func (f *Finding) repeated(field string) {
	f.Verdict = Repeat
	f.Notes = append(f.Notes, Remark{Reason: Repeated, Field: field, Offset: -1})
}
