package config

import "strconv"

// nodeKind is what a YAML value is.
type nodeKind string

const (
	nullNode    nodeKind = "nothing"
	boolNode    nodeKind = "boolean"
	numberNode  nodeKind = "number"
	textNode    nodeKind = "text"
	listNode    nodeKind = "list"
	mappingNode nodeKind = "mapping"
)

// node is a YAML value with its place. Aliases share the node of their anchor.
type node struct {
	kind    nodeKind
	src     *source
	pos     position
	raw     string // scalars: the text, of quoted ones without quotes
	quoted  bool   // text that was quoted or a block
	items   []*node
	entries []entry
	broken  bool // what it was meant to be was reported already
	body    bool // the text is whole lines of the file, from pos on

	// size counts the values in it, aliased how many of them are reached
	// through aliases, both with every alias followed.
	size, aliased int
}

// entry is one key of a mapping and its value.
type entry struct {
	key  string
	at   position // of the key
	node *node
	use  position // of the value, or of the alias that stands for it
	// alias says that the value was given by an alias.
	alias bool
}

// maxNodes saturates sizes, so that they never overflow.
const maxNodes = 1 << 40

// count adds a part to the size of a node.
func (n *node) count(part *node, alias bool) {
	n.size = min(n.size+part.size, maxNodes)
	if alias {
		n.aliased = min(n.aliased+part.size, maxNodes)
	} else {
		n.aliased = min(n.aliased+part.aliased, maxNodes)
	}
}

// found describes a value for a message.
func (n *node) found() string {
	switch n.kind {
	case nullNode:
		return "nothing"
	case boolNode:
		return n.raw
	case numberNode:
		return "the number " + n.raw
	case textNode:
		return "the text " + quoteShort(n.raw)
	case listNode:
		return "a list"
	default:
		return "a mapping"
	}
}

// value is a node at a place in the data.
type value struct {
	*node
	path string
}

// item returns the value at an index of a list.
func (v value) item(i int) value {
	return value{node: v.items[i], path: v.path + "[" + strconv.Itoa(i) + "]"}
}

// at returns the value of an entry of a mapping.
func (v value) at(e entry) value {
	return value{node: e.node, path: join(v.path, e.key)}
}

// join adds a key to a path; keys that are no words are quoted.
func join(path, key string) string {
	if !isWord(key) {
		key = quoteShort(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// isWord says whether a key needs no quotes in a path.
func isWord(s string) bool {
	return s != "" && len(s) <= 64 && isIdentifier(s)
}

// place returns where a key of a mapping stands, or else the mapping.
func (v value) place(key string) position {
	for _, e := range v.entries {
		if e.key == key {
			return e.at
		}
	}
	return v.pos
}

// holds says whether a mapping has a key whose value is not an empty mapping.
func (v value) holds(key string) bool {
	for _, e := range v.entries {
		if e.key == key {
			return e.node.kind != mappingNode || len(e.node.entries) > 0
		}
	}
	return false
}
