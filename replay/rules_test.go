package replay_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/replay"
)

// find is the index of the first record that says a D and for which want holds.
func find[D event.Data](t *testing.T, records []event.Record, want func(event.Record, D) bool) int {
	t.Helper()
	for i, rec := range records {
		if d, ok := rec.Data.(D); ok && (want == nil || want(rec, d)) {
			return i
		}
	}
	t.Fatalf("no record says the %T that is wanted", *new(D))
	return 0
}

// change changes the data of the record i.
func change[D event.Data](records []event.Record, i int, edit func(*D)) {
	d, _ := records[i].Data.(D)
	edit(&d)
	records[i].Data = d
}

// without is the log without record i, insert with one more before it; both are
// numbered anew.
func without(records []event.Record, i int) []event.Record {
	return numbered(slices.Delete(records, i, i+1))
}

func insert(records []event.Record, i int, rec event.Record) []event.Record {
	return numbered(slices.Insert(records, i, rec))
}

func numbered(records []event.Record) []event.Record {
	for i := range records {
		records[i].Seq = int64(i + 1)
	}
	return records
}

// broken is a log that breaks a rule at a record.
type broken struct {
	name    string
	rule    replay.Rule
	run     string
	records func(t *testing.T, log []event.Record) (changed []event.Record, seq int64)
}

func state(id string, to event.State) func(event.Record, event.AgentState) bool {
	return func(rec event.Record, d event.AgentState) bool { return rec.Agent == id && d.To == to }
}

func by(id string) func(event.Record, event.ModelRequested) bool {
	return func(rec event.Record, _ event.ModelRequested) bool { return rec.Agent == id }
}

// last is the seq of the last record.
func last(records []event.Record) int64 { return records[len(records)-1].Seq }

