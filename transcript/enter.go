package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// enter readies in for the log: it returns the data as it will be read back.
// Texts are masked; words (ids, names of a closed set, names that other parts
// look up) and the model's own calls are not, because changing them would
// break what refers to them. Both are made valid UTF-8. What the caller may go
// on to change, such as slices, is copied. Data without a JSON form is refused.
//
// The switch is long because it is the list of all fields, and the linter
// checks that it has all types.
func enter(mask *Mask, in event.Data) (event.Data, error) {
	e := entry{mask: mask}
	switch d := in.(type) {
	case event.RunStarted:
		text(&e, &d.TeamName, &d.Task, &d.WorkDir)
		word(&e, &d.RunID, &d.TraceID, &d.Program, &d.ModelKind, &d.Lang, &d.RequestID)
		e.words(&d.Redact)
		d.Redact = orNil(d.Redact)
		if own(&e, &d.Fork) {
			word(&e, &d.Fork.RunID)
			d.Fork.Edited = slices.Clone(orNil(d.Fork.Edited))
		}
		if own(&e, &d.Import) {
			text(&e, &d.Import.File)
			word(&e, &d.Import.Format, &d.Import.ID)
		}
		e.json(&d.Team)
		e.json(&d.Meta)
		return leave(&e, in, d)
	case event.RunSuspended:
		text(&e, &d.By)
		word(&e, &d.Cause, &d.ID)
		return leave(&e, in, d)
	case event.RunResumed:
		text(&e, &d.Task, &d.WorkDir)
		word(&e, &d.Program, &d.Lang, &d.RequestID)
		e.json(&d.Team)
		return leave(&e, in, d)
	case event.RunFinished:
		text(&e, &d.Answer)
		word(&e, &d.Limit)
		e.cost(&d.Cost)
		return leave(&e, in, d)
	case event.RunFailed:
		text(&e, &d.Answer)
		e.failure(&d.Failure)
		e.cost(&d.Cost)
		return leave(&e, in, d)
	case event.AgentCreated:
		text(&e, &d.Name, &d.Prompt, &d.Remote)
		word(&e, &d.Role, &d.Code, &d.Parent, &d.Model, &d.CallID)
		e.words(&d.Tools)
		if own(&e, &d.Lent) {
			e.loan(d.Lent)
		}
		return leave(&e, in, d)
	case event.AgentState:
		text(&e, &d.Cause)
		word(&e, &d.From, &d.To)
		return leave(&e, in, d)
	case event.AgentStopping:
		text(&e, &d.By, &d.Reason)
		word(&e, &d.Mode)
		return leave(&e, in, d)
	case event.TurnEnded:
		word(&e, &d.Reason)
		word(&e, &d.Limit)
		if own(&e, &d.Failure) {
			e.failure(d.Failure)
		}
		return leave(&e, in, d)
	case event.RoleCreated:
		text(&e, &d.Name, &d.Does, &d.Prompt)
		word(&e, &d.ID, &d.Code, &d.Model, &d.CallID)
		e.words(&d.Tools)
		return leave(&e, in, d)
	case event.MessageSent:
		text(&e, &d.FromName, &d.Content)
		word(&e, &d.ID, &d.From, &d.To, &d.CallID, &d.RequestID)
		word(&e, &d.Kind)
		word(&e, &d.Reason)
		return leave(&e, in, d)
	case event.MessageDelivered:
		word(&e, &d.ID)
		return leave(&e, in, d)
	case event.MessageReturned:
		text(&e, &d.Why)
		word(&e, &d.ID, &d.To)
		return leave(&e, in, d)
	case event.QuestionOpened:
		word(&e, &d.ID, &d.From, &d.To, &d.CallID)
		e.time(&d.Deadline)
		return leave(&e, in, d)
	case event.QuestionClosed:
		text(&e, &d.Text, &d.Detail)
		word(&e, &d.ID, &d.From, &d.AnswerID)
		word(&e, &d.Outcome)
		return leave(&e, in, d)
	case event.ModelRequested:
		word(&e, &d.Model, &d.Digest, &d.Purpose)
		e.cost(&d.ReservedCost)
		return leave(&e, in, d)
	case event.ModelReplied:
		text(&e, &d.Text, &d.Reasoning, &d.RawFinish)
		word(&e, &d.Finish)
		word(&e, &d.Extra, &d.Purpose, &d.Model)
		e.calls(&d.Calls)
		e.cost(&d.Cost)
		return leave(&e, in, d)
	case event.ModelRetried:
		e.failure(&d.Failure)
		return leave(&e, in, d)
	case event.ModelFailed:
		text(&e, &d.Partial)
		word(&e, &d.Purpose, &d.Model)
		e.failure(&d.Failure)
		e.cost(&d.Cost)
		return leave(&e, in, d)
	case event.ModelProfile:
		text(&e, &d.Endpoint, &d.Why)
		word(&e, &d.Switch, &d.Value)
		return leave(&e, in, d)
	case event.HistoryCompacted:
		text(&e, &d.Summary)
		word(&e, &d.ID)
		e.words(&d.Pinned)
		d.Pinned = orNil(d.Pinned)
		return leave(&e, in, d)
	case event.ToolStarted:
		word(&e, &d.CallID, &d.Name, &d.Arguments, &d.RequestID)
		return leave(&e, in, d)
	case event.ToolFinished:
		text(&e, &d.Result)
		word(&e, &d.CallID, &d.Name, &d.File)
		return leave(&e, in, d)
	case event.ToolHanded:
		word(&e, &d.CallID, &d.Name, &d.Arguments)
		return leave(&e, in, d)
	case event.ToolReturned:
		text(&e, &d.Result)
		word(&e, &d.CallID, &d.By)
		return leave(&e, in, d)
	case event.ApprovalRequested:
		word(&e, &d.ID, &d.CallID, &d.Name, &d.Arguments, &d.Rule)
		return leave(&e, in, d)
	case event.ApprovalDecided:
		text(&e, &d.By, &d.Reason)
		word(&e, &d.ID, &d.Decision, &d.Rule)
		return leave(&e, in, d)
	case event.ArtifactCreated:
		text(&e, &d.Path)
		word(&e, &d.CallID)
		return leave(&e, in, d)
	case event.LimitWarned:
		word(&e, &d.Limit)
		e.finite(d.Used, d.Max)
		return leave(&e, in, d)
	case event.LimitReached:
		word(&e, &d.Limit)
		e.finite(d.Used, d.Max)
		return leave(&e, in, d)
	case event.Warning:
		text(&e, &d.Text)
		word(&e, &d.Code)
		return leave(&e, in, d)
	case event.ModelDelta:
		text(&e, &d.Text)
		return leave(&e, in, d)
	case event.ModelThinking:
		text(&e, &d.Text)
		return leave(&e, in, d)
	case event.ToolOutput:
		text(&e, &d.Text)
		word(&e, &d.CallID)
		return leave(&e, in, d)
	case event.Unknown:
		e.unknown(&d)
		return leave(&e, in, d)
	}
	return nil, fmt.Errorf("transcript: append: %T is no data of a record; pass one of package event, by value", in)
}

