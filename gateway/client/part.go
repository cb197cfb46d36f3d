package client

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Kinds of parts.
const (
	partText = "text"
	partFile = "file"
)

// Part is a part of the content of a message: a text, a reference to a file that
// was sent with POST /files, or a kind that this version does not know.
type Part struct {
	Kind string
	Text string // of a text
	// Ref, Name and Size tell of a file.
	Ref  string
	Name string
	Size int64
	// Raw is the whole part when its kind is not known here.
	Raw json.RawMessage
}

// Text makes a part of a text.
func Text(text string) Part { return Part{Kind: partText, Text: text} }

// wirePart is the JSON form of the parts that are known.
type wirePart struct {
	Type string  `json:"type"`
	Text *string `json:"text,omitempty"`
	Ref  string  `json:"ref,omitempty"`
	Name string  `json:"name,omitempty"`
	Size int64   `json:"size,omitempty"`
}

// MarshalJSON writes the part; one of an unknown kind as it came.
func (p Part) MarshalJSON() ([]byte, error) {
	switch p.Kind {
	case partText:
		return appendjson.Value(nil, wirePart{Type: partText, Text: &p.Text})
	case partFile:
		return appendjson.Value(nil, wirePart{Type: partFile, Ref: p.Ref, Name: p.Name, Size: p.Size})
	}
	if len(p.Raw) == 0 {
		return nil, errors.New("client: a part of an unknown kind without its text")
	}
	return p.Raw, nil
}

// UnmarshalJSON reads a part.
func (p *Part) UnmarshalJSON(text []byte) error {
	var w wirePart
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(text, &kind); err != nil || kind.Type == "" {
		return errors.New(`a part of content is an object with a type, such as {"type":"text","text":"…"}`)
	}
	if kind.Type != partText && kind.Type != partFile {
		var raw bytes.Buffer
		if err := json.Compact(&raw, text); err != nil {
			return err
		}
		*p = Part{Kind: kind.Type, Raw: raw.Bytes()}
		return nil
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*p = Part{Kind: w.Type, Ref: w.Ref, Name: w.Name, Size: w.Size}
	if kind.Type == partText {
		if w.Text == nil {
			return errors.New("a part of the type text has a text")
		}
		*p = Text(*w.Text)
	}
	return nil
}
