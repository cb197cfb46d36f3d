package mailbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// Errors of [Post] and [Desk], worded for the model whose call they answer.
var (
	// ErrExists says that an id or a name is taken.
	ErrExists = errors.New("mailbox: already taken")
	// ErrTerminated says that the receiver was terminated.
	ErrTerminated = errors.New("mailbox: the receiver was terminated and gets no more messages")
	// ErrSelf says that an agent wrote to itself.
	ErrSelf = errors.New("mailbox: an agent cannot send a message to itself")
	// ErrKind says that messages of this kind are not sent: an answer is the
	// result of the asker's tool call, see [Desk.Answer].
	ErrKind = errors.New("mailbox: messages of this kind are not sent")
	// ErrContent says that a text is not valid UTF-8.
	ErrContent = errors.New("mailbox: the content is not valid UTF-8")
)

// Address says who a participant is.
type Address struct {
	ID   string // agent id, "uio_1"
	Name string // display name, "UI Operator_1"
	Code string // short code in message ids, "uio"
}

// UnknownError says that nobody has the id or name Who. Known are those who
// can be written to, in order of their creation.
type UnknownError struct {
	Who   string
	Known []Address
}

// Error names Who and lists the names and ids that exist.
func (e *UnknownError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mailbox: there is no agent %q; ", e.Who)
	if len(e.Known) == 0 {
		b.WriteString("there is none at all")
		return b.String()
	}
	b.WriteString("there are ")
	for i, a := range e.Known {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%s)", a.Name, a.ID)
	}
	return b.String()
}

// PostOptions configure a [Post]. The zero value is fine.
type PostOptions struct {
	// Returned words the note to an agent whose message m to toName will never
	// be delivered; nil means plain English. It is called without locks.
	Returned func(m event.MessageSent, toName, why string) string
}

// Post knows who exists and brings messages into their boxes. It is safe for
// concurrent use.
//
// On resume, register each agent at its agent.created and pass every record to
// [Post.Apply]; then the boxes hold what was sent and not delivered.
type Post struct {
	log      event.Appender
	ids      *IDs
	returned func(m event.MessageSent, toName, why string) string

	mu     sync.Mutex                    // guards all below, never held while a box is locked
	agents map[string]*resident          // by agent id
	folded map[string]*resident          // by folded id and by folded name
	order  []*resident                   // in order of creation
	broken map[callKey]event.MessageSent // what calls sent that broke off, by [Post.Apply]
	untold []returned                    // messages whose senders were perhaps not told, by [Post.Apply]
}

// resident is an agent that has, or had, a box.
type resident struct {
	Address
	box  *Box
	gone bool // terminated
}

// returned is a message that came back to its sender.
type returned struct {
	message event.MessageSent
	to, why string
}

// NewPost returns a post that records in log and takes new ids from ids.
func NewPost(log event.Appender, ids *IDs, o PostOptions) *Post {
	p := &Post{
		log: log, ids: ids, returned: o.Returned,
		agents: make(map[string]*resident),
		folded: make(map[string]*resident),
	}
	if p.returned == nil {
		p.returned = returnedText
	}
	return p
}

func returnedText(m event.MessageSent, toName, why string) string {
	return fmt.Sprintf("Your message %s to %s was not delivered: %s", m.ID, toName, why)
}

