package modeltest

import (
	"cmp"
	"iter"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// Got is all that came of one model call.
type Got struct {
	Text, Reasoning string
	Calls           []event.Call
	Extra           string // what else goes back with the reply
	Finish          event.Finish
	RawFinish       string
	Usage           *event.Usage // nil if none came
	Model           string       // the model that was asked last; empty if the client does not say
	Notices         []event.Data
	Pieces          int   // how many chunks came
	Err             error // what ended the call; nil if it ended well
	AfterErr        int   // how many chunks came after the error; always 0 for a correct client
}

// Collect reads a model call to its end.
func Collect(call iter.Seq2[model.Chunk, error]) Got {
	var g Got
	for chunk, err := range call {
		if g.Err != nil {
			g.AfterErr++
			continue
		}
		if err != nil {
			g.Err = err
			continue
		}
		g.Pieces++
		g.Text += chunk.Text
		g.Reasoning += chunk.Reasoning
		g.Calls = append(g.Calls, chunk.Calls...)
		g.Extra = cmp.Or(chunk.Extra, g.Extra)
		g.Model = cmp.Or(chunk.Model, g.Model)
		if chunk.Finish != "" {
			g.Finish, g.RawFinish = chunk.Finish, chunk.RawFinish
		}
		if chunk.Usage != nil {
			usage := *chunk.Usage
			g.Usage = &usage
		}
		if chunk.Notice != nil {
			g.Notices = append(g.Notices, chunk.Notice)
		}
	}
	return g
}
