package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Phase is what an agent does within its state.
type Phase string

// The phases.
const (
	PhaseReady      Phase = "ready"      // created, no turn yet
	PhaseWorking    Phase = "working"    // between two steps
	PhaseThinking   Phase = "thinking"   // a model call is under way
	PhaseTool       Phase = "tool"       // a tool runs
	PhaseAnswer     Phase = "answer"     // waits for the answer to a question
	PhaseReports    Phase = "reports"    // waits for the reports of sub-agents
	PhaseApproval   Phase = "approval"   // waits for a person's leave
	PhaseWaiting    Phase = "waiting"    // waits for something else
	PhaseIdle       Phase = "idle"       // no turn
	PhaseFailed     Phase = "failed"     // the last turn failed
	PhaseStopped    Phase = "stopped"    // somebody stopped it
	PhaseTerminated Phase = "terminated" // never again
)

// Row is what one agent does.
type Row struct {
	ID, Name string
	State    event.State
	Phase    Phase
	// Doing is the current step: the tool with its main argument, the question
	// it waits for, or a cause in words.
	Doing string
	// On is whom it waits for, as a short id.
	On string
	// WaitSince is when the wait began; zero when it does not wait.
	WaitSince time.Time
	// Unfinished counts the agents that have yet to report, in PhaseReports.
	Unfinished int
	// Unread counts the messages in its inbox; UnreadSince is when the oldest of
	// them came, zero when there is none.
	Unread      int
	UnreadSince time.Time
	// Steps counts its model calls.
	Steps int
	// Since is when the turn began, or the rest when the agent has no turn.
	Since time.Time
	// Tokens counts all model calls; Estimated says that some were estimated.
	Tokens    int
	Estimated bool
	// Cost is nil when unknown; CostEstimated says that it is that of estimated
	// tokens too, AtLeast that parts of it are unknown.
	Cost          *event.Cost
	CostEstimated bool
	AtLeast       bool
	// Model is provider/model; Scripted marks a script.
	Model    string
	Scripted bool
}

// Total is what a whole run has spent, and what it may.
type Total struct {
	// What was used and spent is as in [Row].
	Tokens        int
	Estimated     bool
	Cost          *event.Cost
	CostEstimated bool
	AtLeast       bool
	// Since is when the run began or was resumed, zero when it does not run;
	// Earlier is how long it had run before that.
	Since   time.Time
	Earlier time.Duration
	// MaxTokens, Budget and Deadline are the limits; zero and nil for none.
	MaxTokens int
	Budget    *event.Cost
	Deadline  time.Duration
	// Stoppable says that Ctrl-C stops the run, and is shown as a hint.
	Stoppable bool
}

// Rows is the state of a run as at most maxLines lines without line breaks: a
// row an agent, the busy ones first to be shown when there is no room for all,
// then "+7" for the rest, then the total. maxLines of 0 or less is no bound.
// No line is wider than o.Width.
func Rows(rows []Row, total Total, now time.Time, o Options, maxLines int) []string {
	s := newStyle(o)
	shown := rows
	if maxLines > 0 && len(rows)+1 > maxLines {
		shown = busiest(rows, max(0, maxLines-2))
	}
	lines := s.table(shown, now)
	if rest := len(rows) - len(shown); rest > 0 && maxLines != 1 {
		lines = append(lines, s.paint(StyleDim, fmt.Sprintf("+%d", rest)))
	}
	return append(lines, s.totalLine(total, now))
}

// busiest picks n rows, those that work before those that rest, and keeps
// their order.
func busiest(rows []Row, n int) []Row {
	order := make([]int, len(rows))
	for i := range rows {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(rows[a]), rank(rows[b])) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	picked := make([]Row, 0, len(order))
	for _, i := range order {
		picked = append(picked, rows[i])
	}
	return picked
}

func rank(r Row) int {
	switch r.State {
	case event.Working, event.Waiting:
		return 0
	case event.Failing:
		return 1
	case event.Created, event.Idle, event.Stopped:
		return 2
	case event.Finished:
		return 3
	}
	return 2
}

// The columns of a row; those dropped first on a narrow screen stand last.
const (
	nameCol = iota
	phaseCol
	doingCol
	unreadCol
	timeCol
	stepsCol
	tokensCol
	costCol
	modelCol
	columns
)

// The smallest and the largest useful width of what an agent does.
const (
	minDoing = 8
	maxDoing = 60
	maxName  = 32
	maxPhase = 10
	gapWidth = 2
)

// table aligns the rows.
func (s style) table(rows []Row, now time.Time) []string {
	cells := make([][columns]string, len(rows))
	var widths [columns]int
	for i, r := range rows {
		cells[i] = s.rowCells(r, now)
		for c, text := range cells[i] {
			widths[c] = max(widths[c], s.width(text))
		}
	}
	s.squeeze(&widths)
	lines := make([]string, 0, len(rows))
	for i, r := range rows {
		lines = append(lines, s.rowLine(r, cells[i], widths))
	}
	return lines
}

