package tools_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/tools"
)

type priceArgs struct {
	Item     string `json:"item" jsonschema:"name of the item"`
	Currency string `json:"currency,omitempty" jsonschema:"three letters, CNY if left out"`
}

func lookUp(_ context.Context, in priceArgs) (string, error) {
	return in.Item + ": 12.50 " + in.Currency, nil
}

func ExampleFunc() {
	price := tools.Func("price", "Look up a price.", lookUp, tools.Pure, tools.Enum("currency", "CNY", "EUR"))
	set, err := tools.NewSet(price)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"item": "tea", "currency": "EUR"}`, `{"itm": "tea"}`} {
		result, err := set.Run(context.Background(), "price", tools.Call{Arguments: []byte(arguments)})
		fmt.Println(result, err)
	}
	// Output:
	// tea: 12.50 EUR <nil>
	//  price: wrong argument "itm": found string "tea"; wanted no such argument; did you mean "item"?; usage: price(item: string, currency?: "CNY"|"EUR")
}

// inline is all the code that a tool takes.
func inline() tools.Tool {
	return tools.Func("double", "Double a number.", func(_ context.Context, in struct {
		Number int `json:"number" jsonschema:"the number to double"`
	},
	) (int, error) {
		return 2 * in.Number, nil
	})
}

func ExampleFunc_inline() {
	set, err := tools.NewSet(inline())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Run(context.Background(), "double", tools.Call{Arguments: []byte(`{"number": 21}`)}))
	// Output: 42 <nil>
}

func ExampleSet_Only() {
	set, err := tools.NewSet(tools.Func("price", "Look up a price.", lookUp, tools.Pure))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = set.Only("prize")
	fmt.Println(err)
	// Output:
	// tools: unknown tool "prize"; did you mean price?; valid tools: price
}
