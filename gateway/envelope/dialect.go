package envelope

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Dialect is how another framework names the fields of a message. It comes
// from a mapping file ([ParseDialect]) or is [BuiltIn].
type Dialect struct {
	name     string
	pairs    []pair // by our path; none for [Native]
	defaults map[string]string
	types    map[string]string
}

// Name is the name of the dialect.
func (d Dialect) Name() string { return d.name }

// maps reports whether the dialect has a place for a field or a part of it.
func (d Dialect) maps(field string) bool {
	return slices.ContainsFunc(d.pairs, func(p pair) bool { return p.ours[0] == field })
}

// within reports whether the dialect has places for parts of a field.
func (d Dialect) within(field string) bool {
	return slices.ContainsFunc(d.pairs, func(p pair) bool { return p.ours[0] == field && len(p.ours) > 1 })
}

// has reports whether the dialect has a place for what stands at a path.
func (d Dialect) has(path ...string) bool {
	return slices.ContainsFunc(d.pairs, func(p pair) bool { return slices.Equal(p.ours, path) })
}

// Fill makes the fields that a dialect without a place for them leaves open.
type Fill struct {
	MsgID func() string
	Now   func() time.Time
	// Sender stands for one that the message does not name, and goes before the
	// default of the mapping: who the other end proved to be.
	Sender string
}

// Read reads a message of the dialect as an envelope and checks it. The JSON
// is held to the same rules as that of an envelope. Fields that the mapping
// does not name are kept in the metadata. Remarks name the fields of the
// dialect; they have no byte.
func (d Dialect) Read(raw []byte, fill Fill, o Options) Finding {
	if d.name == Native {
		return Check(raw, o)
	}
	if _, _, r := read(raw, o); r != nil {
		return refuse(*r)
	}
	ours, theirs := fields{}, parse(raw)
	for _, p := range d.pairs {
		value, ok := theirs.take(p.theirs)
		if !ok {
			continue
		}
		if p.ours[0] == fieldType {
			value = d.ourType(value)
		}
		ours.put(p.ours, value)
	}
	d.complete(ours, fill)
	clash := theirs.moveTo(ours)
	f := checkMade(string(object(ours)), o)
	for i := range f.Faults {
		f.Faults[i] = d.translate(f.Faults[i])
	}
	for i := range f.Notes {
		f.Notes[i] = d.translate(f.Notes[i])
	}
	for _, name := range clash {
		f.Verdict = Invalid
		f.Faults = append(f.Faults, Remark{Reason: MetadataClash, Field: name, Offset: -1})
	}
	return f
}

// complete fills in what the dialect has no place for.
func (d Dialect) complete(e fields, fill Fill) {
	if _, ok := e[fieldSender]; !ok && fill.Sender != "" {
		e[fieldSender] = appendjson.String(nil, fill.Sender)
	}
	for name, text := range d.defaults {
		if _, ok := e[name]; !ok {
			e[name] = appendjson.String(nil, text)
		}
	}
	if !d.maps(fieldMsgID) && fill.MsgID != nil {
		e[fieldMsgID] = appendjson.String(nil, fill.MsgID())
	}
	if !d.maps(fieldTS) && fill.Now != nil {
		e[fieldTS] = json.RawMessage(Stamp(fill.Now()))
	}
}

// ourType translates the dialect's word for a type.
func (d Dialect) ourType(raw json.RawMessage) json.RawMessage {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if typ, ok := d.types[word]; ok {
			return appendjson.String(nil, typ)
		}
	}
	return raw
}

// theirType is the dialect's word for a type.
func (d Dialect) theirType(typ Type) json.RawMessage {
	for word, ours := range d.types {
		if ours == string(typ) {
			return appendjson.String(nil, word)
		}
	}
	return appendjson.String(nil, string(typ))
}

