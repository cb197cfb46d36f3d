package streams

import (
	"encoding/json"
	"time"
)

// Lease is the sign of life of a worker.
type Lease struct {
	Version   int64  // 1
	Token     string // who may renew it
	LastSeen  int64  // milliseconds since 1970; 0 for claimed and not yet online
	IPAddress string
	Troupe    int64 // the version of what two Troupes say to each other, 0 for another program

	raw object
}

func (l *Lease) fields() []field {
	return []field{
		{name: "version", to: &l.Version, always: true},
		{name: "token", to: &l.Token, always: true},
		{name: "last_seen", to: &l.LastSeen, always: true},
		{name: "ip_address", to: &l.IPAddress, always: true},
		{name: "troupe", to: &l.Troupe},
	}
}

// DecodeLease reads the value of a lease. The error is a [WireError]; an older
// form, which is no JSON object, is one too.
func DecodeLease(text []byte) (Lease, error) {
	o, err := parseObject(text)
	if err != nil {
		return Lease{}, fault("lease", "", err)
	}
	l := Lease{raw: o}
	return l, o.read("lease", l.fields())
}

// Encode writes the lease. The error is a [WireError].
func (l Lease) Encode() ([]byte, error) { return l.raw.marshal("lease", l.fields()) }

// online reports whether the value of a lease key is that of a worker that is
// online: an older form is, and any with a time.
func online(value string) bool {
	l, err := DecodeLease([]byte(value))
	return err != nil || l.LastSeen > 0
}

// GroupResult is the result of one task of a group.
type GroupResult struct {
	Status       string
	ReplyData    json.RawMessage // nil is null
	Content      Content
	Metadata     Values
	ExtraPayload Values

	raw object
}

func (g *GroupResult) fields() []field {
	return []field{
		{name: "status", to: &g.Status, always: true},
		{name: "reply_data", to: &g.ReplyData, always: true},
		{name: "content", to: &g.Content, always: true},
		{name: "metadata", to: &g.Metadata, always: true},
		{name: "extra_payload", to: &g.ExtraPayload, always: true},
	}
}

// DecodeGroupResult reads one value of a group's results. The error is a
// [WireError].
func DecodeGroupResult(text []byte) (GroupResult, error) {
	o, err := parseObject(text)
	if err != nil {
		return GroupResult{}, fault("group result", "", err)
	}
	g := GroupResult{raw: o}
	return g, o.read("group result", g.fields())
}

// Encode writes the result. The error is a [WireError].
func (g GroupResult) Encode() ([]byte, error) { return g.raw.marshal("group result", g.fields()) }

// beat is the lease at a time.
func (l Lease) beat(at time.Time) Lease {
	l.LastSeen = at.UnixMilli()
	return l
}
