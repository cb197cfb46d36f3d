package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// builder turns the syntax tree of one document into nodes: it resolves
// anchors, aliases, merge keys and tags, and reports what is wrong with them.
type builder struct {
	src     *source
	anchors map[string]*node
	open    map[string]bool // anchors whose value is being built
}

// build returns the tree of a document.
func (s *source) build(body ast.Node) *node {
	b := &builder{src: s, anchors: map[string]*node{}, open: map[string]bool{}}
	n, _ := b.node(body)
	return n
}

// node builds one value and says whether it is an alias.
func (b *builder) node(n ast.Node) (*node, bool) {
	switch n := n.(type) {
	case *ast.AnchorNode:
		return b.anchor(n), false
	case *ast.AliasNode:
		return b.alias(n), true
	case *ast.TagNode:
		return b.tag(n), false
	case *ast.MappingNode:
		return b.mapping(n, n.Values), false
	case *ast.MappingValueNode:
		return b.mapping(n, []*ast.MappingValueNode{n}), false
	case *ast.SequenceNode:
		out := b.empty(listNode, n)
		for _, item := range n.Values {
			child, alias := b.node(item)
			out.items = append(out.items, child)
			out.count(child, alias)
		}
		return out, false
	default:
		return b.scalar(n), false
	}
}

// empty returns a node of a kind at the place of a syntax node.
func (b *builder) empty(kind nodeKind, n ast.Node) *node {
	return &node{kind: kind, src: b.src, pos: place(n), size: 1}
}

// broken returns a node that stands for something already reported.
func (b *builder) broken(n ast.Node) *node {
	out := b.empty(nullNode, n)
	out.broken = true
	return out
}

// scalar builds a value without parts.
func (b *builder) scalar(n ast.Node) *node {
	out := b.empty(textNode, n)
	switch n := n.(type) {
	case nil, *ast.NullNode:
		out.kind = nullNode
	case *ast.BoolNode:
		out.kind, out.raw = boolNode, n.Token.Value
	case *ast.IntegerNode:
		out.kind, out.raw = numberNode, n.Token.Value
	case *ast.FloatNode:
		out.kind, out.raw = numberNode, n.Token.Value
	case *ast.InfinityNode:
		out.kind, out.raw = numberNode, n.Token.Value
	case *ast.NanNode:
		out.kind, out.raw = numberNode, n.Token.Value
	case *ast.LiteralNode:
		out.quoted = true
		if n.Value != nil {
			out.raw = n.Value.Value
		}
	case *ast.StringNode:
		out.raw = n.Value
		out.quoted = n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
	default:
		b.src.add(Problem{Message: "this form of YAML is not supported"}, out.pos, false)
		out.broken = true
	}
	return out
}

// anchor builds a value and gives it a name.
func (b *builder) anchor(n *ast.AnchorNode) *node {
	name := tokenText(n.Name)
	reopened := b.open[name]
	b.open[name] = true
	out, _ := b.node(n.Value)
	b.open[name] = reopened
	b.anchors[name] = out
	return out
}

// alias returns the value that an alias stands for.
func (b *builder) alias(n *ast.AliasNode) *node {
	name := tokenText(n.Value)
	if b.open[name] {
		b.src.add(Problem{Message: fmt.Sprintf("alias *%s refers to a list or mapping that contains itself", name), Hint: "write the value out"}, place(n), false)
		return b.broken(n)
	}
	if target := b.anchors[name]; target != nil {
		return target
	}
	b.src.add(Problem{Message: fmt.Sprintf("alias *%s has no anchor &%s above it", name, name), Hint: didYouMean(name, keysOf(b.anchors))}, place(n), false)
	return b.broken(n)
}

// coreTags are the tags of YAML itself and the kinds that they ask for.
func coreTags(tag string) (nodeKind, bool) {
	switch tag {
	case "!!str":
		return textNode, true
	case "!!int", "!!float":
		return numberNode, true
	case "!!bool":
		return boolNode, true
	case "!!null":
		return nullNode, true
	case "!!seq":
		return listNode, true
	case "!!map":
		return mappingNode, true
	default:
		return "", false
	}
}

