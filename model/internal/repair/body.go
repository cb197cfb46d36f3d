package repair

import (
	"bytes"
	"errors"
	"io"
)

// Body is a response body that the client library reads well. It is read by
// one goroutine.
type Body struct {
	lines    lines
	close    io.Closer
	kind     kind
	progress func() // called when something comes that brings the reply forward

	out   []byte   // what is left of the event that is handed on
	queue [][]byte // JSON values that came together with others
	fail  error    // what ends the reading when out and queue are empty
	parts []byte   // memory for rewritten events

	pending    []byte // data lines of an event that is not complete yet
	hasPending bool
	errorEvent bool   // the event is called error
	stray      []byte // lines that belong to no event

	content, reasoning joiner
	spoken, called     bool // a piece of text or of a call came
	plain              bool // the body is JSON, not a stream
	kept               Kept
	said               Said // of the event that is handed on,
	clear              bool // if it is known
	facts              Facts
}

// Kept is what an event holds and the client library drops or damages.
type Kept struct {
	// Calls are the pieces of tool calls; the event has then none for the
	// library.
	Calls []Piece
	// ReasoningField is the field that reasoning came in, if it is another
	// than reasoning_content.
	ReasoningField string
	// Details are the items of reasoning_details.
	Details [][]byte
	// Fields are other fields of the message that go back with it.
	Fields map[string][]byte
}

// Piece is a piece of a tool call.
type Piece struct {
	Index    *int // nil if it has none
	ID, Name string
	// Args are added to the arguments so far. They may hold halves of
	// characters; see [Whole].
	Args []byte
	// Complete says that the piece is a whole call of its own.
	Complete bool
	// Extra are the fields of the call that the protocol does not know.
	Extra map[string][]byte
}

// Facts are what is known of the body as a whole so far.
type Facts struct {
	Done     bool // the end mark came
	Finished bool // a finish reason came
	Skipped  int  // events that hold nothing of a reply
}

// NewBody returns the body r, repaired. While it is read, progress is called for
// each piece that brings the reply forward: one with text, reasoning, a call or a
// finish reason, or a part of what is too long to be looked at yet. Comments and
// pieces that say nothing are none.
func NewBody(r io.ReadCloser, progress func()) *Body {
	return &Body{lines: lines{r: r, progress: progress}, close: r, progress: progress}
}

