package render

import (
	"encoding/json"
	"strings"
)

// mainArguments are the names of arguments that say best what a call is about,
// the best first.
var mainArguments = []string{
	"path", "file_path", "file", "command", "cmd", "pattern", "query", "url",
	"agent", "question_id", "role", "name", "question",
}

// maxCallText bounds the argument of a call, in bytes; it is cut again to the
// width of the line.
const maxCallText = 512

// callText is a tool call for people: its name and its main argument, for
// example "write_file api.md".
func callText(name, arguments string) string {
	text := CleanLine(name)
	if arg := CleanLine(mainArgument(arguments)); arg != "" {
		text += " " + arg
	}
	return text
}

// mainArgument is the value of the argument that says best what the call is
// about; else of the first that is a text; empty when the JSON is broken.
func mainArgument(arguments string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &all) != nil {
		return ""
	}
	for _, key := range mainArguments {
		if v, ok := textOf(all[key]); ok {
			return v
		}
	}
	dec := json.NewDecoder(strings.NewReader(arguments))
	if _, err := dec.Token(); err != nil { // the brace
		return ""
	}
	for dec.More() {
		var value json.RawMessage
		if _, err := dec.Token(); err != nil { // the key
			return ""
		}
		if dec.Decode(&value) != nil {
			return ""
		}
		if v, ok := textOf(value); ok {
			return v
		}
	}
	return ""
}

// textOf is the beginning of a JSON string; false for the empty one and for
// all other values.
func textOf(value json.RawMessage) (string, bool) {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil || s == "" {
		return "", false
	}
	if len(s) > maxCallText {
		s = strings.ToValidUTF8(s[:maxCallText], "")
	}
	return s, true
}
