package agent

import (
	"crypto/sha256"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// Offer is a set of tools as a model sees it, with what a request needs to
// know of it. It never changes, so agents may share it.
type Offer struct {
	tools  []model.Tool
	tokens int               // estimate
	sum    [sha256.Size]byte // of the tools, for the digest of a request
}

// NewOffer returns what a model is told of the tools in set.
func NewOffer(set tools.Set) *Offer {
	o := &Offer{}
	sum := sha256.New()
	for _, s := range set.Specs() {
		o.tools = append(o.tools, model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
		writeField(sum, s.Name, s.Description, string(s.Schema))
	}
	o.tokens = model.EstimateTools(o.tools)
	sum.Sum(o.sum[:0])
	return o
}
