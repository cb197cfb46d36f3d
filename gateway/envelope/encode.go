package envelope

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Encode writes e as one line of JSON without its newline. It fails with an
// [*Error] for what [Decode] would refuse or take for text; size is the one
// rule that only the receiver knows.
func Encode(e Envelope) ([]byte, error) {
	if r := unwritable(e); r != nil {
		return nil, &Error{Invalid, []Remark{*r}}
	}
	var b bytes.Buffer
	put := func(name string, value []byte) {
		b.WriteByte(sep(b.Len()))
		b.Write(appendjson.String(nil, name))
		b.WriteByte(':')
		b.Write(value)
	}
	put(fieldMsgID, appendjson.String(nil, e.MsgID))
	put(fieldSender, appendjson.String(nil, e.Sender))
	put(fieldReceiver, appendjson.String(nil, e.Receiver))
	put(fieldType, appendjson.String(nil, string(e.Type)))
	put(fieldTS, []byte(e.TS))
	put(fieldProto, appendjson.String(nil, cmp.Or(e.Proto, Proto)))
	put(fieldPayload, []byte(compact(string(e.Payload))))
	if len(e.Metadata) > 0 {
		put(fieldMetadata, object(e.Metadata))
	}
	b.WriteByte('}')
	switch f := checkMade(b.String(), Options{}); {
	case f.Verdict.Refused():
		return nil, &Error{f.Verdict, f.Faults}
	case f.Verdict == Down:
		return nil, &Error{Invalid, f.Notes}
	}
	return b.Bytes(), nil
}

// unwritable finds a text that JSON cannot hold, or a part that is not one
// JSON value and so could pass for other fields.
func unwritable(e Envelope) *Remark {
	for _, f := range [...]struct{ name, text string }{
		{fieldMsgID, e.MsgID}, {fieldSender, e.Sender}, {fieldReceiver, e.Receiver}, {fieldType, string(e.Type)}, {fieldProto, e.Proto},
	} {
		if !utf8.ValidString(f.text) {
			return &Remark{Reason: InvalidUTF8, Field: f.name, Offset: -1}
		}
	}
	parts := map[string]string{fieldTS: string(e.TS), fieldPayload: string(e.Payload)}
	for name, value := range e.Metadata {
		if !utf8.ValidString(name) {
			return &Remark{Reason: InvalidUTF8, Field: fieldMetadata, Offset: -1}
		}
		parts[fieldMetadata+"."+name] = string(value)
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		s := newScanner(parts[name])
		if s.value(1) != nil || s.at < len(s.text) {
			return &Remark{Reason: BadJSON, Field: name, Offset: -1}
		}
	}
	return nil
}

// object writes members in the order of their names.
func object(members map[string]json.RawMessage) []byte {
	if len(members) == 0 {
		return []byte("{}")
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b.WriteByte(sep(b.Len()))
		b.Write(appendjson.String(nil, name))
		b.WriteByte(':')
		b.WriteString(compact(string(members[name])))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// sep is what stands before a member of an object of which length bytes are
// written.
func sep(length int) byte {
	if length == 0 {
		return '{'
	}
	return ','
}
