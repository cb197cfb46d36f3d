package envelope

import (
	"encoding/json"
	"slices"
	"strconv"
)

// The fields of the top level. They never change within a major version.
const (
	fieldMsgID    = "msg_id"
	fieldSender   = "sender"
	fieldReceiver = "receiver"
	fieldType     = "type"
	fieldTS       = "ts"
	fieldProto    = "proto"
	fieldPayload  = "payload"
	fieldMetadata = "metadata"
)

// fieldNames are all fields, in the order in which they are written.
var fieldNames = []string{
	fieldMsgID, fieldSender, fieldReceiver, fieldType, fieldTS, fieldProto, fieldPayload, fieldMetadata,
}

// everybody is the receiver of a broadcast elsewhere.
const everybody = "*"

// message is a message whose JSON is good while it is checked.
type message struct {
	text    string
	members []member
	options Options
	found   Finding
}

// field is the member of that name.
func (m *message) field(name string) (member, bool) {
	i := slices.IndexFunc(m.members, func(f member) bool { return f.name == name })
	if i < 0 {
		return member{}, false
	}
	return m.members[i], true
}

// raw is the value of a member.
func (m *message) raw(f member) string { return m.text[f.start:f.end] }

// value is the value of a member without white space around its parts.
func (m *message) value(f member) json.RawMessage {
	if !f.spaced {
		return json.RawMessage(m.raw(f))
	}
	return json.RawMessage(compact(m.raw(f)))
}

func (m *message) fault(reason Reason, field string, at int) {
	m.found.Faults = append(m.found.Faults, Remark{Reason: reason, Field: field, Offset: at})
}

// wrong is a fault about a value that is another than wanted.
func (m *message) wrong(f member, want Want) {
	m.found.Faults = append(m.found.Faults, Remark{
		Reason: BadField, Field: f.name, Offset: f.start, Found: shown(m.raw(f)), Want: want,
	})
}

// missing is a fault about a field that is not among members.
func (m *message) missing(field string, members []member) {
	m.found.Faults = append(m.found.Faults, Remark{
		Reason: MissingField, Field: field, Offset: -1, Found: alias(field, members),
	})
}

func (m *message) note(r Remark) { m.found.Notes = append(m.found.Notes, r) }

// version is looked at first: a message of an unknown one is text, whatever
// else it says. A call of a tool has a version of its own too.
func (m *message) version() {
	m.found.Envelope.Proto = Proto
	if f, ok := m.field(fieldProto); ok {
		r := readProto(m.raw(f), f.name, f.start)
		if m.knows(r) {
			m.found.Envelope.Proto = unquote(m.raw(f))
		}
	}
	f, ok := m.field(fieldType)
	if !ok || m.raw(f)[0] != '"' || Type(unquote(m.raw(f))) != Call {
		return
	}
	payload, _ := m.field(fieldPayload)
	for _, inner := range payload.inner {
		if inner.name == fieldProto {
			m.knows(readProto(m.raw(inner), fieldPayload+"."+fieldProto, inner.start))
		}
	}
}

// knows notes what there is to say about a version; false if it is unknown.
func (m *message) knows(r *Remark) bool {
	if r == nil {
		return true
	}
	m.note(*r)
	if r.Reason == UnknownProto {
		m.found.Verdict = Down
		return false
	}
	return true
}

// address keeps what can be used of sender and receiver.
func (m *message) address() {
	e := &m.found.Envelope
	for _, f := range m.members {
		if m.raw(f)[0] != '"' {
			continue
		}
		switch value := unquote(m.raw(f)); f.name {
		case fieldMsgID:
			e.MsgID = value
		case fieldSender:
			e.Sender = value
		case fieldReceiver:
			if value != everybody && (m.options.Receiver == nil || m.options.Receiver(value)) {
				e.Receiver = value
			}
		}
	}
}

// fields holds the fields to their rules.
func (m *message) fields() {
	e := &m.found.Envelope
	for _, name := range fieldNames {
		f, ok := m.field(name)
		switch {
		case !ok:
			if name != fieldProto && name != fieldMetadata {
				m.missing(name, m.members)
			}
		case name == fieldMsgID:
			e.MsgID = m.str(f)
		case name == fieldSender:
			e.Sender = m.str(f)
			m.sender(f)
		case name == fieldReceiver:
			e.Receiver = m.str(f)
			m.receiver(f)
		case name == fieldType:
			m.kind(f)
		case name == fieldTS:
			m.time(f)
		case name == fieldPayload:
			m.payload(f)
		case name == fieldMetadata:
			m.metadata(f)
		}
	}
}

// str is the value of a field that is a text and not empty.
func (m *message) str(f member) string {
	raw := m.raw(f)
	if len(raw) <= len(`""`) || raw[0] != '"' {
		m.wrong(f, WantText)
		return ""
	}
	return unquote(raw)
}

func (m *message) sender(f member) {
	if sender := m.found.Envelope.Sender; sender != "" && m.options.Sender != "" && sender != m.options.Sender {
		m.fault(WrongSender, f.name, f.start)
	}
}