// tag builds a tagged value: tags of YAML itself are checked, others refused.
func (b *builder) tag(n *ast.TagNode) *node {
	tag := n.Start.Value
	kind, known := coreTags(tag)
	if !known {
		p := Problem{Message: "unknown YAML tag " + clean([]rune(quoteShort(tag))), Hint: "remove it"}
		if tag == "!include" {
			p = Problem{Message: "!include is not supported", Hint: "name role files under roles:, or folders under roles_from:"}
		}
		b.src.add(p, place(n), false)
		return b.broken(n)
	}
	child, alias := b.node(n.Value)
	if alias {
		untagged := *child
		child = &untagged
	}
	if kind == textNode && (child.kind == numberNode || child.kind == boolNode) {
		child.kind, child.quoted = textNode, true
	}
	if kind != child.kind && !child.broken {
		b.src.add(Problem{Message: fmt.Sprintf("tag %s before %s", tag, child.found()), Hint: "remove the tag"}, place(n), false)
	}
	return child
}

// mapping builds a mapping: the first of equal keys counts, then what merge
// keys bring.
func (b *builder) mapping(at ast.Node, values []*ast.MappingValueNode) *node {
	out := b.empty(mappingNode, at)
	seen := map[string]position{}
	var merges []*ast.MappingValueNode
	for _, v := range values {
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			merges = append(merges, v)
			continue
		}
		key, ok := b.key(v.Key)
		child, alias := b.node(v.Value)
		if !ok {
			continue
		}
		use := place(v.Value)
		if v.Value == nil {
			use = place(v.Key)
		}
		if first, twice := seen[key]; twice {
			b.src.add(Problem{Path: clean([]rune(key)), Message: fmt.Sprintf("key %s is given twice (first at line %d)", quoteShort(key), first.line), Hint: "keep one of them"}, place(v.Key), false)
			continue
		}
		seen[key] = place(v.Key)
		out.entries = append(out.entries, entry{key: key, at: place(v.Key), node: child, use: use, alias: alias})
		out.count(child, alias)
	}
	for _, m := range merges {
		b.merge(out, seen, m)
	}
	return out
}

// merge adds the keys of the mappings that a merge key names.
func (b *builder) merge(out *node, seen map[string]position, m *ast.MappingValueNode) {
	from, alias := b.node(m.Value)
	out.count(from, alias)
	parts := []*node{from}
	if from.kind == listNode {
		parts = from.items
	}
	for _, part := range parts {
		if part.broken {
			continue
		}
		if part.kind != mappingNode {
			b.src.add(Problem{Message: "<< wants a mapping, found " + part.found()}, place(m.Key), false)
			continue
		}
		for _, e := range part.entries {
			if _, own := seen[e.key]; !own {
				seen[e.key] = e.at
				out.entries = append(out.entries, e)
			}
		}
	}
}

// key returns the text of a key.
func (b *builder) key(k ast.Node) (string, bool) {
	if explicit, ok := k.(*ast.MappingKeyNode); ok {
		k = explicit.Value
	}
	n, _ := b.node(k)
	switch {
	case n.broken:
		return "", false
	case n.kind == listNode, n.kind == mappingNode, n.kind == nullNode && n.raw == "":
		b.src.add(Problem{Message: "a key must be text, found " + n.found()}, n.pos, false)
		return "", false
	default:
		return n.raw, true
	}
}

// tokenText returns the text of the token of a node, empty without one.
func tokenText(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

// place returns where a node begins.
func place(n ast.Node) position {
	switch n := n.(type) {
	case nil:
		return position{1, 1}
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return place(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return place(n.Key)
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return position{1, 1}
	}
	return position{t.Position.Line, t.Position.Column}
}
