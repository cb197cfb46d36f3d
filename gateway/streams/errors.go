package streams

import "errors"

// What can be wrong with an entry, a record or a setting; found with errors.Is.
var (
	ErrSchema        = errors.New("unknown key schema")
	ErrNoData        = errors.New("no field data")
	ErrSyntax        = errors.New("no JSON object")
	ErrUnknownAction = errors.New("unknown action")
	ErrMissing       = errors.New("is missing")
	ErrNull          = errors.New("is null")
	ErrType          = errors.New("has the wrong type")
	ErrValue         = errors.New("has a value that is not allowed")
)

// WireError tells what part of an entry or a record cannot be read.
type WireError struct {
	What  string // command, event, record, lease, group result
	Field string // the path of the field, "" for the whole
	Err   error  // one of the sentinels
}

// Error says what is wrong, and where.
func (e *WireError) Error() string {
	if e.Field == "" {
		return "streams: " + e.What + ": " + e.Err.Error()
	}
	return "streams: " + e.What + ": " + e.Field + " " + e.Err.Error()
}

// Unwrap returns the sentinel.
func (e *WireError) Unwrap() error { return e.Err }

// fault makes a WireError of what a part of an entry found; the path of the
// part comes before the path of the field.
func fault(what, part string, err error) error {
	if err == nil {
		return nil
	}
	inner, ok := errors.AsType[*WireError](err)
	if !ok {
		return &WireError{What: what, Field: part, Err: err}
	}
	field := inner.Field
	switch {
	case part == "":
	case field == "":
		field = part
	default:
		field = part + "." + field
	}
	return &WireError{What: what, Field: field, Err: inner.Err}
}