func (m *message) receiver(f member) {
	e := &m.found.Envelope
	switch {
	case e.Receiver == "":
	case e.Receiver == everybody:
		m.fault(Broadcast, f.name, f.start)
	case e.Receiver == e.Sender:
		m.fault(SelfAddressed, f.name, f.start)
	case m.options.Receiver != nil && !m.options.Receiver(e.Receiver):
		m.fault(UnknownReceiver, f.name, f.start)
	}
}

func (m *message) kind(f member) {
	if raw := m.raw(f); raw[0] == '"' && slices.Contains(Types(), Type(unquote(raw))) {
		m.found.Envelope.Type = Type(unquote(raw))
		return
	}
	m.wrong(f, WantType)
	m.found.Faults[len(m.found.Faults)-1].Reason = BadType
}

func (m *message) time(f member) {
	raw := m.raw(f)
	seconds, err := strconv.ParseFloat(raw, 64)
	if kindOf(raw) != "number" || err != nil || seconds < 0 {
		m.wrong(f, WantSeconds)
		return
	}
	m.found.Envelope.TS = json.Number(raw)
	if seconds >= year3001 {
		m.note(Remark{Reason: SuspiciousTS, Field: f.name, Offset: f.start, Found: shown(raw)})
	}
}

// payload holds the payload to the rules of the message's type.
func (m *message) payload(f member) {
	e := &m.found.Envelope
	raw := m.raw(f)
	isObject := raw[0] == '{'
	switch {
	case !isObject && e.Type == Call:
		m.wrong(f, WantObject)
	case !isObject && raw[0] != '"':
		m.wrong(f, WantTextOrObject)
	case isObject && e.Type == Call:
		m.call(f)
	case isObject && e.Type == Result:
		m.result(f)
	}
	e.Payload = m.value(f)
}

// call holds the payload of a call to its rules.
func (m *message) call(payload member) {
	inner := map[string]member{}
	for _, f := range payload.inner {
		inner[f.name] = f
	}
	for _, name := range [...]string{"name", "params", "request_id"} {
		f, ok := inner[name]
		path := fieldPayload + "." + name
		raw := m.raw(f)
		switch {
		case !ok:
			m.missing(path, payload.inner)
		case name == "params":
			if raw[0] != '{' {
				m.wrongPart(f, path, WantObject)
			}
		case raw[0] != '"' || raw == `""`:
			m.wrongPart(f, path, WantText)
		case name == "name" && m.options.Tool != nil && !m.options.Tool(unquote(raw)):
			m.fault(UnlistedTool, path, f.start)
		}
	}
}

// result holds the payload of a result to its rules.
func (m *message) result(payload member) {
	for _, f := range payload.inner {
		if f.name != "request_id" {
			continue
		}
		path, raw := fieldPayload+"."+f.name, m.raw(f)
		switch {
		case raw[0] != '"' || raw == `""`:
			m.wrongPart(f, path, WantText)
		case m.options.Asked != nil && !m.options.Asked(m.found.Envelope.Sender, unquote(raw)):
			m.fault(UnknownRequest, path, f.start)
		}
	}
}

// wrongPart is a fault about a value inside the payload, which is not shown
// unless it is empty.
func (m *message) wrongPart(f member, path string, want Want) {
	found := kindOf(m.raw(f))
	if m.raw(f) == `""` {
		found = `""`
	}
	m.found.Faults = append(m.found.Faults, Remark{
		Reason: BadField, Field: path, Offset: f.start, Found: found, Want: want,
	})
}

func (m *message) metadata(f member) {
	if m.raw(f)[0] != '{' {
		m.wrong(f, WantObject)
		return
	}
	for _, in := range f.inner {
		m.keep(in.name, in)
	}
}

func (m *message) keep(name string, f member) {
	e := &m.found.Envelope
	if e.Metadata == nil {
		e.Metadata = map[string]json.RawMessage{}
	}
	e.Metadata[name] = m.value(f)
}

// extra moves the fields that nobody knows to the metadata. One that would be
// nested too deep there, or that says something else than the metadata does
// under the same name, is a fault.
func (m *message) extra() {
	for _, f := range m.members {
		if slices.Contains(fieldNames, f.name) {
			continue
		}
		known, clash := m.found.Envelope.Metadata[f.name]
		switch {
		case f.depth >= maxDepth:
			m.fault(TooDeep, f.name, f.start)
		case clash && string(known) != string(m.value(f)):
			m.fault(MetadataClash, f.name, f.key)
		default:
			m.note(Remark{Reason: ExtraField, Field: f.name, Offset: f.key})
			m.keep(f.name, f)
		}
	}
}

// settle finds the verdict.
func (m *message) settle() {
	isExtra := func(r Remark) bool { return r.Reason == ExtraField }
	switch {
	case len(m.found.Faults) > 0:
		m.found.Verdict = verdictOf(m.found.Faults)
	case slices.ContainsFunc(m.found.Notes, isExtra):
		m.found.Verdict = Extra
	default:
		m.found.Verdict = OK
	}
}
