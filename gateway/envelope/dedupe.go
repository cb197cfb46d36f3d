package envelope

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// DedupeTTL is how long a result is kept, unless [NewDeduper] is told
// otherwise.
const DedupeTTL = 10 * time.Minute

// Action is what is to be done with a call of a tool.
type Action string

// The actions.
const (
	Run    Action = "run"    // append [Decision.Started], run the tool, append [Decision.Finished]
	Wait   Action = "wait"   // the same call runs; decide again when it has ended
	Return Action = "return" // the same call has ended; its result is the answer
	Refuse Action = "refuse" // the request id was used for another call
)

// Effect says what a call of a tool does when it runs twice; the words are those
// of package tools.
type Effect string

// The effects.
const (
	Once       Effect = ""           // something happens twice
	Idempotent Effect = "idempotent" // nothing more, as long as the request id is the same
	Pure       Effect = "pure"       // nothing: it only reads
)

// Decision is what [Deduper.Decide] says about a call.
type Decision struct {
	Action Action
	// CallID is the call in the log: the one to run, or the one that ran or
	// runs.
	CallID string
	// RequestID is the call's in the log; a tool that is repeated after a
	// crash gets it with the call. It is the same whenever the sender sends
	// the same request.
	RequestID string
	// Again says, for [Run], that the call ran before, and that nobody knows how
	// far it came.
	Again bool
	// Result is that of the earlier call, for [Return].
	Result event.ToolFinished

	call  ToolCall
	ended time.Time // of the earlier call, for [Return]
}

// Started is the record with which a call begins to run. It carries the sender
// and the request id in its RequestID and, with a number, in its CallID.
func (d Decision) Started() event.ToolStarted {
	return event.ToolStarted{
		CallID: d.CallID, Name: d.call.Name, Arguments: string(d.call.Params), RequestID: d.RequestID,
	}
}

// Finished is the record with which the call ends. It carries the sender and
// the request id in its CallID.
func (d Decision) Finished(o Outcome, took time.Duration) event.ToolFinished {
	return event.ToolFinished{
		CallID: d.CallID, Name: d.call.Name, Result: o.Text, IsError: o.Failed, DurationMS: took.Milliseconds(),
	}
}

// idEscapes keep the two ids of a request apart where they are joined.
var (
	idEscapes   = strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23")
	idUnescapes = strings.NewReplacer("%25", "%", "%2F", "/", "%23", "#")
)

// LogID is how the log names a request: sender and request id with a slash
// between them; a slash, "#" or "%" in either is written as in a URL.
func LogID(sender, requestID string) string {
	return idEscapes.Replace(sender) + "/" + idEscapes.Replace(requestID)
}

// ParseLogID takes apart what [LogID] wrote, or the call id of such a request.
func ParseLogID(id string) (sender, requestID string, ok bool) {
	id, _, _ = strings.Cut(id, "#")
	sender, requestID, ok = strings.Cut(id, "/")
	return idUnescapes.Replace(sender), idUnescapes.Replace(requestID), ok && !strings.Contains(requestID, "/")
}

// Deduper is the table of the calls that came to one team in envelopes: a fold
// of the records with which they start and finish, whose agent is
// [event.Runtime]. It changes in [Deduper.Apply] only, so that a table made
// from the log after a crash is the one that was lost.
//
// It has no lock: who serves holds one over Decide, the append of Started and
// its Apply, so that of two copies that come at once one runs.
type Deduper struct {
	ttl     time.Duration
	now     func() time.Time
	started int // calls so far; the number behind the next call id
	calls   map[string]*request
	running map[string]*request // by call id
	ended   []*request          // in the order of their ends
}

// request is the last call of a request.
type request struct {
	number   int // of the call, from 1
	started  event.ToolStarted
	digest   [sha256.Size]byte
	cut      bool // the program ended while it ran
	finished *event.ToolFinished
	ended    time.Time
}