// translate names the dialect's field in a remark about the envelope that was
// made of it.
func (d Dialect) translate(r Remark) Remark {
	r.Offset = -1
	for _, p := range d.pairs {
		ours, theirs := strings.Join(p.ours, "."), strings.Join(p.theirs, ".")
		if rest, ok := strings.CutPrefix(r.Field, ours); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			r.Field = theirs + rest
			break
		}
	}
	return r
}

// Write writes e in the dialect, as one line without its newline. left names
// the fields of the envelope for which the dialect has no place; what it keeps
// as a default is not among them. The error is an [*Error], for an envelope
// that is none or has not what the dialect needs.
func (d Dialect) Write(e Envelope) (text []byte, left []string, err error) {
	text, err = Encode(e)
	if err != nil || d.name == Native {
		return text, nil, err
	}
	ours := parse(text)
	type placed struct {
		path  []string
		value json.RawMessage
	}
	var parts []placed
	for _, p := range d.pairs {
		value, ok := ours.take(p.ours)
		switch {
		case ok && p.ours[0] == fieldType:
			value = d.theirType(e.Type)
		case !ok && p.ours[0] == fieldMetadata:
			continue
		case !ok:
			return nil, nil, &Error{Missing, []Remark{{Reason: MissingField, Field: strings.Join(p.ours, "."), Offset: -1}}}
		}
		parts = append(parts, placed{p.theirs, value})
	}
	theirs := parse(ours[fieldMetadata])
	delete(ours, fieldMetadata)
	for _, p := range parts {
		if !theirs.put(p.path, p.value) {
			left = append(left, fieldMetadata+"."+strings.Join(p.path, "."))
		}
	}
	left = append(left, d.beside(ours)...)
	slices.Sort(left)
	return object(theirs), left, nil
}

// beside names what is left of an envelope, without what goes without saying:
// the defaults, and our version.
func (d Dialect) beside(e fields) []string {
	for name, value := range d.defaults {
		if string(e[name]) == string(appendjson.String(nil, value)) {
			delete(e, name)
		}
	}
	if string(e[fieldProto]) == string(appendjson.String(nil, Proto)) {
		delete(e, fieldProto)
	}
	return e.leaves()
}

// fields is a JSON object.
type fields map[string]json.RawMessage

// parse reads an object; what is none has no fields.
func parse(raw []byte) fields {
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return fields{}
	}
	return f
}

// take removes the value at path and returns it. Objects that become empty go
// with it.
func (f fields) take(path []string) (json.RawMessage, bool) {
	value, ok := f[path[0]]
	if len(path) == 1 || !ok {
		delete(f, path[0])
		return value, ok
	}
	inner := parse(value)
	value, ok = inner.take(path[1:])
	switch {
	case ok && len(inner) == 0:
		delete(f, path[0])
	case ok:
		f[path[0]] = object(inner)
	}
	return value, ok
}

// put sets the value at path; false if that replaced something.
func (f fields) put(path []string, value json.RawMessage) bool {
	there, taken := f[path[0]]
	if len(path) == 1 {
		f[path[0]] = value
		return !taken
	}
	inner := parse(there)
	clean := inner.put(path[1:], value)
	f[path[0]] = object(inner)
	return clean && (!taken || there[0] == '{')
}

// moveTo moves the fields that are left to the metadata of an envelope, and
// returns those that stand there already.
func (f fields) moveTo(e fields) (clash []string) {
	if there, ok := e[fieldMetadata]; len(f) == 0 || ok && there[0] != '{' {
		return nil // or the message is refused for its metadata
	}
	metadata := parse(e[fieldMetadata])
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if _, taken := metadata[name]; taken {
			clash = append(clash, name)
			continue
		}
		metadata[name] = f[name]
	}
	e[fieldMetadata] = object(metadata)
	return clash
}

// leaves names the fields, those of the payload one by one.
func (f fields) leaves() []string {
	var names []string
	for name, value := range f {
		inner := parse(value)
		if name != fieldPayload || len(inner) == 0 {
			names = append(names, name)
			continue
		}
		for part := range inner {
			names = append(names, name+"."+part)
		}
	}
	return names
}
