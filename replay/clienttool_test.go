package replay_test

import (
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/replay"
)

// A run whose calls the person's client executed is verified like any other.
func TestClientToolsAreVerified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		play := cast{event.Leader: func(_ model.Request, n int) reply {
			if n == 0 {
				return reply{Calls: []event.Call{modeltest.Call("fetch", nil), modeltest.Call("fetch", nil)}}
			}
			return reply{Text: "done"}
		}}
		l, err := leader.New(leader.Team{Model: leader.Model{Client: play.client(), Name: "test/test"}}, leader.WithClientTools(leader.ClientTool{Name: "fetch"}))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		var records []event.Record
		for rec, err := range run.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq > 0 {
				records = append(records, rec)
			}
			if d, ok := rec.Data.(event.ToolHanded); ok {
				if err := run.ToolResult(rec.Agent, event.ToolReturned{CallID: d.CallID, Result: "rain"}); err != nil {
					t.Error(err)
				}
			}
		}
		seq := func(yield func(event.Record, error) bool) {
			for _, rec := range records {
				if !yield(rec, nil) {
					return
				}
			}
		}
		v, err := replay.Verify(t.Context(), seq, replay.VerifyOptions{})
		if err != nil || !v.OK() {
			t.Errorf("verified: %+v, %v", v, err)
		}
	})
}
