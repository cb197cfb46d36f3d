package studio

import "sync"

// prompts are the commands of one connection on their way into the log of the
// session. The response ends with a turn of the team after which none is on its
// way.
type prompts struct {
	mu    sync.Mutex // guards all below
	sent  map[string]bool
	rests bool // the turn of the team has ended
	over  bool
}

// send takes in a command that is about to be given to the session. It reports
// false when the response is over.
func (p *prompts) send(command string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	if p.sent == nil {
		p.sent = map[string]bool{}
	}
	p.sent[command] = true
	return true
}

// seen reports whether a command, which stands in the log now, was sent, once.
func (p *prompts) seen(command string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.sent[command] {
		return false
	}
	delete(p.sent, command)
	p.rests = false
	return true
}

// drop forgets a command that the session did not take. It reports whether the
// response is over with that.
func (p *prompts) drop(command string) (over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sent, command)
	p.over = p.over || p.rests && len(p.sent) == 0
	return p.over
}

// rest says that the turn of the team has ended, and reports whether the response
// is over with that.
func (p *prompts) rest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rests = true
	p.over = len(p.sent) == 0
	return p.over
}