// Read returns bytes of one event. Its errors are io.EOF after the end mark or
// the body's end, what reading the body failed with, or an [*Error].
func (b *Body) Read(p []byte) (int, error) {
	for len(b.out) == 0 {
		if len(b.queue) == 0 && b.fail != nil {
			return 0, b.fail
		}
		b.kept, b.said, b.clear = Kept{}, Said{}, false
		if len(b.queue) > 0 {
			value := b.queue[0]
			b.queue = b.queue[1:]
			b.value(value)
			continue
		}
		b.step()
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// Close closes the body below.
func (b *Body) Close() error { return b.close.Close() }

// Take returns what the event that was read last holds beside what the client
// library got.
func (b *Body) Take() Kept {
	k := b.kept
	b.kept = Kept{}
	return k
}

// Facts returns what is known so far.
func (b *Body) Facts() Facts { return b.facts }

// step reads on until there is something to hand on, queue or fail; it may
// also return with nothing, after a line that says nothing.
func (b *Body) step() {
	switch b.kind {
	case unknown:
		if b.kind = b.lines.sniff(); b.kind != events {
			b.progress()
		}
	case events:
		b.event()
	case document:
		b.document()
	case foreign:
		text, err := b.lines.rest(maxForeign)
		b.fail = err
		if err == nil {
			b.fail = &Error{Kind: ErrForeign, Text: bytes.Clone(text[:min(len(text), maxForeign)])}
		}
	}
}

// stop ends the reading: nothing that comes later counts.
func (b *Body) stop(err error) {
	b.fail = err
	b.queue = nil
	b.pending, b.hasPending = nil, false
}

// finish ends the reading well, or where the body ended. A character that was
// held back is handed on unless the body's cut made it incomplete.
func (b *Body) finish(cause error) {
	b.stop(cause)
	if !b.facts.Done && !b.facts.Finished {
		return
	}
	if text, thought := b.content.flush(), b.reasoning.flush(); text != "" || thought != "" {
		b.write(&message{content: text, reasoning: thought})
	}
}

// event reads one line of a stream.
func (b *Body) event() {
	l, err := b.lines.next()
	if err != nil {
		b.endOfEvents(err)
		return
	}
	if len(l.text) == 0 {
		b.flushPending(nil)
		b.errorEvent = false
		return
	}
	name, value, _ := bytes.Cut(l.text, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		b.data(value, l)
	case "event":
		b.errorEvent = string(bytes.TrimSpace(value)) == "error"
	case "error":
		b.stop(&Error{Kind: ErrProvider, Text: bytes.Clone(value)})
	case "", "id", "retry":
	default:
		b.foreignLine(l)
	}
}

// data takes in one data line. An event whose first line is a whole value is
// handed on without waiting for the blank line, because many streams have
// none.
func (b *Body) data(value []byte, l line) {
	switch {
	case b.hasPending:
	case b.passes(value):
		b.pass(value, l.raw)
		return
	case b.whole(value):
		b.value(value)
		return
	case b.lines.open: // the body was cut here
		return
	default:
		b.pending, b.hasPending = append(b.pending[:0], value...), true
		return
	}
	if len(b.pending)+len(value) >= MaxLine {
		b.stop(errTooLong)
		return
	}
	b.pending = append(append(b.pending, '\n'), value...)
}

// whole reports whether a data line needs no other line after it.
func (b *Body) whole(value []byte) bool {
	v := bytes.TrimSpace(value)
	if len(v) == 0 || isEndMark(v) {
		return true
	}
	switch v[0] {
	case '{', '[', '"':
		return valid(v)
	}
	return !b.lines.open || isKeepAlive(v)
}

// flushPending ends an event of several lines; cut is what ended the body, nil
// after a blank line.
func (b *Body) flushPending(cut error) {
	if !b.hasPending {
		return
	}
	text := b.pending
	b.hasPending = false
	switch {
	case b.errorEvent && cut == nil:
		b.stop(&Error{Kind: ErrProvider, Text: bytes.Clone(text)})
	case valid(text):
		b.queue = append(b.queue, bytes.Clone(text))
	case b.split(text): // events without blank lines between them
	case cut == nil:
		b.stop(&Error{Kind: ErrUnreadable, Text: bytes.Clone(text)})
	}
}

// split queues each line of text, if each is a value of its own.
func (b *Body) split(text []byte) bool {
	all := bytes.Split(text, []byte("\n"))
	if len(all) < 2 {
		return false
	}
	for _, one := range all {
		if !b.whole(one) {
			return false
		}
	}
	for _, one := range all {
		b.queue = append(b.queue, bytes.Clone(one))
	}
	return true
}

// maxStray bounds what is kept of lines that belong to no event, in bytes.
const maxStray = 64 << 10

// foreignLine takes in a line that no stream has: perhaps an error that was
// written without the form of an event.
func (b *Body) foreignLine(l line) {
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return
	}
	if text[0] == '{' && valid(text) {
		b.value(bytes.Clone(text))
		return
	}
	if len(b.stray) < maxStray {
		b.stray = append(append(b.stray, l.text[:min(len(l.text), maxStray)]...), '\n')
	}
}

// endOfEvents ends a stream that has no end mark.
func (b *Body) endOfEvents(cause error) {
	b.flushPending(cause)
	if b.fail != nil {
		return
	}
	if len(b.queue) > 0 {
		b.lines.err = cause // comes again after the queue
		return
	}
	if text := bytes.TrimSpace(b.stray); !b.facts.Finished && len(text) > 0 && valid(text) {
		if c := parse(text); c.failure != nil {
			b.stop(&Error{Kind: ErrProvider, Text: bytes.Clone(c.failure)})
			return
		}
	}
	if errors.Is(cause, ErrTooLong) {
		b.stop(cause)
		return
	}
	b.finish(cause)
}
