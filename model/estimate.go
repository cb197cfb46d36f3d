package model

import "github.com/troupe-go/troupe/event"

// perMessage is what a message costs beside its text: role and separators.
const perMessage = 4

// EstimateText guesses how many tokens text takes: one for each four bytes of
// ASCII, rounded up, and one for each other character. The guess is meant for
// limits; the provider's own count replaces it where there is one.
func EstimateText(text string) int {
	ascii, others := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			others++
		}
	}
	return (ascii+3)/4 + others
}

// EstimateTokens guesses how many tokens the prompt of req takes: messages,
// tool calls in them, and tool definitions.
func EstimateTokens(req Request) int {
	n := 0
	for _, m := range req.Messages {
		n += perMessage + EstimateText(m.Content) + estimateCalls(m.Calls)
	}
	for _, t := range req.Tools {
		n += perMessage + EstimateText(t.Name) + EstimateText(t.Description) + EstimateText(string(t.Schema))
	}
	return n
}

func estimateCalls(calls []event.Call) int {
	n := 0
	for _, c := range calls {
		n += perMessage + EstimateText(c.Name) + EstimateText(c.Arguments)
	}
	return n
}
