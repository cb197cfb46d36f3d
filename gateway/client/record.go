package client

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// messages are the messages that a stored record makes, as for a client with
// every capability: as many as count says. f has taken in all records before it,
// and not yet this one.
func (f *fold) messages(rec event.Record) ([]Message, error) {
	var list []Message
	trace := f.trace
	add := func(m Message) {
		m.Seq = f.seq + int64(len(list)) + 1
		m.ID, m.Time, m.TraceID = "msg_"+strconv.FormatInt(m.Seq, 10), rec.Time, trace
		list = append(list, m)
	}
	if f.count(rec) == 0 {
		return nil, nil
	}
	switch d := rec.Data.(type) {
	case event.RunStarted:
		trace = d.TraceID
	case event.ModelReplied:
		add(finalOf(rec, d.Step, d.Text, d.Usage, d.DurationMS))
		return list, nil
	case event.ToolHanded:
		add(toolCall(openCall{agent: rec.Agent, ToolHanded: d}))
		return list, nil
	case event.ModelFailed:
		if d.Purpose == "" && d.Partial != "" {
			m := finalOf(rec, d.Step, d.Partial, d.Usage, 0)
			final, _ := m.Body.(Final)
			final.Incomplete = true
			m.Body = final
			add(m)
		}
	default:
	}
	m, err := eventOf(rec)
	if err != nil {
		return nil, fmt.Errorf("client: record %d: %w", rec.Seq, err)
	}
	add(m)
	if ends(rec) {
		for _, id := range f.prompts {
			m, err := outcomeOf(rec, id)
			if err != nil {
				return nil, fmt.Errorf("client: record %d: %w", rec.Seq, err)
			}
			add(m)
		}
	}
	return list, nil
}

// streamID names the text that a step of an agent's turn brings.
func streamID(rec event.Record, step int) string {
	return fmt.Sprintf("str_%s_%d_%d", rec.Agent, rec.Turn, step)
}

func finalOf(rec event.Record, step int, text string, u event.Usage, ms int64) Message {
	return Message{Role: roleAssistant, Content: []Part{Text(text)}, Body: Final{
		Stream: streamID(rec, step), Agent: rec.Agent, Usage: usageOf(u), DurationMS: ms,
	}}
}

func usageOf(u event.Usage) Usage {
	return Usage{
		InputTokens: u.Input, OutputTokens: u.Output, CachedInputTokens: u.CachedInput, ReasoningTokens: u.Reasoning, Estimated: u.Estimated,
	}
}

func toolCall(c openCall) Message {
	arguments := json.RawMessage(c.Arguments)
	if !json.Valid(arguments) {
		arguments, _ = json.Marshal(c.Arguments) // a string always has a JSON form
	}
	return Message{Role: roleTool, Body: ToolCall{
		CallID: c.id(), Name: c.Name, Arguments: arguments, Agent: c.agent, TimeoutMS: c.TimeoutMS,
	}}
}

// outcomeOf answers a prompt with what the end of its turn says.
func outcomeOf(end event.Record, prompt string) (Message, error) {
	m := Message{Role: roleAssistant, ReplyTo: prompt}
	outcome, answer := Outcome{Status: "cancelled"}, ""
	switch d := end.Data.(type) {
	case event.RunFailed:
		m.Body = Response{Error: failureOf(d.Failure)}
		if d.Answer != "" {
			m.Content = []Part{Text(d.Answer)}
		}
		return m, nil
	case event.RunFinished:
		outcome = Outcome{Status: "finished", Limit: d.Limit, Usage: usageOf(d.Usage), DurationMS: d.DurationMS}
		if d.Partial {
			outcome.Status = "partial"
		}
		answer = d.Answer
	default:
	}
	if answer != "" {
		m.Content = []Part{Text(answer)}
	}
	text, err := appendjson.Value(nil, outcome)
	m.Body = Response{Result: text}
	return m, err
}

// failureOf words the failure of a run as an error of the protocol.
func failureOf(f event.Failure) *gateway.Error {
	code := gateway.StatusInternal
	switch f.Who {
	case gateway.WhoClient:
		code = gateway.StatusBad
	case gateway.WhoLimit:
		code = gateway.StatusTooMany
	case gateway.WhoNetwork:
		code = gateway.StatusUnavailable
	default:
		if f.Retryable {
			code = gateway.StatusUnavailable
		}
	}
	e := gateway.NewError(code, "%s", f.Message).WithHint(f.Hint)
	e.Retryable = f.Retryable
	if f.Who != "" {
		e.Who = f.Who
	}
	return e
}

// eventOf tells of a record by its type and its data, without what is of no use
// to a client: prompts of agents, the team, texts that stand in Content.
func eventOf(rec event.Record) (Message, error) {
	e := Event{Event: string(rec.Type()), Agent: rec.Agent, Turn: rec.Turn}
	m := Message{Role: roleAssistant}
	var data any = rec.Data
	switch d := rec.Data.(type) {
	case event.RunStarted:
		data = event.RunStarted{RunID: d.RunID, TeamName: d.TeamName, Task: d.Task, TraceID: d.TraceID, Program: d.Program, ModelKind: d.ModelKind, Lang: d.Lang}
	case event.RunResumed:
		data = event.RunResumed{Task: d.Task, Program: d.Program, Lang: d.Lang}
	case event.AgentCreated:
		d.Prompt = ""
		data = d
	case event.RoleCreated:
		d.Prompt = ""
		data = d
	case event.HistoryCompacted:
		d.Summary = ""
		data = d
	case event.MessageSent:
		e.Event = EventMessage
		m.Content = []Part{Text(d.Content)}
		data = mail(d)
		if d.From == event.Person {
			m.Role = roleUser
			m.ReplyTo, _ = promptOf(d)
		}
	case event.ModelFailed:
		d.Partial = ""
		data = d
	case event.ToolStarted, event.ToolFinished, event.ToolReturned:
		m.Role = roleTool
	case event.Unknown:
		data = d.JSON
	default:
	}
	text, err := appendjson.Value(nil, data)
	e.Data = text
	m.Body = e
	return m, err
}

// Mail is the data of an [EventMessage]: a message of the mailbox, whose content is
// that of the message.
type Mail struct {
	ID    string     `json:"id"`
	Kind  event.Kind `json:"kind"`
	Label string     `json:"label"` // the kind in the words of the mailbox protocol
	From  string     `json:"from"`
	// FromName is the display name of the sender.
	FromName string       `json:"from_name"`
	To       string       `json:"to"`
	Reason   event.Reason `json:"reason,omitempty"` // why the turn ended that a completion reports
}

func mail(d event.MessageSent) Mail {
	return Mail{ID: d.ID, Kind: d.Kind, Label: d.Kind.Label(), From: d.From, FromName: d.FromName, To: d.To, Reason: d.Reason}
}

// liveMessage tells of a live record; ok is false if clients are not told of it.
func liveMessage(rec event.Record) (m Message, ok bool) {
	m = Message{Role: roleAssistant, Time: rec.Time}
	switch d := rec.Data.(type) {
	case event.ModelDelta:
		m.Content = []Part{Text(d.Text)}
		m.Body = Chunk{Stream: streamID(rec, d.Step), Agent: rec.Agent, Offset: d.Offset}
	case event.ToolOutput:
		m.Role, m.Content = roleTool, []Part{Text(d.Text)}
		text, _ := json.Marshal(map[string]string{"call": d.CallID}) // strings always have a JSON form
		m.Body = Event{Event: string(rec.Type()), Agent: rec.Agent, Turn: rec.Turn, Data: text}
	default:
		return Message{}, false
	}
	return m, true
}
