package repair

import (
	"errors"
	"fmt"
)

// What is wrong with a body, see [Error].
var (
	// ErrProvider means that the provider sent an error in place of a reply or
	// inside it; [Error.Text] is its JSON, or its words.
	ErrProvider = errors.New("the reply holds an error")
	// ErrForeign means that the body is no reply, but for example a page of
	// HTML; [Error.Text] is its beginning.
	ErrForeign = errors.New("the body is no reply")
	// ErrUnreadable means that an event holds something that is no piece of a
	// reply; [Error.Text] is that.
	ErrUnreadable = errors.New("a piece of the reply cannot be read")
	// ErrTooLong means that a line, an event or a JSON body is longer than
	// [MaxLine].
	ErrTooLong = fmt.Errorf("a line of the reply is longer than %d bytes", MaxLine)
)

// errTooLong is ErrTooLong as the reader of lines has it.
var errTooLong error = &Error{Kind: ErrTooLong}

// Error says why a body cannot be read on. It is found with [errors.AsType],
// its kind with [errors.Is].
type Error struct {
	// Kind is one of ErrProvider, ErrForeign, ErrUnreadable and ErrTooLong.
	Kind error
	// Text is what the body holds.
	Text []byte
}

// Error says what is wrong; the text is for [Error.Text]'s readers.
func (e *Error) Error() string { return "repair: " + e.Kind.Error() }

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }
