package replay_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/tools"
)

// plantedChange is a change, and where it must be found.
type plantedChange struct {
	records []event.Record
	change  func(*agent.Config) // of the program
	agent   string
	from    int64 // seq of the first record that it may show at
	request int64 // seq of the request that it reaches first; 0 if the turn ends before one
}

// TestPlantedChanges plants a change of one word of a prompt, one result of a
// tool or one path of the program, 120 times, and looks where it is found: at
// the first request that it reaches, or before.
func TestPlantedChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var runs [][]event.Record
	for _, path := range recorded(t) {
		runs = append(runs, load(t, path))
	}
	plants := []func(*rand.Rand, []event.Record) (plantedChange, bool){promptWord, toolResult, codePath, programPath}
	for n, found := 0, 0; found < 120; n++ {
		if n > 2000 {
			t.Fatalf("only %d changes could be plantedChange", found)
		}
		plant := plants[n%len(plants)]
		p, ok := plant(random, slices.Clone(runs[random.IntN(len(runs))]))
		if !ok {
			continue
		}
		found++
		m := verify(t, p.records, p.change).First()
		if m == nil {
			t.Fatalf("change %d of %s was not found", n, p.agent)
		}
		if m.Agent != p.agent || m.Seq < p.from || p.request != 0 && (m.Seq > p.request || m.Request != p.request) {
			t.Errorf("change %d: found at %s %d, request %d; want %s from %d on, request %d", n, m.Agent, m.Seq, m.Request, p.agent, p.from, p.request)
		}
	}
}

// requestFrom is the seq of the agent's first request from index i on.
func requestFrom(records []event.Record, id string, i int) int64 {
	for _, rec := range records[i:] {
		if rec.Agent == id && rec.Type() == event.TypeModelRequested {
			return rec.Seq
		}
	}
	return 0
}

