package agent

import (
	"encoding/json"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// Offer is a set of tools as the model sees it, with all that is the same in
// every request with them. It never changes, so agents may share it.
type Offer struct {
	tools  []model.Tool
	text   []byte // of tools, for the digest of a request
	tokens int    // estimate
}

// NewOffer returns what a model is told of the tools in set.
func NewOffer(set tools.Set) *Offer {
	o := &Offer{}
	for _, s := range set.Specs() {
		o.tools = append(o.tools, model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	o.tokens = model.EstimateTokens(model.Request{Tools: o.tools})
	text, err := json.Marshal(o.tools)
	if err != nil { // schemas were checked when the tools were made
		text = []byte(err.Error())
	}
	o.text = text
	return o
}

// noOffer is the text of a request without tools.
var noOffer = []byte("null")

// settings is all of a request but its messages, for the digest: the parts of
// a JSON object whose last member is the text of an offer.
func settings(modelName string, maxTokens int, toolsText []byte) [][]byte {
	text, err := json.Marshal(struct {
		Model string
		Max   int
	}{modelName, maxTokens})
	if err != nil { // a text and a number always have a JSON form
		text = []byte(err.Error())
	}
	return [][]byte{append(text[:len(text)-1], `,"Tools":`...), toolsText, {'}'}}
}
