package leader_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/transcript"
)

// BenchmarkFold folds the log of a long run: a leader and eight workers, who
// talk in messages of a kilobyte and make calls, without an end.
func BenchmarkFold(b *testing.B) {
	const records = 100_000
	dir := b.TempDir()
	size := longLog(b, filepath.Join(dir, transcript.FileName), records)
	opts := []leader.Option{
		leader.WithTools(new(effects).deploy(), peek(), rests()),
		leader.WithClient("test/test", leader.Model{Client: modeltest.Sequence(), Name: "test/test"}),
	}
	for b.Loop() {
		if err := leader.Fold(dir, opts...); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size)/records, "bytes/record")
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// longLog writes a log of n records and returns its size.
func longLog(b *testing.B, path string, n int) int {
	b.Helper()
	team := referenceTeam()
	l, err := leader.New(team, leader.WithTools(new(effects).deploy(), peek(), rests()))
	if err != nil {
		b.Fatal(err)
	}
	var buf bytes.Buffer
	seq := int64(0)
	add := func(agent string, turn int, d event.Data) {
		seq++
		rec := event.Record{V: event.Version, Seq: seq, Time: time.Unix(seq, 0).UTC(), Agent: agent, Turn: turn, Data: d}
		line, err := rec.MarshalJSON()
		if err != nil {
			b.Fatal(err)
		}
		buf.Write(append(line, '\n'))
	}
	add("", 0, event.RunStarted{RunID: "01LONG", Team: leader.Header(l), Task: "talk", ModelKind: event.ModelReal, Lang: "en"})
	add(event.Leader, 0, event.AgentCreated{Name: event.LeaderName, Role: event.Leader, Code: event.Leader, Prompt: "lead", Model: "test/test"})
	for i := 1; i <= 8; i++ {
		add(aid(i), 0, event.AgentCreated{Name: fmt.Sprintf("Actor_%d", i), Role: "actor", Code: "a", Parent: event.Leader, Prompt: "act", Model: "test/test"})
	}
	text := string(bytes.Repeat([]byte("word "), 200))
	for turn := 1; seq < int64(n); turn++ {
		for i := 1; i <= 8 && seq < int64(n); i++ {
			id, call := aid(i), fmt.Sprintf("call_%d", turn)
			msg := fmt.Sprintf("msg_tl_%06d", turn*8+i)
			add(event.Leader, 1, event.MessageSent{ID: msg, Kind: event.Note, From: event.Leader, FromName: event.LeaderName, To: id, Content: text})
			add(id, turn, event.AgentState{From: event.Idle, To: event.Working, Cause: "message"})
			add(id, turn, event.MessageDelivered{ID: msg, Step: 1})
			add(id, turn, event.ModelRequested{Step: 1, Model: "test/test", Messages: 2, Reserved: 5000})
			add(id, turn, event.ModelReplied{Step: 1, Text: text, Calls: []event.Call{{ID: call, Name: "look", Arguments: `{"name":"x"}`}}, Finish: event.FinishToolCalls, Usage: event.Usage{Input: 100, Output: 10}})
			add(id, turn, event.ToolStarted{CallID: call, Name: "look", Arguments: `{"name":"x"}`, RequestID: id + "/" + call})
			add(id, turn, event.ToolFinished{CallID: call, Name: "look", Result: text})
			add(id, turn, event.ModelRequested{Step: 2, Model: "test/test", Messages: 5, Reserved: 5000})
			add(id, turn, event.ModelReplied{Step: 2, Text: text, Finish: event.FinishStop, Usage: event.Usage{Input: 100, Output: 10}})
			add(id, turn, event.MessageSent{ID: fmt.Sprintf("out_a_%06d", turn*8+i), Kind: event.Completion, From: id, FromName: fmt.Sprintf("Actor_%d", i), To: event.Leader, Content: text, Reason: event.EndNatural})
			add(id, turn, event.TurnEnded{Reason: event.EndNatural})
			add(id, turn, event.AgentState{From: event.Working, To: event.Idle, Cause: "natural"})
		}
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return buf.Len()
}
