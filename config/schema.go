package config

import "encoding/json"

// Schema returns the JSON Schema (draft 2020-12) of team.yaml, made from the
// table that checks the file. What depends on the program or on other parts of
// the file (names of tools, models and roles) is not in it.
func Schema() []byte {
	s := teamTable().jsonSchema()
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Troupe team file"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("config: the table of keys makes no JSON: " + err.Error())
	}
	return append(text, '\n')
}
