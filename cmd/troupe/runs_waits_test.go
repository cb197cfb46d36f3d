package main

import (
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
)

// TestWaitsAt folds the waits of a short log after each of its records.
func TestWaitsAt(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	records := []event.Record{
		{Data: event.RunStarted{RunID: "r", ModelKind: event.ModelReal}},
		{Agent: "tl", Data: event.AgentState{From: event.Working, To: event.Waiting, Cause: "uio_1, fse_1"}},
		{Agent: "uio_1", Data: event.QuestionOpened{ID: "ask_uio_001", From: "uio_1", To: "fse_1"}},
		{Agent: "uio_1", Data: event.MessageSent{ID: "ask_uio_001", Kind: event.Question, From: "uio_1", To: "fse_1", Content: "which fields?"}},
		{Agent: "uio_1", Data: event.AgentState{From: event.Working, To: event.Waiting, Cause: "ask_uio_001 → fse_1"}},
		{Agent: "fse_1", Data: event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Answered, Text: "name"}},
		{Agent: "uio_1", Data: event.AgentState{From: event.Waiting, To: event.Working}},
		{Agent: "tl", Data: event.AgentState{From: event.Waiting, To: event.Working}},
	}
	for i := range records {
		records[i].V, records[i].Seq, records[i].Time = 1, int64(i+1), start.Add(time.Duration(i)*time.Second)
	}
	all := func() iter.Seq2[event.Record, error] {
		return func(yield func(event.Record, error) bool) {
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	reports := []waitRow{
		{From: "tl", To: "uio_1", Since: start.Add(time.Second)}, {From: "tl", To: "fse_1", Since: start.Add(time.Second)},
	}
	asked := waitRow{From: "uio_1", To: "fse_1", Question: "ask_uio_001", Since: start.Add(2 * time.Second)}
	told := asked
	told.Text = "which fields?"
	for seq, want := range map[int64][]waitRow{
		1: {}, 2: reports, 3: append(reports[:2:2], asked), 5: append(reports[:2:2], told), 7: reports, 8: {}, 0: {},
	} {
		got, err := waitsAt(all(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Waits); diff != "" {
			t.Errorf("after record %d (-want +got):\n%s", seq, diff)
		}
		if wantSeq := map[bool]int64{true: 8, false: seq}[seq == 0]; got.Seq != wantSeq || got.Run != "r" {
			t.Errorf("after record %d: at %d of run %q", seq, got.Seq, got.Run)
		}
	}
}
