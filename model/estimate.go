package model

import "unicode/utf8"

// perMessage is what a message costs beside its text: role and separators.
const perMessage = 4

// EstimateText guesses how many tokens text takes: one for each four bytes of
// ASCII, rounded up, and one for each other character. The guess is meant for
// limits; the provider's own count replaces it where there is one.
func EstimateText(text string) int {
	ascii := 0
	for i := range len(text) {
		ascii += int(^text[i] >> 7) // no branch: texts are long
	}
	others := 0
	if ascii < len(text) {
		others = utf8.RuneCountInString(text) - ascii
	}
	return (ascii+3)/4 + others
}

// EstimateTokens guesses how many tokens the prompt of req takes: messages,
// tool calls in them, and tool definitions.
func EstimateTokens(req Request) int {
	n := EstimateTools(req.Tools)
	for _, m := range req.Messages {
		n += EstimateMessage(m)
	}
	return n
}

// EstimateMessage is the part of one message in [EstimateTokens].
func EstimateMessage(m Message) int {
	n := perMessage + EstimateText(m.Content)
	for _, c := range m.Calls {
		n += perMessage + EstimateText(c.Name) + EstimateText(c.Arguments)
	}
	return n
}

// EstimateTools is the part of the tool definitions in [EstimateTokens].
func EstimateTools(tools []Tool) int {
	n := 0
	for _, t := range tools {
		n += perMessage + EstimateText(t.Name) + EstimateText(t.Description) + EstimateText(string(t.Schema))
	}
	return n
}
