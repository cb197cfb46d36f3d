package replay

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// value is one field of a record that is compared. Its path begins at the data
// of the record.
type value struct {
	path, text string
	id         bool // of an agent: it has to correspond, the same letters are not enough
}

// valuesOf lists what is compared of a record, what tells most first. Times,
// durations, usage, call ids and what only an endpoint knows are left out, and
// so are failures' words, which may have any of these in them.
func valuesOf(data event.Data) []value {
	switch d := data.(type) {
	case event.AgentCreated:
		return []value{
			{path: "role", text: d.Role},
			{path: "parent", text: d.Parent, id: true},
			{path: "model", text: d.Model},
			{path: "scripted", text: strconv.FormatBool(d.Scripted)},
			{path: "tools", text: strings.Join(d.Tools, "\n")},
			{path: "prompt", text: d.Prompt},
		}
	case event.MessageSent:
		return []value{
			{path: "from", text: d.From, id: true},
			{path: "kind", text: string(d.Kind)},
			{path: "reason", text: string(d.Reason)},
			{path: "content", text: d.Content},
		}
	case event.QuestionClosed:
		return []value{
			{path: "outcome", text: string(d.Outcome)}, {path: "from", text: d.From, id: true}, {path: "text", text: d.Text},
		}
	case event.ApprovalDecided:
		return []value{{path: "decision", text: d.Decision}, {path: "reason", text: d.Reason}}
	case event.ModelRequested:
		return []value{
			{path: "model", text: d.Model}, {path: "wrap_up", text: strconv.FormatBool(d.WrapUp)}, {path: "purpose", text: d.Purpose},
		}
	case event.ModelReplied:
		return replyValues(d)
	case event.ModelFailed:
		return []value{{path: "failure.code", text: d.Failure.Code}, {path: "purpose", text: d.Purpose}}
	case event.HistoryCompacted:
		return []value{
			{path: "summary", text: d.Summary}, {path: "kept", text: strconv.Itoa(d.Kept)}, {path: "dropped", text: strconv.Itoa(d.Dropped)},
		}
	case event.ToolFinished:
		list := []value{{path: "name", text: d.Name}, {path: "is_error", text: strconv.FormatBool(d.IsError)}}
		if d.IsError || !tellsOfOthers[d.Name] {
			list = append(list, value{path: "result", text: d.Result})
		}
		return list
	case event.TurnEnded:
		code := ""
		if d.Failure != nil {
			code = d.Failure.Code
		}
		return []value{{path: "reason", text: string(d.Reason)}, {path: "limit", text: d.Limit}, {path: "failure.code", text: code}}
	case event.LimitWarned:
		return limitValues(d.Limit, d.Max)
	case event.LimitReached:
		return limitValues(d.Limit, d.Max)
	case event.AgentState:
		return []value{{path: "to", text: string(d.To)}}
	default: // not compared
		return nil
	}
}

func replyValues(d event.ModelReplied) []value {
	list := []value{{path: "text", text: d.Text}}
	for i, c := range d.Calls {
		at := fmt.Sprintf("calls[%d].", i)
		list = append(list, value{path: at + "name", text: c.Name}, value{path: at + "arguments", text: c.Arguments})
	}
	return append(list,
		value{path: "finish", text: string(d.Finish)}, value{path: "reasoning", text: d.Reasoning},
		value{path: "model", text: d.Model}, value{path: "purpose", text: d.Purpose})
}

func limitValues(limit string, most float64) []value {
	return []value{{path: "limit", text: limit}, {path: "max", text: strconv.FormatFloat(most, 'g', -1, 64)}}
}

// tellsOfOthers has the tools whose result says what other agents were doing at
// that moment: who had reported, how many places were free. It depends on who
// was faster, and what it leads to shows in what the agent says next.
var tellsOfOthers = map[string]bool{
	"create_sub_agent": true, "wait_sub_agent_output": true, "stop_sub_agent": true,
	"list_active_sub_agents": true, "get_sub_agent_status": true,
}
