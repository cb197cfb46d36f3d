package session_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/gatewaytest"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// TestWatch sees each record of a session once, over turns, over what is decided
// between them, and over a restart.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []int64
		o := options(t, gatewaytest.Setup{Dir: t.TempDir(), Model: touching(), Tools: []tools.Tool{touch()}})
		o.Watch = func(user, name, trace string, rec event.Record) {
			mu.Lock()
			defer mu.Unlock()
			if user != "alice" || name != "alice/s1" || len(trace) != 32 {
				t.Errorf("a record of %s, session %s, trace %q", user, name, trace)
			}
			seen = append(seen, rec.Seq)
		}
		m, stop := serve(t, o)
		s := open(t, m, "alice", "s1")
		if err := m.Submit(t.Context(), s, "", "go", nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the call waits for leave
		stop()
		m, stop = serve(t, o)
		var approval string
		for rec, err := range m.Records(t.Context(), s, 0) {
			if d, ok := rec.Data.(event.ApprovalRequested); ok && err == nil {
				approval = d.ID
			}
		}
		if err := m.Approve(t.Context(), s, event.ApprovalDecided{ID: approval, Decision: event.DecisionAllow}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := m.Submit(t.Context(), s, "", "again", nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		stop()
		mu.Lock()
		defer mu.Unlock()
		_, last, err := m.Open(t.Context(), "alice", "s1")
		want := []int64{}
		for seq := int64(1); seq <= last; seq++ {
			want = append(want, seq)
		}
		if err != nil || !slices.Equal(seen, want) {
			t.Errorf("%v, saw %v, want each of %d once", err, seen, last)
		}
	})
}

// touching calls a tool that needs leave, then says what came of it.
func touching() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == model.ToolRole {
			return modeltest.Reply{Text: last.Content}
		}
		return modeltest.Reply{Calls: []event.Call{modeltest.Call("touch", nil)}}
	})
}

func touch() tools.Tool {
	return tools.Func("touch", "touch it", func(context.Context, struct{}) (string, error) { return "touched", nil }, tools.Asks())
}
