package streams

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// object is a JSON object as it was read, with the order of its names. It is
// never changed after it was made, so that the structs that keep one can be
// copied.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

// parseObject reads text that holds one JSON object and nothing else. Of two
// values with the same name the last counts. Python's words for numbers that
// JSON does not have are read as null.
func parseObject(text []byte) (object, error) {
	text = bytes.Clone(text) // the values are parts of it
	if !json.Valid(text) {
		if text = withoutOddNumbers(text); !json.Valid(text) {
			return object{}, ErrSyntax
		}
	}
	i := afterSpace(text, 0)
	if text[i] != '{' {
		return object{}, ErrSyntax
	}
	o := object{values: map[string]json.RawMessage{}}
	// It is JSON, so its marks alone say where things end. All that workers and
	// clients read comes through here; a json.Decoder takes three times as long.
	for i = afterSpace(text, i+1); text[i] != '}'; {
		end := stringEnd(text, i)
		name := unquote(text[i:end])
		i = afterSpace(text, afterSpace(text, end)+1) // behind the colon
		end = valueEnd(text, i)
		o.set(name, text[i:end:end])
		if i = afterSpace(text, end); text[i] == ',' {
			i = afterSpace(text, i+1)
		}
	}
	return o, nil
}

// afterSpace is the first place from i on that is not white space.
func afterSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// valueEnd is the place behind the JSON value that begins at start, in an object.
func valueEnd(text []byte, start int) int {
	switch text[start] {
	case '"':
		return stringEnd(text, start)
	case '{', '[':
	default:
		return start + bytes.IndexAny(text[start:], ",} \t\r\n")
	}
	depth := 1
	for i := start + 1; ; {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
}

// unquote is the text of a JSON string.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // it is a string
	return text
}

// withoutOddNumbers replaces NaN, Infinity and -Infinity outside strings.
func withoutOddNumbers(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); {
		if text[i] == '"' {
			end := stringEnd(text, i)
			out = append(out, text[i:end]...)
			i = end
			continue
		}
		if n := oddNumber(text[i:]); n > 0 {
			out = append(out, "null"...)
			i += n
			continue
		}
		out = append(out, text[i])
		i++
	}
	return out
}

// stringEnd is the place behind the JSON string that begins at start.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// oddNumber is the length of the word that text begins with, 0 for none.
func oddNumber(text []byte) int {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return len(word)
		}
	}
	return 0
}

// set is for objects that are being made.
func (o *object) set(name string, value json.RawMessage) {
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// MarshalJSON writes the names in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(name))
		b.WriteByte(':')
		b.Write(o.values[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads the object.
func (o *object) UnmarshalJSON(text []byte) error {
	read, err := parseObject(text)
	*o = read
	return err
}

// encode writes a value as JSON in UTF-8. It fails only when a raw value in it
// is no JSON.
func encode(value any) (json.RawMessage, error) {
	text, err := appendjson.Value(nil, value)
	if err != nil {
		return nil, ErrSyntax
	}
	return text, nil
}

// quote writes a text as JSON.
func quote(text string) json.RawMessage { return appendjson.String(nil, text) }

// field binds a name on the wire to a place in a struct.
type field struct {
	name   string
	alias  string // another name under which it is read, "" for none
	to     any    // a pointer
	keyed  bool   // the name must exist
	noNull bool   // null is refused
	always bool   // a struct that was not read writes it also when it is zero
}

// nameIn is the name that o has for the field.
func (f field) nameIn(o object) string {
	if _, ok := o.values[f.name]; !ok && f.alias != "" {
		if _, ok := o.values[f.alias]; ok {
			return f.alias
		}
	}
	return f.name
}

// read fills the fields from o. A fault does not keep the other fields from
// being read; the first is returned.
func (o object) read(what string, fields []field) error {
	var first error
	note := func(name string, err error) {
		if first == nil {
			first = fault(what, name, err)
		}
	}
	for _, f := range fields {
		raw, ok := o.values[f.nameIn(o)]
		switch {
		case !ok && f.keyed:
			note(f.name, ErrMissing)
		case !ok:
		case f.noNull && string(raw) == "null":
			note(f.name, ErrNull)
		default:
			if err := decode(raw, f.to); err != nil {
				note(f.name, typeFault(err))
			}
		}
	}
	return first
}

// decode reads JSON into a place. Most of what there is are texts.
func decode(raw json.RawMessage, to any) error {
	if text, ok := to.(*string); ok && raw[0] == '"' {
		*text = unquote(raw)
		return nil
	}
	return json.Unmarshal(raw, to)
}

// typeFault keeps the fault of a part and names every other ErrType.
func typeFault(err error) error {
	if inner, ok := errors.AsType[*WireError](err); ok {
		return inner
	}
	return ErrType
}

// with is o with what the fields hold now. What was read and not changed keeps
// its text, so nothing is lost that a field cannot hold.
func (o object) with(what string, fields []field) (object, error) {
	fresh := o.values == nil
	out := object{names: slices.Clone(o.names), values: make(map[string]json.RawMessage, len(o.values)+len(fields))}
	maps.Copy(out.values, o.values)
	for _, f := range fields {
		value := reflect.ValueOf(f.to).Elem()
		name := f.nameIn(o)
		old, had := o.values[name]
		wanted := !value.IsZero() || fresh && f.always
		if had {
			wanted = !holds(old, value)
		}
		if !wanted {
			continue
		}
		raw, err := encode(value.Interface())
		if err != nil {
			return object{}, fault(what, name, err)
		}
		out.set(name, raw)
	}
	return out, nil
}

// marshal writes o with what the fields hold now.
func (o object) marshal(what string, fields []field) ([]byte, error) {
	out, err := o.with(what, fields)
	if err != nil {
		return nil, err
	}
	return out.MarshalJSON()
}

// holds reports whether reading text gives value.
func holds(text json.RawMessage, value reflect.Value) bool {
	read := reflect.New(value.Type())
	return decode(text, read.Interface()) == nil && reflect.DeepEqual(read.Elem().Interface(), value.Interface())
}