// pick is the index of a record that says a D; -1 if there is none.
func pick[D event.Data](random *rand.Rand, records []event.Record) int {
	var list []int
	for i, rec := range records {
		if _, ok := rec.Data.(D); ok {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return list[random.IntN(len(list))]
}

// reword changes one word of a text.
func reword(random *rand.Rand, text string) string {
	words := strings.Split(text, " ")
	words[random.IntN(len(words))] += "x"
	return strings.Join(words, " ")
}

// promptWord changes a word of what the program tells an agent.
func promptWord(random *rand.Rand, records []event.Record) (plantedChange, bool) {
	i := pick[event.AgentCreated](random, records)
	id := records[i].Agent
	request := requestFrom(records, id, i)
	return plantedChange{records: records, agent: id, from: records[i].Seq, request: request, change: func(cfg *agent.Config) {
		if cfg.ID == id {
			cfg.Prompt = agent.NewPrompt(reword(random, cfg.Prompt.String()))
		}
	}}, request != 0
}

// toolResult changes a word of a recorded result.
func toolResult(random *rand.Rand, records []event.Record) (plantedChange, bool) {
	i := pick[event.ToolFinished](random, records)
	if i < 0 {
		return plantedChange{}, false
	}
	d, _ := records[i].Data.(event.ToolFinished)
	d.Result = reword(random, d.Result)
	records[i].Data = d
	id := records[i].Agent
	p := plantedChange{records: records, agent: id, from: records[i].Seq, request: requestFrom(records, id, i)}
	return p, p.request != 0
}

// codePath makes the recording one of a program that does not take a step which
// ours takes.
func codePath(random *rand.Rand, records []event.Record) (plantedChange, bool) {
	var list []int
	for i, rec := range records {
		switch rec.Data.(type) {
		case event.LimitReached, event.LimitWarned, event.ToolStarted, event.MessageDelivered, event.HistoryCompacted, event.TurnEnded:
			list = append(list, i)
		default:
		}
	}
	i := list[random.IntN(len(list))]
	id := records[i].Agent
	p := plantedChange{agent: id, from: 1, request: requestFrom(records, id, i)}
	for j := i - 1; j > 0; j-- {
		if records[j].Agent == id {
			p.from = records[j].Seq
			break
		}
	}
	p.records = slices.Delete(records, i, i+1)
	return p, p.request != 0
}

// programPath changes something in the program that every agent's first request
// shows.
func programPath(random *rand.Rand, records []event.Record) (plantedChange, bool) {
	i := pick[event.AgentCreated](random, records)
	id := records[i].Agent
	p := plantedChange{records: records, agent: id, from: records[i].Seq, request: requestFrom(records, id, i)}
	kind := random.IntN(3)
	p.change = func(cfg *agent.Config) {
		if cfg.ID != id {
			return
		}
		switch kind {
		case 0:
			cfg.Offer = agent.NewOffer(reworded(random, cfg.Tools))
		case 1:
			cfg.MaxOutputTokens++
		case 2:
			cfg.ModelName += "x"
		}
	}
	return p, p.request != 0
}

// told is a tool with another description.
type told struct {
	tools.Tool
	spec tools.Spec
}

func (t told) Spec() tools.Spec { return t.spec }

// reworded changes a word of the description of one tool.
func reworded(random *rand.Rand, set tools.Set) tools.Set {
	specs := set.Specs()
	n := random.IntN(len(specs))
	var list []tools.Tool
	for i, spec := range specs {
		tool, _ := set.Lookup(spec.Name)
		if i == n {
			spec.Description = reword(random, spec.Description)
		}
		list = append(list, told{tool, spec})
	}
	out, err := tools.NewSet(list...)
	if err != nil {
		panic(err)
	}
	return out
}

// otherWords changes what the runtime says to agents.
type otherWords struct{ agent.Words }

func (w otherWords) RepeatedCall(tool string, n int) string { return w.Words.RepeatedCall(tool, n+1) }

// TestWhatAMismatchTells looks at the reports of changes of different kinds.
func TestWhatAMismatchTells(t *testing.T) {
	steered, repeated := load(t, runsDir+"/steered.jsonl"), load(t, runsDir+"/repeated.jsonl")
	edited := slices.Clone(steered)
	i := slices.IndexFunc(edited, func(rec event.Record) bool { return rec.Type() == event.TypeToolFinished && rec.Agent == "uio_1" })
	d, _ := edited[i].Data.(event.ToolFinished)
	d.Result = "f  12  api.md\n"
	edited[i].Data = d
	for _, tt := range []struct {
		name    string
		records []event.Record
		change  func(*agent.Config)
		path    string
		note    replay.MismatchNote
		diff    []string
	}{
		{"a prompt", steered, func(cfg *agent.Config) {
			cfg.Prompt = agent.NewPrompt(strings.Replace(cfg.Prompt.String(), "The person", "A person", 1) + "\nend")
		}, "data.prompt", "", []string{"+end"}},
		{"an edited result", edited, nil, "data.digest", replay.NoteUnseen, nil},
		{"other words", repeated, func(cfg *agent.Config) { cfg.Words = otherWords{cfg.Words} }, "data.content", "", nil},
		{"a step less", repeated, func(cfg *agent.Config) { cfg.MaxSteps = 4 }, "type", "", []string{"-model.requested", "+limit.reached"}},
		{"a request more", repeated, func(cfg *agent.Config) { cfg.MaxOutputTokens = 100000 }, "data.digest", replay.NoteUnseen, nil},
	} {
		m := verify(t, tt.records, tt.change).First()
		if m == nil {
			t.Errorf("%s: not found", tt.name)
			continue
		}
		if m.Path != tt.path || m.Note != tt.note {
			t.Errorf("%s: path %s, note %q at %d; want %s, %q", tt.name, m.Path, m.Note, m.Seq, tt.path, tt.note)
		}
		for _, want := range tt.diff {
			if !strings.Contains(m.Diff, want) {
				t.Errorf("%s: the diff has no %q:\n%s", tt.name, want, m.Diff)
			}
		}
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestARequestOfAnotherKind has an agent that asks its model where the
// recording has another record: the diff compares conversations.
func TestARequestOfAnotherKind(t *testing.T) {
	records := load(t, runsDir+"/limited.jsonl")
	m := verify(t, records, func(cfg *agent.Config) {
		if cfg.ID == "uio_1" {
			cfg.MaxSteps = 0
		}
	}).First()
	if m == nil || m.Type != event.TypeLimitWarned || m.Replayed != `"model.requested"` {
		t.Fatalf("got %+v", m)
	}
	if !strings.Contains(m.Diff, "request recorded as ") {
		t.Errorf("the diff compares no requests:\n%s", m.Diff)
	}
}

// TestCustomTools verifies a run with a tool of its own, with it and without.
func TestCustomTools(t *testing.T) {
	price := func(description string) tools.Tool { return priceTool(description) }
	s := scene{name: "custom-tool", lang: "en", tools: []tools.Tool{price("look up a price")}, team: func(t *leader.Team) {
		t.Roles = []leader.Role{{Name: "UI Operator", Code: "uio", Does: "designs"}}
	}, cast: cast{
		"tl":    lines(say("", create("uio", "design")), say("wait"), say("done")),
		"uio_1": lines(say("", call("price", "of", "page")), say("42")),
	}}
	records := s.record(t)
	for _, tt := range []struct {
		name    string
		tools   []tools.Tool
		missing []string
		path    string
	}{
		{"with it", s.tools, nil, ""},
		{"with another", []tools.Tool{price("look up the price")}, nil, "data.prompt"},
		{"without", nil, []string{"price"}, ""},
	} {
		v, err := replay.Verify(t.Context(), sequence(records), replay.VerifyOptions{Tools: tt.tools})
		if err != nil {
			t.Fatal(err)
		}
		worker := v.Agents[1]
		path := ""
		if worker.Mismatch != nil {
			path = worker.Mismatch.Path
		}
		if !slices.Equal(worker.MissingTools, tt.missing) || path != tt.path || (worker.Requests == 2) != (tt.name == "with it") {
			t.Errorf("%s: missing %q, path %q, %d requests", tt.name, worker.MissingTools, path, worker.Requests)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, agents := range []int{1, 10} {
		records := longRun(b, agents, 1000)
		b.Run(fmt.Sprintf("agents=%d/records=%d", agents, len(records)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v := verify(b, records, nil); !v.OK() {
					b.Fatalf("%+v %v", v.First(), v.Violations)
				}
			}
		})
	}
}
