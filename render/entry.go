package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// weight says where an entry is shown.
type weight int

const (
	hidden  weight = iota // nowhere
	detail                // in both views, if Verbose
	fact                  // as a line; among bubbles only if Verbose
	step                  // in both views; one dim line among bubbles
	notice                // in both views, in full
	message               // in both views; a box among bubbles
)

// entry is what one record tells a person.
type entry struct {
	weight
	agent   string // id of the agent that it is about
	to      string // id of the receiver of a message
	purpose string // what happens
	id      string // id of a message
	re      string // id of the question that an answer answers
	remark  string // stands outside the box
	text    string // not yet clean for messages; clean and on one line for others
	style   Style
}

// describe says what a record tells. Records that are news to nobody give a
// hidden entry.
func (p *Printer) describe(rec event.Record) entry {
	e := entry{agent: rec.Agent}
	switch d := rec.Data.(type) {
	case event.MessageSent:
		return entry{message, d.From, d.To, p.words.kind(d.Kind), CleanLine(d.ID), "", p.partial(d.Reason), d.Content, StyleKind}
	case event.QuestionClosed:
		return p.describeAnswer(d)
	case event.RunStarted, event.RunResumed, event.RunSuspended, event.RunFinished, event.RunFailed:
		return p.describeRun(e, d)
	case event.AgentCreated, event.RoleCreated, event.AgentState, event.AgentStopping, event.TurnEnded, event.HistoryCompacted:
		return p.describeAgent(e, d)
	case event.ModelRequested, event.ModelReplied, event.ModelRetried, event.ModelFailed, event.ModelProfile:
		return p.describeModel(e, d)
	case event.ToolStarted, event.ToolFinished, event.ToolHanded, event.ToolReturned,
		event.ApprovalRequested, event.ApprovalDecided, event.ArtifactCreated:
		return p.describeTool(e, d)
	case event.MessageDelivered:
		return e.with(detail, StyleDim, p.words.delivered, CleanLine(d.ID))
	case event.MessageReturned:
		return e.with(notice, StyleWarn, p.words.returned, CleanLine(d.ID)+" "+p.arrow+" "+p.cast.name(d.To), d.Why)
	case event.LimitWarned:
		return e.with(notice, StyleWarn, p.words.limitNear, limitText(d.Limit, d.Used, d.Max))
	case event.LimitReached:
		return e.with(notice, StyleError, p.words.limit, limitText(d.Limit, d.Used, d.Max))
	case event.Warning:
		return e.with(notice, StyleWarn, p.words.warning, d.Text)
	case event.Unknown:
		return e.with(detail, StyleDim, p.words.unknown, string(d.Name))
	case event.QuestionOpened, event.ModelDelta, event.ModelThinking, event.ToolOutput:
		// The question's text is the message of the same id; what is live is
		// told by the record that closes it.
		return entry{}
	}
	return entry{}
}

// with fills an entry of one line; parts that are empty are left out.
func (e entry) with(w weight, st Style, purpose string, parts ...string) entry {
	e.weight, e.style, e.purpose = w, st, purpose
	clean := parts[:0]
	for _, part := range parts {
		if part = CleanLine(part); part != "" {
			clean = append(clean, part)
		}
	}
	e.text = strings.Join(clean, "  ")
	return e
}

// partial marks the completion of a turn that did not end by itself.
func (p *Printer) partial(r event.Reason) string {
	if r == "" || r == event.EndNatural {
		return ""
	}
	return lookUp(p.words.reasons, r)
}

// describeAnswer tells of the end of a question: the answer, or why none came.
func (p *Printer) describeAnswer(d event.QuestionClosed) entry {
	q := p.cast.questions[d.ID]
	if d.Text == "" {
		e := entry{agent: q.from, to: q.to}
		return e.with(notice, StyleWarn, p.words.unanswered, d.ID, lookUp(p.words.outcomes, d.Outcome), d.Detail)
	}
	remark := ""
	if d.Outcome != event.Answered {
		remark = lookUp(p.words.outcomes, d.Outcome)
	}
	return entry{
		weight: message, agent: cmp.Or(d.From, q.to), to: q.from, purpose: p.words.kind(event.Answer), style: StyleKind,
		id: CleanLine(d.AnswerID), re: CleanLine(d.ID), remark: remark, text: d.Text,
	}
}

func (p *Printer) describeRun(e entry, data event.Data) entry {
	switch d := data.(type) {
	case event.RunStarted:
		script := ""
		if p.cast.scripted {
			script = p.script()
		}
		origin := ""
		if d.Import != nil {
			origin = p.words.imported + " " + d.Import.Format + " " + d.Import.File
		}
		return e.with(fact, StyleDim, p.words.started, d.RunID, script, origin, d.TeamName, d.Task)
	case event.RunResumed:
		return e.with(fact, StyleDim, p.words.resumed, d.Task)
	case event.RunSuspended:
		return e.with(notice, StyleWarn, p.words.suspended, d.Cause, d.ID)
	case event.RunFinished:
		st, limit := StyleOK, ""
		if d.Partial {
			st, limit = StyleWarn, p.words.limit+" "+d.Limit
		}
		return e.with(fact, st, p.words.finished, clockTime(millis(d.DurationMS)),
			tokens(d.Usage.Total(), d.Usage.Estimated)+" token", p.cost(d.Cost, d.Usage.Estimated, false), limit)
	case event.RunFailed:
		return e.with(notice, StyleError, p.words.runFailed, failureText(d.Failure))
	default:
		return e
	}
}

