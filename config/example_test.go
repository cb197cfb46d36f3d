package config_test

import (
	"fmt"

	"github.com/troupe-go/troupe/config"
)

func ExampleParse() {
	_, err := config.Parse("team.yaml", []byte("roles:\n  uio:\n    name: UI Operator\n    tols: [read_file]\n"), nil, config.Known{})
	fmt.Println(err)
	// Output:
	// config: 1 mistake
	//
	// team.yaml:4:5: a role has no key "tols"
	//     4 |     tols: [read_file]
	//       |     ^
	//   hint: did you mean "tools"?
}