// entry is the state of one call of enter.
type entry struct {
	mask    *Mask
	changed bool
	err     error
}

// leave returns out if it differs from in; else in, which costs nothing.
func leave[D event.Data](e *entry, in event.Data, out D) (event.Data, error) {
	switch {
	case e.err != nil:
		return nil, fmt.Errorf("transcript: append: %s: %w", in.Type(), e.err)
	case e.changed:
		return out, nil
	}
	return in, nil
}

// text enters fields that people or models wrote.
func text(e *entry, fields ...*string) {
	for _, f := range fields {
		if s := e.mask.Text(validUTF8(*f)); s != *f {
			*f, e.changed = s, true
		}
	}
}

// word enters fields that are never masked.
func word[S ~string](e *entry, fields ...*S) {
	for _, f := range fields {
		if !utf8.ValidString(string(*f)) {
			*f, e.changed = S(validUTF8(string(*f))), true
		}
	}
}

// own makes *p a copy of its own, and reports whether there is one.
func own[T any](e *entry, p **T) bool {
	if *p == nil {
		return false
	}
	v := **p
	*p, e.changed = &v, true
	return true
}

// orNil returns nil for an empty slice, as fields come back that are left out
// when empty.
func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

func (e *entry) words(list *[]string) {
	if *list == nil {
		return
	}
	*list, e.changed = slices.Clone(*list), true
	for i := range *list {
		word(e, &(*list)[i])
	}
}

func (e *entry) calls(list *[]event.Call) {
	if *list == nil {
		return
	}
	*list, e.changed = orNil(slices.Clone(*list)), true
	for i := range *list {
		c := &(*list)[i]
		word(e, &c.ID, &c.Name, &c.Arguments, &c.Extra)
	}
}

// loan enters what another program said of itself.
func (e *entry) loan(l *event.Loan) {
	text(e, &l.Prompt, &l.Context, &l.WorkDir)
	l.Tools, l.Models = orNil(slices.Clone(l.Tools)), orNil(slices.Clone(l.Models))
	for i := range l.Tools {
		t := &l.Tools[i]
		text(e, &t.Description)
		word(e, &t.Name, &t.Effect, &t.Subject, &t.About)
		e.json(&t.Schema)
	}
	for i := range l.Models {
		m := &l.Models[i]
		word(e, &m.Name)
		e.finite(m.CompactAt)
		if own(e, &m.Price) {
			word(e, &m.Price.Currency)
			e.finite(m.Price.Input, m.Price.CachedInput, m.Price.Output)
		}
	}
}

func (e *entry) failure(f *event.Failure) {
	text(e, &f.Message, &f.Hint)
	word(e, &f.Code, &f.Who)
}

func (e *entry) cost(c **event.Cost) {
	if own(e, c) {
		word(e, &(*c).Currency)
		e.finite((*c).Amount)
	}
}

// finite refuses the numbers that JSON does not have.
func (e *entry) finite(numbers ...float64) {
	for _, n := range numbers {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			e.err = fmt.Errorf("%v is no number for a log", n)
		}
	}
}

// time enters an instant as it is read back: in UTC, without a monotonic
// reading.
func (e *entry) time(t *time.Time) {
	utc := t.UTC()
	if y := utc.Year(); y < 0 || y > 9999 {
		e.err = fmt.Errorf("the year %d is outside 0 to 9999", y)
	}
	if utc != *t {
		*t, e.changed = utc, true
	}
}

// json enters a value that is kept as it was written.
func (e *entry) json(raw *json.RawMessage) {
	if *raw == nil {
		return
	}
	e.changed = true
	if len(*raw) == 0 {
		*raw = nil
		return
	}
	var b bytes.Buffer
	if err := json.Compact(&b, *raw); err != nil {
		e.err = err
		return
	}
	*raw = e.mask.JSON([]byte(validUTF8(b.String())))
}

// unknown enters a record of a type of another version.
func (e *entry) unknown(u *event.Unknown) {
	word(e, &u.Name)
	e.json(&u.JSON)
	switch {
	case u.Name == "":
		e.err = errors.New("a record without a type")
	case slices.Contains(event.Types(), u.Name):
		e.err = errors.New("the type is known, so its struct must be used")
	case e.err == nil && (len(u.JSON) == 0 || u.JSON[0] != '{'):
		e.err = errors.New("the data is no JSON object")
	}
}
