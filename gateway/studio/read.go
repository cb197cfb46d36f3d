package studio

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Read reads a message that an agent sent. It takes the commas behind the last
// field or behind a message that the document of the protocol writes.
func Read(text []byte) (Message, error) {
	var m Message
	if err := json.Unmarshal(Relaxed(text), &m); err != nil {
		return Message{}, fmt.Errorf("studio: the message is no JSON: %w", err)
	}
	return m, nil
}

// Relaxed returns JSON without the commas that end a list of fields or of values,
// or the text itself; all else stays as it is.
func Relaxed(text []byte) []byte {
	out := make([]byte, 0, len(text))
	comma := -1 // the place in out of a comma behind which nothing came yet
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
			comma = -1
		case inString, c == ' ', c == '\t', c == '\n', c == '\r':
		case c == ',':
			comma = len(out)
		case (c == '}' || c == ']') && comma >= 0:
			out = append(out[:comma], out[comma+1:]...)
			comma = -1
		default:
			comma = -1
		}
		out = append(out, c)
	}
	if comma >= 0 {
		out = bytes.TrimSpace(out[:comma])
	}
	return out
}
