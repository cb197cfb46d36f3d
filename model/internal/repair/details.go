package repair

import (
	"bytes"
	"encoding/json"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// JoinDetails puts the items of reasoning_details together that came in
// pieces. A piece belongs to the item before it if that has its type and index:
// texts grow, other fields are added.
func JoinDetails(pieces [][]byte) []json.RawMessage {
	var items []json.RawMessage
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && sameDetail(pieces[0], pieces[n]) {
			n++
		}
		items = append(items, joinDetail(pieces[:n]))
		pieces = pieces[n:]
	}
	return items
}

func sameDetail(a, b []byte) bool {
	index := get(a, "index")
	return !isEmpty(index) && bytes.Equal(index, get(b, "index")) && bytes.Equal(get(a, "type"), get(b, "type"))
}

// growing are the fields of an item that come in pieces.
var growing = []string{"text", "summary", "data"}

// joinDetail makes one item of its pieces.
func joinDetail(pieces [][]byte) json.RawMessage {
	if len(pieces) == 1 {
		return pieces[0]
	}
	item := map[string]json.RawMessage{}
	texts := map[string][]byte{}
	for _, p := range pieces {
		s := scanner{text: p}
		s.fields(func(key []byte) bool {
			value, ok := s.value()
			if name := string(key); ok && (!isEmpty(value) || item[name] == nil) {
				item[name] = value
			}
			return ok
		})
		for _, name := range growing {
			texts[name] = append(texts[name], text(get(p, name))...)
		}
	}
	for name, t := range texts {
		if item[name] != nil && len(t) > 0 {
			whole, _ := Whole(t)
			item[name] = appendjson.String(nil, whole)
		}
	}
	joined, err := json.Marshal(item)
	if err != nil {
		return pieces[0]
	}
	return joined
}
