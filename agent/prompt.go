package agent

import "strings"

// Prompt is a system prompt in which the name of the agent may stand in any
// number of places. What the agents of a role have in common is held once for
// all of them, and written out only while an agent takes a turn.
type Prompt struct {
	parts []string // between the places of the name
	name  string
}

// NewPrompt returns a prompt that is the same text for everybody.
func NewPrompt(text string) Prompt { return Prompt{parts: []string{text}} }

// PromptFor returns the prompt with these parts and the name between them.
// The parts are shared, not copied.
func PromptFor(parts []string, name string) Prompt { return Prompt{parts, name} }

// String is the whole text.
func (p Prompt) String() string { return strings.Join(p.parts, p.name) }
