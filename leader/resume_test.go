package leader_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// effects counts what a tool does that must not be done twice.
type effects struct {
	mu   sync.Mutex
	done []string
}

func (e *effects) add(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done = append(e.done, name)
}

// counts is how often each was done.
func (e *effects) counts() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := map[string]int{}
	for _, name := range e.done {
		n[name]++
	}
	return n
}

type nameArgs struct {
	Name string `json:"name"`
}

// deploy is a tool that may run only once; it takes a while.
func (e *effects) deploy() tools.Tool {
	return tools.FuncCall("deploy", "deploys", func(ctx context.Context, call tools.Call, in nameArgs) (string, error) {
		e.add(call.Agent + " " + in.Name)
		select {
		case <-time.After(700 * time.Millisecond):
			return "deployed " + in.Name, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
}

// look is a tool that may run again.
func peek() tools.Tool {
	return tools.FuncCall("look", "looks", func(context.Context, tools.Call, nameArgs) (string, error) { return "seen", nil }, tools.Pure)
}

// rests is a tool that takes seconds and may run again.
func rests() tools.Tool {
	return tools.FuncCall("rest", "rests", func(ctx context.Context, _ tools.Call, in restArgs) (string, error) {
		select {
		case <-time.After(time.Duration(in.Seconds) * time.Second):
			return "rested", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}, tools.Idempotent)
}

type restArgs struct {
	Seconds int `json:"seconds"`
}

func rest(seconds int) event.Call {
	return modeltest.Call("rest", map[string]any{"seconds": seconds})
}

func named(tool, name string) event.Call { return modeltest.Call(tool, map[string]any{"name": name}) }

// reference is the model of the reference run: a leader and five workers, of
// whom two ask, one is steered, one fails, and some run tools side by side. It
// has no memory but the conversation, as a real model. Whatever could race is
// seconds apart, also when all calls under way begin anew.
func reference() model.Client {
	plans := map[string][]move{
		event.Leader: {
			hire(5),
			{text: "all are at work", calls: []event.Call{send("a_4", "in blue, please"), waitFor("all")}},
		},
		"a_1": {
			{text: "first I deploy", calls: []event.Call{named("deploy", "one"), named("look", "x"), named("deploy", "two")}},
			does(rest(60)), does(ask("a_1", "a_2")),
		},
		"a_2": {does(named("look", "y"), ask("a_2", event.Leader))},
		"a_4": {does(named("deploy", "four")), does(rest(40), named("look", "z"))},
		"a_5": {does(tellOther("a_4", "none")), does(tellOther("a_1", "reply"))},
	}
	waits := map[string]time.Duration{event.Leader: ms(410), "a_1": ms(530), "a_2": ms(5_000), "a_3": ms(20_000), "a_4": ms(1130), "a_5": ms(9_300)}
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		r := referenceReply(req, plans[req.Agent])
		r.Delay = waits[req.Agent]
		r.Usage = event.Usage{Input: 100, Output: 10}
		return r
	})
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func referenceReply(req model.Request, plan []move) modeltest.Reply {
	if req.Agent == "a_3" {
		return modeltest.Reply{Err: model.NewError(model.ClassAuth, "the key is bad")}
	}
	made := 0
	var heard []string
	for _, m := range req.Messages {
		if len(m.Calls) > 0 && strings.HasPrefix(m.Calls[0].ID, "plan/") {
			made++
		}
		if m.Origin.Kind == event.Completion {
			heard = append(heard, m.Origin.FromID+": "+m.Origin.Content)
		}
	}
	if open := unanswered(req); len(open) > 0 {
		return modeltest.Reply{Calls: []event.Call{answer(req.Agent, open[0], "the answer for "+open[0])}}
	}
	if made < len(plan) {
		return plan[made].reply(req.Agent, made)
	}
	if req.Agent != event.Leader {
		return modeltest.Reply{Text: req.Agent + " has done its part"}
	}
	slices.Sort(heard)
	return modeltest.Reply{Text: "heard:\n" + strings.Join(heard, "\n")}
}

func referenceTeam() leader.Team {
	return actors(reference(), func(t *leader.Team) { t.Roles[0].Tools = []string{"deploy", "look", "rest"} })
}

// recordReference performs the reference run and returns its result, its
// records and its log.
func recordReference(t *testing.T) (played, []byte) {
	t.Helper()
	dir := t.TempDir()
	p := perform(t, dir, referenceTeam(), nil, leader.WithTools(new(effects).deploy(), peek(), rests()), leader.WithRunDir(dir), leader.WithSync("off"))
	if p.err != nil || p.Status != leader.StatusFinished {
		t.Fatalf("the reference run ended %s, %v", p.Status, p.err)
	}
	checkLog(t, p.records)
	text, err := os.ReadFile(p.Log)
	if err != nil {
		t.Fatal(err)
	}
	return p, text
}

// cutLog writes the first n lines of a log into a new run folder.
func cutLog(t testing.TB, text []byte, n int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, transcript.FileName), bytes.Join(lines(text)[:n], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lines are the lines of a log.
func lines(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }

// TestResumeAtEveryRecord cuts the log of the reference run at every record and
// resumes what is left. Whatever was under way, the run ends with the same
// result, no message is lost or sent twice, no deployment made twice, and what
// was spent is the same but for the calls that were cut.
func TestResumeAtEveryRecord(t *testing.T) {
	t.Parallel()
	want, text := recordReference(t)
	for n := 1; n < len(want.records); n++ {
		t.Run(fmt.Sprintf("after %03d %s %s", n, want.records[n-1].Agent, want.records[n-1].Type()), func(t *testing.T) {
			dir := cutLog(t, text, n)
			got, made := resumeRun(t, dir, want.records[:n])
			checkResumed(t, want, got, made, want.records[:n])
			dump(t, got.records)
		})
	}
}

// resumeRun resumes the run in dir to its end; had are its records so far.
func resumeRun(t *testing.T, dir string, had []event.Record, opts ...leader.Option) (played, map[string]int) {
	t.Helper()
	var e effects
	for _, rec := range had { // what began may have been done
		if d, ok := rec.Data.(event.ToolStarted); ok && d.Name == "deploy" {
			e.add(rec.Agent + " " + strings.Split(d.Arguments, `"`)[3])
		}
	}
	var p played
	synctest.Test(t, func(t *testing.T) {
		if len(had) > 0 {
			time.Sleep(time.Until(had[len(had)-1].Time) + time.Hour)
		} else {
			time.Sleep(24 * time.Hour)
		}
		opts := append([]leader.Option{
			leader.WithTools(e.deploy(), peek(), rests()), leader.WithClient("test/test", leader.Model{Client: reference(), Name: "test/test"}),
			leader.WithSync("off"),
		}, opts...)
		run, err := leader.Resume(t.Context(), dir, opts...)
		if err != nil {
			t.Fatal(err)
		}
		p.Result, p.err = run.Wait()
		p.records = recorded(t, run)
	})
	return p, e.counts()
}

// letters counts the messages of a run by all but their ids.
func letters(records []event.Record) map[string]int {
	n := map[string]int{}
	for _, d := range dataOf[event.MessageSent](records) {
		n[fmt.Sprintf("%s %s → %s: %s", d.Kind, d.From, d.To, d.Content)]++
	}
	return n
}

// spent sums the tokens of a run, apart from those of calls that a crash cut.
func spent(records []event.Record) (tokens, cut int) {
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.ModelReplied:
			tokens += d.Usage.Total()
		case event.ModelFailed:
			if d.Failure.Code == event.CodeInterrupted {
				cut++
			} else {
				tokens += d.Usage.Total()
			}
		}
	}
	return tokens, cut
}

// underway counts the model calls without an end.
func underway(records []event.Record) int {
	n := 0
	for _, rec := range records {
		switch rec.Data.(type) {
		case event.ModelRequested:
			n++
		case event.ModelReplied, event.ModelFailed:
			n--
		default:
		}
	}
	return n
}

func checkResumed(t *testing.T, want, got played, made map[string]int, had []event.Record) {
	t.Helper()
	if got.err != nil || got.Status != want.Status || got.Answer != want.Answer {
		t.Errorf("the resumed run ended %s, %v: %q; want %q", got.Status, got.err, got.Answer, want.Answer)
	}
	checkLog(t, got.records)
	if diff := cmp.Diff(letters(want.records), letters(got.records)); diff != "" {
		t.Errorf("messages (-whole run +resumed):\n%s", diff)
	}
	if once := map[string]int{"a_1 one": 1, "a_1 two": 1, "a_4 four": 1}; !maps.Equal(made, once) {
		t.Errorf("deployed %v, want each once", made)
	}
	tokens, _ := spent(want.records)
	again, cut := spent(got.records)
	if again != tokens || cut != underway(had) {
		t.Errorf("%d tokens and %d cut calls, want %d and %d", again, cut, tokens, underway(had))
	}
	if n := len(dataOf[event.RunResumed](got.records)); n != 1 {
		t.Errorf("resumed %d times", n)
	}
}

// TestResumeKeepsWhatWasChanged raises the limit that ended a run; who resumes
// it later has the higher one, and the log says so once.
func TestResumeKeepsWhatWasChanged(t *testing.T) {
	t.Parallel()
	want, text := recordReference(t)
	dir := cutLog(t, text, 40)
	pause := func(run *leader.Run) { run.Pause("test"); _, _ = run.Wait() }
	opts := []leader.Option{
		leader.WithTools(new(effects).deploy(), peek(), rests()),
		leader.WithClient("test/test", leader.Model{Client: reference(), Name: "test/test"}),
	}
	tokens := func(n int) leader.Option {
		return leader.WithOverride(func(t *leader.Team) { t.Limits.Tokens = n })
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(want.records[39].Time) + time.Hour)
		for i, change := range []leader.Option{nil, tokens(7_000_000), nil, tokens(8_000_000)} {
			run, err := leader.Resume(t.Context(), dir, append(slices.Clone(opts), change)...)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := run.Team().Limits.Tokens, []int{2_000_000, 7_000_000, 7_000_000, 8_000_000}[i]; got != want {
				t.Errorf("the run may use %d tokens when it is resumed for the time %d, want %d", got, i+1, want)
			}
			pause(run)
			resumed := dataOf[event.RunResumed](recorded(t, run))
			if changed := len(resumed[i].Team) > 0; changed != (change != nil) {
				t.Errorf("the log has a team where the run is resumed for the time %d: %t", i+1, changed)
			}
		}
	})
}
