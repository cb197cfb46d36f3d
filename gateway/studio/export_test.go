package studio

import "github.com/troupe-go/troupe/event"

// Fold is the translator, as tests see it.
type Fold struct{ t *translator }

// NewFold answers the prompt whose command is given.
func NewFold(command string, verbose, iterations bool, notes ...string) Fold {
	p := &prompts{}
	p.send(command)
	return Fold{newTranslator("r", view{verbose: verbose, iterations: iterations, notes: notes}, p.seen)}
}

// Apply takes a record.
func (f Fold) Apply(rec event.Record) (messages []Message, rests bool) { return f.t.apply(rec) }

// Finish ends the response.
func (f Fold) Finish(wrong string) []Message { return f.t.finish(wrong) }

// Text is a message as it is sent.
func Text(m Message) string {
	text, err := m.text()
	if err != nil {
		panic(err)
	}
	return string(text)
}

// ParseInput reads a user-input.
func ParseInput(text []byte) (UserInput, error) {
	in, err := parseInput(text)
	if err != nil {
		return in, err
	}
	return in, in.check()
}

// Bounds: of a message, and of the connections that have said nothing.
const (
	MaxMessage = maxMessage
	MaxWaiting = maxWaiting
)
