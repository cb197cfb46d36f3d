package streams_test

import (
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
)

// BenchmarkLentCall is the way of a tool call to a worker and back, over a real
// Redis.
func BenchmarkLentCall(b *testing.B) {
	r := newRig(b, dial(b, realRedis(b).addr()), streams.V1)
	var n atomic.Int64
	r.lends("w-1", "one", &n)
	remote := streams.NewRemote(r.client, "one", streams.RemoteOptions{})
	s := event.RemoteStep{RemoteAgent: event.RemoteAgent{Run: "run", Agent: "a_1", Role: "a"}, ID: "run-a_1-1", Task: "run-a_1-1", Number: 1}
	tool := event.LentTool{Name: "look", Effect: "pure"}
	c := event.LentCall{CallID: "c", Name: "look", Arguments: `{"what":"x"}`, Agent: "a_1"}
	for b.Loop() {
		last := ""
		for d, err := range remote.Call(b.Context(), s, tool, c) {
			if err != nil {
				b.Fatal(err)
			}
			if f, ok := d.(event.ToolFinished); ok {
				last = f.Result
			}
		}
		if last != "w-1 sees x" {
			b.Fatalf("it says %q", last)
		}
	}
}
