package model

import (
	"encoding/json"
	"strings"
)

// extraPrefix begins the name of a switch that is a field of [Endpoint.Extra].
const extraPrefix = "extra."

// relearn sets a switch to a value, both as [event.ModelProfile] has them; it
// reports whether there is such a switch.
func (e *Endpoint) relearn(name, value string) bool {
	if field, ok := strings.CutPrefix(name, extraPrefix); ok {
		_, ok := e.Extra[field]
		delete(e.Extra, field)
		return ok
	}
	for _, s := range e.Profile.Switches() {
		if s.Name == name {
			return e.Profile.set(s, value)
		}
	}
	return false
}

// set changes the switch that now has the value of s. The JSON form of a
// profile has the names and values of its switches, but for the usual word,
// which is the absence of one.
func (p *Profile) set(s Switch, value string) bool {
	var usual Profile
	for _, u := range usual.Switches() {
		if u.Name == s.Name && u.Value == any(value) {
			value = ""
		}
	}
	text := []byte(value)
	if _, isWord := s.Value.(string); isWord {
		text, _ = json.Marshal(value) // a string always has a JSON form
	}
	next := *p
	form, err := json.Marshal(map[string]json.RawMessage{s.Name: text})
	if err != nil || json.Unmarshal(form, &next) != nil {
		return false
	}
	*p = next
	return true
}
