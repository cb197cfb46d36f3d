package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/gateway/studio"
)

// speaker is a protocol as dial speaks it. What the person writes as a JSON object
// goes as it is, whatever the protocol.
type speaker interface {
	// hello is sent first on each connection; nil for nothing.
	hello() []byte
	// line is the message for a line of text.
	line(text string) []byte
	// object completes a message that the person wrote as JSON, for example with
	// the token.
	object(text []byte) []byte
	// heard takes what came, and returns what dial answers by itself, nil for
	// nothing, and whether the server takes no more on this connection.
	heard(text []byte) (answer []byte, over bool)
	// read is what came as JSON, if the protocol lets its agents write it in
	// another way.
	read(text []byte) []byte
	// oneByOne reports whether the server closes the connection after each response.
	// Then a line makes it, and the next line another one.
	oneByOne() bool
}

// speakers make the protocols, by the value of --protocol.
func speakers() map[string]func(d *dialCommand) (speaker, error) {
	return map[string]func(d *dialCommand) (speaker, error){"client": speakClient, "raw": speakRaw, "studio": speakStudio}
}

func speakerNames() []string { return slices.Sorted(maps.Keys(speakers())) }

// guessSpeaker is the protocol that troupe serve has at a path unless it is told
// otherwise.
func guessSpeaker(path string) string {
	for _, name := range speakerNames() {
		if path == "/"+name || strings.HasPrefix(path, "/"+name+"/") {
			return name
		}
	}
	return "raw"
}

// raw sends and shows texts as they are.
type raw struct{}

func speakRaw(d *dialCommand) (speaker, error) {
	return raw{}, d.onlyFor("raw", map[string]string{
		"resume": d.resume, "session": d.session, "model": d.model, "project": d.project, "workdir": d.workDir,
	})
}

func (raw) hello() []byte               { return nil }
func (raw) line(text string) []byte     { return []byte(text) }
func (raw) object(text []byte) []byte   { return text }
func (raw) heard([]byte) ([]byte, bool) { return nil, false }
func (raw) read(text []byte) []byte     { return text }
func (raw) oneByOne() bool              { return false }

// onlyFor refuses flags that mean nothing in a protocol.
func (d *dialCommand) onlyFor(protocol string, given map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] != "" {
			return usageError(fmt.Sprintf(d.words.dial["notFor"], name, protocol), "")
		}
	}
	return nil
}

// studioSpeaker makes each line a prompt of one session.
type studioSpeaker struct{ with studio.UserInput }

func speakStudio(d *dialCommand) (speaker, error) {
	s := studioSpeaker{studio.UserInput{
		Type: studio.TypeUserInput, APIKey: d.token, ProjectID: d.project, WorkDir: d.workDir, SessionID: d.session, PreferredModel: d.model,
	}}
	if s.with.SessionID == "" {
		s.with.SessionID = "dial-" + strings.ToLower(rand.Text()[:12])
	}
	return s, d.onlyFor("studio", map[string]string{"resume": d.resume})
}

func (studioSpeaker) hello() []byte  { return nil }
func (studioSpeaker) oneByOne() bool { return true }

func (s studioSpeaker) line(text string) []byte {
	in := s.with
	in.UserInput = text
	return encoded(in)
}

// object gives a message the token and the session if it names none.
func (s studioSpeaker) object(text []byte) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(text, &fields) != nil {
		return text
	}
	for key, value := range map[string]string{"apiKey": s.with.APIKey, "sessionId": s.with.SessionID} {
		if fields[key] == nil && value != "" {
			fields[key] = encoded(value)
		}
	}
	return encoded(fields)
}

// heard sees the end of a response.
func (studioSpeaker) heard(text []byte) (answer []byte, over bool) {
	m, err := studio.Read(text)
	return nil, err == nil && m.Type == studio.TypeResponse && m.Event == studio.EventEnd
}

// read takes the commas out that the document of the protocol writes.
func (studioSpeaker) read(text []byte) []byte { return studio.Relaxed(text) }

// encoded is a value as JSON that people can read.
func encoded(v any) []byte {
	var b strings.Builder
	_ = writeJSON(&b, v) // texts and objects of texts always are JSON
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
