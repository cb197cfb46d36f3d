package event_test

import (
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
)

// benchRecords are an ordinary small record and a large one.
func benchRecords() map[string]event.Record {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)
	return map[string]event.Record{
		"message": {V: 1, Seq: 4711, Time: at, Agent: "uio_1", Turn: 3, Data: event.MessageSent{
			ID: "out_uio_1_004", Kind: event.Progress, From: "uio_1", FromName: "UI Operator_1", To: "tl",
			Content: strings.Repeat("设计注册页并写接口文档。", 8), CallID: "call_17",
		}},
		"reply": {V: 1, Seq: 4712, Time: at, Agent: "tl", Turn: 1, Data: event.ModelReplied{
			Step: 2, Text: strings.Repeat("a line of \"text\" <with> markup\n", 200), Finish: event.FinishToolCalls,
			Calls: []event.Call{{ID: "c1", Name: "write_file", Arguments: `{"path":"a.md","text":"b"}`}},
			Usage: event.Usage{Input: 900, Output: 120}, DurationMS: 1200,
		}},
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	for name, rec := range benchRecords() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			var err error
			for b.Loop() {
				if buf, err = rec.AppendJSON(buf[:0]); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}

func BenchmarkUnmarshalJSON(b *testing.B) {
	for name, rec := range benchRecords() {
		line, err := rec.MarshalJSON()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				var got event.Record
				if err := got.UnmarshalJSON(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
