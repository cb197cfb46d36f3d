package event

import "strings"

// Kind is one of the six kinds of messages (the mailbox protocol, section 1).
// Its value is the word in the log; [Kind.Label] is the word on the wire.
type Kind string

// The six kinds.
const (
	Task       Kind = "task"       // 任务发布: the leader gives work to a sub-agent
	Progress   Kind = "progress"   // 任务进度输出: output of a sub-agent that works on
	Completion Kind = "completion" // 任务完成汇报: the last output of a sub-agent's turn
	Question   Kind = "question"   // 提问: the sender waits for the answer
	Note       Kind = "note"       // 消息: a message that needs no answer
	Answer     Kind = "answer"     // 回答: the result of the asker's ask tool
)

type kindWords struct{ label, tag, prefix string }

var kinds = map[Kind]kindWords{
	Task:       {"任务发布", "Task", "task_"},
	Progress:   {"任务进度输出", "Output", "out_"},
	Completion: {"任务完成汇报", "Output", "out_"},
	Question:   {"提问", "Ask", "ask_"},
	Note:       {"消息", "Message", "msg_"},
	Answer:     {"回答", "Answer", "ans_"},
}

// Kinds lists the six kinds in the order of the protocol document.
func Kinds() []Kind { return []Kind{Task, Progress, Completion, Question, Note, Answer} }

// Valid reports whether k is one of the six kinds.
func (k Kind) Valid() bool { _, ok := kinds[k]; return ok }

// Label is the Chinese text in the header line of a message, for example
// 任务发布; empty for an unknown kind.
func (k Kind) Label() string { return kinds[k].label }

// Tag is the XML tag around the content, for example "Task"; for an answer
// the tag also carries the attribute question_id.
func (k Kind) Tag() string { return kinds[k].tag }

// Prefix is the beginning of ids of this kind, for example "ask_".
func (k Kind) Prefix() string { return kinds[k].prefix }

// Outcome says how a question ended (the mailbox protocol, section 5).
type Outcome string

// The outcomes of a question.
const (
	Answered               Outcome = "answered"                 // the addressee answered
	Implicit               Outcome = "implicit"                 // its last natural output is the answer
	Declined               Outcome = "declined"                 // the addressee refused to answer
	CompletedWithoutAnswer Outcome = "completed_without_answer" // its turn ended without one
	Terminated             Outcome = "terminated"               // the addressee was terminated
	Failed                 Outcome = "failed"                   // the addressee's turn failed
	OverBudget             Outcome = "budget"                   // a limit ended the addressee's turn
	Cancelled              Outcome = "cancelled"                // the asker or the addressee was stopped
	TimedOut               Outcome = "timeout"                  // nobody answered in time
	RefusedCycle           Outcome = "refused_cycle"            // the ask would have closed a circle of waits
)

// State is the state of an agent.
type State string

// The states of an agent.
const (
	Created  State = "created"
	Working  State = "working"
	Waiting  State = "waiting" // every open call of the step is blocked
	Idle     State = "idle"
	Failing  State = "failed"     // revived by a message
	Stopped  State = "stopped"    // goes on when a message comes
	Finished State = "terminated" // never again
)

// Busy reports whether an agent in this state works or waits in a turn.
func (s State) Busy() bool { return s == Working || s == Waiting }

// Reason says why a turn ended.
type Reason string

// The reasons for the end of a turn.
const (
	EndNatural    Reason = "natural"    // the model's reply had no tool calls
	EndLimit      Reason = "limit"      // a limit was reached; the output is partial
	EndFailed     Reason = "failed"     // the model or the runtime failed
	EndStopped    Reason = "stopped"    // somebody stopped the agent
	EndTerminated Reason = "terminated" // somebody terminated the agent
)

// Finish says why the model stopped, mapped to a closed set.
type Finish string

// The reasons for which a model stops.
const (
	FinishStop          Finish = "stop"
	FinishToolCalls     Finish = "tool_calls"
	FinishLength        Finish = "length"
	FinishContentFilter Finish = "content_filter"
	FinishError         Finish = "error"
	FinishUnknown       Finish = "unknown"
)

// Call is one tool call as the model made it.
type Call struct {
	// ID is unique within the run; the runtime mints it when the model's own
	// is missing or was used before.
	ID string `json:"id"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Arguments is JSON text as the model wrote it; it may be invalid.
	Arguments string `json:"arguments"`
	// Extra is a JSON object with the fields of the call that only its
	// provider knows, such as a thought signature, as text. They go back with
	// the call to the endpoint that sent them; empty if there are none.
	Extra string `json:"extra,omitempty"`
}

// Usage counts the tokens of one model call.
type Usage struct {
	Input       int  `json:"input"`                  // prompt tokens, cached ones included
	CachedInput int  `json:"cached_input,omitempty"` // prompt tokens read from the provider's cache
	Output      int  `json:"output"`                 // completion tokens, reasoning included
	Reasoning   int  `json:"reasoning,omitempty"`    // completion tokens spent on reasoning
	Estimated   bool `json:"estimated,omitempty"`    // the provider sent none; counted by us
}

// Total is the number of tokens that count against a limit.
func (u Usage) Total() int { return u.Input + u.Output }

// Add returns the sum; it is an estimate when either part is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:       u.Input + v.Input,
		CachedInput: u.CachedInput + v.CachedInput,
		Output:      u.Output + v.Output,
		Reasoning:   u.Reasoning + v.Reasoning,
		Estimated:   u.Estimated || v.Estimated,
	}
}

// Cost is money spent; the zero value means unknown, never free.
type Cost struct {
	Currency string  `json:"currency"` // as the team file's price says, for example "CNY"
	Amount   float64 `json:"amount"`
}

// Add returns the sum. An unknown part, nil, leaves it as it is; that of two
// currencies is the zero value.
func (c *Cost) Add(d *Cost) *Cost {
	switch {
	case d == nil:
		return c
	case c == nil:
		sum := *d
		return &sum
	case c.Currency != d.Currency:
		return &Cost{}
	}
	return &Cost{Currency: c.Currency, Amount: c.Amount + d.Amount}
}

// Failure describes an error in the log and in results.
type Failure struct {
	// Code is a short stable word, for example "auth" or "step_limit".
	Code string `json:"code"`
	// Who is to blame: "client", "server", "tool", "limit" or "network".
	Who string `json:"who,omitempty"`
	// Retryable says whether the same thing may work later.
	Retryable bool `json:"retryable,omitempty"`
	// Message is for people; it holds the provider's own words where there are any.
	Message string `json:"message"`
	// Hint is what to do next; may be empty.
	Hint string `json:"hint,omitempty"`
}

// String is the message with the hint.
func (f Failure) String() string {
	var b strings.Builder
	b.WriteString(f.Message)
	if f.Hint != "" {
		b.WriteString(" (")
		b.WriteString(f.Hint)
		b.WriteString(")")
	}
	return b.String()
}
