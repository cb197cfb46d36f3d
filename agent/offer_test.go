package agent_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// TestSettingsAreThoseOfOneObject guards the digests of recorded runs: what is
// put together of parts is what the whole would be.
func TestSettingsAreThoseOfOneObject(t *testing.T) {
	type in struct {
		Path string `json:"path"`
	}
	read := tools.Func("read", "Reads <a> file & tells.", func(context.Context, in) (string, error) { return "", nil })
	set, err := tools.NewSet(read)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		set  tools.Set
		name string
		max  int
	}{
		"tools":    {set, `a/"b" <c>`, 0},
		"limit":    {set, "a/b", 4096},
		"no tools": {tools.Set{}, "a/b", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var list []model.Tool
			for _, s := range tt.set.Specs() {
				list = append(list, model.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
			}
			want, err := json.Marshal(struct {
				Model string
				Max   int
				Tools []model.Tool
			}{tt.name, tt.max, list})
			if err != nil {
				t.Fatal(err)
			}
			if got := agent.SettingsText(tt.name, tt.max, agent.NewOffer(tt.set)); got != string(want) {
				t.Errorf("settings are\n%s, want\n%s", got, want)
			}
			tokens := model.EstimateTokens(model.Request{Tools: list})
			if got := agent.NewOffer(tt.set).Tokens(); got != tokens {
				t.Errorf("the offer counts %d tokens, want %d", got, tokens)
			}
		})
	}
}
