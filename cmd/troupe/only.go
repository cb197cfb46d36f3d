package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/nearest"
	"github.com/troupe-go/troupe/render"
)

// filter is what --only lets through: entries of some agents, records of some
// types, or both.
type filter struct {
	agents []string        // as they were written
	types  []string        // patterns such as tool.*
	known  map[string]bool // what agents may say, in small letters, as far as was read
	ids    []string        // the agents of the run, as they were created
	codes  map[string]string
}

// newFilter reads the values of --only.
func (a *app) newFilter(values []string) (*filter, error) {
	f := &filter{known: map[string]bool{"leader": true}, codes: map[string]string{}}
	for _, word := range listed(values) {
		if !strings.Contains(word, ".") {
			f.agents = append(f.agents, word)
			continue
		}
		if err := a.knownType(word); err != nil {
			return nil, err
		}
		f.types = append(f.types, word)
	}
	return f, nil
}

// listed takes the values of a flag apart that may be repeated or have commas.
func listed(values []string) []string {
	var words []string
	for _, value := range values {
		for word := range strings.SplitSeq(value, ",") {
			if word = strings.TrimSpace(word); word != "" {
				words = append(words, word)
			}
		}
	}
	return words
}

// knownType refuses a type of records that there is not.
func (a *app) knownType(pattern string) error {
	var names []string
	for _, t := range event.Types() {
		if ok, err := path.Match(pattern, string(t)); ok && err == nil {
			return nil
		}
		names = append(names, string(t))
	}
	slices.Sort(names)
	hint := strings.Join(names, ", ")
	if near := nearest.Of(pattern, names); near != "" {
		hint = fmt.Sprintf(a.words.didYouMean, near)
	}
	return usageError(fmt.Sprintf(a.words.noType, pattern), hint)
}

// learn folds who takes part.
func (f *filter) learn(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.AgentCreated:
		if _, again := f.codes[rec.Agent]; again { // the run is read again
			return
		}
		f.known[strings.ToLower(rec.Agent)], f.known[d.Code], f.known[strings.ToLower(render.CleanLine(d.Name))] = true, true, true
		f.ids = append(f.ids, rec.Agent)
		f.codes[rec.Agent] = d.Code
	case event.MessageSent: // the person and the runtime speak too
		f.known[d.From], f.known[strings.ToLower(render.CleanLine(d.FromName))] = true, true
	default: // tells nothing of who is who
	}
}

// wantsType reports whether the type of rec is wanted.
func (f *filter) wantsType(rec event.Record) bool {
	return len(f.types) == 0 || slices.ContainsFunc(f.types, func(pattern string) bool {
		ok, err := path.Match(pattern, string(rec.Type()))
		return ok && err == nil
	})
}

// wantsRecord reports whether rec is wanted where records are written as they
// are. Those of the run as a whole have no agent.
func (f *filter) wantsRecord(rec event.Record) bool {
	if !f.wantsType(rec) {
		return false
	}
	return len(f.agents) == 0 || rec.Agent == "" || slices.ContainsFunc(f.agents, func(name string) bool {
		return name == rec.Agent || name == f.codes[rec.Agent] || name == "leader" && rec.Agent == event.Leader
	})
}

// check complains of agents that the run did not have.
func (f *filter) check(w *words) error {
	for _, name := range f.agents {
		if f.known[strings.ToLower(name)] {
			continue
		}
		hint := fmt.Sprintf(w.agentsAre, strings.Join(f.ids, ", "))
		if near := nearest.Of(name, f.ids); near != "" {
			hint = fmt.Sprintf(w.didYouMean, near) + "\n" + hint
		}
		return usageError(fmt.Sprintf(w.noAgent, name), hint)
	}
	return nil
}
