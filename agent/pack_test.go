package agent_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// fill sets every field of v to something of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	default:
		panic("a conversation has a field that pack does not know: " + v.Type().String())
	}
}

// A field that a message gets and pack does not write is lost at the first
// rest of an agent.
func TestPackKeepsEveryField(t *testing.T) {
	var full model.Message
	fill(reflect.ValueOf(&full).Elem(), new(int))
	want := []model.Message{{}, full, {Role: model.User}, full}
	if diff := cmp.Diff(want, agent.Unpacked(agent.Packed(want))); diff != "" {
		t.Errorf("unpacked (-want +got):\n%s", diff)
	}
}

func TestPackIsExact(t *testing.T) {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringN(120, 300, -1), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	call := rapid.Custom(func(t *rapid.T) event.Call {
		return event.Call{ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Arguments: text.Draw(t, "arguments")}
	})
	message := rapid.Custom(func(t *rapid.T) model.Message {
		m := model.Message{
			Role: model.Role(text.Draw(t, "role")), Content: text.Draw(t, "content"), CallID: text.Draw(t, "call"), IsError: rapid.Bool().Draw(t, "error"),
		}
		if calls := rapid.SliceOfN(call, 0, 70).Draw(t, "calls"); len(calls) > 0 {
			m.Calls = calls
		}
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(message, 1, 5).Draw(t, "messages")
		if diff := cmp.Diff(want, agent.Unpacked(agent.Packed(want))); diff != "" {
			t.Errorf("unpacked (-want +got):\n%s", diff)
		}
	})
}

// Records of a log that somebody edited may come while the agent rests; what
// it knows of its conversation must not go.
func TestRecordsAtRestKeepTheConversation(t *testing.T) {
	const id = "uio_1"
	moved := func(from, to event.State) event.Data { return event.AgentState{From: from, To: to} }
	said := func(text string) event.Data { return event.ModelReplied{Text: text, Finish: event.FinishStop} }
	ended := event.TurnEnded{Reason: event.EndNatural}
	s := newStage(t, modeltest.Sequence(), nil)
	for i, d := range []event.Data{
		moved(event.Created, event.Working),
		event.MessageSent{ID: "msg_tl_001", Kind: event.Note, From: event.Leader, FromName: event.LeaderName, To: id, Content: "begin"},
		event.MessageDelivered{ID: "msg_tl_001"},
		said("first"), ended, ended, said("second"), ended, moved(event.Working, event.Idle), moved(event.Idle, event.Working),
	} {
		if err := s.agent.Apply(event.Record{Seq: int64(i + 1), Agent: id, Turn: 1, Data: d}); err != nil {
			t.Fatal(err)
		}
	}
	shot := s.agent.Snapshot()
	for _, text := range []string{"begin", "first", "second"} {
		if !strings.Contains(shot, text) {
			t.Errorf("%q is not in the conversation any more:\n%s", text, shot)
		}
	}
}
