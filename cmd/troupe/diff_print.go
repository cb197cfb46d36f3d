package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/replay"
)

// diffPrinter writes a difference for a person.
type diffPrinter struct {
	words *words
	width int
	paint func(render.Style, string) string
}

// maxTeamChanges is how many changed fields of the header are shown.
const maxTeamChanges = 5

// text is the whole difference; status has the states of the runs.
func (p diffPrinter) text(d replay.Difference, status [2]string) string {
	var b strings.Builder
	b.WriteString(p.heads(d, status) + "\n")
	if d.First != nil {
		b.WriteString(fmt.Sprintf(p.words.diffFirst, p.first(*d.First)) + "\n")
	}
	b.WriteString(p.team(d.Team))
	var same []string
	for _, a := range d.Agents {
		if a.Divergence == nil {
			same = append(same, fmt.Sprintf("%s (%d)", render.CleanLine(a.ID()), a.Same))
			continue
		}
		b.WriteString("\n" + p.agent(a))
	}
	if len(same) > 0 {
		b.WriteString("\n" + fmt.Sprintf(p.words.diffSame, strings.Join(same, ", ")) + "\n")
	}
	if d.Since != nil {
		b.WriteString("\n" + p.words.diffTotal + "\n" + p.costs(*d.Since))
	}
	return b.String()
}

// heads says which runs are compared.
func (p diffPrinter) heads(d replay.Difference, status [2]string) string {
	var rows [][]string
	for i, side := range []replay.RunSide{d.A, d.B} {
		rows = append(rows, []string{
			sides[i], render.CleanLine(side.RunID), p.words.status(status[i]), orDash(render.CleanLine(side.TeamName)),
			fmt.Sprintf(p.words.diffRecords, side.Records),
		})
	}
	text := table(rows, 0)
	switch f := d.Fork; {
	case f == nil:
	case f.Of == "a":
		text += fmt.Sprintf(p.words.diffForked, "B", "A", f.Seq) + "\n"
	case f.Of == "b":
		text += fmt.Sprintf(p.words.diffForked, "A", "B", f.Seq) + "\n"
	default:
		text += fmt.Sprintf(p.words.diffForkedBoth, render.CleanLine(f.RunID), f.Seq) + "\n"
	}
	return text
}

var sides = [...]string{"A", "B"}

func (p diffPrinter) first(f replay.First) string {
	if f.Agent == "" {
		return fmt.Sprintf(p.words.diffHeader, render.CleanLine(f.Path))
	}
	return strings.TrimSpace(p.paint(render.StyleName, render.CleanLine(f.Agent)) + "  " + p.records(f.SeqA, f.SeqB) + "  " +
		render.CleanLine(string(f.Type)+" "+f.Path))
}

// records names a record in each run that has it.
func (p diffPrinter) records(seqs ...int64) string {
	var parts []string
	for i, seq := range seqs {
		if seq > 0 {
			parts = append(parts, sides[i]+" "+strconv.FormatInt(seq, 10))
		}
	}
	return strings.Join(parts, ", ")
}

// team shows what the headers say differently.
func (p diffPrinter) team(changes []replay.TeamChange) string {
	if len(changes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + p.paint(render.StyleTitle, p.words.diffTeam) + "\n")
	for i, c := range changes {
		if i == maxTeamChanges {
			b.WriteString("  " + fmt.Sprintf(p.words.diffMore, len(changes)-i) + "\n")
			break
		}
		b.WriteString("  " + render.CleanLine(c.Path) + "\n" + p.changed(c.Diff))
	}
	return b.String()
}

