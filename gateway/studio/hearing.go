package studio

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// hearing puts together what an agent says in one response: its chat-outputs, one
// behind the other. What agents behind it say to each other is not its answer.
type hearing struct {
	yield func(event.Data, error) bool
	left  bool // who listens has gone

	text, reasoning strings.Builder
	size            int // of what was said, in bytes
	wrong           string
	streams         []*heard        // chat-outputs that have begun; the first one is passed on
	between         map[string]bool // ids of those that are messages between agents
}

// heard is one chat-output.
type heard struct {
	id     string
	waits  string // what is not passed on yet
	passed bool   // some of it was
	ended  bool
}

// errTooMuch ends a response that does not.
var errTooMuch = &RemoteError{event.Failure{Code: "protocol", Who: "server", Message: fmt.Sprintf("the agent says more than %d bytes", maxAnswer)}}

// hear takes a message. over says that the response has ended.
func (h *hearing) hear(m Message) (over bool, err error) {
	if m.Type == TypeThinking || m.Type == TypeChat {
		if h.size += len(m.ID) + len(m.Content); h.size > maxAnswer {
			return true, errTooMuch
		}
	}
	switch {
	case m.Type == TypeResponse && m.Event == EventEnd:
		return true, h.conclude()
	case m.Type == TypeError:
		h.wrong = m.Content
	case m.Type == TypeThinking && m.Event == EventDelta:
		h.think(m.Content)
	case m.Type == TypeChat:
		h.chat(m)
	}
	return h.left, nil
}

// refused is the error that a server told in place of a response; nil if it told
// none.
func (h *hearing) refused() error {
	if h.wrong == "" {
		return nil
	}
	return &RemoteError{event.Failure{Code: "refused", Who: "server", Message: h.wrong}}
}

// conclude says the whole, or what went wrong.
func (h *hearing) conclude() error {
	for _, s := range h.streams {
		s.ended = true
	}
	h.pass()
	switch {
	case h.wrong != "":
		return &RemoteError{event.Failure{Code: "failed", Who: "server", Message: h.wrong}}
	case !h.left:
		h.say(event.ModelReplied{Step: 1, Text: h.text.String(), Reasoning: h.reasoning.String(), Finish: event.FinishStop})
	}
	return nil
}

func (h *hearing) say(d event.Data) {
	if !h.left {
		h.left = !h.yield(d, nil)
	}
}

func (h *hearing) think(text string) {
	h.say(event.ModelThinking{Step: 1, Offset: h.reasoning.Len(), Text: text})
	h.reasoning.WriteString(text)
}

// chat takes a message of a chat-output.
func (h *hearing) chat(m Message) {
	i := slices.IndexFunc(h.streams, func(s *heard) bool { return s.id == m.ID })
	switch {
	case m.Content != "" && i < 0 && !h.between[m.ID] && bubble.MatchString(m.Content):
		h.between[m.ID] = true
	case m.Content != "" && i < 0 && !h.between[m.ID]:
		h.streams = append(h.streams, &heard{id: m.ID, waits: m.Content})
	case i >= 0:
		h.streams[i].waits += m.Content
		h.streams[i].ended = m.Event == EventEnd
	}
	h.pass()
}

// bubble is how a message between agents begins.
var bubble = regexp.MustCompile(`^\*\*[^*]+\*\* (` + labels() + `)\n\n`)

func labels() string {
	var all []string
	for _, k := range event.Kinds() {
		all = append(all, regexp.QuoteMeta(k.Label()))
	}
	return strings.Join(all, "|")
}

// pass passes on what the first chat-output says, then the next ones.
func (h *hearing) pass() {
	for len(h.streams) > 0 {
		s := h.streams[0]
		if text := s.waits; text != "" {
			if !s.passed && h.text.Len() > 0 {
				text = "\n\n" + text
			}
			h.say(event.ModelDelta{Step: 1, Offset: h.text.Len(), Text: text})
			h.text.WriteString(text)
			s.waits, s.passed = "", true
		}
		if !s.ended {
			return
		}
		h.streams = h.streams[1:]
	}
}
