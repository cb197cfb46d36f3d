package streams

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// teller turns the records of a team's run into events of a task. What it makes
// of a record follows from that record and those before it, ids and times too,
// so an event that is written again is the same one.
//
// What the leader says is the answer. What a sub-agent says is log, in a sub-step
// of the task with the message id TASK/AGENT.
type teller struct {
	voice  Voice
	run    string
	spoken map[string]*spoken // by agent
}

func newTeller(voice Voice, run string) *teller {
	return &teller{voice: voice, run: run, spoken: map[string]*spoken{}}
}

// spoken is how much of the reply under way was told already, in bytes.
type spoken struct{ text, thinking int }

// tell is the events of a record, nil when it says nothing to readers. Those of
// a live record carry no mark: the record that closes it says the same.
func (t *teller) tell(rec event.Record) []Event {
	a := t.agent(rec.Agent)
	tale := &tale{voice: t.voiceOf(rec.Agent), rec: rec, run: t.run}
	switch d := rec.Data.(type) {
	case event.ModelDelta:
		tale.text(fresh(&a.text, d.Offset, d.Text))
	case event.ModelThinking:
		tale.log(fresh(&a.thinking, d.Offset, d.Text))
	case event.ModelReplied:
		if d.Purpose == "" {
			tale.log(rest(d.Reasoning, a.thinking))
			tale.text(rest(d.Text, a.text))
			tale.calls(d.Calls)
			*a = spoken{}
		}
	case event.ModelFailed:
		*a = spoken{}
		if d.Failure.Code != event.CodeCancelled && d.Failure.Code != event.CodeInterrupted {
			tale.log(d.Failure.String())
		}
	case event.ToolFinished:
		tale.add(tale.voice.ToolResponses(tale.stamp(), toolResponses(d)))
	case event.AgentCreated:
		if rec.Agent != event.Leader {
			tale.log(d.Name) // the title of its sub-step
		}
	case event.AgentState:
		tale.add(tale.voice.State(tale.stamp(), string(d.To)))
	case event.ArtifactCreated:
		tale.add(tale.voice.Artifact(tale.stamp(), d.Path))
	case event.LimitReached:
		tale.log(fmt.Sprintf("limit %s: %v of %v", d.Limit, d.Used, d.Max))
	case event.Warning:
		tale.log(d.Text)
	default: // what else happens is seen in these, or is the end
	}
	return tale.events
}

func (t *teller) agent(id string) *spoken {
	if t.spoken[id] == nil {
		t.spoken[id] = &spoken{}
	}
	return t.spoken[id]
}

// voiceOf speaks for an agent.
func (t *teller) voiceOf(agent string) Voice {
	v := t.voice
	if agent == "" || agent == event.Leader || agent == event.Person || agent == event.Runtime {
		return v
	}
	v.ParentMessageID, v.MessageID, v.Sub = v.MessageID, v.MessageID+"/"+agent, true
	return v
}

// fresh is what of a piece at an offset was not told yet. A piece at the
// beginning begins anew, as a second try does; one behind a gap waits for the
// whole reply.
func fresh(told *int, offset int, piece string) string {
	switch {
	case offset == 0:
		*told = len(piece)
		return piece
	case offset != *told:
		return ""
	}
	*told += len(piece)
	return piece
}

// rest is the end of a text of which so many bytes were told.
func rest(text string, told int) string {
	if told >= len(text) {
		return ""
	}
	for told > 0 && !utf8.RuneStart(text[told]) {
		told--
	}
	return text[told:]
}

// tale is the events of one record.
type tale struct {
	voice  Voice
	rec    event.Record
	run    string
	events []Event
}

func (t *tale) text(piece string) {
	if piece != "" {
		t.add(t.voice.Text(t.stamp(), piece))
	}
}

func (t *tale) log(piece string) {
	if piece != "" {
		t.add(t.voice.Log(t.stamp(), piece))
	}
}

func (t *tale) calls(calls []event.Call) {
	if len(calls) > 0 {
		t.add(t.voice.ToolCalls(t.stamp(), toolCalls(calls)))
	}
}

// add adds an event with the mark of its record.
func (t *tale) add(e Event) {
	if t.rec.Seq > 0 {
		e = e.Marked(Mark{Run: t.run, Seq: t.rec.Seq, Part: len(t.events)})
	}
	t.events = append(t.events, e)
}

// stamp is the id and the time of the next event. Live records are told apart by
// their time.
func (t *tale) stamp() Stamp {
	place := fmt.Sprint(t.run, "/", t.voice.MessageID, "/", t.rec.Seq, "/", len(t.events))
	if t.rec.Seq == 0 {
		place += "/" + t.rec.Time.Format(time.RFC3339Nano) + jsonText(t.rec.Data)
	}
	sum := sha256.Sum256([]byte(place))
	return Stamp{ID: strings.ToUpper(hex.EncodeToString(sum[:16])), At: t.rec.Time}
}

// toolCalls are calls of tools in the form of OpenAI.
func toolCalls(calls []event.Call) json.RawMessage {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	list := make([]call, len(calls))
	for i, c := range calls {
		list[i] = call{ID: c.ID, Type: "function", Function: function{Name: c.Name, Arguments: c.Arguments}}
	}
	return json.RawMessage(jsonText(list))
}

// maxResult is how much of a tool's result goes to readers, in bytes. All of it
// is in the log.
const maxResult = 8 << 10

// toolResponses is the result of a call, in a list as calls are.
func toolResponses(d event.ToolFinished) json.RawMessage {
	type response struct {
		ID      string `json:"tool_call_id"`
		Name    string `json:"name"`
		Content string `json:"content"`
		IsError bool   `json:"is_error,omitempty"`
	}
	text := d.Result
	if len(text) > maxResult {
		end := maxResult
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return json.RawMessage(jsonText([]response{{ID: d.CallID, Name: d.Name, Content: text, IsError: d.IsError}}))
}
