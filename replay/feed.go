package replay

import "github.com/troupe-go/troupe/event"

// advance brings to the agent what came to it between the record that was last
// and the one that is due. It is called with p.mu held, and neither with the
// desk nor with the box of the agent locked.
func (p *player) advance() {
	p.hearDesk()
	i := p.next
	if i == len(p.script.own) {
		p.cancel(errOver)
		return
	}
	p.cutAfter(i - 1)
	p.cutBefore(i)
	for i < len(p.script.own) && p.script.own[i].Type() == event.TypeAgentStopping {
		i++ // stops come by themselves
	}
	if i == len(p.script.own) {
		return
	}
	switch d := p.script.own[i].Data.(type) {
	case event.MessageDelivered:
		if i == 0 || p.script.own[i-1].Type() != event.TypeMessageDelivered {
			p.bring(i)
		}
	case event.AgentState:
		if p.resting && d.To == event.Working && i == p.next {
			p.wake(i)
		}
	default:
		if p.resting {
			p.cancel(errStandstill) // nothing would ever come
		}
	}
}

// hearDesk tells the desk of the questions that others opened and closed.
func (p *player) hearDesk() {
	limit, before := p.script.index(p.next), -1
	if p.next > 0 {
		before = p.script.index(p.next - 1)
	}
	for i := p.fed; i < len(p.script.desk) && p.script.desk[i].index < limit; i++ {
		n := p.script.desk[i]
		if n.closes && n.index > before && p.waits(n) {
			continue
		}
		p.desk.Apply(p.script.recording.records[n.index]) // what it knows changes nothing
		if i == p.fed {
			p.fed++
		}
	}
}

// hearPost tells the post of the messages that came for the agent, and of
// agents that get none any more, up to the first that is about the agent whose
// box is locked.
func (p *player) hearPost(locked string) {
	for limit := p.script.index(p.next); p.posted < limit; p.posted++ {
		rec := p.script.recording.records[p.posted]
		about := ""
		switch d := rec.Data.(type) {
		case event.MessageSent:
			if d.To == p.cfg.ID && !p.script.recording.own(p.cfg.ID, p.posted) {
				about = d.To
			}
		case event.AgentState:
			if rec.Agent != p.cfg.ID {
				about = rec.Agent
			}
		default:
		}
		if about == "" {
			continue
		}
		if about == locked {
			return
		}
		p.post.Apply(rec)
	}
}

// waits reports whether the agent hears of the end of a question only after
// the record that is due.
func (p *player) waits(n deskNews) bool {
	switch p.chosen.order[p.next] {
	case early:
		return false
	case late:
		return true
	case usual:
	}
	return n.unsure
}

// bring puts the messages into the box that are delivered from own record i on
// without a break: they were in it together when the agent looked, but for
// those that came after the first was delivered.
func (p *player) bring(i int) {
	end := p.endOfMail(i)
	for j := i; j < end-p.chosen.held[i]; j++ {
		d, _ := p.script.own[j].Data.(event.MessageDelivered)
		if p.script.recording.sent[d.ID] < p.script.index(i) {
			p.deliver(d.ID)
		}
	}
}

// bringRest puts those into the box that came after the agent had looked; it
// looks once more before its request.
func (p *player) bringRest() {
	for j := p.next; j < p.endOfMail(p.next); j++ {
		d, _ := p.script.own[j].Data.(event.MessageDelivered)
		p.deliver(d.ID)
	}
}

// endOfMail is the first own record from i on that is no delivery.
func (p *player) endOfMail(i int) int {
	for i < len(p.script.own) && p.script.own[i].Type() == event.TypeMessageDelivered {
		i++
	}
	return i
}

// deliver puts a message into the box, once.
func (p *player) deliver(id string) {
	at, ok := p.script.recording.sent[id]
	if !ok || p.put[id] {
		return
	}
	m, _ := p.script.recording.records[at].Data.(event.MessageSent)
	p.put[id] = true
	_ = p.box.Put(m) // it has no limit and is never closed
}

// wake brings what woke the agent in the move that is own record i.
func (p *player) wake(i int) {
	p.stop = p.planCut(i + 1)
	p.bring(i + 1)
	for _, id := range p.unread(p.script.index(i)) {
		if p.box.Waking() {
			return
		}
		p.deliver(id)
	}
	if !p.box.Waking() {
		p.cancel(errStandstill)
	}
}

// unread lists the messages that were sent before index and not read by then,
// in order.
func (p *player) unread(index int) []string {
	r := p.script.recording
	var ids []string
	for i := range r.records[:index] {
		m, ok := r.records[i].Data.(event.MessageSent)
		if !ok || m.To != p.cfg.ID || p.script.done[m.ID] {
			continue
		}
		if at, read := r.delivered[m.ID]; !read || at > index {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// cutAfter brings what cuts the turn short after own record i. The agent holds
// its lock while it makes a move, and is cut short after it.
func (p *player) cutAfter(i int) {
	if p.stop == nil || p.stop.after != i {
		return
	}
	c := *p.stop
	p.stop = nil
	p.cutAt(i, c)
}

// cutBefore brings a limit that cut the turn short right before own record i,
// which tells of it. The budget would refuse the request after the agent had
// read what is in its box.
func (p *player) cutBefore(i int) {
	d, ok := p.script.own[i].Data.(event.LimitReached)
	if unread, _ := p.box.Unread(); ok && !ofTurn(d.Limit) && !p.resting && unread > 0 {
		p.cutAt(i-1, cutOff{stop: p.limitStop(d.Limit, i)})
	}
}