var brokenLogs = []broken{
	{"a record is gone", replay.RuleSequence, "steered", func(_ *testing.T, log []event.Record) ([]event.Record, int64) {
		return slices.Delete(log, 3, 4), 5
	}},
	{"a second header", replay.RuleSequence, "steered", func(_ *testing.T, log []event.Record) ([]event.Record, int64) {
		return insert(log, 3, log[0]), 4
	}},
	{"a record after the end", replay.RuleEnd, "steered", func(_ *testing.T, log []event.Record) ([]event.Record, int64) {
		return insert(log, len(log), event.Record{Data: event.Warning{}}), int64(len(log) + 1)
	}},
	{"an id twice", replay.RuleIDs, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		n := 0
		i := find(t, log, func(_ event.Record, d event.QuestionClosed) bool {
			if d.AnswerID != "" {
				n++
			}
			return n == 2
		})
		first := find(t, log, func(_ event.Record, d event.QuestionClosed) bool { return d.AnswerID != "" })
		answer, _ := log[first].Data.(event.QuestionClosed)
		change(log, i, func(d *event.QuestionClosed) { d.AnswerID = answer.AnswerID })
		return log, log[i].Seq
	}},
	{"a call id twice", replay.RuleIDs, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(_ event.Record, d event.ModelReplied) bool { return len(d.Calls) > 1 })
		change(log, i, func(d *event.ModelReplied) {
			d.Calls = slices.Clone(d.Calls)
			d.Calls[1].ID = d.Calls[0].ID
		})
		return log, log[i].Seq
	}},
	{"a message sent twice", replay.RuleMessage, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.MessageSent](t, log, nil)
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"a message delivered twice", replay.RuleMessage, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.MessageDelivered](t, log, nil)
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"a delivery before the message", replay.RuleMessage, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.MessageDelivered](t, log, nil)
		rec := log[i]
		log = slices.Delete(log, i, i+1)
		return insert(log, 2, rec), 3
	}},
	{"a message delivered to another", replay.RuleMessage, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(rec event.Record, _ event.MessageDelivered) bool { return rec.Agent == "uio_1" })
		log[i].Agent = event.Leader
		return log, log[i].Seq
	}},
	{"a delivered message comes back", replay.RuleMessage, "stopped", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, state("res_1", event.Finished))
		return insert(log, i+1, event.Record{Agent: event.Leader, Data: event.MessageReturned{ID: "task_003", To: "res_1"}}), int64(i + 2)
	}},
	{"a message is lost", replay.RuleMessage, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(rec event.Record, d event.MessageDelivered) bool {
			return rec.Agent == event.Leader && d.ID != "msg_user_001"
		})
		id, _ := log[i].Data.(event.MessageDelivered)
		sent := find(t, log, func(_ event.Record, d event.MessageSent) bool { return d.ID == id.ID })
		change(log, sent, func(d *event.MessageSent) { d.Kind, d.ID = event.Note, "msg_uio_099" })
		return log, last(log)
	}},
	{"messages overtake", replay.RuleOrder, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		sent, seen := map[string]string{}, map[string]int{}
		for i, rec := range log {
			switch d := rec.Data.(type) {
			case event.MessageSent:
				sent[d.ID] = d.From
			case event.MessageDelivered:
				way := sent[d.ID] + " " + rec.Agent
				if j, ok := seen[way]; ok {
					first, _ := log[j].Data.(event.MessageDelivered)
					// The first is delivered right after the second.
					log[j].Data = event.LimitWarned{}
					return insert(log, i+1, event.Record{Agent: rec.Agent, Turn: rec.Turn, Data: first}), int64(i + 2)
				}
				seen[way] = i
			default:
			}
		}
		t.Fatal("no two messages go the same way")
		return nil, 0
	}},
	{"a question opened twice", replay.RuleQuestion, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.QuestionOpened](t, log, nil)
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"a question closed twice", replay.RuleQuestion, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.QuestionClosed](t, log, nil)
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"a question is never closed", replay.RuleQuestion, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		log = without(log, find[event.QuestionClosed](t, log, nil))
		return log, last(log)
	}},
	{"another answers", replay.RuleQuestion, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(_ event.Record, d event.QuestionClosed) bool { return d.AnswerID != "" })
		change(log, i, func(d *event.QuestionClosed) { d.From = "res_1" })
		return log, log[i].Seq
	}},
	{"a question without its opening", replay.RuleQuestion, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.QuestionOpened](t, log, nil)
		q, _ := log[i].Data.(event.QuestionOpened)
		log = without(log, i)
		return log, log[find(t, log, func(_ event.Record, d event.MessageSent) bool { return d.ID == q.ID })].Seq
	}},
	{"a circle", replay.RuleCycle, "questions-en", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(_ event.Record, d event.QuestionOpened) bool { return d.From == "uio_1" && d.To == "fse_1" })
		return insert(log, i+1, event.Record{Agent: "fse_1", Turn: 1, Data: event.QuestionOpened{ID: "ask_fse_099", From: "fse_1", To: "uio_1"}}), int64(i + 2)
	}},
	{"a move that the machine has not", replay.RuleState, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, state("uio_1", event.Idle))
		change(log, i, func(d *event.AgentState) { d.To = event.Created })
		return log, log[i].Seq
	}},
	{"a move from another state", replay.RuleState, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, state("uio_1", event.Idle))
		change(log, i, func(d *event.AgentState) { d.From = event.Waiting })
		return log, log[i].Seq
	}},
	{"a word from the dead", replay.RuleSilence, "stopped", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, state("res_1", event.Finished))
		return insert(log, i+1, event.Record{Agent: "res_1", Turn: 1, Data: event.Warning{}}), int64(i + 2)
	}},
	{"no report", replay.RuleTurn, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(_ event.Record, d event.MessageSent) bool { return d.Kind == event.Completion })
		log = without(log, i)
		return log, log[find(t, log, func(rec event.Record, _ event.TurnEnded) bool { return rec.Agent == "uio_1" })].Seq
	}},
	{"two reports", replay.RuleTurn, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(_ event.Record, d event.MessageSent) bool { return d.Kind == event.Completion })
		rec := log[i]
		d, _ := rec.Data.(event.MessageSent)
		d.ID = "out_uio_099"
		rec.Data = d
		log = insert(log, i, rec)
		return log, log[find(t, log, func(rec event.Record, _ event.TurnEnded) bool { return rec.Agent == "uio_1" })].Seq
	}},
	{"a turn is left out", replay.RuleTurn, "stopped", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(rec event.Record, d event.AgentState) bool { return rec.Turn == 2 && d.From == event.Stopped })
		log[i].Turn = 3
		return log, log[i].Seq
	}},
	{"a result twice", replay.RuleCall, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.ToolFinished](t, log, nil)
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"no result", replay.RuleHistory, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.ToolFinished](t, log, nil)
		id := log[i].Agent
		log = without(log, i)
		return log, log[i+find(t, log[i:], by(id))].Seq
	}},
	{"results in another order", replay.RuleCall, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, func(rec event.Record, _ event.ToolFinished) bool { return rec.Agent == "uio_1" })
		j := i + 1 + find(t, log[i+1:], func(rec event.Record, _ event.ToolFinished) bool { return rec.Agent == "uio_1" })
		log[i].Data, log[j].Data = log[j].Data, log[i].Data
		return log, log[i].Seq
	}},
	{"a call starts twice", replay.RuleCall, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.ToolStarted](t, log, nil)
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"a request of another length", replay.RuleHistory, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.ModelRequested](t, log, nil)
		change(log, i, func(d *event.ModelRequested) { d.Messages++ })
		return log, log[i].Seq
	}},
	{"a request without an end", replay.RuleRequest, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find(t, log, by("uio_1"))
		return insert(log, i+1, log[i]), int64(i + 2)
	}},
	{"a reply to nothing", replay.RuleRequest, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		i := find[event.ModelReplied](t, log, nil)
		rec := log[i]
		rec.Data = event.ModelReplied{}
		return insert(log, i+1, rec), int64(i + 2)
	}},
	{"too many tokens", replay.RuleBudget, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		limit(t, log, func(l *leader.Limits) { l.Tokens = 100 })
		return log, log[find[event.ModelRequested](t, log, nil)].Seq
	}},
	{"too many steps", replay.RuleBudget, "steered", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		limit(t, log, func(l *leader.Limits) { l.Steps = 1 })
		i := find[event.ModelRequested](t, log, nil)
		return log, log[i+1+find[event.ModelRequested](t, log[i+1:], nil)].Seq
	}},
	{"too much money", replay.RuleBudget, "retried", func(t *testing.T, log []event.Record) ([]event.Record, int64) {
		limit(t, log, func(l *leader.Limits) { l.Budget = 1e-9 })
		return log, log[find[event.ModelRequested](t, log, nil)].Seq
	}},
}

