package model

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// NewScripted returns a client that plays the script for all agents that ask
// it. It waits only where the script says so.
func NewScripted(s *Script) Client {
	return &scripted{script: s, spoiled: make(map[playKey]int)}
}

type scripted struct {
	script *Script

	mu      sync.Mutex // guards spoiled
	spoiled map[playKey]int
}

// playKey names a reply of an agent, for counting its faults.
type playKey struct {
	agent  string
	number int
	entry  *entry
}

// Stream plays the entry that fits the request; see [Client].
func (s *scripted) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(Chunk{}, cancelled(ctx))
			return
		}
		sit := situationOf(req)
		e, ok := s.script.find(sit)
		if !ok {
			yield(Chunk{}, s.script.unmatched(sit.view))
			return
		}
		line, err := e.line(&sit.view)
		if err != nil {
			yield(Chunk{}, NewError(ClassBadRequest, fmt.Sprintf("script %s: %v", s.script.Name, err)))
			return
		}
		line.spoil(s.fault(e, &sit.view))
		line.play(ctx, yield)
	}
}

// fault returns what goes wrong with this play of the entry, nil for nothing.
func (s *scripted) fault(e *entry, view *ScriptView) *fault {
	if e.fault == nil {
		return nil
	}
	key := playKey{view.Agent, view.Number, e}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.fault.times >= 0 && s.spoiled[key] >= e.fault.times {
		return nil
	}
	s.spoiled[key]++
	return e.fault
}

// line is a reply as it will be played.
type line struct {
	text, reasoning string
	last            Chunk
	pacing          pacing
	err             *Error // ends the reply in place of last
}

// line fills the entry's templates in.
func (e *entry) line(view *ScriptView) (*line, error) {
	out := &line{pacing: e.pacing, last: Chunk{Finish: e.finish, Usage: e.usage}}
	var err error
	if out.text, err = play(e.text, view); err != nil {
		return nil, err
	}
	if out.reasoning, err = play(e.reasoning, view); err != nil {
		return nil, err
	}
	for i, c := range e.calls {
		args, err := c.args(view)
		if err != nil {
			return nil, err
		}
		id := fmt.Sprintf("call_%s_%d_%d", view.Agent, view.Number, i+1)
		out.last.Calls = append(out.last.Calls, event.Call{ID: id, Name: c.tool, Arguments: args})
	}
	return out, nil
}

// spoil applies a fault; nil leaves the line as it is.
func (l *line) spoil(f *fault) {
	switch {
	case f == nil:
		return
	case f.status != 0:
		words := f.message
		if words == "" {
			words = fmt.Sprintf("scripted failure with status %d", f.status)
		}
		l.err = NewError(classOf(f.status, words, ""), words)
		l.err.Status, l.err.RetryAfter = f.status, f.retryAfter
		l.text, l.reasoning = "", ""
	case f.empty:
		l.err = NewError(ClassEmptyResponse, "the reply ended before anything came")
		l.text, l.reasoning = "", ""
	default:
		l.err = NewError(ClassTruncatedStream, "the reply stopped half-way")
		if runes := []rune(l.text); f.stopAfter < len(runes) {
			l.text = string(runes[:f.stopAfter])
		}
		l.err.Partial = l.text
	}
}

// play yields the pieces of the line in time.
func (l *line) play(ctx context.Context, yield func(Chunk, error) bool) {
	if err := sleep(ctx, l.pacing.delay); err != nil {
		yield(Chunk{}, err)
		return
	}
	first := true
	for chunk := range l.pieces() {
		if !first {
			if err := sleep(ctx, l.pacing.pace); err != nil {
				yield(Chunk{}, err)
				return
			}
		}
		first = false
		if !yield(chunk, nil) {
			return
		}
	}
	if l.err != nil {
		yield(Chunk{}, l.err)
		return
	}
	yield(l.last, nil)
}

// pieces yields reasoning, then text, in pieces of the wanted size.
func (l *line) pieces() iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		for piece := range split(l.reasoning, l.pacing.chunk) {
			if !yield(Chunk{Reasoning: piece}) {
				return
			}
		}
		for piece := range split(l.text, l.pacing.chunk) {
			if !yield(Chunk{Text: piece}) {
				return
			}
		}
	}
}

// split yields text in pieces of n characters; n below 1 means all at once.
func split(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := len(text)
			if n > 0 {
				end = 0
				for range n {
					_, size := utf8.DecodeRuneInString(text[end:])
					end += size
				}
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
