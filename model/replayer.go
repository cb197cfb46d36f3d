package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"strings"
	"sync"
	"unicode/utf8"
)

// MismatchError says that a request is not the one that was recorded. A
// [Replayer] yields it inside an [*Error] of class bad_request.
type MismatchError struct {
	Agent string // who asked
	Call  int    // the number of its call, from 1
	Part  string // what differs first, for example "message 3 (tool)"
	// Diff shows the place: a line with "-" as it was recorded, one with "+" as
	// it is now. Long texts are cut around the first difference.
	Diff string
}

// Error names agent, call and part, and shows the difference.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("model: call %d of %s is not the recorded one: %s differs\n%s", e.Call, e.Agent, e.Part, e.Diff)
}

// Replayer is a client that answers from a recording of a [Recorder]: each
// agent gets the replies that it got then, in the order of its requests, with
// their notices and errors and without their waits. A request that differs
// from the recorded one is refused. It is safe for use by many agents at once.
type Replayer struct {
	mu     sync.Mutex // guards agents
	agents map[string]*tape
}

// tape is the recording of one agent.
type tape struct {
	calls []*tapedCall
	next  int // index of the call that is asked next
}

// tapedCall is one recorded call.
type tapedCall struct {
	request tapeRequest
	chunks  []*tapeChunk
	err     *tapeError
	end     tapeEnd
}

// NewReplayer reads a recording to its end. A last line without its newline is
// left out, as a crash leaves it; the error names any other line that cannot
// be read.
func NewReplayer(r io.Reader) (*Replayer, error) {
	p := &Replayer{agents: map[string]*tape{}}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err == nil {
			err = p.load(text)
		}
		if err != nil {
			return nil, fmt.Errorf("model: recording, line %d: %w", n, err)
		}
	}
}

// load takes one line in.
func (p *Replayer) load(text []byte) error {
	var line tapeLine
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	t := p.agents[line.Agent]
	if t == nil {
		t = &tape{}
		p.agents[line.Agent] = t
	}
	if line.Request != nil {
		if line.Call != len(t.calls)+1 {
			return fmt.Errorf("call %d of %s where call %d is due", line.Call, line.Agent, len(t.calls)+1)
		}
		t.calls = append(t.calls, &tapedCall{request: *line.Request})
		return nil
	}
	if line.Call < 1 || line.Call > len(t.calls) {
		return fmt.Errorf("call %d of %s has no request", line.Call, line.Agent)
	}
	c := t.calls[line.Call-1]
	switch {
	case c.err != nil || c.end != "":
		return fmt.Errorf("call %d of %s goes on after its end", line.Call, line.Agent)
	case line.Chunk != nil:
		c.chunks = append(c.chunks, line.Chunk)
	case line.Error != nil:
		c.err = line.Error
	default:
		c.end = line.End
	}
	return nil
}

// Left counts the recorded calls that nobody asked for, by agent; it is empty
// when all were.
func (p *Replayer) Left() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := map[string]int{}
	for agent, t := range p.agents {
		left[agent] = len(t.calls) - t.next
	}
	maps.DeleteFunc(left, func(_ string, n int) bool { return n == 0 })
	return left
}

// Stream answers as recorded; see [Client]. A refused request can be made
// again. Where the recording of a call breaks off, the error is of class
// truncated_stream.
func (p *Replayer) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		c, err := p.take(req)
		if err != nil {
			yield(Chunk{}, err)
			return
		}
		for _, piece := range c.chunks {
			if ctx.Err() != nil {
				yield(Chunk{}, cancelled(ctx))
				return
			}
			if !yield(piece.chunk(), nil) {
				return
			}
		}
		switch {
		case c.err != nil:
			yield(Chunk{}, c.err.err())
		case c.end != tapeDone:
			e := NewError(ClassTruncatedStream, "the recording of this call ends here")
			e.Retryable = false
			yield(Chunk{}, e)
		}
	}
}

// take returns the next call of the agent, if the request is that of the
// recording.
func (p *Replayer) take(req Request) (*tapedCall, error) {
	form, err := formOf(req)
	if err != nil {
		return nil, refused(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.agents[req.Agent]
	if t == nil {
		t = &tape{}
	}
	m := &MismatchError{Agent: req.Agent, Call: t.next + 1}
	if t.next == len(t.calls) {
		m.Part, m.Diff = "the number of calls", diffLines(fmt.Sprintf("%d calls", len(t.calls)), "one more")
		return nil, refused(m)
	}
	c := t.calls[t.next]
	if c.request.Digest == form.digest() {
		t.next++
		return c, nil
	}
	was, err := t.form(t.next)
	if err != nil {
		return nil, refused(err)
	}
	m.Part, m.Diff = was.difference(form)
	return nil, refused(m)
}

// refused is the error of a request that is not answered.
func refused(err error) *Error {
	e := NewError(ClassBadRequest, strings.TrimPrefix(err.Error(), "model: "))
	e.Err = err
	return e
}

// form puts together the request of the call with index i.
func (t *tape) form(i int) (requestForm, error) {
	var req Request
	for _, c := range t.calls[:i+1] {
		same := min(c.request.Same, len(req.Messages))
		req.Messages = append(req.Messages[:same:same], c.request.Messages...)
		if !c.request.SameTools {
			req.Tools = c.request.Tools
		}
		req.AgentRole, req.MaxOutputTokens = c.request.Role, c.request.MaxTokens
	}
	return formOf(req)
}

// difference finds the first part in which a recorded request differs from
// the one now.
func (f requestForm) difference(now requestForm) (part, diff string) {
	switch {
	case f.role != now.role:
		return "the role", diffLines(f.role, now.role)
	case f.maxTokens != now.maxTokens:
		return "the bound on the reply", diffLines(fmt.Sprint(f.maxTokens), fmt.Sprint(now.maxTokens))
	}
	if i, was, is, ok := firstOdd(f.messages, now.messages); ok {
		return fmt.Sprintf("message %d (%s)", i, roleIn(was, is)), diffLines(was, is)
	}
	if i, was, is, ok := firstOdd(f.tools, now.tools); ok {
		return fmt.Sprintf("tool %d", i), diffLines(was, is)
	}
	return "the digest", diffLines("another one", now.digest())
}

// firstOdd finds the first element in which two lists differ; "nothing" stands
// for one that a list does not have.
func firstOdd(a, b []string) (i int, was, is string, ok bool) {
	i = commonPrefix(a, b)
	at := func(list []string) string {
		if i < len(list) {
			return list[i]
		}
		return "nothing"
	}
	return i, at(a), at(b), i < len(a) || i < len(b)
}

// roleIn is the role of the first of two messages that is one.
func roleIn(forms ...string) Role {
	for _, text := range forms {
		var m Message
		if json.Unmarshal([]byte(text), &m) == nil {
			return m.Role
		}
	}
	return ""
}

// diffLines shows two texts, cut around the first byte in which they differ.
func diffLines(was, is string) string {
	at := 0
	for at < len(was) && at < len(is) && was[at] == is[at] {
		at++
	}
	return "- " + around(was, at) + "\n+ " + around(is, at)
}

// around cuts a text to what stands around a place in it.
func around(text string, at int) string {
	const before, after = 60, 100
	from, to := max(0, at-before), min(len(text), at+after)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	out := text[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}
