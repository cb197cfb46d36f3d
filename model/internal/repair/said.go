package repair

// Said is what an event says of a reply: all that the client library would
// read out of it and that matters.
type Said struct {
	Content, Reasoning string
	Refusal            string // stands behind Content
	Calls              []SaidCall
	// Finish is why the reply ended, empty before that.
	Finish string
	Usage  *Usage // nil if it has none
}

// SaidCall is a piece of a tool call.
type SaidCall struct {
	Index          *int // nil if it has none
	ID, Name, Args string
}

// Usage counts the tokens of a call.
type Usage struct{ Prompt, Completion, Cached, Reasoning int }

// Said returns what the event that was read last says, if looking at it told:
// then it need not be decoded once more. It does not hold what [Body.Take]
// returns.
func (b *Body) Said() (s Said, ok bool) { return b.said, b.clear }
