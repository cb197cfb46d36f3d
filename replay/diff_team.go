package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/event"
)

// teamChanges lists the fields in which two headers differ: the task first,
// then what the team is. Ids, trace, version and origin of a run are its own
// and do not count.
func teamChanges(a, b event.RunStarted, context int) []TeamChange {
	t := teamDiff{list: []TeamChange{}, context: context}
	t.texts("$.data.task", a.Task, b.Task)
	t.texts("$.data.model_kind", a.ModelKind, b.ModelKind)
	t.texts("$.data.lang", a.Lang, b.Lang)
	t.texts("$.data.team_name", a.TeamName, b.TeamName)
	t.values("$.data.team", decoded(a.Team), decoded(b.Team))
	return t.list
}

type teamDiff struct {
	list    []TeamChange
	context int
}

func (t *teamDiff) texts(path, a, b string) {
	if a != b {
		t.list = append(t.list, TeamChange{Path: path, A: a, B: b, Diff: changedLines(a, b, t.context)})
	}
}

// decoded is any JSON value; nil for none.
func decoded(text json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

func (t *teamDiff) values(path string, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			t.objects(path, x, y)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			t.arrays(path, x, y)
			return
		}
	}
	t.texts(path, written(a), written(b))
}

func (t *teamDiff) objects(path string, a, b map[string]any) {
	for _, key := range keys(a, b) {
		t.values(path+"."+key, a[key], b[key])
	}
}

// arrays compares elements that have an id by that, others by their place. The
// path has the place in a, or that in b for what only b has.
func (t *teamDiff) arrays(path string, a, b []any) {
	if !allHaveID(a) || !allHaveID(b) {
		for i := range max(len(a), len(b)) {
			t.values(fmt.Sprintf("%s[%d]", path, i), at(a, i), at(b, i))
		}
		return
	}
	for i, x := range a {
		t.values(fmt.Sprintf("%s[%d]", path, i), x, at(b, indexOf(b, idOf(x))))
	}
	for i, y := range b {
		if indexOf(a, idOf(y)) < 0 {
			t.values(fmt.Sprintf("%s[%d]", path, i), nil, y)
		}
	}
}

func at(list []any, i int) any {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

func idOf(v any) string {
	object, _ := v.(map[string]any)
	id, _ := object["id"].(string)
	return id
}

func allHaveID(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { return idOf(v) == "" })
}

func indexOf(list []any, id string) int {
	return slices.IndexFunc(list, func(v any) bool { return idOf(v) == id })
}

// written is a value as text: strings as they are, nothing as nothing.
func written(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
