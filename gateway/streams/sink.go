package streams

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Sink takes what a run says and wants. Its methods wait while Redis cannot be
// reached, until their context ends, so an event may be written twice; both
// then have the same id in their data. It may be used by several goroutines.
type Sink struct {
	store   *store
	voice   Voice
	request Header
}

// Text writes a piece of the answer.
func (s *Sink) Text(ctx context.Context, piece string) error {
	return s.say(ctx, func(at Stamp) Event { return s.voice.Text(at, piece) })
}

// Log writes a piece of reasoning or of a log.
func (s *Sink) Log(ctx context.Context, piece string) error {
	return s.say(ctx, func(at Stamp) Event { return s.voice.Log(at, piece) })
}

// State writes in a word what the agent does.
func (s *Sink) State(ctx context.Context, word string) error {
	return s.say(ctx, func(at Stamp) Event { return s.voice.State(at, word) })
}

// Artifact writes where something is that the agent made.
func (s *Sink) Artifact(ctx context.Context, address string) error {
	return s.say(ctx, func(at Stamp) Event { return s.voice.Artifact(at, address) })
}

// ToolCalls writes calls of tools, a JSON list.
func (s *Sink) ToolCalls(ctx context.Context, calls json.RawMessage) error {
	return s.say(ctx, func(at Stamp) Event { return s.voice.ToolCalls(at, calls) })
}

// ToolResponses writes results of tools, a JSON list.
func (s *Sink) ToolResponses(ctx context.Context, responses json.RawMessage) error {
	return s.say(ctx, func(at Stamp) Event { return s.voice.ToolResponses(at, responses) })
}

// Voice makes events of this run, for [Sink.Publish].
func (s *Sink) Voice() Voice { return s.voice }

// Stamp makes the id and the time of an event.
func (s *Sink) Stamp() (Stamp, error) { return s.store.stamp() }

func (s *Sink) say(ctx context.Context, event func(Stamp) Event) error {
	at, err := s.store.stamp()
	if err != nil {
		return err
	}
	return s.Publish(ctx, event(at))
}

// Publish writes events as they are, all or none.
func (s *Sink) Publish(ctx context.Context, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	return persist(ctx, func() error { return s.store.publish(ctx, s.voice.SessionID, events...) })
}

// open reports whether a task of the session has not ended; one without a record
// has.
func (s *Sink) open(ctx context.Context, message string) (open bool, err error) {
	err = persist(ctx, func() error {
		r, err := s.store.record(ctx, s.voice.SessionID, message)
		open = err == nil && !r.Status.Terminal()
		if errors.Is(err, ErrNoRecord) {
			err = nil
		}
		return err
	})
	return open, err
}

// Mark is a place in the log of a run: an event that carries it says what was
// published up to where.
type Mark struct {
	Run  string `json:"run"`
	Seq  int64  `json:"seq"`
	Part int    `json:"part"` // several events may come of one record
}

// troupeName is where Troupe writes what is its own: in the metadata of an
// event, and in the extra payload of a command.
const troupeName = "troupe"

// Marked is the event with a mark.
func (e Event) Marked(m Mark) Event {
	metadata := Values{troupeName: json.RawMessage(jsonText(m))}
	for name, value := range e.Metadata {
		if name != troupeName {
			metadata[name] = value
		}
	}
	e.Metadata = metadata
	return e
}

// Mark is the mark that the event carries.
func (e Event) Mark() (m Mark, ok bool) {
	raw := e.Metadata[troupeName]
	return m, raw != nil && json.Unmarshal(raw, &m) == nil
}

// LastMark is the mark of the last event of that run in the session, or, when
// run is "", of the last event of this task that has one: the place to go on from
// after a crash. The stream has other writers, so it is read backwards.
func (s *Sink) LastMark(ctx context.Context, run string) (m Mark, found bool, err error) {
	task := s.voice.MessageID
	err = persist(ctx, func() error {
		return s.store.backwards(ctx, s.voice.SessionID, func(e Event) bool {
			at, marked := e.Mark()
			if marked && (at.Run == run || run == "" && (e.MessageID == task || e.ParentMessageID == task)) {
				m, found = at, true
			}
			return !found
		})
	})
	return m, found, err
}

// backwards reads the events of a session from the last to the first, until
// see returns false. What is no event is passed over.
func (s *store) backwards(ctx context.Context, session string, see func(Event) bool) error {
	for end := "+"; ; {
		entries, err := s.rdb.XRevRangeN(ctx, s.schema.DataStream(session), end, "-", pageEntries).Result()
		if err != nil {
			return err
		}
		for _, m := range entries {
			if e, err := decodeEntry(m); err == nil && !see(e.Event) {
				return nil
			}
		}
		if len(entries) < pageEntries {
			return nil
		}
		end = "(" + entries[len(entries)-1].ID
	}
}

// Call is a task for another agent.
type Call struct {
	AgentType string
	Content   Content
	// MessageID makes the call one that is not made twice when a run begins
	// again; "" for a new id.
	MessageID string
	Metadata  Values
	Extra     Values
}

// Call gives another agent a task, whose reply resumes this one; the run ends
// with WaitingAgent. It returns the message id of the child. Errors are those
// of [Client.Send].
func (s *Sink) Call(ctx context.Context, c Call) (child string, err error) {
	return s.call(ctx, c, "")
}

func (s *Sink) call(ctx context.Context, c Call, group string) (string, error) {
	own := s.voice.AgentType
	from := origin{source: own, header: own, parent: s.voice.MessageID, group: group, requested: true}
	r := Request{
		AgentType: c.AgentType, SessionID: s.voice.SessionID, Content: c.Content, MessageID: c.MessageID, TraceID: s.voice.TraceID,
		UserCode: s.request.UserCode, UserName: s.request.UserName, Metadata: c.Metadata, Extra: c.Extra,
	}
	if r.MessageID == "" {
		id, err := s.store.id("msg-")
		if err != nil {
			return "", err
		}
		r.MessageID = id
	}
	return r.MessageID, persist(ctx, func() error {
		_, err := s.store.send(ctx, r, from)
		return err
	})
}

// Dispatch gives several tasks at once; when all have replied, this one is
// resumed with the results. The run ends with GroupQueued. It returns the ids
// of the group and of the children.
func (s *Sink) Dispatch(ctx context.Context, calls []Call) (group string, children []string, err error) {
	if len(calls) == 0 {
		return "", nil, errors.New("streams: a group needs a task")
	}
	if group, err = s.store.id("tg-"); err != nil {
		return "", nil, err
	}
	err = persist(ctx, func() error { return s.store.openGroup(ctx, group, s.voice.AgentType, len(calls)) })
	if err != nil {
		return "", nil, err
	}
	for _, c := range calls {
		child, err := s.call(ctx, c, group)
		if err != nil {
			return group, children, err
		}
		children = append(children, child)
	}
	return group, children, nil
}

// blockFor is how long a blocked read waits; a cancelled context does not end
// it, so it is short.
const blockFor = time.Second
