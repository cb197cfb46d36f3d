package replay

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/transcript"
)

// outline is what a first reading tells of a run: who takes part and which ids
// there are. It holds no texts but the beginnings of tasks.
type outline struct {
	head   event.RunStarted
	side   RunSide
	actors []*actor // in the order of their creation
	byID   map[string]*actor
	// ids are those of messages, answers and summaries, by their sender,
	// receiver and kind, in the order in which they were minted. That is the
	// sender's own order.
	ids   map[mailWay][]string
	asks  map[string]string // who asked, by id of the question
	spent spending
	dir   string // the working folder, as the leader's prompt names it
}

// actor is one agent of one run.
type actor struct {
	id, name, role, parent string
	task                   string // the beginning of the first message to it
	created                int64  // seq
}

// mailWay is who says which kind of thing to whom.
type mailWay struct{ from, to, kind string }

// maxTaskText is how much of a task is kept, in bytes, to tell agents of one
// role apart.
const maxTaskText = 4 << 10

// outlineOf reads a recording for the first time.
func outlineOf(rec Recording) (*outline, error) {
	o := &outline{byID: map[string]*actor{}, ids: map[mailWay][]string{}, asks: map[string]string{}}
	for r, err := range rec() {
		if damage, ok := errors.AsType[*transcript.DamageError](err); ok {
			o.side.Damage = fmt.Sprintf("%s:%d: %s (%s)", damage.Path, damage.Line, strings.TrimPrefix(damage.Err.Error(), "event: "), damage.Hint)
			break
		}
		if err != nil {
			return nil, err
		}
		o.apply(r)
	}
	o.side.Spent = o.spent.total()
	return o, nil
}

func (o *outline) apply(rec event.Record) {
	o.side.Records = rec.Seq
	o.spent.add(rec)
	switch d := rec.Data.(type) {
	case event.RunStarted:
		o.head = d
		o.side.RunID, o.side.TeamName, o.side.Program, o.side.Fork = d.RunID, d.TeamName, d.Program, d.Fork
	case event.RunFinished, event.RunFailed, event.RunSuspended:
		o.side.End = rec.Type()
	case event.RunResumed:
		o.side.End = ""
	case event.AgentCreated:
		a := &actor{id: rec.Agent, name: d.Name, role: d.Role, parent: d.Parent, created: rec.Seq}
		o.actors = append(o.actors, a)
		o.byID[a.id] = a
		o.dir = cmp.Or(o.dir, prompts.WorkDirOf(d.Prompt))
	case event.MessageSent:
		o.mint(mailWay{d.From, d.To, string(d.Kind)}, d.ID)
		if a := o.byID[d.To]; a != nil && a.task == "" {
			a.task = beginning(d.Content, maxTaskText)
		}
	case event.QuestionOpened:
		o.asks[d.ID] = d.From
	case event.QuestionClosed:
		o.mint(mailWay{d.From, o.asks[d.ID], string(event.Answer)}, d.AnswerID)
	case event.HistoryCompacted:
		o.mint(mailWay{event.Runtime, rec.Agent, string(rec.Type())}, d.ID)
	default: // tells nothing of who is who
	}
}

func (o *outline) mint(way mailWay, id string) {
	if id != "" {
		o.ids[way] = append(o.ids[way], id)
	}
}

// beginning is at most so many bytes of a text, whole characters.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