// Register adds the leader or a sub-agent with its box. It fails with
// [ErrExists] when the id or the name, folded, belongs to somebody, the person
// and the runtime included, and with a [*FormatError] when no message could be
// written with the name, or with ids that have the code in them: what cannot
// be framed must not be said.
func (p *Post) Register(a Address, box *Box) error {
	if box == nil {
		return fmt.Errorf("mailbox: %s has no inbox", a.ID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, who := range []string{a.ID, a.Name} {
		key := Fold(who)
		if _, ok := p.folded[key]; ok || reserved(key) {
			return fmt.Errorf("%w: %s", ErrExists, who)
		}
	}
	if reason := nameFault(a.Name); reason != "" {
		return &FormatError{"name", reason}
	}
	if reason := idFault(longestID(a.Code)); reason != "" {
		return &FormatError{"code", reason}
	}
	r := &resident{Address: a, box: box}
	p.agents[a.ID] = r
	p.folded[Fold(a.ID)] = r
	p.folded[Fold(a.Name)] = r
	p.order = append(p.order, r)
	return nil
}

func reserved(key string) bool {
	for _, who := range []string{event.Person, event.PersonName, event.Runtime, event.RuntimeName} {
		if key == Fold(who) {
			return true
		}
	}
	return false
}

// Resolve finds an agent by id or display name, both folded for case and
// spaces, terminated ones included. The error is an [*UnknownError].
func (p *Post) Resolve(who string) (Address, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.folded[Fold(who)]; ok {
		return r.Address, nil
	}
	return Address{}, p.unknown(who)
}

// unknown makes the error for a receiver or sender that nobody knows. The
// caller holds the mutex.
func (p *Post) unknown(who string) *UnknownError {
	e := &UnknownError{Who: who}
	for _, r := range p.order {
		if !r.gone {
			e.Known = append(e.Known, r.Address)
		}
	}
	return e
}

// Outgoing is a message to be sent.
type Outgoing struct {
	ID   string     // empty: the post mints one
	Kind event.Kind // any but an answer
	From string     // agent id, [event.Person] or [event.Runtime]
	To   string     // agent id, or [event.Person] for a question to the person
	// Content is any valid UTF-8.
	Content string
	Reason  event.Reason // on a completion: why the turn ended
	CallID  string       // the tool call that sends it; empty for natural output
	Turn    int          // the sender's turn, from 1; 0 where none is meant
	// RequestID names the command by which the person sends it; may be empty.
	RequestID string
}

// Send records m and puts it into the receiver's box, both or neither, and
// never waits for the receiver. It returns the message as it was recorded. A
// message to [event.Person] is recorded only: people read the log. An id that
// the box has seen is accepted and ignored. So is the message of a call that had
// sent it when the program ended: what is returned is that one.
//
// It fails, and then nothing was sent, with an [*UnknownError],
// [ErrTerminated], [ErrSelf], [ErrBoxFull], [ErrKind], [ErrContent] or the
// log's error.
func (p *Post) Send(m Outgoing) (event.MessageSent, error) {
	switch {
	case !m.Kind.Valid() || m.Kind == event.Answer:
		return event.MessageSent{}, fmt.Errorf("%w: %q", ErrKind, m.Kind)
	case !utf8.ValidString(m.Content):
		return event.MessageSent{}, ErrContent
	case m.From == m.To:
		return event.MessageSent{}, ErrSelf
	}
	if sent, ok := p.sentBefore(m); ok {
		return sent, nil
	}
	from, to, err := p.ends(m.From, m.To)
	if err != nil {
		return event.MessageSent{}, err
	}
	msg := event.MessageSent{
		ID: m.ID, Kind: m.Kind, From: from.ID, FromName: from.Name, To: to.ID,
		Content: m.Content, Reason: m.Reason, CallID: m.CallID, RequestID: m.RequestID,
	}
	record := func() (event.Record, error) {
		if msg.ID == "" {
			msg.ID = p.ids.Mint(msg.Kind, from.Code)
		}
		return p.log.Append(from.ID, m.Turn, msg)
	}
	if to.ID == event.Person {
		return appended[event.MessageSent](record())
	}
	sent, err := to.box.deliver(msg, record)
	switch {
	case err == nil:
		return sent, nil
	case errors.Is(err, ErrBoxClosed):
		err = fmt.Errorf("%w: %s (%s)", ErrTerminated, to.Name, to.ID)
	case errors.Is(err, ErrBoxFull):
		err = fmt.Errorf("%w: %s (%s) has to read first", ErrBoxFull, to.Name, to.ID)
	}
	return event.MessageSent{}, err
}

// sentBefore finds the message that a call had sent when the program ended.
func (p *Post) sentBefore(m Outgoing) (event.MessageSent, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sent, ok := p.broken[callKey{m.From, m.CallID}]
	return sent, ok && m.To == sent.To && (m.ID == "" || m.ID == sent.ID)
}

// Mint returns the id of a note of the runtime that enters a conversation
// without being sent: the summary of older steps. Its record must say the id,
// for [IDs.Apply].
func (p *Post) Mint() string {
	runtime, _ := outsider(event.Runtime)
	return p.ids.Mint(event.Note, runtime.Code)
}

// ends finds sender and receiver of a message.
func (p *Post) ends(fromID, toID string) (from Address, to *resident, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from, ok := outsider(fromID)
	if !ok {
		r, ok := p.agents[fromID]
		if !ok {
			return from, nil, p.unknown(fromID)
		}
		from = r.Address
	}
	if toID == event.Person {
		person, _ := outsider(toID)
		return from, &resident{Address: person}, nil
	}
	to, ok = p.agents[toID]
	if !ok {
		return from, nil, p.unknown(toID)
	}
	return from, to, nil
}

// outsider is the address of those who send and have no box.
func outsider(id string) (Address, bool) {
	switch id {
	case event.Person:
		return Address{ID: event.Person, Name: event.PersonName, Code: event.Person}, true
	case event.Runtime:
		return Address{ID: event.Runtime, Name: event.RuntimeName, Code: event.Runtime}, true
	}
	return Address{}, false
}

// Resume tells the senders of returned messages what the program had no time to
// tell. Call it once, after the log was applied.
func (p *Post) Resume() error {
	p.mu.Lock()
	untold := p.untold
	p.untold = nil
	p.mu.Unlock()
	for _, r := range untold {
		if err := p.tellSender(r.message, r.to, r.why); err != nil {
			return err
		}
	}
	return nil
}

// Close says that the agent is terminated, and why. Each message that it never
// took goes back to its sender: message.returned is recorded, and a sender that
// is an agent and not terminated itself gets a note of the runtime. A second
// call finds nothing more to return. On resume it is called again for each
// terminated agent, because a crash may have come between the returns.
func (p *Post) Close(id, why string) error {
	p.mu.Lock()
	r, ok := p.agents[id]
	if !ok {
		err := p.unknown(id)
		p.mu.Unlock()
		return err
	}
	r.gone = true
	p.mu.Unlock()

	r.box.shut()
	why = strings.ToValidUTF8(why, "\uFFFD")
	for {
		m, ok, err := r.box.giveBack(func(m event.MessageSent) (event.Record, error) {
			return p.log.Append(m.From, 0, event.MessageReturned{ID: m.ID, To: m.To, Why: why})
		})
		if !ok {
			return err
		}
		if err := p.tellSender(m, r.Name, why); err != nil {
			return err
		}
	}
}

// tellSender sends the note about a returned message, if its sender can read.
func (p *Post) tellSender(m event.MessageSent, toName, why string) error {
	if _, ok := outsider(m.From); ok {
		return nil
	}
	_, err := p.Send(Outgoing{
		Kind: event.Note, From: event.Runtime, To: m.From,
		Content: strings.ToValidUTF8(p.returned(m, toName, why), "\uFFFD"),
	})
	if errors.Is(err, ErrTerminated) {
		return nil
	}
	return err
}

// Apply changes the boxes as a record of the log says: a message sent comes
// into its box, one delivered or returned goes out, and a terminated agent
// gets no more. Records about agents that are not registered, and all others,
// change nothing.
func (p *Post) Apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		p.replay(d.To, rec)
		p.remember(d)
	case event.ToolFinished:
		p.forget(callKey{rec.Agent, d.CallID})
	case event.MessageDelivered:
		p.replay(rec.Agent, rec)
	case event.MessageReturned:
		p.noteReturn(rec.Agent, d)
		p.replay(d.To, rec)
	case event.AgentState:
		if d.To == event.Finished {
			p.bury(rec.Agent)
		}
	default: // no box changes
	}
}

