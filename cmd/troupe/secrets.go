package main

import (
	"iter"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/transcript"
)

// masked hides secrets in records that a person sees, once more: what looks
// like one, and the keys that are set now.
func (a *app) masked(records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	var keys []string
	for _, p := range model.Providers() {
		if key := a.get(p.KeyEnv); key != "" {
			keys = append(keys, key)
		}
	}
	return transcript.NewMask(keys...).WithPatterns().Records(records)
}
