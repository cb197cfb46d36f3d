package leader

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// chain lists the model and those that are asked in turn when it fails.
func (m Model) chain() []Model {
	list := []Model{m}
	for _, f := range m.Fallback {
		list = append(list, f.chain()...)
	}
	return list
}

// client is the client of the whole chain, each link with its retries and with
// the limiter of its endpoint.
func (m Model) client(l *model.Limiters) model.Client {
	var others []model.Named
	for _, f := range m.Fallback {
		others = append(others, model.Named{Name: f.Name, Client: f.client(l)})
	}
	return model.WithFallback(model.Named{Name: m.Name, Client: l.Client(m.Client)}, others...)
}

// scripted reports whether a script may answer.
func (m Model) scripted() bool {
	return slices.ContainsFunc(m.chain(), func(m Model) bool { return m.Scripted })
}

// cost is the price of a call that the named model of the chain answered. For
// the empty name it is that of the dearest one, which is what must be reserved:
// nobody knows yet who will answer.
func (m Model) cost(name string, u event.Usage) *event.Cost {
	cost := m.Price.cost(u)
	for _, f := range m.chain() {
		c := f.Price.cost(u)
		switch {
		case name != "" && f.Name == name:
			return c
		case name != "" || c == nil:
		case cost == nil || c.Currency == cost.Currency && c.Amount > cost.Amount:
			cost = c
		}
	}
	return cost
}

// badChains lists what is wrong with the fallbacks of the team's models.
func (t Team) badChains() []string {
	var list []string
	for _, m := range t.models() {
		prices := map[string]*Price{}
		for i, f := range m.chain() {
			known, twice := prices[f.Name]
			switch {
			case i > 0 && f.Client == nil:
				list = append(list, fmt.Sprintf("model %s has the fallback %q without a client", m.Name, f.Name))
			case len(m.Fallback) > 0 && f.Name == "":
				list = append(list, fmt.Sprintf("model %q has a fallback, or is one, and needs a name, such as deepseek/deepseek-chat", m.Name))
			case twice && !samePrice(known, f.Price):
				list = append(list, fmt.Sprintf("model %s stands in one chain of fallbacks with two prices; give one of them another name", f.Name))
			}
			prices[f.Name] = f.Price
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func samePrice(p, q *Price) bool {
	return p == q || p != nil && q != nil && *p == *q
}
