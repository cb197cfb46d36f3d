package leader

import "github.com/troupe-go/troupe/event"

// Price is what a million tokens cost.
type Price struct {
	Currency    string  `json:"currency"` // for example "CNY"
	Input       float64 `json:"input"`
	CachedInput float64 `json:"cached_input"` // input that the provider read from its cache
	Output      float64 `json:"output"`
}

// cost is the price of one call.
func (p *Price) cost(u event.Usage) *event.Cost {
	if p == nil {
		return nil
	}
	const million = 1e6
	amount := float64(u.Input-u.CachedInput)*p.Input + float64(u.CachedInput)*p.CachedInput + float64(u.Output)*p.Output
	return &event.Cost{Currency: p.Currency, Amount: amount / million}
}
