package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// waitRow is one edge of the wait-for graph: From waits for To.
type waitRow struct {
	From     string    `json:"from"`
	To       string    `json:"to"`
	Question string    `json:"question,omitempty"` // empty for a wait that is no question
	Text     string    `json:"text,omitempty"`     // of the question
	Since    time.Time `json:"since"`
}

// waitGraph is who waits for whom after one record of a log.
type waitGraph struct {
	Run   string    `json:"run"`
	Seq   int64     `json:"seq"`
	Time  time.Time `json:"time"`
	Waits []waitRow `json:"waits"`
}

// deaf is the log of a desk that only folds: it is never written.
type deaf struct{}

func (deaf) Append(string, int, event.Data) (event.Record, error) {
	return event.Record{}, fmt.Errorf("runs: a fold appends nothing")
}
func (deaf) Live(string, int, event.Data) {}

// waitsAt folds records up to seq (0: all) into the wait-for graph.
func waitsAt(records iter.Seq2[event.Record, error], seq int64) (waitGraph, error) {
	desk := mailbox.NewDesk(deaf{}, mailbox.NewIDs(), mailbox.DeskOptions{Leader: event.Leader})
	var g waitGraph
	texts := map[string]string{}
	type waits struct {
		on    string // ids, joined
		since time.Time
	}
	waiting := map[string]waits{} // by agent
	for rec, err := range records {
		if err != nil {
			return g, err
		}
		if seq > 0 && rec.Seq > seq {
			break
		}
		g.Seq, g.Time = rec.Seq, rec.Time
		desk.Apply(rec)
		switch d := rec.Data.(type) {
		case event.RunStarted:
			g.Run = d.RunID
		case event.MessageSent:
			texts[d.ID] = d.Content
		case event.AgentState:
			delete(waiting, rec.Agent)
			if d.To == event.Waiting {
				waiting[rec.Agent] = waits{d.Cause, rec.Time}
			}
		default:
		}
	}
	g.Waits = []waitRow{}
	asks := map[string]bool{}
	for _, e := range desk.Waits() {
		asks[e.From] = true
		g.Waits = append(g.Waits, waitRow{From: e.From, To: e.To, Question: e.Question, Text: texts[e.Question], Since: e.Since})
	}
	for agent, w := range waiting {
		if asks[agent] {
			continue
		}
		for to := range strings.SplitSeq(w.on, ", ") {
			if to != "" {
				g.Waits = append(g.Waits, waitRow{From: agent, To: to, Since: w.since})
			}
		}
	}
	slices.SortFunc(g.Waits, func(a, b waitRow) int { return a.Since.Compare(b.Since) })
	return g, nil
}

// Waits prints who waits for whom, now or after an earlier record.
func (r *runsCommand) Waits(ctx context.Context, run transcript.Run) error {
	g, err := waitsAt(r.masked(transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{})), int64(r.at))
	if err != nil {
		return err
	}
	if int64(r.at) > g.Seq {
		return usageError(fmt.Sprintf(r.words.noRecord, g.Seq, r.at), "")
	}
	if r.json {
		return writeJSON(r.Stdout, g)
	}
	rows := [][]string{{r.words.colFrom, r.words.colTo, r.words.colQuestion, r.words.colWaited, r.words.colText}}
	for _, w := range g.Waits {
		rows = append(rows, []string{
			w.From, render.CleanLine(w.To), orDash(w.Question), g.Time.Sub(w.Since).Round(time.Second).String(),
			render.Cut(render.CleanLine(firstLine(w.Text)), 60, 1),
		})
	}
	text := r.words.noWaits + "\n"
	if len(g.Waits) > 0 {
		text = table(rows, 0)
	}
	_, err = io.WriteString(r.Stdout, fmt.Sprintf(r.words.waitsHead, g.Seq, g.Time.Local().Format(time.TimeOnly))+"\n"+text)
	return err
}
