package envelope

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/prompts"
)

// DoorOptions say what is behind a [Door].
type DoorOptions struct {
	gateway.Ground
	// Path is where the door is served; empty means "/envelope".
	Path string
	// Team is the name that stands for the team; empty means "team".
	Team string
	// Roles are those of the team, which messages may name too.
	Roles []Role
	// Warn writes something odd into the log of a session that has one; required.
	Warn func(ctx context.Context, session string, w event.Warning) error
	// Calls runs the tool calls; without it no tool may be called.
	Calls *Calls
	// Dialects are those of mapping files, beside the built-in ones.
	Dialects []Dialect
	// Wait is how long an answer waits for the result when the request does not
	// say; 0 means 30 seconds. MaxWait bounds what a request may say; 0 means 5
	// minutes.
	Wait, MaxWait time.Duration
	// MaxBytes is the size of the largest message; 0 means [MaxBytes].
	MaxBytes int
	// BodyTimeout is how long a message may take to arrive; 0 means 30 seconds.
	BodyTimeout time.Duration
	// Mask hides in a text what the records of Sessions hide: by it the door knows
	// an answer that it gave. nil hides nothing.
	Mask func(string) string
	// Words speak to agents.
	Words prompts.Words
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// MsgID makes the ids of messages of dialects that have none; required.
	MsgID func() string
}

// Role is a role of the team, as messages may name it.
type Role struct{ ID, Name, Code string }

// Door is the way of envelopes to a team over HTTP. POST hands over one message;
// the answer is a result, or a ticket (status 202) under which GET has the result
// and DELETE stops the work.
type Door struct {
	opts     DoorOptions
	dialects []Dialect

	mu         sync.Mutex               // guards delivering
	delivering map[string]chan struct{} // ids of messages on their way into a session, closed when they are there
}

// NewDoor checks the options. Two dialects of one name are an error.
func NewDoor(o DoorOptions) (*Door, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Warn == nil || o.MsgID == nil {
		return nil, errors.New("envelope: door: Warn and MsgID are required")
	}
	o.Path, o.Team = cmp.Or(o.Path, "/envelope"), cmp.Or(o.Team, "team")
	o.Wait, o.MaxWait = cmp.Or(o.Wait, 30*time.Second), cmp.Or(o.MaxWait, 5*time.Minute)
	o.MaxBytes, o.BodyTimeout = cmp.Or(o.MaxBytes, MaxBytes), cmp.Or(o.BodyTimeout, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Mask == nil {
		o.Mask = func(text string) string { return text }
	}
	d := &Door{opts: o, delivering: map[string]chan struct{}{}}
	builtIn, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	for _, dialect := range slices.Concat(builtIn, o.Dialects) {
		if _, ok := d.dialect(dialect.name); ok {
			return nil, errors.New("envelope: door: two dialects are called " + dialect.name)
		}
		d.dialects = append(d.dialects, dialect)
	}
	return d, nil
}

// dialect is that of the name.
func (d *Door) dialect(name string) (Dialect, bool) {
	i := slices.IndexFunc(d.dialects, func(have Dialect) bool { return have.name == name })
	if i < 0 {
		return Dialect{}, false
	}
	return d.dialects[i], true
}

// visit is one request.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	id      gateway.Identity
	dialect Dialect
	wait    time.Duration
	raw     []byte // the message
}

// ServeHTTP serves the door at its path and one level below it.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &visit{w: w, r: r}
	if v.dialect, _ = d.dialect(Native); !d.admitted(v) {
		return
	}
	leave, err := d.opts.Limits.Connect(v.id.User)
	if err != nil {
		d.refuse(v, err)
		return
	}
	defer leave()
	if err := d.serve(r.Context(), v); err != nil {
		d.refuse(v, err)
	}
}

// admitted lets in who may come in, and refuses others.
func (d *Door) admitted(v *visit) bool {
	err := d.opts.Origins.Check(v.r)
	if err == nil {
		v.id, err = d.opts.Auth.Check(bearer(v.r))
	}
	if err != nil {
		d.refuse(v, err)
	}
	return err == nil
}

