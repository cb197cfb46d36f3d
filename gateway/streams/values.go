package streams

import (
	"encoding/json"
	"strings"
)

// Values is a JSON object of free content. Nil is written as {}, because
// workers refuse a command in which it is null.
type Values map[string]json.RawMessage

// MarshalJSON writes nil as an empty object.
func (v Values) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	return encode(map[string]json.RawMessage(v))
}

// Content is what a command carries for the agent: a JSON text, or a list of
// objects.
type Content json.RawMessage

// TextContent is content that is one text.
func TextContent(text string) Content { return Content(quote(text)) }

// MarshalJSON writes nil as an empty text.
func (c Content) MarshalJSON() ([]byte, error) {
	if c == nil {
		return []byte(`""`), nil
	}
	return c, nil
}

// UnmarshalJSON keeps the text of the content.
func (c *Content) UnmarshalJSON(text []byte) error {
	*c = append(Content(nil), text...)
	return nil
}

// blank reports whether there is nothing in it for an agent.
func (c Content) blank() bool {
	switch trimmed := strings.TrimSpace(string(c)); trimmed {
	case "", "null", "[]":
		return true
	default:
		var text string
		return json.Unmarshal([]byte(trimmed), &text) == nil && strings.TrimSpace(text) == ""
	}
}

// Text is the content in words: the text itself, the texts of messages
// (content a text, or an object with text, files and resources) and of parts with
// a text, one a line; any other content as JSON.
func (c Content) Text() string {
	var text string
	if json.Unmarshal(c, &text) == nil {
		return text
	}
	var items []struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(c, &items) != nil {
		return string(c)
	}
	var lines []string
	for _, item := range items {
		if item.Text != "" {
			lines = append(lines, item.Text)
		} else if said := messageText(item.Content); said != "" {
			lines = append(lines, said)
		}
	}
	if len(lines) == 0 {
		return string(c)
	}
	return strings.Join(lines, "\n")
}

// messageText is the text of a message's content.
func messageText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var rich struct {
		Text  string `json:"text"`
		Files []struct {
			Name string `json:"fileName"`
			URL  string `json:"fileUrl"`
		} `json:"files"`
		Resources []struct {
			Name string `json:"resourceName"`
			Type string `json:"resourceType"`
		} `json:"resources"`
	}
	if json.Unmarshal(content, &rich) != nil {
		return ""
	}
	lines := []string{rich.Text}
	for _, f := range rich.Files {
		lines = append(lines, f.Name+" "+f.URL)
	}
	for _, r := range rich.Resources {
		lines = append(lines, r.Name+" ("+r.Type+")")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// nullable is a text whose empty form on the wire is null.
type nullable string

// MarshalJSON writes the empty text as null.
func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return quote(string(n)), nil
}
