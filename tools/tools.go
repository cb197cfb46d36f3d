package tools

import (
	"context"
	"encoding/json"
)

// Tool is something that an agent can do.
type Tool interface {
	// Spec tells the model and the runtime about the tool. It is constant.
	Spec() Spec
	// Run does one call. The text goes to the model; an error goes to the
	// model too, as a result that it can act on, and never ends the run.
	Run(ctx context.Context, call Call) (string, error)
}

// Effect says what happens when a call is repeated after a crash.
type Effect string

// The three effects.
const (
	Once       Effect = ""           // never repeat: the outcome is told as unknown (the default)
	Idempotent Effect = "idempotent" // repeat with the same request id
	Pure       Effect = "pure"       // reads only: repeat freely
)

// Spec describes a tool.
type Spec struct {
	// Name is what the model calls, [a-zA-Z0-9_-], at most 64 bytes.
	Name string
	// Description tells the model when and how to use it.
	Description string
	// Schema is the JSON Schema of the arguments: an object with properties.
	Schema json.RawMessage
	// Effect says what a repeated call does.
	Effect Effect
	// Exclusive tools run alone: no other call of the step beside them.
	Exclusive bool
	// Ordered tools send something before they block: the next call of the
	// step starts only after this one called [Call.Sent] or returned.
	Ordered bool
	// Waits marks tools that wait for others; repeating them is no sign of a
	// loop, and tool_timeout does not apply to them.
	Waits bool
	// Answers marks tools that answer a question: an agent may end its turn
	// after one without another word.
	Answers bool
	// Writes marks tools that change files; a role has them only when it
	// lists them.
	Writes bool
	// Asks marks tools whose calls need a person's leave where no rule of the
	// permissions allows them; all others may be called where none denies.
	Asks bool
	// Subject says how patterns in rules of the permissions are read; see
	// [About].
	Subject SubjectKind
}

// Call is one call of a tool.
type Call struct {
	// Agent is the id of the calling agent, for example "uio_1".
	Agent string
	// Turn is the agent's turn, counted from 1.
	Turn int
	// ID is the id of the tool call, unique in the run.
	ID string
	// RequestID is the same when the call is repeated after a crash.
	RequestID string
	// Again says that the call had begun when the program ended, and that
	// nobody knows how far it came.
	Again bool
	// Arguments is the JSON object that the model wrote.
	Arguments json.RawMessage
	// Metadata tells for whom the run works: [event.NoteUser] and
	// [event.NoteProject], as far as they are known. All calls share it.
	Metadata map[string]string

	// Blocked tells the runtime that the call waits for others, on being
	// agent ids, question ids or other words for a person to read; done ends
	// it. It is never nil.
	Blocked func(on ...string) (done func())
	// Sent ends the ordered part of an Ordered tool. It is never nil and may
	// be called more than once.
	Sent func()
	// Output shows a piece of output to people while the call runs. It is
	// never nil.
	Output func(text string)
	// Artifact records that the call wrote a file: a path relative to the
	// working folder of the run, and its size. It is never nil.
	Artifact func(path string, size int64)
}
