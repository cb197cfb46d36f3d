package repair

import "slices"

// oddities are the fields of a chunk that a chunk does not have. They tell
// whether it is an error, of which every provider has its own shape.
type oddities struct {
	err      bool // there is an error or errors
	named    bool // the object or its type is called error
	words    bool // there is a message
	code     bool // there is a code that is no success
	baseResp []byte
}

// Fields in which errors without a field called error hold their words and
// their code.
var (
	wordFields = []string{"message", "msg", "detail", "error_msg", "err_msg", "errmsg", "error_message"}
	codeFields = []string{"code", "status_code", "error_code", "err_code", "errcode"}
)

// note takes in one field; its value is not empty.
func (o *oddities) note(name string, value []byte) {
	switch name {
	case "error", "errors":
		o.err = string(value) != "0"
	case "object", "type":
		o.named = o.named || plain(value) == "error"
	case "status":
		n, ok := integer(value)
		o.code = o.code || ok && n >= 400
	case "base_resp":
		o.baseResp = value
	}
	if slices.Contains(wordFields, name) {
		o.words = true
	}
	if slices.Contains(codeFields, name) && string(value) != "0" && string(value) != "200" {
		o.code = true
	}
}

// failure is the text of the error that the chunk v is; nil if it is none.
// reply says that it has choices.
func (o *oddities) failure(v []byte, reply bool) []byte {
	if n, ok := integer(get(o.baseResp, "status_code")); ok && n != 0 {
		return o.baseResp
	}
	if o.err || o.named || !reply && o.words && o.code {
		return v
	}
	return nil
}
