package replay_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/tools"
)

// play is a scripted run of a leader and four workers: they ask each other and
// the leader, write notes, report progress and use a tool. Each text stands
// under a key, so that a test can change one. What an agent says repeats what
// it has heard, so that a change spreads to everybody who hears of it.
type play struct {
	texts  map[string]string // in place of the usual ones, by key
	team   func(*leader.Team)
	task   string
	jitter uint64 // of the time that replies and tools take
	usage  map[string]int
}

// text is what the play says under a key.
func (p play) text(key string) string {
	if text, ok := p.texts[key]; ok {
		return text
	}
	return "the usual " + key
}

// delay takes a second for each of base, and up to 8 more.
func (p play) delay(key string, base int) time.Duration {
	var seed [32]byte
	copy(seed[:], key)
	seed[31] = byte(p.jitter)
	r := rand.New(rand.NewChaCha8(seed))
	return time.Duration(base)*time.Second + time.Duration(r.Int64N(int64(8*time.Second)))
}

// numbers are what depends on who was faster.
var numbers = regexp.MustCompile(`_\d{3}`)

// heard is what an agent has been told so far, in no order.
func heard(req model.Request) string {
	var list []string
	for _, m := range req.Messages {
		switch {
		case m.Role == model.System:
			list = append(list, strings.ReplaceAll(m.Content, prompts.WorkDirOf(m.Content), ""))
		case m.Origin.Kind != "" && m.Origin.Kind != event.Progress:
			list = append(list, m.Origin.Content)
		case m.Role == model.ToolRole && (m.ToolName == "lookup" || strings.HasPrefix(m.ToolName, "ask_")):
			list = append(list, numbers.ReplaceAllString(m.Content, ""))
		}
	}
	slices.Sort(list)
	sum := 0
	for _, c := range strings.Join(list, "\n") {
		sum = (sum*31 + int(c)) % 1_000_003
	}
	return fmt.Sprintf(" (heard %d)", sum)
}

// reply is what an agent says the nth time.
func (p play) reply(req model.Request, n int) modeltest.Reply {
	say := func(base int, key string, calls ...event.Call) modeltest.Reply {
		text := ""
		if key != "" {
			text = p.text(key) + heard(req)
		}
		used := 10 + p.usage[req.Agent]
		return modeltest.Reply{Text: text, Calls: calls, Delay: p.delay(req.Agent+key+fmt.Sprint(n), base), Usage: event.Usage{Input: 100, Output: used}}
	}
	ask := func(tool, agent, key string) event.Call {
		return modeltest.Call(tool, map[string]any{"agent": agent, "question": p.text(key) + heard(req)})
	}
	answer := func(tool, key string) event.Call {
		return modeltest.Call(tool, map[string]any{"question_id": lastQuestion(req), "answer": p.text(key) + heard(req)})
	}
	switch req.Agent + fmt.Sprint(n) {
	case "tl0":
		var calls []event.Call
		for _, role := range []string{"uio", "uio", "fse", "res"} {
			key := fmt.Sprintf("task %d %s", len(calls), role)
			calls = append(calls, modeltest.Call("create_sub_agent", map[string]any{"role": role, "task": p.text(key) + heard(req)}))
		}
		return say(1, "plan", calls...)
	case "tl1":
		return say(1, "pause of tl") // until the question of uio_1 comes
	case "tl3":
		return say(1, "", modeltest.Call("wait_sub_agent_output", map[string]any{"until": "all"}))
	case "tl2":
		return say(5, "", answer("answer_sub_agent_question", "answer of tl"))
	case "tl4":
		return say(1, "result of tl")
	case "uio_10":
		return say(2, "progress of uio_1", modeltest.Call("ask_master", map[string]any{"question": p.text("question of uio_1") + heard(req)}))
	case "uio_11":
		return say(200, "result of uio_1")
	case "uio_20":
		return say(2, "progress of uio_2", ask("ask_other_agent", "res_1", "question of uio_2"))
	case "uio_21":
		note := modeltest.Call("ask_other_agent", map[string]any{"agent": "fse_1", "question": p.text("note of uio_2") + heard(req), "expects": "none"})
		return say(50, "", note, answer("answer_other_agent", "answer of uio_2"))
	case "uio_22":
		return say(50, "result of uio_2")
	case "fse_10":
		return say(2, "", ask("ask_other_agent", "uio_2", "question of fse_1"))
	case "fse_11", "res_10":
		return say(100, "", modeltest.Call("lookup", map[string]any{"who": req.Agent}))
	case "fse_12":
		return say(10, "result of fse_1")
	case "res_11":
		return say(10, "", answer("answer_other_agent", "answer of res_1"))
	case "res_12":
		return say(10, "result of res_1")
	}
	return modeltest.Reply{Text: "nothing more"}
}

func lastQuestion(req model.Request) string {
	id := ""
	for _, m := range req.Messages {
		if m.Origin.QuestionID != "" {
			id = m.Origin.QuestionID
		}
	}
	return id
}

// record plays it and returns the log.
func (p play) record(t *testing.T) []event.Record {
	t.Helper()
	var records []event.Record
	synctest.Test(t, func(t *testing.T) { records = p.run(t) })
	return records
}

func (p play) run(t *testing.T) []event.Record {
	t.Helper()
	type input struct {
		Who string `json:"who"`
	}
	lookup := tools.Func("lookup", "Looks something up.", func(_ context.Context, in input) (string, error) {
		return p.text("lookup of " + in.Who), nil
	})
	client := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		n := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				n++
			}
		}
		return p.reply(req, n)
	})
	team := leader.Team{
		Name:   "test",
		Model:  leader.Model{Client: client, Name: "test/one", Price: &leader.Price{Currency: "CNY", Input: 1, Output: 2}},
		Leader: leader.Lead{Prompt: "Lead well."},
		Roles: []leader.Role{
			{ID: "uio", Name: "UI Operator", Code: "uio", Does: "draws", Prompt: "Draw well."},
			{ID: "fse", Name: "Full-Stack Engineer", Code: "fse", Does: "builds", Prompt: "Build well."},
			{ID: "res", Name: "Researcher", Code: "res", Does: "reads", Prompt: "Read well."},
		},
	}
	if p.team != nil {
		p.team(&team)
	}
	l, err := leader.New(team, leader.WithWorkDir(t.TempDir()), leader.WithTools(lookup))
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Start(t.Context(), p.task+"make a page")
	if err != nil {
		t.Fatal(err)
	}
	var telling sync.WaitGroup
	telling.Go(func() {
		time.Sleep(50 * time.Second) // while fse_1 waits for its answer
		if err := run.Tell("fse_1", p.text("word of the person")); err != nil {
			t.Error(err)
		}
	})
	if _, err := run.Wait(); err != nil {
		t.Error(err)
	}
	telling.Wait()
	var records []event.Record
	for rec, err := range run.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// played replays records that a test holds.
func played(records []event.Record) replay.Recording {
	return func() iter.Seq2[event.Record, error] {
		return func(yield func(event.Record, error) bool) {
			for _, rec := range records {
				if !yield(rec, nil) {
					return
				}
			}
		}
	}
}

func diff(t *testing.T, a, b []event.Record) replay.Difference {
	t.Helper()
	d, err := replay.Diff(played(a), played(b), replay.DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
