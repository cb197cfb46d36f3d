package config

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// checkDepth finds the place where a text is nested too deeply, before
// anything recursive looks at it.
func checkDepth(tokens token.Tokens) *fault {
	d := depth{}
	for i, t := range tokens {
		if d.next(t, i+1 < len(tokens) && tokens[i+1].Type == token.MappingValueType) {
			return &fault{
				at:      position{t.Position.Line, t.Position.Column},
				message: fmt.Sprintf("nested too deeply (more than %d levels)", maxDepth),
				hint:    "a team file needs at most eight levels",
			}
		}
	}
	return nil
}

// depth follows how deep a text is nested.
type depth struct {
	brackets int
	columns  []int // of the blocks that are open
	marks    int   // anchors and tags in a row
}

// next takes one token, key telling whether it is a key of a mapping, and
// says whether the text is too deep there.
func (d *depth) next(t *token.Token, key bool) bool {
	switch t.Type {
	case token.AnchorType, token.TagType:
		d.marks++
	case token.MappingStartType, token.SequenceStartType:
		d.brackets++
		d.marks = 0
	case token.MappingEndType, token.SequenceEndType:
		d.brackets = max(0, d.brackets-1)
	case token.SequenceEntryType, token.MappingKeyType:
		d.block(t.Position.Column)
	default:
		if key {
			d.block(t.Position.Column)
		}
	}
	return d.brackets+len(d.columns)+d.marks > maxDepth
}

// block opens a block at a column and closes those that are as far right.
func (d *depth) block(column int) {
	d.marks = 0
	if d.brackets > 0 {
		return
	}
	for len(d.columns) > 0 && d.columns[len(d.columns)-1] >= column {
		d.columns = d.columns[:len(d.columns)-1]
	}
	d.columns = append(d.columns, column)
}