// agent shows where one agent went apart, why, and what it cost.
func (p diffPrinter) agent(a replay.AgentDiff) string {
	d := a.Divergence
	var b strings.Builder
	head := p.paint(render.StyleName, render.CleanLine(a.ID())) + "  " + render.CleanLine(a.Name)
	switch {
	case a.A == "":
		head += "  " + fmt.Sprintf(p.words.diffOnly, "B")
	case a.B == "":
		head += "  " + fmt.Sprintf(p.words.diffOnly, "A")
	case a.A != a.B:
		head += "  " + fmt.Sprintf(p.words.diffIDs, render.CleanLine(a.A), render.CleanLine(a.B))
	}
	b.WriteString(head + "\n")
	for i, place := range []*replay.Place{d.A, d.B} {
		b.WriteString("  " + sides[i] + "  " + p.place(place) + "\n")
	}
	if d.Path != "" {
		b.WriteString("  " + fmt.Sprintf(p.words.diffField, render.CleanLine(d.Path)) + "\n")
	}
	b.WriteString("  " + fmt.Sprintf(p.words.diffWhy, p.cause(d.Cause)) + "\n" + p.changed(d.Diff))
	if a.Since != nil {
		b.WriteString(p.costs(*a.Since))
	}
	return b.String()
}

// place is a record with its turn and step.
func (p diffPrinter) place(place *replay.Place) string {
	if place == nil {
		return p.words.diffNothing
	}
	parts := []string{fmt.Sprintf(p.words.diffPlace, place.Seq, render.CleanLine(string(place.Type)))}
	if place.Turn > 0 {
		parts = append(parts, fmt.Sprintf(p.words.diffTurn, place.Turn))
	}
	if place.Step > 0 {
		parts = append(parts, fmt.Sprintf(p.words.diffStep, place.Step))
	}
	return strings.Join(parts, "  ")
}

func (p diffPrinter) cause(c replay.Cause) string {
	text := p.words.causes[c.Kind]
	if c.Kind == replay.CauseAgent {
		text = fmt.Sprintf(text, render.CleanLine(c.Agent)+" ("+p.records(c.SeqA, c.SeqB)+")")
	}
	if c.Via != "" {
		text += fmt.Sprintf(p.words.diffVia, render.CleanLine(c.Via))
	}
	if c.SameRequest {
		text += p.words.diffSameRequest
	}
	return text
}

// costs is a table of what both runs spent, and how much more B did.
func (p diffPrinter) costs(c replay.Costs) string {
	w := p.words
	rows := [][]string{{"  " + w.colSince, w.colSteps, w.colTokens, w.colCost, w.colTime}}
	for i, s := range []replay.Spent{c.A, c.B} {
		rows = append(rows, []string{
			"  " + sides[i], strconv.Itoa(s.Steps), usageText(w, s.Usage), costText(s.Cost, s.Usage.Estimated), milliseconds(s.DurationMS).String(),
		})
	}
	about := ""
	if c.A.Usage.Estimated || c.B.Usage.Estimated {
		about = "~"
	}
	more := milliseconds(c.B.DurationMS - c.A.DurationMS)
	sign := ""
	if more >= 0 {
		sign = "+"
	}
	used := usageText(w, event.Usage{}) // a script counts none
	if c.A.Usage.Total()+c.B.Usage.Total() > 0 {
		used = about + fmt.Sprintf("%+d", c.B.Usage.Total()-c.A.Usage.Total())
	}
	rows = append(rows, []string{
		"  B-A", fmt.Sprintf("%+d", c.B.Steps-c.A.Steps), used, moreCost(c, about), sign + more.String(),
	})
	return table(rows, 0)
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// moreCost is how much more money B cost, with a mark before it; a dash when a part
// is unknown.
func moreCost(c replay.Costs, about string) string {
	var amounts [2]float64
	currency := ""
	for i, s := range []replay.Spent{c.A, c.B} {
		switch {
		case s.Cost == nil && s.Steps == 0:
		case s.Cost == nil, currency != "" && currency != s.Cost.Currency:
			return costText(nil, false)
		default:
			amounts[i], currency = s.Cost.Amount, s.Cost.Currency
		}
	}
	if currency == "" {
		return costText(nil, false)
	}
	more := costText(&event.Cost{Currency: currency, Amount: amounts[1] - amounts[0]}, false)
	if amounts[1] >= amounts[0] {
		more = "+" + more
	}
	return about + more
}
