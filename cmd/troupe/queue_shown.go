package main

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
)

// shownSession turns the events of a session into records that are shown as those
// of a run are: pieces of a text become one message when it is whole.
type shownSession struct {
	texts map[string]*shownText // by task or sub-step
	names map[string]string     // of sub-steps
	begun map[string]int64      // when calls began, by their id here
}

// shownText is a text that comes in pieces.
type shownText struct {
	of   streams.Event // the newest piece
	text strings.Builder
}

func newShownSession() *shownSession {
	return &shownSession{texts: map[string]*shownText{}, names: map[string]string{}, begun: map[string]int64{}}
}

// records are what an event adds to what is shown.
func (s *shownSession) records(e streams.Event) []event.Record {
	kind, text := e.Kind(), e.Text()
	switch kind {
	case streams.KindText, streams.KindLog:
		if calls := s.calls(e); calls != nil {
			return append(s.release(e.MessageID), calls...)
		}
		return s.piece(e, text)
	case streams.KindAnswer:
		s.whole(e, text)
		return append(s.release(e.MessageID), s.said(e, event.Completion, text))
	case streams.KindQuestion:
		return append(s.release(e.MessageID), s.said(e, event.Question, text))
	case streams.KindState:
		var said []event.Record
		if isStep(e) { // nothing repeats its text; that of a task may be its answer
			said = s.release(e.MessageID)
		}
		return append(said, s.record(e, event.AgentState{To: event.State(text)}))
	case streams.KindArtifact:
		return []event.Record{s.record(e, event.ArtifactCreated{Path: text, Bytes: -1})}
	case streams.KindEnd:
		return s.release(e.MessageID)
	case streams.KindOther:
		return nil
	default:
		return nil
	}
}

// piece keeps a piece of a text, and releases one of another kind. The first
// piece of a sub-step is its title.
func (s *shownSession) piece(e streams.Event, text string) (before []event.Record) {
	if _, known := s.names[e.MessageID]; !known && isStep(e) {
		s.names[e.MessageID] = text
		return nil
	}
	t := s.texts[e.MessageID]
	if t != nil && t.of.Type != e.Type {
		before, t = s.release(e.MessageID), nil
	}
	if t == nil {
		t = &shownText{}
		s.texts[e.MessageID] = t
	}
	t.of = e
	t.text.WriteString(text)
	return before
}

// whole forgets a text that the answer repeats.
func (s *shownSession) whole(e streams.Event, answer string) {
	if t := s.texts[e.MessageID]; t != nil && strings.TrimSpace(t.text.String()) == strings.TrimSpace(answer) {
		delete(s.texts, e.MessageID)
	}
}

// release shows the text that has come of a task or sub-step.
func (s *shownSession) release(id string) []event.Record {
	t := s.texts[id]
	if t == nil {
		return nil
	}
	delete(s.texts, id)
	return []event.Record{s.said(t.of, event.Progress, t.text.String())}
}

// rest shows all texts that have come.
func (s *shownSession) rest() []event.Record {
	var all []event.Record
	for id := range s.texts {
		all = append(all, s.release(id)...)
	}
	return all
}

// calls are the calls of tools in an event, and their results; nil when it has
// none. Agents may give their calls the same ids, so the task or sub-step is made
// part of them.
func (s *shownSession) calls(e streams.Event) (all []event.Record) {
	if len(e.Data.Choices) == 0 {
		return nil
	}
	var calls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	var results []struct {
		ID      string `json:"tool_call_id"`
		Name    string `json:"name"`
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}
	delta := e.Data.Choices[0].Delta
	if json.Unmarshal(delta.ToolCalls, &calls) == nil {
		for _, c := range calls {
			id := e.MessageID + "/" + c.ID
			s.begun[id] = e.Timestamp
			all = append(all, s.record(e, event.ToolStarted{CallID: id, Name: c.Function.Name, Arguments: c.Function.Arguments}))
		}
	}
	if json.Unmarshal(delta.ToolResponses, &results) == nil {
		for _, r := range results {
			id := e.MessageID + "/" + r.ID
			all = append(all, s.record(e, event.ToolFinished{
				CallID: id, Name: r.Name, Result: r.Content, IsError: r.IsError, DurationMS: e.Timestamp - cmp.Or(s.begun[id], e.Timestamp),
			}))
			delete(s.begun, id)
		}
	}
	return all
}

// said is a message to the person.
func (s *shownSession) said(e streams.Event, kind event.Kind, text string) event.Record {
	return s.record(e, event.MessageSent{
		ID: e.MessageID, Kind: kind, From: s.agent(e), FromName: s.name(e), To: event.Person, Content: text,
	})
}

func (s *shownSession) record(e streams.Event, d event.Data) event.Record {
	return event.Record{V: event.Version, Time: time.UnixMilli(e.Timestamp).UTC(), Agent: s.agent(e), Data: d}
}

// isStep says that an event is one of a sub-step.
func isStep(e streams.Event) bool { return strings.HasPrefix(e.MessageID, e.ParentMessageID+"/") }

// agent is the id of who speaks: the agent type, or the name of the sub-step.
func (s *shownSession) agent(e streams.Event) string {
	if step, ok := strings.CutPrefix(e.MessageID, e.ParentMessageID+"/"); ok {
		return step
	}
	return e.SourceAgentType
}

func (s *shownSession) name(e streams.Event) string {
	return cmp.Or(s.names[e.MessageID], e.SourceAgentType)
}
