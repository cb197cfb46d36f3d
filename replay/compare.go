package replay

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/troupe-go/troupe/event"
)

// pathType is the path of a record that is another one altogether.
const pathType = "type"

// compareRecords compares a record that the agent made with the recorded one;
// nil if they are the same.
func (p *player) compareRecords(want, got event.Record) *Mismatch {
	if want.Type() != got.Type() {
		return &Mismatch{Path: pathType, Recorded: quote(want.Type()), Replayed: quote(got.Type()), Diff: diffRecords(want.Data, got.Data)}
	}
	if want.Agent != got.Agent {
		return &Mismatch{Path: "agent", Recorded: quote(want.Agent), Replayed: quote(got.Agent)}
	}
	if want.Turn != got.Turn {
		return &Mismatch{Path: "turn", Recorded: fmt.Sprint(want.Turn), Replayed: fmt.Sprint(got.Turn)}
	}
	return compare(want.Data, p.given(want.Data, got.Data))
}

// given returns what the agent made with all taken from the record that came
// from outside: times, ids that others count too, results of tools, briefs.
func (p *player) given(want, got event.Data) event.Data {
	switch g := got.(type) {
	case event.ModelRequested:
		if w, ok := want.(event.ModelRequested); ok && p.partly {
			g.Digest, g.Reserved, g.ReservedCost = w.Digest, w.Reserved, w.ReservedCost
		}
		return g
	case event.ModelReplied:
		if w, ok := want.(event.ModelReplied); ok {
			g.DurationMS = w.DurationMS
		}
		return g
	case event.ToolFinished:
		if w, ok := want.(event.ToolFinished); ok {
			g.DurationMS = w.DurationMS
			if _, known := p.cfg.Tools.Lookup(g.Name); p.answered[g.CallID] || !known && p.wasCut {
				g.Result, g.IsError, g.File, g.Bytes = w.Result, w.IsError, w.File, w.Bytes
			}
		}
		return g
	case event.MessageSent:
		if w, ok := want.(event.MessageSent); ok {
			g.ID = sameStem(w.ID, g.ID)
		}
		return g
	case event.HistoryCompacted:
		if w, ok := want.(event.HistoryCompacted); ok {
			g.ID = sameStem(w.ID, g.ID)
			g.Summary = briefed(w.Summary, g.Summary)
		}
		return g
	case event.AgentState:
		if w, ok := want.(event.AgentState); ok && w.From == event.Waiting {
			g.From = w.From
		}
		return g
	default:
		return got
	}
}

// sameStem is want if got differs from it in the number at the end only.
func sameStem(want, got string) string {
	const digits = "0123456789"
	if strings.TrimRight(want, digits) == strings.TrimRight(got, digits) {
		return want
	}
	return got
}

// briefed is want if got is the same but for the brief.
func briefed(want, got string) string {
	before, after, ok := strings.Cut(got, anyBrief)
	if ok && len(want) >= len(before)+len(after) && strings.HasPrefix(want, before) && strings.HasSuffix(want, after) {
		return want
	}
	return got
}

// compare finds the first field that differs, in the order of the JSON; nil if
// none does.
func compare(want, got event.Data) *Mismatch {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	path, w, g, same := firstDifference("data", tree(want), tree(got))
	if same {
		return nil
	}
	m := &Mismatch{Path: path, Recorded: text(w), Replayed: text(g)}
	m.Diff = m.valueDiff()
	return m
}

// tree is d as JSON has it.
func tree(d any) any {
	raw, err := json.Marshal(d)
	if err != nil {
		return err.Error()
	}
	var v any
	_ = json.Unmarshal(raw, &v) // it was just written
	return v
}

// firstDifference walks two JSON values side by side. The keys of an object
// come in their alphabetical order.
func firstDifference(path string, want, got any) (at string, w, g any, same bool) {
	switch a := want.(type) {
	case map[string]any:
		b, ok := got.(map[string]any)
		if !ok {
			return path, want, got, false
		}
		for _, key := range keys(a, b) {
			if at, w, g, same := firstDifference(path+"."+key, a[key], b[key]); !same {
				return at, w, g, false
			}
		}
		return path, nil, nil, true
	case []any:
		b, ok := got.([]any)
		if !ok {
			return path, want, got, false
		}
		for i := range min(len(a), len(b)) {
			if at, w, g, same := firstDifference(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); !same {
				return at, w, g, false
			}
		}
		if len(a) != len(b) {
			return path, want, got, false
		}
		return path, nil, nil, true
	default:
		return path, want, got, reflect.DeepEqual(want, got)
	}
}

// keys are those of both objects, in alphabetical order.
func keys(a, b map[string]any) []string {
	var list []string
	for k := range a {
		list = append(list, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}

// text is a JSON value as text; empty for none.
func text(v any) string {
	if v == nil {
		return ""
	}
	raw, _ := json.Marshal(v) // it comes from JSON
	return string(raw)
}

func quote[T ~string](s T) string { return text(string(s)) }

// valueDiff shows the difference of two texts line by line.
func (m *Mismatch) valueDiff() string {
	var want, got string
	if json.Unmarshal([]byte(m.Recorded), &want) != nil || json.Unmarshal([]byte(m.Replayed), &got) != nil {
		return ""
	}
	if !strings.Contains(want+got, "\n") {
		return ""
	}
	return unified("recorded", "replayed", want, got)
}

// diffRecords shows two records, one of which may be nil, line by line.
func diffRecords(want, got event.Data) string {
	return unified("recorded", "replayed", indented(want), indented(got))
}

func indented(d event.Data) string {
	if d == nil {
		return ""
	}
	raw, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(d.Type()) + " " + string(raw)
}

// unified is a unified diff of two texts.
func unified(oldName, newName, before, after string) string {
	return udiff.Unified(oldName, newName, line(before), line(after))
}

// line is a text that ends with the end of a line, if it is not empty.
func line(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}
