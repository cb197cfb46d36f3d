package replay_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/replay"
)

// seqOf is the number of the first record that fits.
func seqOf(t *testing.T, records []event.Record, fits func(event.Record) bool) int64 {
	t.Helper()
	i := slices.IndexFunc(records, fits)
	if i < 0 {
		t.Fatal("the run has no such record")
	}
	return int64(i + 1)
}

// TestEditsAreHeard edits one record of each kind, forks somewhat behind it,
// and looks for the new text in what the models are asked, and for the old one
// where it must be gone.
func TestEditsAreHeard(t *testing.T) {
	t.Parallel()
	dir, records := recordBusy(t)
	is := func(kind event.Type, agent string) func(event.Record) bool {
		return func(r event.Record) bool { return r.Type() == kind && r.Agent == agent }
	}
	answered := seqOf(t, records, func(r event.Record) bool { return r.Type() == event.TypeQuestionClosed })
	closed, _ := records[answered-1].Data.(event.QuestionClosed)
	asker := records[seqOf(t, records, func(r event.Record) bool {
		d, ok := r.Data.(event.QuestionOpened)
		return ok && d.ID == closed.ID
	})-1].Agent
	asked := seqOf(t, records, func(r event.Record) bool {
		d, ok := r.Data.(event.ToolFinished)
		return ok && d.Name == "ask_master"
	})
	result := seqOf(t, records, func(r event.Record) bool {
		d, ok := r.Data.(event.ToolFinished)
		return ok && strings.HasPrefix(d.Result, "seen: step 2")
	})
	large := seqOf(t, records, func(r event.Record) bool {
		d, ok := r.Data.(event.ToolFinished)
		return ok && d.File != ""
	})
	task := seqOf(t, records, func(r event.Record) bool {
		d, ok := r.Data.(event.MessageSent)
		return ok && d.Kind == event.Task && d.To == "w_1"
	})
	person := seqOf(t, records, func(r event.Record) bool {
		d, ok := r.Data.(event.MessageSent)
		return ok && d.From == event.Person
	})
	reply := seqOf(t, records, is(event.TypeModelReplied, event.Leader))
	type line struct{ agent, text string } // the agent reads the text
	for _, tt := range []struct {
		name string
		from int64
		edit replay.Edit
		want line
		gone line // nothing, if there is no agent
	}{
		{"the task in the header", person, replay.Edit{Seq: 1, Text: "look up"}, line{"tl", "look up"}, line{"tl", "look around"}},
		{"the task, before it was sent", 2, replay.Edit{Seq: 1, Text: "look up"}, line{"tl", "look up"}, line{"tl", "look around"}},
		{"the person's message", person, replay.Edit{Seq: person, Text: "look up"}, line{"tl", "look up"}, line{"tl", "look around"}},
		{"a task", task, replay.Edit{Seq: task, Text: "the new part"}, line{"w_1", "the new part"}, line{"w_1", "the first part"}},
		{"a reply", reply + 2, replay.Edit{Seq: reply, Text: "I split it anew."}, line{"tl", "I split it anew."}, line{"tl", "I split the work."}},
		{"a result", result + 1, replay.Edit{Seq: result, Text: "seen: nothing"}, line{records[result-1].Agent, "seen: nothing"}, line{records[result-1].Agent, "seen: step 2"}},
		{"an empty result", result + 1, replay.Edit{Seq: result}, line{records[result-1].Agent, ""}, line{records[result-1].Agent, "seen: step 2"}},
		{"a large result", large, replay.Edit{Seq: large, Text: "small"}, line{"x_1", "small"}, line{"x_1", "deep deep"}},
		{"an answer that was read", asked, replay.Edit{Seq: answered, Text: "red, <i>thin</i>"}, line{asker, "red, <i>thin</i>"}, line{asker, "blue"}},
		{"an answer on the way", answered, replay.Edit{Seq: answered, Text: "red"}, line{asker, "red"}, line{asker, "blue"}},
		{"an agent's prompt", task, replay.Edit{Prompt: "w_1", Text: "You are w_1, in short."}, line{"w_1", "You are w_1, in short."}, line{"w_1", "You are careful."}},
		{"a role's prompt", answered, replay.Edit{Prompt: "w", Text: "You are quick."}, line{"w_2", "You are quick."}, line{"w_1", "You are careful."}},
		{"the prompt of a role to come", person, replay.Edit{Prompt: "w", Text: "You are quick."}, line{"w_1", "You are quick."}, line{"w_1", "You are careful."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			forked, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: tt.from, Edits: []replay.Edit{tt.edit}, Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			res, client, err := goOn(t, forked.Dir)
			if err != nil || res.Status != leader.StatusFinished || len(client.bad) > 0 {
				t.Errorf("the fork ended %s, %v, with faults %v", res.Status, err, client.bad)
			}
			reads := func(l line) bool {
				return slices.ContainsFunc(client.heard, func(heard string) bool {
					text, ok := strings.CutPrefix(heard, l.agent+" reads: ")
					return ok && strings.Contains(text, l.text)
				})
			}
			if !reads(tt.want) {
				t.Errorf("%s does not read %q", tt.want.agent, tt.want.text)
			}
			if reads(tt.gone) {
				t.Errorf("%s still reads %q", tt.gone.agent, tt.gone.text)
			}
		})
	}
	t.Run("everywhere", func(t *testing.T) { everyEdit(t, dir, records) })
}

