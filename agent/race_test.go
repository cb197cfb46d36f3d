package agent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// TestACallUnblocksWhileAnotherReturns is for the race detector: the state
// moves on the goroutine of one call while the result of another is logged.
func TestACallUnblocksWhileAnotherReturns(t *testing.T) {
	waits := tool("waits", func(_ context.Context, c tools.Call) (string, error) {
		done := c.Blocked("fse_1")
		time.Sleep(time.Second)
		done()
		return "", nil
	})
	for range 50 {
		bubble(t, func(t *testing.T) {
			s := newStage(t, modeltest.Sequence(
				modeltest.Reply{Calls: []event.Call{call("first"), call("waits")}}, modeltest.Reply{Text: "done"},
			), []tools.Tool{sleeper("first", time.Second), waits})
			s.run()
			s.tell("begin")
			time.Sleep(time.Minute)
			synctest.Wait()
			if err := s.end(); err != nil || len(s.finals()) != 1 {
				t.Errorf("Run returned %v, reports %q", err, s.finals())
			}
		})
	}
}
