package repair

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// maxEncoded is how often arguments may have been encoded as text.
const maxEncoded = 3

// Arguments returns the arguments of a call as the tool gets them. An object
// stays as the model wrote it. Nothing becomes {} if the tool requires nothing.
// What is no object is repaired where it was encoded twice, given twice, fenced
// as code or has commas too many, and only if the result obeys the tool's
// schema; all else stays as it is, so that the tool refuses it. repaired says
// that the model wrote something else.
func Arguments(written string, toolSchema []byte) (args string, repaired bool) {
	text := strings.TrimSpace(written)
	if strings.HasPrefix(text, "{") && valid([]byte(text)) { // as nearly always: the schema is not needed
		return written, false
	}
	s := readSchema(toolSchema)
	if text == "" || text == "null" {
		if len(s.required) == 0 && s.anyOf == nil {
			return "{}", false
		}
		return text, false
	}
	for _, candidate := range candidates([]byte(text)) {
		if len(candidate) > 0 && candidate[0] == '{' && valid(candidate) && s.fits(candidate) {
			return string(candidate), true
		}
	}
	return written, false
}

// candidates are the readings of arguments that are no object.
func candidates(text []byte) [][]byte {
	text = unfence(text)
	out := [][]byte{text}
	inner := text
	for range maxEncoded {
		var decoded string
		if len(inner) == 0 || inner[0] != '"' || json.Unmarshal(inner, &decoded) != nil {
			break
		}
		inner = bytes.TrimSpace([]byte(decoded))
		out = append(out, inner)
	}
	if one := single(text); one != nil {
		out = append(out, one)
	}
	return append(out, withoutCommas(text))
}

// unfence takes the fence of a code block off.
func unfence(text []byte) []byte {
	inner, ok := bytes.CutPrefix(text, []byte("```"))
	if !ok {
		return text
	}
	inner, ok = bytes.CutSuffix(inner, []byte("```"))
	if !ok {
		return text
	}
	inner = bytes.TrimPrefix(inner, []byte("json"))
	return bytes.TrimSpace(inner)
}

// single is the object that several in a row agree on: all others are empty or
// the same again. It is nil if they do not agree.
func single(text []byte) []byte {
	var one []byte
	s := scanner{text: text}
	for !s.end() {
		value, ok := s.value()
		if !ok || value[0] != '{' {
			return nil
		}
		switch next := compact(value); {
		case string(next) == "{}", bytes.Equal(next, one):
		case one == nil:
			one = next
		default:
			return nil
		}
	}
	return one
}

// withoutCommas is text without the commas that stand before a closing
// bracket.
func withoutCommas(text []byte) []byte {
	out := make([]byte, 0, len(text))
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\' && i+1 < len(text):
			out = append(out, c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case !quoted && c == ',':
			rest := bytes.TrimLeft(text[i+1:], blank)
			if len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// WithoutNulls returns the arguments without the nulls that stand for
// properties which the schema neither requires nor allows to be null: some
// endpoints make models write every property.
func WithoutNulls(args string, toolSchema []byte) string {
	var fields map[string]json.RawMessage
	if !strings.Contains(args, "null") || json.Unmarshal([]byte(args), &fields) != nil {
		return args
	}
	s := readSchema(toolSchema)
	n := len(fields)
	maps.DeleteFunc(fields, func(name string, value json.RawMessage) bool {
		p := s.properties[name]
		return string(value) == "null" && !slices.Contains(s.required, name) && !p.fits(value)
	})
	if len(fields) == n {
		return args
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return args
	}
	return string(out)
}