// remember takes note of what a call sent, as long as it has no result, and
// that a sender was told of a returned message.
func (p *Post) remember(d event.MessageSent) {
	if d.CallID == "" {
		p.told(d)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken == nil {
		p.broken = map[callKey]event.MessageSent{}
	}
	p.broken[callKey{d.From, d.CallID}] = d
}

// noteReturn takes note of a message that came back; its sender is still to be
// told.
func (p *Post) noteReturn(sender string, d event.MessageReturned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to := p.agents[d.To]
	if to == nil {
		return
	}
	p.untold = append(p.untold, returned{
		message: event.MessageSent{ID: d.ID, From: sender, To: d.To}, to: to.Name, why: d.Why,
	})
}

func (p *Post) told(d event.MessageSent) {
	if d.From != event.Runtime {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.untold = slices.DeleteFunc(p.untold, func(r returned) bool {
		return r.message.From == d.To && strings.Contains(d.Content, r.message.ID)
	})
}

func (p *Post) forget(call callKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.broken, call)
}

func (p *Post) replay(id string, rec event.Record) {
	p.mu.Lock()
	r, ok := p.agents[id]
	p.mu.Unlock()
	if ok {
		r.box.replay(rec)
	}
}

func (p *Post) bury(id string) {
	p.mu.Lock()
	r, ok := p.agents[id]
	if ok {
		r.gone = true
	}
	p.mu.Unlock()
	if ok {
		r.box.shut()
	}
}

// appended is the data of a record that was appended as a T.
func appended[T event.Data](rec event.Record, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	d, ok := rec.Data.(T)
	if !ok {
		return none, fmt.Errorf("mailbox: the log returned a record of type %q for one of type %q", rec.Type(), none.Type())
	}
	return d, nil
}