// bearer is the token of a request.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// serve answers a request of somebody who may come in.
func (d *Door) serve(ctx context.Context, v *visit) error {
	if name := v.r.URL.Query().Get("dialect"); name != "" {
		dialect, ok := d.dialect(name)
		if !ok {
			return gateway.NewError(gateway.StatusBad, "there is no dialect %q", name).WithHint("dialects: " + strings.Join(d.dialectNames(), ", "))
		}
		v.dialect = dialect
	}
	v.wait = d.patience(v.r)
	// The answer has its time, whatever the timeouts of the server are. It ends with
	// the request; some writers, as those of tests, have none.
	_ = http.NewResponseController(v.w).SetWriteDeadline(d.opts.Now().Add(2*d.opts.BodyTimeout + v.wait))
	if v.r.Method != http.MethodPost { // which has a size, too
		if err := d.opts.Limits.Message(v.id.User, 0); err != nil {
			return err
		}
	}
	run := strings.Trim(strings.TrimPrefix(v.r.URL.Path, d.opts.Path), "/")
	switch {
	case run == "" && v.r.Method == http.MethodPost:
		return d.post(ctx, v)
	case run == "" && v.r.Method == http.MethodGet:
		writeJSON(v.w, http.StatusOK, d.describe(v))
		return nil
	case run == "":
		return notAllowed(v, http.MethodPost, http.MethodGet)
	}
	switch v.r.Method {
	case http.MethodGet:
		return d.fetch(ctx, v, run)
	case http.MethodDelete:
		return d.stop(ctx, v, run)
	}
	return notAllowed(v, http.MethodGet, http.MethodDelete)
}

// description is what a new agent wants to know of a door.
type description struct {
	Proto string `json:"proto"`
	// You is the sender that the token stands for; empty where there are no tokens.
	You      string   `json:"you,omitempty"`
	Team     string   `json:"team"`
	Agents   []string `json:"agents"`
	Tools    []string `json:"tools"`
	Dialects []string `json:"dialects"`
	MaxBytes int      `json:"max_bytes"`
}

// describe says what is behind the door.
func (d *Door) describe(v *visit) description {
	about := description{
		Proto: Proto, You: v.id.User, Team: d.opts.Team, Agents: d.roleNames(), Tools: []string{}, Dialects: d.dialectNames(), MaxBytes: d.opts.MaxBytes,
	}
	if v.id.Anyone {
		about.You = ""
	}
	if d.opts.Calls != nil {
		about.Tools = d.opts.Calls.opts.Tools.Names()
	}
	return about
}

// roleNames are the names by which the team's roles are best known.
func (d *Door) roleNames() []string {
	names := make([]string, len(d.opts.Roles))
	for i, r := range d.opts.Roles {
		names[i] = r.ID
	}
	return names
}

// notAllowed refuses a method.
func notAllowed(v *visit, allowed ...string) error {
	list := strings.Join(allowed, ", ")
	v.w.Header().Set("Allow", list)
	return gateway.NewError(http.StatusMethodNotAllowed, "%s is not for this address", v.r.Method).WithHint("use " + list)
}

func (d *Door) dialectNames() []string {
	names := make([]string, len(d.dialects))
	for i, have := range d.dialects {
		names[i] = have.name
	}
	return names
}

// post takes one message.
func (d *Door) post(ctx context.Context, v *visit) error {
	var err error
	if v.raw, err = d.body(v); err != nil {
		return err
	}
	if err := d.opts.Limits.Message(v.id.User, len(v.raw)); err != nil {
		return err
	}
	f := d.check(v)
	switch {
	case f.Verdict.Refused():
		return &Error{f.Verdict, f.Faults}
	case f.Verdict == Down:
		return d.down(ctx, v, f)
	}
	if len(f.Notes) > 0 {
		d.opts.Logger.Info().AnErr("err", d.arrived(v, &Error{f.Verdict, f.Notes})).Msg("an envelope is odd")
	}
	if call, ok := f.Envelope.ToolCall(); ok {
		return d.call(ctx, v, f.Envelope, call)
	}
	if f.Envelope.Type == Result { // one without a request id: with one it is refused before
		return refused(UnknownRequest, fieldPayload+".request_id")
	}
	return d.task(ctx, v, f.Envelope)
}

// check reads the message and holds it to the rules of the door.
func (d *Door) check(v *visit) Finding {
	o := Options{
		MaxBytes: d.opts.MaxBytes, Sender: v.id.User,
		Tool: func(name string) bool {
			if d.opts.Calls == nil {
				return false
			}
			_, ok := d.opts.Calls.opts.Tools.Effect(name)
			return ok
		},
		Asked: func(string, string) bool { return false }, // the door asks nobody
	}
	if v.id.Anyone {
		o.Sender = ""
	}
	fill := Fill{Now: d.opts.Now, Sender: v.id.User, MsgID: func() string {
		return cmp.Or(v.r.Header.Get("Idempotency-Key"), d.opts.MsgID())
	}}
	f := v.dialect.Read(v.raw, fill, o)
	if f.Verdict.Refused() || f.Verdict == Down {
		return f
	}
	call, _ := f.Envelope.ToolCall()
	for _, id := range [...]struct{ field, text string }{
		{fieldMsgID, f.Envelope.MsgID}, {fieldSender, f.Envelope.Sender}, {fieldPayload + ".request_id", call.RequestID},
	} {
		if len(id.text) > maxID {
			f.Verdict = Invalid
			f.Faults = append(f.Faults, Remark{Reason: BadField, Field: id.field, Offset: -1, Want: WantShortText})
		}
	}
	return f
}

// maxID bounds the ids that come through the door, in bytes.
const maxID = 256
