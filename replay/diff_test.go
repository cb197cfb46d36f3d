package replay_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/replay"
)

// story is a difference for the log of a failing test.
func story(d replay.Difference) string {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestDiffOfARunWithItself(t *testing.T) {
	records := play{}.record(t)
	if d := diff(t, records, records); !d.Equal || d.First != nil || len(d.Agents) != 5 {
		t.Errorf("got %s", story(d))
	}
}

// TestDiffIgnoresInterleaving runs one play with replies that take other times:
// agents overtake each other, ids get other numbers.
func TestDiffIgnoresInterleaving(t *testing.T) {
	first := play{}.record(t)
	orders := map[string]bool{}
	for jitter := range uint64(20) {
		records := play{jitter: jitter}.record(t)
		var order strings.Builder
		for _, rec := range records {
			order.WriteString(rec.Agent + " ")
			if m, ok := rec.Data.(event.MessageSent); ok {
				order.WriteString(m.ID + " ")
			}
		}
		orders[order.String()] = true
		if d := diff(t, first, records); !d.Equal {
			t.Fatalf("jitter %d: got %s", jitter, story(d))
		}
	}
	if len(orders) < 10 {
		t.Errorf("20 runs had %d orders only", len(orders))
	}
}

// planted is a change of a play and the difference that must be named first.
type planted struct {
	name  string
	plant func(p *play, word string)
	want  replay.First // without seqs
	cause replay.CauseKind
}

func plantings() []planted {
	var list []planted
	text := func(key, agent string, typ event.Type, path string, cause replay.CauseKind) {
		list = append(list, planted{
			key, func(p *play, word string) { p.texts = map[string]string{key: "the " + word + " " + key} },
			replay.First{Agent: agent, Type: typ, Path: path},
			cause,
		})
	}
	reply, result := event.TypeModelReplied, event.TypeToolFinished
	for _, id := range []string{"tl", "uio_1", "uio_2", "fse_1", "res_1"} {
		text("result of "+id, id, reply, "$.data.text", replay.CauseModel)
	}
	text("plan", "tl", reply, "$.data.text", replay.CauseModel)
	text("progress of uio_1", "uio_1", reply, "$.data.text", replay.CauseModel)
	text("progress of uio_2", "uio_2", reply, "$.data.text", replay.CauseModel)
	for i, role := range []string{"uio", "uio", "fse", "res"} {
		text(fmt.Sprintf("task %d %s", i, role), "tl", reply, fmt.Sprintf("$.data.calls[%d].arguments", i), replay.CauseModel)
	}
	for _, id := range []string{"uio_1", "uio_2", "fse_1"} {
		text("question of "+id, id, reply, "$.data.calls[0].arguments", replay.CauseModel)
	}
	text("answer of tl", "tl", reply, "$.data.calls[0].arguments", replay.CauseModel)
	text("answer of res_1", "res_1", reply, "$.data.calls[0].arguments", replay.CauseModel)
	text("answer of uio_2", "uio_2", reply, "$.data.calls[1].arguments", replay.CauseModel)
	text("note of uio_2", "uio_2", reply, "$.data.calls[0].arguments", replay.CauseModel)
	text("lookup of fse_1", "fse_1", result, "$.data.result", replay.CauseTool)
	text("lookup of res_1", "res_1", result, "$.data.result", replay.CauseTool)
	text("word of the person", "fse_1", event.TypeMessageDelivered, "$.data.content", replay.CausePerson)
	header := func(name, path string, plant func(p *play, word string)) {
		list = append(list, planted{name, plant, replay.First{Type: event.TypeRunStarted, Path: path}, ""})
	}
	team := func(name, path string, change func(t *leader.Team, word string)) {
		header(name, path, func(p *play, word string) { p.team = func(t *leader.Team) { change(t, word) } })
	}
	header("task of the person", "$.data.task", func(p *play, word string) { p.task = word + ": " })
	team("prompt of the leader", "$.data.team.leader.prompt", func(t *leader.Team, word string) { t.Leader.Prompt += word })
	for i := range 3 {
		role := fmt.Sprintf("$.data.team.roles[%d].", i)
		team("prompt of a role", role+"prompt", func(t *leader.Team, word string) { t.Roles[i].Prompt += word })
		team("model of a role", role+"model.name", func(t *leader.Team, word string) {
			t.Roles[i].Model = t.Model
			t.Roles[i].Model.Name = "test/" + word
		})
		team("limit of a role", role+"max_steps", func(t *leader.Team, word string) { t.Roles[i].MaxSteps = 20 + len(word) })
	}
	return list
}

// TestDiffNamesThePlantedChange plants one change in a run, which happens in
// another order as well.
func TestDiffNamesThePlantedChange(t *testing.T) {
	list := plantings()
	named := 0
	const seeds = 100
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 1))
		plant := list[int(seed)%len(list)]
		word := fmt.Sprintf("%x", r.Uint32())
		a, b := play{jitter: r.Uint64()}, play{jitter: r.Uint64()}
		plant.plant(&b, word)
		d := diff(t, a.record(t), b.record(t))
		if fault := plant.fault(d, word); fault != "" {
			t.Errorf("seed %d, %s: %s: %s", seed, plant.name, fault, story(d))
			continue
		}
		named++
	}
	t.Logf("named %d of %d", named, seeds)
}

// fault says what is wrong with the difference; nothing if it is right.
func (p planted) fault(d replay.Difference, word string) string {
	if d.Equal || d.First == nil {
		return "no difference"
	}
	got := *d.First
	got.SeqA, got.SeqB = 0, 0
	if got != p.want {
		return fmt.Sprintf("first is %+v, want %+v", got, p.want)
	}
	if p.cause == "" {
		if len(d.Team) == 0 {
			return "no change of the team"
		}
		return ""
	}
	for _, agent := range d.Agents {
		div := agent.Divergence
		switch {
		case div == nil:
		case agent.ID() != p.want.Agent && div.Cause.Root():
			return agent.ID() + " follows from nobody"
		case agent.ID() != p.want.Agent:
		case div.Cause.Kind != p.cause:
			return fmt.Sprintf("the cause is %s, want %s", div.Cause.Kind, p.cause)
		case !strings.Contains(div.Diff, word):
			return fmt.Sprintf("the text of the difference lacks %q", word)
		}
	}
	return ""
}
