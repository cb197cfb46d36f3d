package envelope

import (
	"encoding/base64"
	"encoding/json"

	"github.com/troupe-go/troupe/gateway"
)

// ticket names what was handed over, for who comes back for the result. It gives no
// rights: whose it is decides who asks.
type ticket struct {
	Sender   string `json:"s"`
	Receiver string `json:"r"`
	// MsgID and Session are those of a task; What tells it from another with its id,
	// and may be empty; Question is the one that it answered.
	MsgID    string `json:"m,omitempty"`
	What     string `json:"w,omitempty"`
	Session  string `json:"n,omitempty"`
	Question string `json:"q,omitempty"`
	// Request is the request id of a call.
	Request string `json:"c,omitempty"`
}

// String is the ticket as it stands in a URL.
func (t ticket) String() string {
	text, err := json.Marshal(t)
	if err != nil {
		return "" // texts have a JSON form
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// readTicket reads what [ticket.String] wrote.
func readTicket(s string) (t ticket, err error) {
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil || t.Sender == "" || t.Receiver == "" || (t.Session == "") == (t.Request == "") {
		return t, gateway.NewError(gateway.StatusNotFound, "there is no such run").WithHint("ask for the address in the answer to your message")
	}
	return t, nil
}
