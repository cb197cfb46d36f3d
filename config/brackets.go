package config

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

// checkBrackets finds a bracket that is not closed or does not match, where
// the parser would name a place that is no help.
func checkBrackets(tokens token.Tokens) *fault {
	var open []*token.Token
	for i, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			open = append(open, t)
		case token.MappingEndType, token.SequenceEndType:
			if len(open) == 0 {
				return nil
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if (last.Type == token.MappingStartType) != (t.Type == token.MappingEndType) {
				return &fault{
					at:      position{t.Position.Line, t.Position.Column},
					message: fmt.Sprintf("found %s where %s is wanted, for the %s at line %d", t.Value, closing(last), last.Value, last.Position.Line),
					hint:    "check the brackets",
				}
			}
		default:
			isKey := i+1 < len(tokens) && tokens[i+1].Type == token.MappingValueType
			// JSON may begin all its lines at the margin.
			inBlock := len(open) > 0 && open[0].Position.Column > 1
			if inBlock && t.Position.Column == 1 && isKey {
				return unclosed(open[len(open)-1])
			}
		}
	}
	if len(open) > 0 {
		return unclosed(open[len(open)-1])
	}
	return nil
}

// unclosed is the fault of a bracket that is never closed.
func unclosed(t *token.Token) *fault {
	return &fault{
		at:      position{t.Position.Line, t.Position.Column},
		message: fmt.Sprintf("%s opened here is never closed", t.Value),
		hint:    "add " + closing(t),
	}
}

// closing returns the bracket that closes one.
func closing(t *token.Token) string {
	if t.Type == token.MappingStartType {
		return "}"
	}
	return "]"
}
