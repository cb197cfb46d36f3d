package gateway

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

// Bounds of what refusals add to the audit in a span of time: who is refused, and
// refused again, must not be able to fill the disk.
const (
	foldFor  = time.Minute
	maxKinds = 200 // kinds of refusals that have lines of their own
	maxOfOne = 20  // those of one user or address
)

// The details of lines that count kinds which have none of their own.
const (
	restOfOne = "refusals for further reasons"
	restOfAll = "refusals of further users and addresses"
)

// refusal is a kind of refusals: who was refused, and why.
type refusal struct {
	event            AuditEvent
	protocol         string
	user, from, said string
}

// refusals are those since the span began. The zero value has none.
type refusals struct {
	kinds map[refusal]*AuditEntry // with how many came after the first, and when the last did
	order []refusal               // as they first came
	ofOne map[string]int          // kinds of a user or address
}

// add counts a refusal. It is written if first is true.
func (r *refusals) add(e AuditEntry) (first bool) {
	if r.kinds == nil {
		r.kinds, r.ofOne = map[refusal]*AuditEntry{}, map[string]int{}
	}
	k := refusal{e.Event, e.Protocol, e.User, "", e.Detail}
	if e.User == "" {
		k.from = network(e.Remote)
	}
	if r.again(k, e) {
		return false
	}
	if len(r.order) < maxKinds {
		one := k.user + "\x00" + k.from
		if r.ofOne[one]++; r.ofOne[one] <= maxOfOne {
			r.note(k, 0, e)
			return true
		}
		k.protocol, k.said = "", restOfOne
	} else {
		k = refusal{event: e.Event, said: restOfAll}
	}
	if !r.again(k, e) {
		r.note(k, 1, e)
	}
	return false
}

// again counts a refusal of a kind that came before.
func (r *refusals) again(k refusal, e AuditEntry) bool {
	had := r.kinds[k]
	if had != nil {
		had.Count, had.Time = had.Count+1, e.Time
	}
	return had != nil
}

func (r *refusals) note(k refusal, count int, e AuditEntry) {
	r.kinds[k] = &AuditEntry{Time: e.Time, Event: k.event, User: k.user, Protocol: k.protocol, Remote: cmp.Or(k.from, network(e.Remote)), Detail: k.said, Count: count}
	if k.said == restOfAll {
		r.kinds[k].Remote = ""
	}
	r.order = append(r.order, k)
}

// counted are the lines of what came again.
func (r *refusals) counted() (lines []AuditEntry) {
	for _, k := range r.order {
		if e := r.kinds[k]; e.Count > 0 {
			lines = append(lines, *e)
		}
	}
	return slices.Clip(lines)
}

// network is what all addresses of one party have in common: the host, and of IPv6,
// where a host has as many as it likes, the first half.
func network(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	if ip := at.Addr().Unmap(); ip.Is4() {
		return ip.String()
	}
	half, _ := at.Addr().WithZone("").Prefix(64) // which every address of IPv6 has
	return half.String()
}
