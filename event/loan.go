package event

import (
	"encoding/json"
	"errors"
)

// ErrUnknownOutcome says that nobody knows what became of a call of a lent tool,
// which must not be repeated.
var ErrUnknownOutcome = errors.New("event: the outcome of the call is unknown")

// Loan is what an agent is made of whose model and tools another Troupe lends:
// the turn loop, the conversation and the communication tools are those of the
// run, whose log is the truth.
type Loan struct {
	// Prompt is the role's own part of the system prompt; Context is what every
	// prompt there ends with, WorkDir the folder of the tools.
	Prompt  string     `json:"prompt,omitempty"`
	Context string     `json:"context,omitempty"`
	WorkDir string     `json:"work_dir,omitempty"`
	Tools   []LentTool `json:"tools,omitempty"`
	// Models are the one that is asked, and those that are asked in turn when it
	// fails.
	Models []LentModel `json:"models"`
}

// LentTool describes a tool that runs where it is lent.
type LentTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Effect      string          `json:"effect,omitempty"` // pure, idempotent; empty for once
	Exclusive   bool            `json:"exclusive,omitempty"`
	Writes      bool            `json:"writes,omitempty"`
	Asks        bool            `json:"asks,omitempty"` // calls need a person's leave
	// Subject says how rules of the permissions read what a call is about, and
	// About which argument that is.
	Subject string `json:"subject,omitempty"`
	About   string `json:"about,omitempty"`
}

// LentModel describes a model that is asked where it is lent.
type LentModel struct {
	Name            string     `json:"name"` // provider/model
	Scripted        bool       `json:"scripted,omitempty"`
	MaxOutputTokens int        `json:"max_output_tokens,omitempty"`
	ContextWindow   int        `json:"context_window,omitempty"`
	CompactAt       float64    `json:"compact_at,omitempty"`
	Price           *LentPrice `json:"price,omitempty"` // nil: unknown
}

// LentPrice is what a million tokens cost.
type LentPrice struct {
	Currency    string  `json:"currency"` // for example "CNY"
	Input       float64 `json:"input"`
	CachedInput float64 `json:"cached_input"`
	Output      float64 `json:"output"`
}

// LentRequest asks a lent model: the whole conversation, in JSON that only the
// two Troupes read.
type LentRequest struct {
	Agent           string            `json:"agent"`
	Role            string            `json:"role"`
	Messages        []json.RawMessage `json:"messages,omitempty"`
	Tools           json.RawMessage   `json:"tools,omitempty"`
	MaxOutputTokens int               `json:"max_output_tokens,omitempty"`
}

// LentCall is a call of a lent tool.
type LentCall struct {
	CallID    string `json:"call"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	RequestID string `json:"request_id"` // the same when the call is repeated
	Agent     string `json:"agent"`
	Turn      int    `json:"turn"`
	// Again says that the call had begun before, and that nobody knows how far it
	// came.
	Again bool `json:"again,omitempty"`
	// Metadata has the notes [NoteUser] and [NoteProject] of the run.
	Metadata map[string]string `json:"metadata,omitempty"`
}
