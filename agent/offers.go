package agent

import (
	"crypto/sha256"

	"github.com/troupe-go/troupe/model"
)

// offers are an agent's tools as its model sees them, with what a request
// needs to know of them.
type offers struct {
	tools  []model.Tool
	tokens int               // estimate
	sum    [sha256.Size]byte // of all of a request but its messages
}

func newOffers(cfg Config) *offers {
	o := &offers{}
	sum := sha256.New()
	writeField(sum, cfg.ModelName)
	for _, s := range cfg.Tools.Specs() {
		o.tools = append(o.tools, model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
		writeField(sum, s.Name, s.Description, string(s.Schema))
	}
	o.tokens = model.EstimateTools(o.tools)
	sum.Sum(o.sum[:0])
	return o
}
