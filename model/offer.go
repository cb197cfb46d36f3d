package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// maxOffers bounds how many lists of tools an adapter keeps the text of. A
// team has one for each role; past the bound the oldest is forgotten.
const maxOffers = 32

// offers keeps the JSON of the lists of tools that were sent before: an agent
// offers the same list with every request, and agents of one role share it.
type offers struct {
	mu   sync.Mutex // guards kept
	kept []offer
}

type offer struct {
	tools []Tool // with schemas of its own
	text  []byte // never changed
}

// text returns the JSON of the tools as the protocol has it; it must not be
// changed.
func (o *offers) text(tools []Tool) ([]byte, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range o.kept {
		if slices.EqualFunc(k.tools, tools, sameTool) {
			return k.text, nil
		}
	}
	text, err := json.Marshal(chatTools(tools))
	if err != nil {
		return nil, fmt.Errorf("model: request tools: %w", err)
	}
	if len(o.kept) == maxOffers {
		o.kept = slices.Delete(o.kept, 0, 1)
	}
	own := slices.Clone(tools)
	for i := range own {
		own[i].Schema = slices.Clone(own[i].Schema)
	}
	o.kept = append(o.kept, offer{own, text})
	return text, nil
}

func sameTool(a, b Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Schema) == string(b.Schema)
}

// noParameters is the schema of a tool that takes none; some endpoints refuse
// a schema that is absent or has no properties.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// chatTools writes tools in go-openai's words.
func chatTools(tools []Tool) []openai.Tool {
	var out []openai.Tool
	for _, t := range tools {
		schema := t.Schema
		if len(schema) == 0 || string(schema) == "null" {
			schema = noParameters
		}
		out = append(out, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema},
		})
	}
	return out
}
