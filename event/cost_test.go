package event_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
)

func TestCostAdd(t *testing.T) {
	one, two, usd, mixed := &event.Cost{Currency: "CNY", Amount: 1}, &event.Cost{Currency: "CNY", Amount: 2}, &event.Cost{Currency: "USD", Amount: 1}, &event.Cost{}
	for _, tt := range []struct {
		name string
		a, b *event.Cost
		want *event.Cost
	}{
		{"one currency", one, two, &event.Cost{Currency: "CNY", Amount: 3}},
		{"nothing before", nil, two, two},
		{"an unknown part", one, nil, one},
		{"nothing known", nil, nil, nil},
		{"two currencies", one, usd, mixed},
		{"more of one after two", mixed, one, mixed},
	} {
		got := tt.a.Add(tt.b)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if got != nil && got == tt.b {
			t.Errorf("%s: the sum is the second part itself", tt.name)
		}
	}
	if one.Amount != 1 || two.Amount != 2 {
		t.Error("adding changed the parts")
	}
}
