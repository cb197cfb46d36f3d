package main

import (
	"bytes"
	"iter"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/transcript"
)

// mask hides the keys that are set now: those of the known providers, those
// that the team file here names, and those of the .env file.
func (a *app) mask() (*transcript.Mask, error) {
	teamFile, err := a.findTeam("")
	if err != nil {
		return nil, err
	}
	s, err := a.readSettings(teamFile)
	if err != nil {
		return nil, err
	}
	names := keyVariables(teamFile, s)
	for _, p := range model.Providers() {
		names = append(names, p.KeyEnv)
	}
	for name := range s.file {
		if isKeyName(name) {
			names = append(names, name)
		}
	}
	var secrets []string
	for _, name := range names {
		for _, lookup := range []func(string) (string, bool){s.process, s.fromFile} {
			if value, ok := lookup(name); ok && name != "" {
				secrets = append(secrets, value)
			}
		}
	}
	return transcript.NewMask(secrets...), nil
}

// isKeyName reports whether a variable of that name usually has a secret.
func isKeyName(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// keyVariables are the variables of keys that a team file names. One with
// mistakes names none: a run can be exported all the same.
func keyVariables(teamFile string, s settings) []string {
	if teamFile == "" {
		return nil
	}
	file, err := config.Load(teamFile, leader.Known(s.lookup, nil))
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range file.Models {
		names = append(names, m.APIKeyEnv)
	}
	return names
}

// masked yields the records with every secret in them replaced.
func masked(mask *transcript.Mask, records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if err == nil {
				rec, err = maskRecord(mask, rec)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

func maskRecord(mask *transcript.Mask, rec event.Record) (event.Record, error) {
	line, err := rec.MarshalJSON()
	if err != nil {
		return rec, err
	}
	clean := mask.JSON(line)
	if bytes.Equal(line, clean) {
		return rec, nil
	}
	var out event.Record
	err = out.UnmarshalJSON(clean)
	return out, err
}
