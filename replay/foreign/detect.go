package foreign

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Detect tells the form of a recorded run by the beginning of its text; it is
// empty for all other texts. Some kilobytes are enough.
func Detect(head []byte) Format {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	for line := range bytes.Lines(head) {
		if f := detectValue(line); f != "" {
			return f
		}
	}
	return detectValue(head) // one value over many lines
}

// detectValue looks at the first JSON value of text, which may be cut off.
func detectValue(text []byte) Format {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return ""
	case text[0] == '[':
		if keys := firstKeys(text[1:]); keys != nil && detectKeys(keys) != FormatTroupe {
			return FormatOpenAI
		}
		return ""
	}
	return detectKeys(firstKeys(text))
}

// detectKeys decides by the names of an object's members.
func detectKeys(keys []string) Format {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(keys, n) })
	}
	switch {
	case has("v") && has("seq") && has("ts") && has("type"):
		return FormatTroupe
	case has("type") && has(claudeKeys...):
		return FormatClaudeCode
	case has(append(roleKeys, conversationKeys...)...):
		return FormatOpenAI
	}
	return ""
}

// claudeKeys are members that only lines of Claude Code have beside a type.
var claudeKeys = []string{
	"uuid", "parentUuid", "sessionId", "session_id", "leafUuid", "messageId", "isSidechain", "parent_tool_use_id", "snapshot",
}

// firstKeys are the names of the members of the object that text begins with,
// as far as it goes; nil when it is no object.
func firstKeys(text []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	keys := []string{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			break
		}
		if name, ok := key.(string); ok {
			keys = append(keys, name)
		}
		if err := skipValue(dec); err != nil {
			break
		}
	}
	return keys
}

// skipValue reads one value and forgets it, so that a value that is cut off
// does not hide what came before.
func skipValue(dec *json.Decoder) error {
	for depth := 0; ; {
		t, err := dec.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