func (p *Printer) describeAgent(e entry, data event.Data) entry {
	switch d := data.(type) {
	case event.AgentCreated:
		where := d.Remote
		if where == d.Model { // the place stands for a model that nobody here knows
			where = ""
		}
		return e.with(fact, StyleDim, p.words.created, d.Name, d.Model, where)
	case event.RoleCreated:
		return e.with(fact, StyleDim, p.words.role, d.Name, d.Does)
	case event.AgentState:
		move := lookUp(p.words.states, d.From) + " " + p.arrow + " " + lookUp(p.words.states, d.To)
		return e.with(detail, StyleDim, p.words.state, move, d.Cause)
	case event.AgentStopping:
		return e.with(fact, StyleWarn, p.words.stopping, d.By, lookUp(p.words.stops, d.Mode), d.Reason)
	case event.HistoryCompacted:
		return e.with(fact, StyleDim, p.words.compact, fmt.Sprintf(p.words.dropped, d.Dropped))
	case event.TurnEnded:
		if d.Failure == nil {
			return e.with(detail, StyleDim, p.words.turn, lookUp(p.words.reasons, d.Reason), d.Limit)
		}
		if text := failureText(*d.Failure); text != p.failures[e.agent] {
			return e.with(notice, StyleError, p.words.failed, text)
		}
		return entry{}
	default:
		return e
	}
}

func (p *Printer) describeModel(e entry, data event.Data) entry {
	switch d := data.(type) {
	case event.ModelRequested:
		return e.with(detail, StyleDim, p.words.requested, d.Model)
	case event.ModelReplied:
		return e.with(detail, StyleDim, p.words.replied, tokens(d.Usage.Total(), d.Usage.Estimated)+" token",
			shortTime(millis(d.DurationMS)), p.cost(d.Cost, d.Usage.Estimated, false))
	case event.ModelRetried:
		d.Failure.Hint = "" // for people to act on, when nothing else helps
		return e.with(notice, StyleWarn, p.words.retried, fmt.Sprintf(p.words.attempt, d.Attempt),
			fmt.Sprintf(p.words.wait, shortTime(millis(d.WaitMS))), failureText(d.Failure))
	case event.ModelFailed:
		if d.Failure.Code == "cancelled" { // somebody wanted it so
			return e.with(fact, StyleDim, p.words.cutShort, CleanLine(d.Failure.Message))
		}
		p.failures[e.agent] = failureText(d.Failure)
		return e.with(notice, StyleError, p.words.failed, p.failures[e.agent])
	case event.ModelProfile:
		return e.with(fact, StyleDim, p.words.profile, d.Endpoint, d.Switch+"="+d.Value, d.Why)
	default:
		return e
	}
}

func (p *Printer) describeTool(e entry, data event.Data) entry {
	switch d := data.(type) {
	case event.ToolStarted:
		w := step
		if speaks[d.Name] {
			w = fact
		}
		return e.with(w, StyleDim, p.words.tool, p.cast.tools[d.CallID])
	case event.ToolFinished:
		call := p.cast.tools[d.CallID]
		if call == "" {
			call = d.Name
		}
		if d.IsError {
			return e.with(notice, StyleError, p.words.toolError, call, d.File, p.beginning(d.Result, maxLineText))
		}
		result := d.Result
		if speaks[d.Name] && strings.HasPrefix(result, framed) {
			result = "" // the answer has been shown
		}
		w, st := fact, StyleDim
		if d.File != "" {
			w, st = notice, StyleWarn // the rest stands elsewhere
		}
		return e.with(w, st, p.words.toolDone, call, shortTime(millis(d.DurationMS)), d.File, p.beginning(result, maxLineText))
	case event.ToolHanded:
		return e.with(detail, StyleDim, p.words.handed, cmp.Or(p.cast.tools[d.CallID], d.Name, d.CallID))
	case event.ToolReturned:
		return e.with(detail, StyleDim, p.words.handedBack, cmp.Or(p.cast.tools[d.CallID], d.CallID), d.By)
	case event.ApprovalRequested:
		// A person decides on what stands here, so all arguments are shown.
		return e.with(notice, StyleWarn, p.words.approval, d.ID, d.Name, p.beginning(d.Arguments, maxApproval))
	case event.ApprovalDecided:
		decision := d.Decision
		switch decision {
		case "allow":
			decision = p.words.allow
		case "deny":
			decision = p.words.deny
		}
		return e.with(notice, StyleDim, p.words.decided, d.ID, decision, d.By, d.Reason)
	case event.ArtifactCreated:
		return e.with(fact, StyleDim, p.words.artifact, d.Path, size(d.Bytes))
	default:
		return e
	}
}

// speaks has the tools whose message is shown itself.
var speaks = map[string]bool{
	"send_message_to_sub_agent": true, "ask_sub_agent": true, "answer_sub_agent_question": true,
	event.CallAskMaster: true, "ask_other_agent": true, "answer_other_agent": true, "ask_user": true,
	event.CallGoOn: true,
}

// framed begins a message in the form of the mailbox protocol.
const framed = "来自 "

// How much of a text is looked at for one line, in bytes.
const (
	maxLineText = 1024
	maxApproval = 8192
)

// beginning is the text itself or its first bytes and an ellipsis.
func (g glyphs) beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + g.ellipsis
}

func limitText(limit string, used, most float64) string {
	return limit + " " + number(used) + " / " + number(most)
}

// failureText is a failure with its code and hint.
func failureText(f event.Failure) string {
	text := CleanLine(f.String())
	if f.Code != "" {
		text = CleanLine(f.Code) + ": " + text
	}
	return text
}
