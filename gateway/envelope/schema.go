package envelope

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a message.
func Schema() []byte { return append([]byte(nil), schema...) }
