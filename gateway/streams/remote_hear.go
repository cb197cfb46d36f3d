package streams

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// hearing makes of the events of a task what its agent says in one step. It
// depends on the events alone, so steps can be counted again in the stream.
type hearing struct {
	task string
	b    strings.Builder
}

func newHearing(task string) *hearing { return &hearing{task: task} }

// said is what one event comes to.
type said struct {
	piece event.Data // for those who watch; nil for none
	over  bool       // the step ends with it
	again bool       // it is for the next step
	asks  bool
	end   bool   // of the task
	text  string // of the step so far; of a question the question
	done  string // of the step so far, when it asks
}

// text is what the agent said in the step.
func (h *hearing) text() string { return h.b.String() }

// take hears one event of a kind.
func (h *hearing) take(e Entry, kind Kind) said {
	text := e.Event.Text()
	switch kind {
	case KindText:
		if text == "" { // calls of tools, or their results
			return h.pause(said{})
		}
		return h.add(text)
	case KindLog:
		return said{piece: thinking(text)}
	case KindState:
		return h.pause(said{piece: thinking(text + "\n")})
	case KindArtifact:
		if s := h.pause(said{}); s.over {
			return s
		}
		return h.add(text)
	case KindQuestion:
		if strings.TrimSpace(text) == "" {
			text = "?"
		}
		return said{over: true, asks: true, text: text, done: h.text()}
	case KindAnswer:
		return h.answer(text)
	case KindEnd:
		return said{over: true, end: true}
	case KindOther:
	}
	return said{}
}

func thinking(text string) event.Data {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return event.ModelThinking{Text: text}
}

// add takes in a piece of the answer.
func (h *hearing) add(text string) said {
	h.b.WriteString(text)
	return said{piece: event.ModelDelta{Text: text}}
}

// pause ends a step that has text, before something else; without text it is
// else.
func (h *hearing) pause(other said) said {
	if strings.TrimSpace(h.text()) == "" {
		return other
	}
	return said{over: true, again: true, text: h.text()}
}

// answer takes in the whole answer. What was said before is its beginning, or
// progress.
func (h *hearing) answer(text string) said {
	rest, ok := strings.CutPrefix(text, h.text())
	switch {
	case ok && rest == "", strings.TrimSpace(text) == "", strings.TrimSpace(text) == strings.TrimSpace(h.text()):
		return said{}
	case ok:
		return h.add(rest)
	}
	if s := h.pause(said{}); s.over {
		return s
	}
	return h.add(text)
}

// reply is the end of a step that is not the end of the task.
func (s said) reply() event.ModelReplied {
	if s.asks {
		return event.ModelReplied{Text: s.done, Calls: []event.Call{{
			Name: event.CallAskMaster, Arguments: jsonText(map[string]string{"question": s.text}),
		}}}
	}
	return event.ModelReplied{Text: s.text, Calls: []event.Call{{Name: event.CallGoOn, Arguments: "{}"}}}
}
