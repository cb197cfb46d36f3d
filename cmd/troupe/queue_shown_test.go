package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/troupe-go/troupe/gateway/streams"
)

// TestQueueTellsAgentsApart shows two sub-agents whose models give their calls
// the same ids, with what each says before it rests.
func TestQueueTellsAgentsApart(t *testing.T) {
	p := newProcess(t)
	s := miniredis.RunT(t)
	begin, number := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 0
	add := func(at time.Duration, event func(streams.Stamp) streams.Event) {
		number++
		e, err := event(streams.Stamp{ID: fmt.Sprintf("%032X", number), At: begin.Add(at)}).Encode()
		if err == nil {
			_, err = s.XAdd(streams.V1.DataStream("s1"), "*", []string{"data", string(e)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	step := func(name string) streams.Voice {
		return streams.Voice{SessionID: "s1", AgentType: "a", MessageID: "m/" + name, ParentMessageID: "m"}
	}
	for _, name := range []string{"uio_1", "fse_1"} {
		add(0, func(s streams.Stamp) streams.Event { return step(name).Log(s, "Agent "+name) })
		add(0, func(s streams.Stamp) streams.Event {
			return step(name).ToolCalls(s, json.RawMessage(`[{"id":"call_0","function":{"name":"write_file","arguments":"{\"path\":\"`+name+`.md\"}"}}]`))
		})
	}
	for _, name := range []string{"uio_1", "fse_1"} {
		add(1500*time.Millisecond, func(s streams.Stamp) streams.Event { return step(name).Artifact(s, name+".md") })
		add(1500*time.Millisecond, func(s streams.Stamp) streams.Event {
			return step(name).ToolResponses(s, json.RawMessage(`[{"tool_call_id":"call_0","name":"write_file","content":"done"}]`))
		})
		add(2*time.Second, func(s streams.Stamp) streams.Event { return step(name).Log(s, name+" wrote it") })
		add(2*time.Second, func(s streams.Stamp) streams.Event { return step(name).State(s, "idle") })
	}
	task := streams.Voice{SessionID: "s1", AgentType: "a", MessageID: "m"}
	add(3*time.Second, func(s streams.Stamp) streams.Event { return task.Answer(s, "all is done") })
	got := p.queue(t, "redis://"+s.Addr(), exitOK, "tail", "s1", "--no-follow", "--view", "lines")
	var at []int
	for _, want := range []string{
		"write_file uio_1.md  1.5s  done", "uio_1 wrote it", "write_file fse_1.md  1.5s  done", "fse_1 wrote it", "all is done",
	} {
		at = append(at, strings.Index(got, want))
	}
	if at[0] < 0 || !slices.IsSorted(at) || strings.Contains(got, "0 B") {
		t.Errorf("places %v in\n%s", at, got)
	}
	first, _, _ := strings.Cut(p.queue(t, "redis://"+s.Addr(), exitOK, "tail", "s1", "--no-follow", "--json"), "\n")
	if !strings.Contains(first, `"event":{"trace_id"`) || !strings.Contains(first, `"message_id":"m/uio_1"`) {
		t.Errorf("JSON is not that of the stream: %s", first)
	}
}
