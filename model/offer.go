package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/internal/appendjson"
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
	text, err := chatTools(tools, d)
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

// chatTools writes tools as the protocol has them. The error is that of a
// schema that is no JSON.
func chatTools(tools []Tool, d Dialect) ([]byte, error) {
	var b bytes.Buffer
	size := 0
	for _, t := range tools {
		const rest = 80 // what is written around them, and some escapes
		size += len(t.Name) + len(t.Description) + len(t.Schema) + rest
	}
	b.Grow(size)
	for i, t := range tools {
		text := append(b.AvailableBuffer(), "[,"[min(i, 1)])
		text = appendjson.String(append(text, `{"function":{"name":`...), t.Name)
		if t.Description != "" {
			text = appendjson.String(append(text, `,"description":`...), t.Description)
		}
		b.Write(append(text, `,"parameters":`...))
		if err := json.Compact(&b, d.schema(t.Schema)); err != nil {
			return nil, err
		}
		b.WriteString(`},"type":"function"}`)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}
