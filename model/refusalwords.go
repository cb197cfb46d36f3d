package model

import "strings"

// refusalWords is what a provider says of a request that it refuses, in small
// letters.
type refusalWords string

// What refusals say of a parameter.
var (
	refusing = []string{
		"unsupported", "not support", "unrecognized", "unknown", "unexpected", "extra input", "extra_forbidden", "not permitted",
		"not allowed", "cannot find field", "must be removed", "must not", "must be set", "restricted", "only", "instead",
		"deprecated", "invalid parameter", "不支持", "未知", "仅支持",
	}
	aboutSize   = []string{"too large", "too big", "too high", "at most", "at least", "less than", "greater than", "between", "range", "exceed", "maximum"}
	missing     = []string{"missing", "must be passed", "must be provided", "must be included", "is required", "passed back", "缺少"}
	schemaWords = []string{"additionalproperties", "$ref", "$defs", "exclusiveminimum", "exclusivemaximum", "format", "anyof", "const"}
	strictWords = []string{"'required' is required to be supplied", "'additionalproperties' is required to be supplied", "properties must be required", "every key in properties"}
)

// has reports whether one of the phrases is there.
func (w refusalWords) has(phrases []string) bool { return containsAny(string(w), phrases) }

// names reports whether the field is there as a word of its own.
func (w refusalWords) names(field string) bool {
	field = strings.ToLower(field)
	for rest := string(w); field != ""; {
		i := strings.Index(rest, field)
		if i < 0 {
			return false
		}
		end := i + len(field)
		if (i == 0 || !isWordByte(rest[i-1])) && (end == len(rest) || !isWordByte(rest[end])) {
			return true
		}
		rest = rest[i+1:]
	}
	return false
}

func isWordByte(c byte) bool { return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' }
