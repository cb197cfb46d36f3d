package replay

import (
	"hash/maphash"

	"github.com/troupe-go/troupe/event"
)

// match reads both recordings a second time and finds for each agent the first
// moment in which its courses differ.
func (c *comparison) match(a, b Recording) error {
	seed := maphash.MakeSeed()
	// Another version of the program may build its requests in another way.
	digests := c.runs[0].head.Program == c.runs[1].head.Program

	courses := map[*agentPair][]moment{}
	first := weaver{seed: seed, names: c.names, digests: digests, emit: func(agent string, m moment) {
		p := c.byID[0][agent]
		courses[p] = append(courses[p], m)
	}}
	if err := first.start().run(a(), c.runs[0].side.Records); err != nil {
		return err
	}
	second := weaver{seed: seed, names: c.names, inB: true, digests: digests, emit: func(agent string, m moment) {
		if p := c.byID[1][agent]; !p.parted {
			p.next(courses[p], m)
		}
	}}
	if err := second.start().run(b(), c.runs[1].side.Records); err != nil {
		return err
	}
	for _, p := range c.pairs {
		if course := courses[p]; !p.parted && p.same < len(course) {
			p.parted, p.at[0] = true, &sight{moment: course[p.same]}
		}
	}
	return nil
}

// next compares the next moment of run B with that of run A.
func (p *agentPair) next(course []moment, m moment) {
	if p.same < len(course) && course[p.same].equals(&m) {
		p.same++
		return
	}
	p.parted, p.at[1] = true, &sight{moment: m}
	if p.same < len(course) {
		p.at[0] = &sight{moment: course[p.same]}
	}
}

// sight is a moment with its records.
type sight struct {
	moment
	rec  event.Record
	mail event.Record // that of link

	before Spent // by the run
	file   *hint // who wrote a file that the call whose result differs names
}

// message is the message that was delivered, if it is one.
func (s *sight) message() (event.MessageSent, bool) {
	if s == nil || s.typ != event.TypeMessageDelivered {
		return event.MessageSent{}, false
	}
	d, ok := s.mail.Data.(event.MessageSent)
	return d, ok
}