func (s style) rowCells(r Row, now time.Time) [columns]string {
	cells := [columns]string{
		nameCol: CleanLine(cmp.Or(r.Name, r.ID)), phaseCol: lookUp(s.words.phases, cmp.Or(r.Phase, Phase(r.State))),
		doingCol: s.doing(r, now), timeCol: s.none,
		tokensCol: tokens(r.Tokens, r.Estimated), costCol: s.cost(r.Cost, r.CostEstimated, r.AtLeast),
	}
	if r.Unread > 0 {
		cells[unreadCol] = fmt.Sprintf(s.words.unread, r.Unread, seconds(now.Sub(r.UnreadSince)))
	}
	if r.Steps > 0 {
		cells[stepsCol] = fmt.Sprintf(s.words.steps, r.Steps)
	}
	if !r.Since.IsZero() {
		cells[timeCol] = clockTime(now.Sub(r.Since))
	}
	if s.opts.Verbose {
		cells[modelCol] = CleanLine(r.Model)
	}
	if r.Scripted {
		cells[modelCol] = join(" ", cells[modelCol], s.script())
	}
	return cells
}

// doing is the current step with whom it waits for and since when.
func (s style) doing(r Row, now time.Time) string {
	text := CleanLine(r.Doing)
	if r.On != "" {
		text = join(" ", text, s.arrow, CleanLine(r.On))
	}
	switch {
	case r.Phase == PhaseReports && r.Unfinished > 0:
		return fmt.Sprintf(s.words.unfinished, r.Unfinished)
	case text != "" && !r.WaitSince.IsZero():
		return fmt.Sprintf(s.words.waited, text, seconds(now.Sub(r.WaitSince)))
	}
	return text
}

// squeeze makes the columns fit: the name and the step give way first, then
// whole columns from the right, never name and phase.
func (s style) squeeze(w *[columns]int) {
	w[nameCol] = min(w[nameCol], maxName, max(s.opts.Width/3, 6))
	w[phaseCol] = min(w[phaseCol], maxPhase)
	want := min(w[doingCol], maxDoing)
	if w[doingCol] = want; s.tableWidth(w) > s.opts.Width {
		w[stepsCol] = 0 // what it does says more than how often it asked
	}
	for last := modelCol; ; last-- {
		w[doingCol] = 0
		room := s.opts.Width - s.tableWidth(w) - gapWidth
		if want > 0 && room >= min(want, minDoing) {
			w[doingCol] = min(want, room)
			return
		}
		if last == doingCol || want == 0 && room+gapWidth >= 0 {
			return
		}
		w[last] = 0
	}
}

// tableWidth is the width of a row with its mark and gaps.
func (s style) tableWidth(w *[columns]int) int {
	sum := max(s.width(s.busy), s.width(s.rest)) + 1 - gapWidth
	for _, width := range w {
		if width > 0 {
			sum += width + gapWidth
		}
	}
	return sum
}

func (s style) rowLine(r Row, cells [columns]string, w [columns]int) string {
	mark, st := s.rest, StyleDim
	switch {
	case r.State.Busy():
		mark, st = s.busy, StyleOK
	case r.State == event.Failing:
		st = StyleError
	}
	styles := [columns]Style{nameCol: StyleName, phaseCol: StyleKind, unreadCol: StyleWarn, timeCol: StyleDim, stepsCol: StyleDim, tokensCol: StyleDim, costCol: StyleDim, modelCol: StyleDim}
	var b strings.Builder
	b.WriteString(s.paint(st, mark) + " ")
	gap := 0
	for c, text := range cells {
		if w[c] == 0 {
			continue
		}
		if text = s.cut(text, w[c], s.ellipsis); text != "" {
			b.WriteString(strings.Repeat(" ", gap) + s.paint(styles[c], text))
			gap = 0
		}
		gap += w[c] - s.width(text)
		gap += gapWidth
	}
	return b.String()
}

// elapsed is how long the run has run, without the time that it lay.
func (t Total) elapsed(now time.Time) time.Duration {
	if t.Since.IsZero() {
		return t.Earlier
	}
	return t.Earlier + max(0, now.Sub(t.Since))
}

// totalLine is what the run has spent and its limits.
func (s style) totalLine(t Total, now time.Time) string {
	used := tokens(t.Tokens, t.Estimated)
	if t.MaxTokens > 0 {
		used += " / " + tokens(t.MaxTokens, false)
	}
	money := s.cost(t.Cost, t.CostEstimated, t.AtLeast)
	if t.Budget != nil {
		money += " / " + s.cost(t.Budget, false, false)
	}
	clock := clockTime(t.elapsed(now))
	if t.Deadline > 0 {
		clock += " / " + clockTime(t.Deadline)
	}
	text := s.words.total + " " + used + " token  " + money + "   " + clock
	if t.Stoppable {
		hint := "   " + s.words.stopHint
		if s.width(text+hint) <= s.opts.Width {
			return s.paint(StyleTitle, text) + s.paint(StyleDim, hint)
		}
	}
	return s.paint(StyleTitle, s.cut(text, s.opts.Width, s.ellipsis))
}
