package main

import (
	"iter"
	"regexp"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/transcript"
)

// mask hides the keys that are set now: those of the known providers, those
// that the team file here names, and those of the .env file; what looks like a
// secret; and what the team file wants hidden.
func (a *app) mask() (*transcript.Mask, error) {
	teamFile, err := a.findTeam("")
	if err != nil {
		return nil, err
	}
	s, err := a.readSettings(teamFile)
	if err != nil {
		return nil, err
	}
	secrets, redact := secretsOf(teamFile, s)
	return transcript.NewMask(secrets...).WithPatterns(redact...), nil
}

// secretsOf are the values of the keys that are set now, and what the team file
// wants hidden.
func secretsOf(teamFile string, s settings) (secrets []string, redact []*regexp.Regexp) {
	names, redact := keysOf(teamFile, s)
	for _, p := range model.Providers() {
		names = append(names, p.KeyEnv)
	}
	for name := range s.file {
		if isKeyName(name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		for _, lookup := range []func(string) (string, bool){s.process, s.fromFile} {
			if value, ok := lookup(name); ok && name != "" {
				secrets = append(secrets, value)
			}
		}
	}
	return secrets, redact
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

// keysOf are the variables of keys that a team file names, and what it wants
// hidden. One with mistakes tells nothing: a run can be shown all the same.
func keysOf(teamFile string, s settings) (names []string, redact []*regexp.Regexp) {
	if teamFile == "" {
		return nil, nil
	}
	file, err := config.Load(teamFile, leader.Known(s.lookup, nil))
	if err != nil {
		return nil, nil
	}
	for _, m := range file.Models {
		names = append(names, m.APIKeyEnv)
	}
	for _, name := range file.Serve.Tokens {
		names = append(names, name)
	}
	names = append(names, file.Serve.TokenKeyEnv)
	for _, pattern := range file.Transcript.Redact {
		if expression, err := regexp.Compile(pattern); err == nil {
			redact = append(redact, expression)
		}
	}
	return names, redact
}

// masked yields the records with every secret in them hidden once more: keys
// may have come to be known since they were written.
func (a *app) masked(records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	mask, err := a.mask()
	if err != nil {
		return func(yield func(event.Record, error) bool) { yield(event.Record{}, err) }
	}
	return mask.Records(records)
}
