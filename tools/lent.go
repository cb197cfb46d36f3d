package tools

import (
	"context"
	"encoding/json"
	"path"

	"github.com/troupe-go/troupe/event"
)

// Lent makes a tool that runs elsewhere, as it was described there. run does a
// call; what is wrong with arguments is said there too.
func Lent(t event.LentTool, run func(context.Context, Call) (string, error)) Tool {
	return lent{spec: Spec{
		Name: t.Name, Description: t.Description, Schema: t.Schema, Effect: Effect(t.Effect),
		Exclusive: t.Exclusive, Writes: t.Writes, Asks: t.Asks, Subject: SubjectKind(t.Subject),
	}, about: t.About, run: run}
}

// Lend describes a tool for those who are to use it from elsewhere.
func Lend(t Tool) event.LentTool {
	s := t.Spec()
	described := event.LentTool{
		Name: s.Name, Description: s.Description, Schema: s.Schema, Effect: string(s.Effect),
		Exclusive: s.Exclusive, Writes: s.Writes, Asks: s.Asks, Subject: string(s.Subject),
	}
	if a, ok := t.(topical); ok {
		described.About = a.about()
	}
	return described
}

// topical is a tool that knows which argument its calls are about; empty for
// none.
type topical interface{ about() string }

func (f *function[In, Out]) about() string { return f.params().about }

func (p placed) about() string {
	if t, ok := p.Tool.(topical); ok {
		return t.about()
	}
	return ""
}

type lent struct {
	spec  Spec
	about string
	run   func(context.Context, Call) (string, error)
}

func (l lent) Spec() Spec { return l.spec }

func (l lent) Run(ctx context.Context, call Call) (string, error) { return l.run(ctx, call) }

// subject is what a call is about, as the model wrote it: only where the tool
// runs is known what a path leads to.
func (l lent) subject(raw json.RawMessage) (Subject, error) {
	if l.spec.Subject == NoSubject {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	var text string
	if value, ok := members[l.about]; ok {
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, err
		}
	}
	if l.spec.Subject == PathSubject && text != "" {
		text = path.Clean(text)
	}
	return Subject{text}, nil
}
