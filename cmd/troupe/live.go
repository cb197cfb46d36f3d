package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// refresh is how long the status rows stand at least: they are drawn at most
// ten times a second.
const refresh = 100 * time.Millisecond

// live writes text that scrolls by and keeps rows with the state of the
// agents below it, on a terminal. Text waits for the next drawing.
type live struct {
	w       io.Writer
	size    func(io.Writer) (width, height int)
	now     func() time.Time
	options render.Options
	limits  render.Total // only its limits count
	ticking sync.WaitGroup
	done    chan struct{}

	mu      sync.Mutex // guards all below
	status  *render.Status
	text    strings.Builder // not yet written
	drawn   []string        // the rows on the screen
	drawnAt time.Time
	closed  bool
	below   func(width, height int) []string // more rows, below those of the agents
	raw     bool                             // the terminal does not return the cursor at the end of a line
}

// startLive begins to draw on stderr; close ends it.
func startLive(env Env, o render.Options, limits render.Total) *live {
	l := &live{
		w: env.Stderr, size: env.Size, now: env.Now, options: o, limits: limits,
		done: make(chan struct{}), status: render.NewStatus(),
	}
	l.ticking.Go(l.tick)
	return l
}

// tick draws what is new until close.
func (l *live) tick() {
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-ticker.C:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		}
	}
}

// add takes a record and the text that it brings.
func (l *live) add(rec event.Record, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status.Apply(rec)
	l.write(text)
}

// write keeps text for the next drawing, which is now if the last one is long
// ago. The caller holds l.mu.
func (l *live) write(text string) {
	l.text.WriteString(text)
	if text != "" && l.now().Sub(l.drawnAt) >= refresh {
		l.draw()
	}
}

// draw replaces the rows by new text and new rows, in one write, if anything
// changed. The caller holds l.mu.
func (l *live) draw() {
	if l.closed {
		return
	}
	rows := l.rows()
	if l.text.Len() == 0 && slices.Equal(rows, l.drawn) {
		return
	}
	l.replace(rows)
}

// replace writes the text that waits and rows below it.
func (l *live) replace(rows []string) {
	var b strings.Builder
	b.WriteString(l.erase())
	b.WriteString(l.text.String())
	l.text.Reset()
	for _, row := range rows {
		b.WriteString(row + "\n")
	}
	text := b.String()
	if l.raw {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	_, _ = io.WriteString(l.w, text)
	l.drawn, l.drawnAt = rows, l.now()
}

// erase is the sequence that takes the rows off the screen. A terminal that
// became narrower has broken them.
func (l *live) erase() string {
	if len(l.drawn) == 0 {
		return ""
	}
	width, _ := l.size(l.w)
	lines := 0
	for _, row := range l.drawn {
		lines += 1 + max(0, columns(row)-1)/max(1, width)
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", lines)
}

// rows are the rows for the terminal as it is now. Those of the agents take at
// most half of it, and there are none on a tiny one.
func (l *live) rows() []string {
	width, height := l.size(l.w)
	var below []string
	if l.below != nil {
		below = l.below(width, height)
	}
	now := l.now()
	o := l.options
	o.Width = width
	agents := l.status.Rows(now)
	most := min(height/2, height-1-len(below))
	if height < 4 || most < 2 || len(agents) == 0 {
		return below
	}
	total := l.status.TaskTotal()
	total.MaxTokens, total.Budget, total.Deadline = l.limits.MaxTokens, l.limits.Budget, l.limits.Deadline
	total.Stoppable = true
	return append(render.Rows(agents, total, now, o, most), below...)
}

// under shows more rows below those of the agents, nil for none, and draws.
// During mode, a change of the terminal, nothing is written; raw says what the
// terminal is then.
func (l *live) under(below func(width, height int) []string, raw bool, mode func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if below == nil {
		l.below = nil
		l.draw()
	}
	err := mode()
	if err == nil {
		l.below, l.raw = below, raw
	}
	l.draw()
	return err
}

// change changes what the rows below are drawn of.
func (l *live) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// redraw draws what changed below the rows of the agents.
func (l *live) redraw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draw()
}

// close takes the rows away, writes the text that waits, and ends the
// drawing. Further calls do nothing.
func (l *live) close() {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.replace(nil)
	l.closed = true
	close(l.done)
	l.mu.Unlock()
	l.ticking.Wait()
}

// columns is the width of a row on the screen without its colours.
func columns(row string) int { return render.Width(render.Clean(row), 1) }
