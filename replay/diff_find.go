package replay

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// finding is the first field that differs where an agent parted.
type finding struct {
	path   string // of the data; empty when the runs do not have the same thing there
	a, b   string
	inMail bool   // it is a field of the linked record
	tool   string // name of the tool whose result it is
}

// find compares the records in which an agent parted.
func (c *comparison) find(p *agentPair) finding {
	a, b := p.at[0], p.at[1]
	var f finding
	for _, s := range p.at {
		if s == nil {
			continue
		}
		if d, ok := s.rec.Data.(event.ToolFinished); ok {
			f.tool = d.Name
		}
	}
	if a == nil || b == nil || a.typ != b.typ {
		f.a, f.b = a.mainText(), c.names.text(b.mainText())
		return f
	}
	va, vb := a.values(), b.values()
	for _, path := range paths(va, vb) {
		x, y := lookUp(va, path), lookUp(vb, path)
		same := x.text == c.names.id(y.text)
		if !x.id {
			same = c.names.comparable(x.text) == c.names.comparable(y.text)
		}
		if !same {
			f.path, f.a, f.b, f.inMail = path, x.text, c.names.text(y.text), x.linked || y.linked
			return f
		}
	}
	if a.typ == event.TypeModelRequested {
		f.path, f.a, f.b = "digest", digest(a), digest(b)
	}
	return f
}

func digest(s *sight) string {
	d, _ := s.rec.Data.(event.ModelRequested)
	return d.Digest
}

// located is a value with the record it stands in.
type located struct {
	value
	linked bool
}

// values lists what is compared at a moment, the linked record first.
func (s *sight) values() []located {
	var list []located
	for _, v := range valuesOf(s.mail.Data) {
		list = append(list, located{v, true})
	}
	for _, v := range valuesOf(s.rec.Data) {
		list = append(list, located{v, false})
	}
	return list
}

// paths are those of both lists, in their order.
func paths(a, b []located) []string {
	var list []string
	seen := map[string]bool{}
	for _, v := range slices.Concat(a, b) {
		if !seen[v.path] {
			seen[v.path] = true
			list = append(list, v.path)
		}
	}
	return list
}

func lookUp(list []located, path string) located {
	for _, v := range list {
		if v.path == path {
			return v
		}
	}
	return located{}
}

// mainText is what a person would call the text of the moment.
func (s *sight) mainText() string {
	if s == nil {
		return ""
	}
	if m, ok := s.message(); ok {
		return m.Content
	}
	switch d := s.rec.Data.(type) {
	case event.ModelReplied:
		lines := []string{d.Text}
		for _, call := range d.Calls {
			lines = append(lines, call.Name+" "+call.Arguments)
		}
		return strings.TrimSpace(strings.Join(lines, "\n"))
	case event.ModelFailed:
		return d.Failure.Message
	case event.ToolFinished:
		return d.Result
	case event.TurnEnded:
		return string(d.Reason)
	case event.LimitReached:
		return d.Limit
	case event.LimitWarned:
		return d.Limit
	default:
		return ""
	}
}
