package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// noParameters is the schema of a tool that takes none; some endpoints refuse
// a schema that is absent or has no properties.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// node is a JSON Schema that is being rewritten.
type node = map[string]any

// schema writes the schema of a tool's arguments in the dialect. What is no
// schema stays as it is.
func (d Dialect) schema(text json.RawMessage) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return noParameters
	}
	var root node
	if d == DialectFull && strings.Contains(string(text), `"properties"`) || json.Unmarshal(text, &root) != nil || root == nil {
		return text
	}
	if _, ok := root["properties"].(node); !ok {
		root["properties"] = node{}
	}
	if root["type"] == nil {
		root["type"] = "object"
	}
	switch d {
	case DialectFull:
	case DialectBasic:
		root = basic(root, root, 0)
	case DialectStrict:
		root = strict(basic(root, root, 0))
	}
	out, err := json.Marshal(root)
	if err != nil {
		return text
	}
	return out
}

// maxRefs bounds how deep references are followed, so that a schema that
// refers to itself ends.
const maxRefs = 8

// notBasic are keywords that endpoints refuse and that only narrow a value.
var notBasic = []string{
	"$schema", "$id", "$defs", "definitions", "$comment", "$anchor", "additionalProperties", "unevaluatedProperties",
	"patternProperties", "propertyNames", "dependentRequired", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"format", "pattern", "default", "examples", "strict", "readOnly", "writeOnly", "deprecated", "uniqueItems",
}

// basic is n without references, which are put in, and without the keywords
// above.
func basic(n, root node, depth int) node {
	if ref, ok := n["$ref"].(string); ok {
		target := lookUp(root, ref)
		if target == nil || depth == maxRefs {
			return node{"type": "object"}
		}
		out := basic(target, root, depth+1)
		if d, ok := n["description"]; ok {
			out["description"] = d
		}
		return out
	}
	out := maps.Clone(n)
	for _, name := range notBasic {
		delete(out, name)
	}
	if value, ok := n["const"]; ok {
		delete(out, "const")
		out["enum"] = []any{value}
	}
	walkSchema(out, func(inner node) node { return basic(inner, root, depth) })
	return out
}

// walkSchema replaces each schema inside n by what change makes of it.
func walkSchema(n node, change func(node) node) {
	if properties, ok := n["properties"].(node); ok {
		changed := make(node, len(properties))
		for name, p := range properties {
			if inner, ok := p.(node); ok {
				p = change(inner)
			}
			changed[name] = p
		}
		n["properties"] = changed
	}
	if items, ok := n["items"].(node); ok {
		n["items"] = change(items)
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		list, ok := n[name].([]any)
		if !ok {
			continue
		}
		list = slices.Clone(list)
		for i, one := range list {
			if inner, ok := one.(node); ok {
				list[i] = change(inner)
			}
		}
		n[name] = list
	}
}

// lookUp finds what a reference inside the schema means.
func lookUp(root node, ref string) node {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := root
	for name := range strings.SplitSeq(path, "/") {
		if at, ok = at[name].(node); !ok {
			return nil
		}
	}
	return at
}

// strict is n with every property required; one that was optional may be null.
func strict(n node) node {
	out := maps.Clone(n)
	walkSchema(out, strict)
	properties, ok := out["properties"].(node)
	if !ok {
		return out
	}
	required, _ := n["required"].([]any)
	for name, p := range properties {
		if inner, ok := p.(node); ok && !slices.Contains(required, any(name)) {
			properties[name] = nullable(inner)
		}
	}
	out["required"] = slices.Sorted(maps.Keys(properties))
	out["additionalProperties"] = false
	return out
}

// nullable is n with null as one more value.
func nullable(n node) node {
	out := maps.Clone(n)
	switch kind := n["type"].(type) {
	case string:
		out["type"] = []any{kind, "null"}
	case []any:
		if !slices.Contains(kind, any("null")) {
			out["type"] = append(slices.Clone(kind), "null")
		}
	default:
		return node{"anyOf": []any{n, node{"type": "null"}}}
	}
	if values, ok := n["enum"].([]any); ok && !slices.Contains(values, nil) {
		out["enum"] = append(slices.Clone(values), nil)
	}
	return out
}