// limit changes the limits in the header.
func limit(t *testing.T, log []event.Record, edit func(*leader.Limits)) {
	t.Helper()
	var team leader.Team
	change(log, 0, func(d *event.RunStarted) {
		if err := json.Unmarshal(d.Team, &team); err != nil {
			t.Fatal(err)
		}
		edit(&team.Limits)
		d.Team, _ = json.Marshal(team)
	})
}

// TestRules breaks each rule in a good log, and the rule is named at the record
// at which it shows.
func TestRules(t *testing.T) {
	rules := map[replay.Rule]bool{}
	for _, b := range brokenLogs {
		t.Run(b.name, func(t *testing.T) {
			log, seq := b.records(t, load(t, filepath.Join(runsDir, b.run+".jsonl")))
			found, err := replay.Check(sequence(log))
			if err != nil {
				t.Fatal(err)
			}
			want := func(v replay.Violation) bool { return v.Rule == b.rule && v.Seq == seq }
			if !slices.ContainsFunc(found, want) {
				t.Errorf("found %v, want %s at %d", found, b.rule, seq)
			}
		})
		rules[b.rule] = true
	}
	if len(rules) != 14 {
		t.Errorf("%d rules are broken here, of 14", len(rules))
	}
}

// TestTimeIsNoRule lets a clock go backwards, which breaks nothing.
func TestTimeIsNoRule(t *testing.T) {
	log := load(t, filepath.Join(runsDir, "steered.jsonl"))
	for i := range log {
		log[i].Time = log[i].Time.Add(-time.Duration(i) * time.Hour)
	}
	if found, err := replay.Check(sequence(log)); err != nil || len(found) > 0 {
		t.Errorf("found %v (%v)", found, err)
	}
}
