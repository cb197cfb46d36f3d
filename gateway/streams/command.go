package streams

import (
	"encoding/json"
	"strings"
)

// Action names what a command wants.
type Action string

// The actions. The last four are an administrator's and go to one worker.
const (
	ActionAsk     Action = "ASK_AGENT"
	ActionResume  Action = "RESUME"
	ActionCancel  Action = "CANCEL_TASK"
	ActionReload  Action = "RELOAD_PLUGINS"
	ActionSuspend Action = "SUSPEND_WORKER"
	ActionRestore Action = "RESUME_WORKER"
	ActionEvict   Action = "EVICT_WORKER"
)

// Command is one entry of a control stream.
type Command struct {
	Header Header
	Body   Body

	raw object
}

// Body is what a command says beyond its header: *[Ask], *[Resume], *[Cancel],
// *[Reload], *[Suspend], *[Restore] or *[Evict].
//
//sumtype:decl
type Body interface {
	// Action is the name of the command on the wire.
	Action() Action
	fields() []field
	check() error
	kept() *object
}

// newBody makes the body to read for an action, nil for an unknown one.
func newBody(a Action) Body {
	switch a {
	case ActionAsk:
		return &Ask{}
	case ActionResume:
		return &Resume{}
	case ActionCancel:
		return &Cancel{}
	case ActionReload:
		return &Reload{}
	case ActionSuspend:
		return &Suspend{}
	case ActionRestore:
		return &Restore{}
	case ActionEvict:
		return &Evict{}
	default:
		return nil
	}
}

// DecodeCommand reads the text of an entry as strictly as the workers of the
// Python SDK do. Unknown fields are kept. The error is a [WireError]; what
// could be read of the header is returned also then, with a nil body, so that
// somebody can be told.
func DecodeCommand(text []byte) (Command, error) {
	o, err := parseObject(text)
	if err != nil {
		return Command{}, fault("command", "", err)
	}
	c := Command{raw: o}
	raw, ok := o.values["header"]
	if !ok {
		return c, fault("command", "header", ErrMissing)
	}
	headerErr := c.Header.UnmarshalJSON(raw)
	var action Action
	if err := json.Unmarshal(o.values["action_type"], &action); err != nil || newBody(action) == nil {
		return c, fault("command", "action_type", ErrUnknownAction)
	}
	if headerErr != nil {
		return c, fault("command", "header", headerErr)
	}
	body, err := decodeBody(newBody(action), o.values["body"])
	if err != nil {
		return c, fault("command", "body", err)
	}
	c.Body = body
	return c, nil
}

// decodeBody fills b from text, which may be absent.
func decodeBody(b Body, text json.RawMessage) (Body, error) {
	if text == nil || string(text) == "null" {
		text = json.RawMessage("{}")
	}
	o, err := parseObject(text)
	if err != nil {
		return nil, ErrType
	}
	*b.kept() = o
	if err := o.read("body", b.fields()); err != nil {
		return nil, err
	}
	return b, b.check()
}

// Encode writes the command as the text of an entry. Of a command that was
// read all is written that was read and not changed. A command that a worker
// would refuse is an error, a [WireError].
func (c Command) Encode() ([]byte, error) {
	if c.Body == nil {
		return nil, fault("command", "body", ErrMissing)
	}
	if err := c.Body.check(); err != nil {
		return nil, fault("command", "body", err)
	}
	body, err := c.Body.kept().with("body", c.Body.fields())
	if err != nil {
		return nil, fault("command", "body", err)
	}
	action := c.Body.Action()
	fields := []field{{name: "action_type", to: &action}, {name: "header", to: &c.Header}}
	if _, had := c.raw.values["body"]; had || c.raw.values == nil || len(body.names) > 0 {
		fields = append(fields, field{name: "body", to: &body})
	}
	return c.raw.marshal("command", fields)
}

// Ask gives an agent a task.
type Ask struct {
	Content Content // not blank
	// WaitForReply is information: the reply depends on the header's source.
	WaitForReply bool
	ExtraPayload Values

	raw object
}

// Action is ActionAsk.
func (*Ask) Action() Action { return ActionAsk }

func (a *Ask) kept() *object { return &a.raw }

func (a *Ask) fields() []field {
	return []field{
		{name: "content", to: &a.Content, keyed: true, always: true},
		{name: "wait_for_reply", to: &a.WaitForReply, always: true},
		{name: "extra_payload", to: &a.ExtraPayload, noNull: true},
	}
}

func (a *Ask) check() error {
	if a.Content.blank() {
		return fault("body", "content", ErrValue)
	}
	return nil
}

// Resume goes on with a suspended task: with the answer of the user, or with
// the reply of an agent that the task called.
type Resume struct {
	Content      Content
	Status       string          // the state of the child, mostly empty for a user's answer
	ReplyData    json.RawMessage // any JSON; nil is null
	ExtraPayload Values

	raw object
}

// Action is ActionResume.
func (*Resume) Action() Action { return ActionResume }

func (r *Resume) kept() *object { return &r.raw }

func (r *Resume) fields() []field {
	return []field{
		{name: "content", to: &r.Content, always: true},
		{name: "status", to: &r.Status, always: true},
		{name: "reply_data", to: &r.ReplyData, always: true},
		{name: "extra_payload", to: &r.ExtraPayload, noNull: true},
	}
}

func (r *Resume) check() error {
	if r.Content.blank() && strings.TrimSpace(r.Status) == "" {
		return fault("body", "content", ErrMissing)
	}
	return nil
}

// Cancel ends a task.
type Cancel struct {
	TargetMessageID   string
	TargetExecutionID string // used first, when given
	TargetWorkerID    string
	Reason            string
	RequestedBy       string
	Mode              CancelMode

	raw object
}

// CancelMode is how soon a task shall end; workers treat both alike.
type CancelMode string

// The modes; the zero value is written as Graceful.
const (
	Graceful CancelMode = "graceful"
	Force    CancelMode = "force"
)

// MarshalJSON writes the zero value as Graceful.
func (m CancelMode) MarshalJSON() ([]byte, error) {
	if m == "" {
		m = Graceful
	}
	return quote(string(m)), nil
}

// Action is ActionCancel.
func (*Cancel) Action() Action { return ActionCancel }

func (c *Cancel) kept() *object { return &c.raw }

func (c *Cancel) fields() []field {
	return []field{
		{name: "target_message_id", to: &c.TargetMessageID, keyed: true, always: true},
		{name: "target_execution_id", to: &c.TargetExecutionID, always: true},
		{name: "target_worker_id", to: &c.TargetWorkerID, always: true},
		{name: "reason", to: &c.Reason, always: true},
		{name: "requested_by", to: &c.RequestedBy, always: true},
		{name: "cancel_mode", to: &c.Mode, always: true},
	}
}

func (c *Cancel) check() error {
	if c.TargetMessageID == "" {
		return fault("body", "target_message_id", ErrValue)
	}
	switch c.Mode {
	case "", Graceful, Force:
		return nil
	default:
		return fault("body", "cancel_mode", ErrValue)
	}
}
