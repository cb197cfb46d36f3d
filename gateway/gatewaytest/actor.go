package gatewaytest

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// Words that the person says to the team, and what it does then.
const (
	sayIt    = "say "    // says the rest
	takeTime = "slowly " // says the rest after a minute
	askMe    = "ask"     // asks the person, then says what it heard
	touchIt  = "touch "  // calls the tool that needs leave, then says what came of it
	errand   = "errand " // has the client do something, then says what came of it
	hire     = "hire"    // makes a sub-agent, and waits for what it does in an hour
)

// slow is how long the team takes for what it does slowly.
const slow = time.Minute

// actor plays the leader and its sub-agents. It has no memory but the
// conversation.
func actor() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		if req.Agent != event.Leader {
			return modeltest.Reply{Text: "worked", Delay: time.Hour}
		}
		last := req.Messages[len(req.Messages)-1]
		if last.Role == model.ToolRole {
			if last.ToolName == "create_sub_agent" {
				return modeltest.Reply{Calls: []event.Call{modeltest.Call("wait_sub_agent_output", nil)}}
			}
			return modeltest.Reply{Text: "heard " + last.Content}
		}
		text := last.Origin.Content
		switch {
		case strings.HasPrefix(text, takeTime):
			return modeltest.Reply{Text: text[len(takeTime):], Delay: slow}
		case strings.HasPrefix(text, touchIt):
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("touch", touchArgs{text[len(touchIt):]})}}
		case strings.HasPrefix(text, errand):
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("fetch", touchArgs{text[len(errand):]})}}
		case text == askMe:
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("ask_user", map[string]string{"question": "Which colour?"})}}
		case text == hire:
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("create_sub_agent", map[string]string{"role": "aid", "task": "work"})}}
		}
		return modeltest.Reply{Text: strings.TrimPrefix(text, sayIt)}
	})
}

type touchArgs struct {
	Name string `json:"name"`
}

// touched is a tool whose calls need leave, and what it did.
type touched struct {
	mu    sync.Mutex // guards names
	names []string
}

func (x *touched) tool() tools.Tool {
	return tools.FuncCall("touch", "touch a thing", func(_ context.Context, _ tools.Call, in touchArgs) (string, error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.names = append(x.names, in.Name)
		return "touched " + in.Name, nil
	}, tools.Asks(), tools.About(tools.TextSubject, "name"))
}

func (x *touched) all() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.Join(x.names, " ")
}
