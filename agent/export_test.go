package agent

import (
	"fmt"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// Diagram draws a fresh machine.
func Diagram() string { return table.Diagram() }

// Moves lists every move, CanMove tells whether it can be made from a state.
func Moves() []string {
	return []string{
		string(moveWake), string(moveBlock), string(moveUnblock), string(moveRest),
		string(moveFail), string(moveStop), string(moveTerminate),
	}
}

// CanMove reports whether m can be made from s.
func CanMove(s event.State, m string) bool {
	x := newMachine()
	x.set(s)
	return x.can(move(m))
}

// Packed is what an agent at rest keeps of a conversation, Unpacked what it was.
func Packed(messages []model.Message) string { return string(pack(messages)) }

func Unpacked(text string) []model.Message { return packed(text).unpack(nil) }

// Snapshot shows the conversation of a, but for the system prompt, which is
// written out only in a turn, and all that is known of it. The agent must not
// run, or be in the middle of an append of its own.
func (a *Agent) Snapshot() string {
	h := &a.history
	messages := h.packed.unpack(slices.Clone(h.messages))
	return a.t.snapshot() + fmt.Sprintf("%+v\n%s %d %d %d %v\n%v %+v\n%v\n%+v", messages[1:], h.digest("", 0, &Offer{}), h.tokens, h.thoughts, h.base, h.fault,
		h.past, h.checker, a.read, a.gauge)
}

// snapshot shows the state of the turn, with what its pointers point to.
func (t turnState) snapshot() string {
	text := fmt.Sprintf("due %d step %d asked %+v failure %+v end %+v reply %+v flushed %d reported %t\n", t.due, t.step,
		deref(t.asked), deref(t.failure), deref(t.end), deref(t.reply), t.flushed, t.reported)
	for _, c := range t.calls {
		text += fmt.Sprintf("call started %t approval %d %s finished %+v\n", c.started, c.approval, c.id, deref(c.finished))
	}
	text += fmt.Sprintf("text %q wrapUp %q warned %t reminded %t nudged %t answered %t compacted %d cut %t completion %q debts %+v\n",
		t.text, t.wrapUp, t.warned, t.reminded, t.nudged, t.answered, t.compacted, t.cutShort, t.completion, t.debts)
	for _, call := range slices.Sorted(maps.Keys(t.repeats)) {
		text += fmt.Sprintf("repeated %q %+v\n", call, *t.repeats[call])
	}
	return text
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
