package model

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
)

// Recorder is a client that writes down what another one is asked and says,
// for a [Replayer]. Make one with [NewRecorder]. It is safe for use by many
// agents at once.
type Recorder struct {
	client Client

	mu     sync.Mutex // guards all below
	w      io.Writer
	agents map[string]*taped
	err    error // the first that kept something from being written
}

// taped is what was recorded of an agent: how many calls, and the last request.
type taped struct {
	calls int
	last  requestForm
}

// NewRecorder returns a client that asks c and writes each request and each
// piece of its reply to w, as lines of JSON. The lines hold whole conversations,
// and replies as the model wrote them: nothing is masked.
func NewRecorder(c Client, w io.Writer) *Recorder {
	return &Recorder{client: c, w: w, agents: map[string]*taped{}}
}

// Err is the first error that kept something from being recorded; nothing more
// is written after it. Calls go on without a recording.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Stream asks the client; see [Client]. Each piece is written before it is
// yielded.
func (r *Recorder) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		call := r.begin(req)
		for chunk, err := range r.client.Stream(ctx, req) {
			if err != nil {
				r.write(tapeLine{Agent: req.Agent, Call: call, Error: tapedError(err)})
				yield(chunk, err)
				return
			}
			r.write(tapeLine{Agent: req.Agent, Call: call, Chunk: tapedChunk(chunk)})
			if !yield(chunk, nil) {
				r.write(tapeLine{Agent: req.Agent, Call: call, End: tapeStopped})
				return
			}
		}
		r.write(tapeLine{Agent: req.Agent, Call: call, End: tapeDone})
	}
}

// begin writes a request and returns the number of its call.
func (r *Recorder) begin(req Request) int {
	form, err := formOf(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.agents[req.Agent]
	if a == nil {
		a = &taped{}
		r.agents[req.Agent] = a
	}
	a.calls++
	if err != nil {
		r.fail(err)
		return a.calls
	}
	same := commonPrefix(a.last.messages, form.messages)
	line := &tapeRequest{
		Digest: form.digest(), Role: req.AgentRole, MaxTokens: req.MaxOutputTokens, Same: same, Messages: req.Messages[same:],
	}
	if n := len(form.tools); n == len(a.last.tools) && commonPrefix(a.last.tools, form.tools) == n {
		line.SameTools = true
	} else {
		line.Tools = req.Tools
	}
	a.last = form
	r.writeLocked(tapeLine{Agent: req.Agent, Call: a.calls, Request: line})
	return a.calls
}

// commonPrefix is how many texts the two lists begin with alike.
func commonPrefix(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (r *Recorder) write(line tapeLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeLocked(line)
}

// writeLocked writes a line with one call of the writer; the caller holds r.mu.
func (r *Recorder) writeLocked(line tapeLine) {
	if r.err != nil {
		return
	}
	text, err := jsonText(line)
	if err == nil {
		_, err = io.WriteString(r.w, text+"\n")
	}
	if err != nil {
		r.fail(fmt.Errorf("model: recording call %d of %s: %w", line.Call, line.Agent, err))
	}
}

// fail keeps the first error; the caller holds r.mu.
func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
