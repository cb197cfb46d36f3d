package foreign

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// mainChain is the key of the session's own conversation.
const mainChain = ""

// chain is the conversation that a line belongs to, begun when it is new.
func (r *claude) chain(l *claudeLine) *chain {
	c := r.chainOf[l.parent]
	key := mainChain
	switch {
	case !l.side || r.alone && l.agentID == "" && l.call == "":
		c = r.chains[mainChain]
	case cmp.Or(l.agentID, l.call) != "":
		key = cmp.Or(l.agentID, l.call)
		c = r.chains[key]
	case c == nil || c == r.chains[mainChain]: // the first line of a sub-agent in the same file
		key, c = cmp.Or(l.uuid, l.place), nil
	}
	if c == nil {
		c = r.begin(l, key)
		r.chains[key] = c
	}
	if l.uuid != "" {
		r.chainOf[l.uuid] = c
	}
	return c
}

// begin makes the agent of a new chain.
func (r *claude) begin(l *claudeLine, key string) *chain {
	c := &chain{asked: map[string]bool{}}
	if key == mainChain || r.alone && r.b.agents[event.Leader] == nil {
		c.agent = r.b.create(event.AgentCreated{Name: "Claude Code"})
		return c
	}
	leader := r.chains[mainChain]
	if leader == nil && !r.alone {
		leader = r.begin(&claudeLine{}, mainChain)
		r.chains[mainChain] = leader
	}
	d := event.AgentCreated{Name: "Sub-agent", Parent: event.Leader}
	if m, ok := r.meta[key]; ok {
		d.Role, d.Name = m.Kind, cmp.Or(m.Name, m.Kind, d.Name)
	}
	if started := r.startedBy(l, key); started != nil {
		d.CallID, d.Parent = started.id, started.agent.id
		in := object([]byte(started.arguments))
		d.Role = cmp.Or(d.Role, in.text("subagent_type"))
		d.Name = cmp.Or(in.text("name"), d.Role, d.Name)
		started.agents++
	}
	c.agent = r.b.create(d)
	c.agent.call = d.CallID
	return c
}

// startedBy is the call that a sub-agent works for: the one that its result or
// its description names, else an open one with the same prompt, else the oldest
// open one that started none; nil when there is none.
func (r *claude) startedBy(l *claudeLine, key string) *call {
	if id := cmp.Or(l.call, r.callOf[key]); id != "" {
		if c := r.b.open(id); c != nil {
			return c
		}
	}
	prompt := l.prompt()
	var oldest *call
	for _, c := range r.b.openOrder() {
		if c.name != "Task" && c.name != "Agent" || c.agents > 0 {
			continue
		}
		if text, _ := asText(object([]byte(c.arguments))["prompt"]); strings.TrimSpace(text) == strings.TrimSpace(prompt) {
			return c
		}
		if oldest == nil {
			oldest = c
		}
	}
	return oldest
}

// prompt is all text of a line.
func (l *claudeLine) prompt() string {
	texts := []string{l.text}
	for _, block := range l.blocks {
		text, _ := asText(block["text"])
		texts = append(texts, text)
	}
	return strings.Join(texts, "")
}

// openOrder lists the open calls in the order in which they were made.
func (b *builder) openOrder() []*call {
	return slices.SortedFunc(maps.Values(b.calls), func(x, y *call) int { return cmp.Compare(x.started, y.started) })
}
