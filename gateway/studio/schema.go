package studio

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the messages of both sides.
func Schema() []byte { return append([]byte(nil), schema...) }
