package envelope

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// digest is that of JSON texts and objects, whatever the order of their names and however
// their texts are escaped. Numbers are the same when they are written alike.
func digest(values ...[]byte) [sha256.Size]byte {
	h := sha256.New()
	for _, raw := range values {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) == nil {
			if sorted, err := json.Marshal(v); err == nil {
				raw = sorted
			}
		}
		_, _ = h.Write(raw)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// digest tells two calls apart that are not the same.
func (c ToolCall) digest() [sha256.Size]byte { return digest(appendjson.String(nil, c.Name), c.Params) }