// again reports whether a call that failed runs when it is sent again: it can
// have done nothing, or nothing that doing it again would make worse.
func (r *request) again(e Effect) bool {
	return e == Pure || e == Idempotent && r.cut
}

// NewDeduper makes an empty table. Results are kept for ttl after the end of
// the call, [DedupeTTL] if it is not positive; now is the clock, by default
// [time.Now].
func NewDeduper(ttl time.Duration, now func() time.Time) *Deduper {
	if ttl <= 0 {
		ttl = DedupeTTL
	}
	if now == nil {
		now = time.Now
	}
	return &Deduper{ttl: ttl, now: now, calls: map[string]*request{}, running: map[string]*request{}}
}

// Decide says what is to be done with a call from sender; it changes nothing
// that matters. A request that came before is decided by its first call:
//
//   - another tool or other params: [Refuse];
//   - it runs: [Wait];
//   - it ended well: [Return];
//   - it failed: [Run] if the tool is pure, which means that it ended before
//     any effect; else [Return], with the failure;
//   - the program ended while it ran: [Run] if the tool is pure or idempotent;
//     else [Return], with the word that nobody knows.
//
// What is refused before it starts (an unlisted tool, a rule, bad arguments)
// has no records, so it is decided anew each time.
func (d *Deduper) Decide(sender string, c ToolCall, effect Effect) Decision {
	d.forget()
	id := LogID(sender, c.RequestID)
	fresh := Decision{Action: Run, CallID: fmt.Sprintf("%s#%d", id, d.started+1), RequestID: id, call: c}
	r, ok := d.calls[id]
	if !ok {
		return fresh
	}
	known := Decision{CallID: r.started.CallID, RequestID: id, call: c}
	switch {
	case r.digest != c.digest():
		known.Action = Refuse
	case r.finished == nil:
		known.Action = Wait
	case r.finished.IsError && r.again(effect):
		fresh.Again = r.cut
		return fresh
	default:
		known.Action, known.Result, known.ended = Return, *r.finished, r.ended
	}
	return known
}

// Apply folds a record of the log; records of other types or agents change
// nothing. A run that is resumed says that what runs was cut off.
func (d *Deduper) Apply(rec event.Record) {
	if _, ok := rec.Data.(event.RunResumed); ok {
		for _, r := range d.running {
			r.cut = true
		}
	}
	if rec.Agent != event.Runtime {
		return
	}
	switch data := rec.Data.(type) {
	case event.ToolStarted:
		if _, _, ok := ParseLogID(data.RequestID); !ok {
			return
		}
		c := ToolCall{Name: data.Name, Params: []byte(data.Arguments)}
		d.started++
		data.Arguments = "" // which may be long, and stand in the log
		r := &request{number: d.started, started: data, digest: c.digest()}
		d.calls[data.RequestID], d.running[data.CallID] = r, r
	case event.ToolFinished:
		r, ok := d.running[data.CallID]
		if !ok {
			return
		}
		delete(d.running, data.CallID)
		r.finished, r.ended = &data, rec.Time
		d.ended = append(d.ended, r)
		d.forget()
	default:
	}
}

// Open are the calls that have started and not ended, without their arguments, in the
// order in which they started. After a crash nothing runs any more, and nobody knows how far these
// came: append an [event.RunResumed], and for each an [event.ToolFinished] that
// says so, an error, before the first decision.
func (d *Deduper) Open() []event.ToolStarted {
	open := slices.SortedFunc(maps.Values(d.running), func(a, b *request) int { return cmp.Compare(a.number, b.number) })
	started := make([]event.ToolStarted, len(open))
	for i, r := range open {
		started[i] = r.started
	}
	return started
}

// forget drops results that are too old.
func (d *Deduper) forget() {
	oldest := d.now().Add(-d.ttl)
	n := 0
	for ; n < len(d.ended) && !d.ended[n].ended.After(oldest); n++ {
		if id := d.ended[n].started.RequestID; d.calls[id] == d.ended[n] {
			delete(d.calls, id)
		}
	}
	d.ended = d.ended[n:]
}
