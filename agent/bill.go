package agent

import (
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// bill is what one model call costs. Several models may have a part in it: one
// that failed, and the one that answered in its place.
type bill struct {
	price func(model string, u event.Usage) *event.Cost
	model string      // that is asked now
	usage event.Usage // of the call so far
	past  event.Usage // the part of the models before
	owed  *event.Cost // what that part costs
}

// take reads the model and the usage out of a piece of the reply.
func (b *bill) take(c model.Chunk) {
	if c.Model != "" && c.Model != b.model {
		if b.part().Total() > 0 {
			b.owed = b.cost()
		}
		b.past, b.model = b.usage, c.Model
	}
	if c.Usage != nil {
		b.usage = *c.Usage
	}
}

// part is what the model that is asked now used.
func (b *bill) part() event.Usage {
	return event.Usage{
		Input: b.usage.Input - b.past.Input, CachedInput: b.usage.CachedInput - b.past.CachedInput,
		Output: b.usage.Output - b.past.Output, Reasoning: b.usage.Reasoning - b.past.Reasoning,
		Estimated: b.usage.Estimated,
	}
}

// estimate counts the tokens of the model that is asked now, if it told none.
func (b *bill) estimate(need Need, got event.ModelReplied) {
	if b.part().Total() > 0 {
		return
	}
	b.usage = b.past.Add(event.Usage{
		Input: need.Input, Output: model.EstimateText(got.Text) + model.EstimateText(got.Reasoning), Estimated: true,
	})
}

// cost is the price of the whole call so far.
func (b *bill) cost() *event.Cost {
	part := b.part()
	if b.owed != nil && part.Total() == 0 {
		return b.owed
	}
	return b.owed.Add(b.price(b.model, part))
}
