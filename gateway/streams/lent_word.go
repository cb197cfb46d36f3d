package streams

import (
	"encoding/json"

	"github.com/troupe-go/troupe/event"
)

// lentAgent stands in the extra payload of the command that opens a lent agent:
// whose it is. Without an agent the command only asks what one is made of.
type lentAgent struct {
	Run    string `json:"run"`
	Agent  string `json:"agent,omitempty"`
	Role   string `json:"role"`
	TaskID string `json:"task_id"`
}

// lentWord is what two Troupes say to each other about a lent agent: one record,
// in the extra payload of a command or in the metadata of an event.
type lentWord struct {
	// ID names what is asked; all that is said to it has the same.
	ID     string       `json:"id"`
	Record event.Record `json:"record"`
	// Request goes with model.requested: without the messages that the other side
	// has, Have in number.
	Request *event.LentRequest `json:"request,omitempty"`
	Have    int                `json:"have,omitempty"`
	// Call goes with tool.started.
	Call *event.LentCall `json:"call,omitempty"`
}

// codeNoConversation is the failure of a request that counts on messages which
// the other side does not have.
const codeNoConversation = "no_conversation"

// values is the word where Troupe writes what is its own.
func (w lentWord) values() (Values, error) {
	text, err := encode(w)
	return Values{troupeName: text}, err
}

// wordIn reads the word there; ok is false when there is none.
func wordIn(v Values) (w lentWord, ok bool) {
	raw := v[troupeName]
	return w, raw != nil && json.Unmarshal(raw, &w) == nil && w.Record.Data != nil
}

// word makes one of a record.
func (s *store) word(id string, d event.Data) lentWord {
	return lentWord{ID: id, Record: event.Record{V: event.Version, Time: s.now(), Data: d}}
}
