package foreign

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// members are those of a JSON object that nobody has taken yet.
type members map[string]json.RawMessage

// object reads a JSON object; nil for all other values.
func object(raw json.RawMessage) members {
	var m members
	if len(raw) == 0 || bytes.TrimSpace(raw)[0] != '{' || json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// array reads a JSON array; nil for all other values.
func array(raw json.RawMessage) []json.RawMessage {
	var a []json.RawMessage
	if json.Unmarshal(raw, &a) != nil {
		return nil
	}
	return a
}

// take removes a member and returns it; a null is none.
func (m members) take(name string) json.RawMessage {
	raw := m[name]
	delete(m, name)
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// text takes the first of the members that is a text.
func (m members) text(names ...string) string {
	for _, name := range names {
		if s, ok := asText(m[name]); ok {
			delete(m, name)
			return s
		}
	}
	return ""
}

// drop forgets members that say nothing to a reader.
func (m members) drop(names ...string) {
	for _, name := range names {
		delete(m, name)
	}
}

// rest names the members that nobody took and that say something.
func (m members) rest() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch string(m[name]) {
		case "null", "[]", "{}", `""`:
		default:
			names = append(names, name)
		}
	}
	return names
}

// asText is the value of a JSON string.
func asText(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// asTime reads a time: RFC 3339, or seconds or milliseconds since 1970. It is
// zero when raw is none.
func asTime(raw json.RawMessage) time.Time {
	if s, ok := asText(raw); ok {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil || !sane(t) {
			return time.Time{}
		}
		return t.UTC()
	}
	var f float64
	if json.Unmarshal(raw, &f) != nil || f <= 0 {
		return time.Time{}
	}
	const secondsEnd = 1e11 // seconds of the year 5138; milliseconds of 1973
	if f < secondsEnd {
		f *= 1000
	}
	if f > 1e14 {
		return time.Time{}
	}
	return time.UnixMilli(int64(f)).UTC()
}

// sane keeps times out that a record cannot hold or that mean "none".
func sane(t time.Time) bool { return t.UTC().Year() > 1 && t.UTC().Year() < 9999 }

// compactJSON is a value as one line of text; a string is its own text.
func compactJSON(raw json.RawMessage) string {
	if s, ok := asText(raw); ok {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// paragraphs joins the texts that are not empty.
func paragraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n\n")
}
