package render

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// EndStatus says how a run ended, for the summary.
type EndStatus string

// The ends of a run.
const (
	EndFinished    EndStatus = "finished"
	EndPartial     EndStatus = "partial" // a limit was reached
	EndFailed      EndStatus = "failed"
	EndSuspended   EndStatus = "suspended" // waits for a person
	EndInterrupted EndStatus = "interrupted"
)

// End is what a summary tells of a run.
type End struct {
	Status EndStatus
	// Reason says more: the limit, the failure, the question waited for.
	Reason   string
	RunID    string
	Duration time.Duration
	Usage    event.Usage
	// Cost is nil when unknown; AtLeast says that parts of it are unknown.
	Cost    *event.Cost
	AtLeast bool
	// Artifacts are the files that were written, Log is the path of the log;
	// they are never cut.
	Artifacts []string
	Log       string
	// Next are the commands that help next, for example "troupe replay last".
	Next []string
}

// Summary is the closing lines of a run, the same ones for every end; the last
// has its line break. What is unknown is shown as a dash. Values are safe to
// print, but never cut or wrapped: people copy them.
func Summary(end End, o Options) string {
	s := newStyle(o)
	w := s.words
	u := end.Usage
	usage := s.none
	if u != (event.Usage{}) {
		usage = s.usage(u)
	}
	rows := []struct {
		label  string
		style  Style
		values []string
	}{
		{w.sumStatus, end.Status.style(), []string{join("  ", lookUp(w.ends, end.Status), CleanLine(end.Reason))}},
		{w.sumRun, StylePlain, []string{end.RunID}},
		{w.sumTime, StylePlain, []string{clockTime(end.Duration)}},
		{w.sumTokens, StylePlain, []string{usage}},
		{w.sumCost, StylePlain, []string{s.cost(end.Cost, u.Estimated, end.AtLeast)}},
		{w.sumFiles, StylePlain, end.Artifacts},
		{w.sumLog, StylePlain, []string{end.Log}},
		{w.sumNext, StylePlain, end.Next},
	}
	column := 0
	for _, r := range rows {
		column = max(column, s.width(r.label))
	}
	var b strings.Builder
	for _, r := range rows {
		if len(r.values) == 0 {
			r.values = []string{""}
		}
		for i, value := range r.values {
			if i > 0 {
				r.label = ""
			}
			b.WriteString(s.paint(StyleDim, s.pad(r.label, column)) + "  " +
				s.paint(r.style, cmp.Or(oneLine.Replace(Clean(value)), s.none)) + "\n")
		}
	}
	return b.String()
}

// usage is the tokens that went in and came out.
func (s style) usage(u event.Usage) string {
	return fmt.Sprintf(s.words.sumUsage, tokens(u.Input, u.Estimated), tokens(u.CachedInput, u.Estimated), tokens(u.Output, u.Estimated))
}

// oneLine keeps the spaces of a path, unlike [CleanLine].
var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

func (e EndStatus) style() Style {
	switch e {
	case EndFinished:
		return StyleOK
	case EndPartial, EndSuspended, EndInterrupted:
		return StyleWarn
	case EndFailed:
	}
	return StyleError
}
