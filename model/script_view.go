package model

import (
	"encoding/json"
	"slices"
	"strings"
	"text/template"

	"github.com/troupe-go/troupe/event"
)

// ScriptView is what the templates of a script see of the request.
type ScriptView struct {
	// Agent and Role are the ids of the agent that speaks.
	Agent, Role string
	// Number is the number of the reply, from 1.
	Number int
	// Task is the text of the last message of kind task, or of the first user
	// message if there is none.
	Task string
	// Last is the message that the entry's conditions fit, or the last user
	// message. Its Content is the text without the frame.
	Last Origin
	// New are the user messages that came since the last reply, oldest first.
	New []Origin
	// Results has the last result of each tool by the tool's name.
	Results map[string]string
}

// Result returns the last result of the tool, or nothing if there is none.
func (v *ScriptView) Result(tool string) string { return v.Results[tool] }

// situation is what conditions and templates need to know of a request.
type situation struct {
	view     ScriptView
	messages []Message
	last     Message   // the last user message
	fresh    []Message // the user messages since the last reply
	tools    []string  // the tools whose results came since the last reply
}

func situationOf(req Request) *situation {
	s := &situation{messages: req.Messages}
	s.view = ScriptView{Agent: req.Agent, Role: req.AgentRole, Number: 1, Results: make(map[string]string)}
	tasked := false
	for i, m := range req.Messages {
		switch m.Role {
		case Assistant:
			s.view.Number++
			s.fresh, s.tools = nil, nil
		case ToolRole:
			name := m.ToolName
			if name == "" {
				name = calledTool(req.Messages[:i], m.CallID)
			}
			s.view.Results[name] = m.Content
			s.tools = append(s.tools, name)
		case User:
			s.last = m
			s.fresh = append(s.fresh, m)
			if isTask := m.Origin.Kind == event.Task; isTask || s.view.Task == "" && !tasked {
				s.view.Task = originOf(m).Content
				tasked = true
			}
		case System:
		}
	}
	s.view.Last = originOf(s.last)
	for _, m := range s.fresh {
		s.view.New = append(s.view.New, originOf(m))
	}
	return s
}

// originOf is what is known of a user message, with its text.
func originOf(m Message) Origin {
	o := m.Origin
	if o.Content == "" {
		o.Content = m.Content
	}
	return o
}

// calledTool finds the name of the tool that a result answers.
func calledTool(before []Message, callID string) string {
	for _, m := range slices.Backward(before) {
		for _, c := range m.Calls {
			if c.ID == callID {
				return c.Name
			}
		}
	}
	return ""
}

// scriptFuncs are the functions of templates beside the standard ones.
func scriptFuncs() template.FuncMap {
	return template.FuncMap{
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
		"lines": func(n int, text string) string {
			all := strings.SplitAfter(text, "\n")
			return strings.TrimSuffix(strings.Join(all[:min(max(n, 0), len(all))], ""), "\n")
		},
		"cut": func(n int, text string) string {
			runes := []rune(text)
			return string(runes[:min(max(n, 0), len(runes))])
		},
		"trim": strings.TrimSpace,
	}
}