// everyEdit edits each record that can be, and looks that the fork says which.
func everyEdit(t *testing.T, dir string, records []event.Record) {
	t.Helper()
	for _, rec := range records {
		_, ok := replay.Editable(rec)
		forked, err := replay.Fork(t.Context(), dir, replay.ForkOptions{
			From: rec.Seq, Edits: []replay.Edit{{Seq: rec.Seq, Text: "another text"}}, Dir: t.TempDir(),
		})
		if !ok {
			if failed, is := errors.AsType[*replay.EditError](err); !is || failed.Edit.Seq != rec.Seq || len(failed.Near) == 0 {
				t.Errorf("edit of record %d (%s): %v", rec.Seq, rec.Type(), err)
			}
			continue
		}
		if err != nil {
			t.Errorf("edit of record %d (%s): %v", rec.Seq, rec.Type(), err)
			continue
		}
		copied := readRun(t, forked.Dir)
		header, _ := copied[0].Data.(event.RunStarted)
		if text, _ := replay.Editable(copied[rec.Seq-1]); text != "another text" || !slices.Contains(header.Fork.Edited, rec.Seq) {
			t.Errorf("record %d (%s) has the text %q, edited are %v", rec.Seq, rec.Type(), text, header.Fork.Edited)
		}
	}
}

func TestEditsOfModels(t *testing.T) {
	t.Parallel()
	dir, records := recordBusy(t)
	team := func(edits ...replay.Edit) (leader.Team, []event.Record) {
		forked, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: 60, Edits: edits, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		copied := readRun(t, forked.Dir)
		header, _ := copied[0].Data.(event.RunStarted)
		var team leader.Team
		if err := json.Unmarshal(header.Team, &team); err != nil {
			t.Fatal(err)
		}
		return team, copied
	}
	const deepseek = "deepseek/deepseek-chat"
	one, copied := team(replay.Edit{Model: "w", Text: deepseek})
	if w := one.Roles[0].Model; w.Name != deepseek || w.Source == nil || w.Source.Provider != "deepseek" || one.Leader.Model.Name != "test/busy" {
		t.Errorf("the models are %+v and %+v", w, one.Leader.Model)
	}
	for i, rec := range copied {
		if d, ok := rec.Data.(event.AgentCreated); ok {
			was, _ := records[i].Data.(event.AgentCreated)
			if want := map[bool]string{true: deepseek, false: was.Model}[d.Role == "w"]; d.Model != want || d.Scripted != (d.Role != "w") {
				t.Errorf("%s has the model %s, want %s", rec.Agent, d.Model, want)
			}
		}
	}
	all, _ := team(replay.Edit{Model: replay.Everybody, Text: deepseek}, replay.Edit{Model: event.Leader, Text: "scripted/survey"})
	if all.Roles[0].Model.Name != deepseek || all.Roles[1].Model.Name != deepseek || all.Leader.Model.Name != "scripted/survey" || !all.Leader.Model.Scripted {
		t.Errorf("the models are %+v", all)
	}
}

func TestEditsRefuse(t *testing.T) {
	t.Parallel()
	dir, records := recordBusy(t)
	created := seqOf(t, records, func(r event.Record) bool { return r.Agent == "x_1" && r.Type() == event.TypeAgentCreated })
	for _, tt := range []struct {
		edit replay.Edit
		want string
	}{
		{replay.Edit{Seq: 61, Text: "x"}, "not among the records of the fork, which are 1 to 60"},
		{replay.Edit{Text: "x"}, "not among the records"},
		{replay.Edit{Seq: 1, Text: " \n"}, "cannot be empty"},
		{replay.Edit{Seq: 1, Text: "\xff"}, "not valid UTF-8"},
		{replay.Edit{Prompt: "nobody", Text: "x"}, "roles are w, x"},
		{replay.Edit{Prompt: "w", Text: ""}, "cannot be empty"},
		{replay.Edit{Prompt: "x", Text: "Be brief."}, "edit the whole"},
		{replay.Edit{Model: "nobody", Text: "test/busy"}, "roles are tl, w, x"},
		{replay.Edit{Model: "w", Text: "nonsense"}, "nonsense"},
	} {
		_, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: 60, Edits: []replay.Edit{tt.edit}, Dir: t.TempDir()})
		if _, ok := errors.AsType[*replay.EditError](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.edit, err, tt.want)
		}
	}
	_, err := replay.Fork(t.Context(), dir, replay.ForkOptions{From: created, Edits: []replay.Edit{{Seq: 3, Text: "x"}}, Dir: t.TempDir()})
	if failed, ok := errors.AsType[*replay.EditError](err); ok && !slices.Contains(failed.Near, 2) {
		t.Errorf("%v names %v", err, failed.Near)
	}
}
