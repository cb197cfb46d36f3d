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
	tools   []Tool // with schemas of its own
	dialect Dialect
	text    []byte // never changed
}

// text returns the JSON of the tools as the protocol has it, their schemas in
// the dialect; it must not be changed.
func (o *offers) text(tools []Tool, d Dialect) ([]byte, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range o.kept {
		if k.dialect == d && slices.EqualFunc(k.tools, tools, sameTool) {
			return k.text, nil
		}
	}
	text, err := json.Marshal(chatTools(tools, d))
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
	o.kept = append(o.kept, offer{own, d, text})
	return text, nil
}

func sameTool(a, b Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Schema) == string(b.Schema)
}

// chatTools writes tools in go-openai's words.
func chatTools(tools []Tool, d Dialect) []openai.Tool {
	var out []openai.Tool
	for _, t := range tools {
		out = append(out, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: d.schema(t.Schema)},
		})
	}
	return out
}
