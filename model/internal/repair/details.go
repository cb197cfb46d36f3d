package repair

import (
	"bytes"
	"encoding/json"
)

// AppendDetail adds an item of reasoning_details to those of a reply. A piece
// of an item that came before, which has its type and index, is put into that
// one: texts grow, other fields are added.
func AppendDetail(list []json.RawMessage, item []byte) []json.RawMessage {
	if len(list) > 0 {
		if joined, ok := joinDetails(list[len(list)-1], item); ok {
			list[len(list)-1] = joined
			return list
		}
	}
	return append(list, item)
}

// growing are the fields of an item that come in pieces.
var growing = []string{"text", "summary", "data"}

func joinDetails(old, piece []byte) (json.RawMessage, bool) {
	if isEmpty(get(old, "index")) || !bytes.Equal(get(old, "index"), get(piece, "index")) ||
		!bytes.Equal(get(old, "type"), get(piece, "type")) {
		return nil, false
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(old, &a) != nil || json.Unmarshal(piece, &b) != nil {
		return nil, false
	}
	for _, name := range growing {
		if before, after := text(a[name]), text(b[name]); before != nil && after != nil {
			whole, _ := Whole(append(bytes.Clone(before), after...))
			b[name] = appendQuoted(nil, whole)
		}
	}
	for name, value := range b {
		if !isEmpty(value) || a[name] == nil {
			a[name] = value
		}
	}
	joined, err := json.Marshal(a)
	return joined, err == nil
}
