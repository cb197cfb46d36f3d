package replay_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// runsDir has the recorded runs of the project, which
// go test ./replay -run TestRecordedRuns -update
// records anew.
const runsDir = "../testdata/runs"

type reply = modeltest.Reply

// cast answers for each agent by a function of the number of its replies.
type cast map[string]func(req model.Request, n int) reply

func (c cast) client() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) reply {
		n := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				n++
			}
		}
		play, ok := c[req.Agent]
		if !ok {
			return reply{Text: "nothing to do"}
		}
		r := play(req, n)
		return r
	})
}

// apart lets no two agents speak at once.
func (c cast) apart() cast {
	out := cast{}
	for id, play := range c {
		out[id] = func(req model.Request, n int) reply {
			r := play(req, n)
			r.Delay += time.Duration(len(id)+n) * 7 * time.Millisecond
			return r
		}
	}
	return out
}

func lines(replies ...reply) func(model.Request, int) reply {
	return func(_ model.Request, n int) reply {
		if n >= len(replies) {
			return reply{Text: "done"}
		}
		return replies[n]
	}
}

func say(text string, calls ...event.Call) reply { return reply{Text: text, Calls: calls} }

func call(tool string, args ...string) event.Call {
	m := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		m[args[i]] = args[i+1]
	}
	return modeltest.Call(tool, m)
}

func create(role, task string) event.Call {
	return call("create_sub_agent", "role", role, "task", task)
}

// open is the last question in the conversation that no tool call answers.
func open(req model.Request) string {
	id := ""
	for _, m := range req.Messages {
		if m.Origin.QuestionID != "" {
			id = m.Origin.QuestionID
		}
		for _, c := range m.Calls {
			if id != "" && strings.Contains(c.Arguments, id) {
				id = ""
			}
		}
	}
	return id
}

// scene is a run to be recorded.
type scene struct {
	name, lang string
	cast       cast
	tools      []tools.Tool
	team       func(*leader.Team)
	during     func(t *testing.T, run *leader.Run) // what a person does
	options    []leader.Option
	resumed    bool                           // the run is paused, or suspended, and gone on with
	between    func(t *testing.T, log string) // what a person writes into the log before it goes on
	changes    []leader.Option                // with which it goes on
}

func (s scene) record(t *testing.T) []event.Record {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"notes.md": "# Notes\n\nThe page is blue.\n", "api.md": "name, mail\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var records []event.Record
	synctest.Test(t, func(t *testing.T) {
		team := leader.Team{Name: s.name, Model: leader.Model{Client: s.cast.apart().client(), Name: "scripted/" + s.name, Scripted: true}}
		if s.team != nil {
			s.team(&team)
		}
		opts := append([]leader.Option{leader.WithLang(s.lang), leader.WithProgram("troupe (recorded)"), leader.WithTools(s.tools...), leader.WithRunDir("runs")}, s.options...)
		l, err := leader.New(team, opts...)
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), map[string]string{"zh": "设计注册页并写接口文档", "en": "design the sign-up page and write its API"}[s.lang])
		if err != nil {
			t.Fatal(err)
		}
		if s.during != nil {
			s.during(t, run)
		}
		_, err = run.Wait()
		t.Logf("%s: %v", s.name, err)
		if s.resumed {
			time.Sleep(time.Hour)
			if s.between != nil {
				s.between(t, run.Log())
			}
			opts := append(slices.Clip(s.changes), leader.WithClient(team.Model.Name, team.Model), leader.WithProgram("troupe (recorded)"))
			run, err = leader.Resume(t.Context(), run.Log(), opts...)
			if err != nil {
				t.Fatal(err)
			}
			_, err = run.Wait()
			t.Logf("%s, resumed: %v", s.name, err)
		}
		for rec, err := range run.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, rec)
		}
	})
	return records
}

var answerer = func(tool string, then ...reply) func(model.Request, int) reply {
	return func(req model.Request, n int) reply {
		if id := open(req); id != "" {
			return say("", call(tool, "question_id", id, "answer", "name, mail"))
		}
		if n >= len(then) {
			return reply{Text: "done", Delay: 20 * time.Millisecond}
		}
		return then[n]
	}
}

// scenes are the runs that are recorded in testdata/runs.
func scenes() []scene {
	list := []scene{
		{name: "steered", lang: "en", cast: cast{
			"tl":    lines(say("I hire one", create("uio", "design the page")), say("", call("send_message_to_sub_agent", "agent", "uio_1", "message", "in blue, please")), say("wait"), say("the page is blue")),
			"uio_1": lines(reply{Text: "I look", Calls: []event.Call{call("list_dir"), call("read_file", "path", "notes.md"), call("read_file", "path", "no.md")}, Delay: 100 * time.Millisecond}, say("", call("search_files", "pattern", "mail")), say("blue it is")),
		}, during: func(t *testing.T, run *leader.Run) {
			time.Sleep(60 * time.Millisecond)
			if err := run.Tell("uio_1", "and a dark mode"); err != nil {
				t.Error(err)
			}
		}},
		{name: "retried", lang: "en", cast: cast{
			"tl":    lines(say("", create("res", "look at the API")), say("the first look failed"), say("it is known now")),
			"res_1": lines(reply{Text: "half a", Err: model.NewError(model.ClassQuota, "the account has nothing left")}),
		}, team: func(t *leader.Team) {
			t.Model.Price = &leader.Price{Currency: "CNY", Input: 2, CachedInput: 1, Output: 8}
		}},
		{name: "limited", lang: "zh", cast: cast{
			"tl":    lines(say("派一个人", create("uio", "设计页面")), say("等"), say("只有一部分")),
			"uio_1": lines(say("看", call("list_dir")), say("再看", call("list_dir")), say("又看", call("list_dir")), say("还看", call("list_dir")), say("看不完", call("list_dir")), say("还没看完"), say("再说")),
		}, team: func(t *leader.Team) { t.Limits.MaxSteps = 5; t.Limits.Steps = 11 }},
		{name: "stopped", lang: "en", cast: cast{
			"tl": lines(
				say("three of them", create("uio", "design"), create("fse", "write the API"), create("res", "look around")),
				reply{Text: "enough", Calls: []event.Call{call("stop_sub_agent", "agent", "uio_1", "reason", "too slow"), call("terminate_sub_agent", "agent", "res_1", "reason", "not needed")}, Delay: 300 * time.Millisecond},
				say("", call("stop_sub_agent", "agent", "fse_1")),
				say("", call("send_message_to_sub_agent", "agent", "uio_1", "message", "go on after all")),
				say("that is all"), say("that is all"), say("that is all")),
			"uio_1": lines(say("", call("ask_other_agent", "agent", "fse_1", "question", "which fields?")), say("after the stop")),
			"fse_1": lines(reply{Text: "the API", Delay: 4 * time.Second}, say("late")),
			"res_1": lines(reply{Text: "looking", Calls: []event.Call{call("list_dir")}}, reply{Text: "never", Delay: time.Hour}),
		}},
		{name: "compacted", lang: "en", cast: compactedCast(), team: func(t *leader.Team) {
			t.Model.ContextWindow, t.Model.CompactAt = 9000, 0.5
		}},
		{name: "custom", lang: "zh", cast: cast{
			"tl": lines(
				say("", call("create_custom_agent", "name", "Copy Writer", "does", "写文案", "prompt", "写得短。"), modeltest.Call("create_custom_agent", map[string]any{"name": "Mute", "does": "nothing", "prompt": "-", "tools": []string{}})),
				say("", create("Copy Writer", "写标题"), create("Mute", "想一想")), say("等他"), say("好了"), say("好了")),
			"cw_1": lines(say("注册即用")),
		}},
		{name: "refused", lang: "en", cast: cast{
			"tl":    lines(say("", create("uio", "design"), create("nobody", "x")), say("", call("no_such_tool"), call("list_agents")), reply{Finish: event.FinishStop}, say("done at last")),
			"uio_1": lines(reply{Text: "cut", Calls: []event.Call{call("list_dir")}, Finish: event.FinishLength}, say("", call("read_file")), say("it is designed")),
		}},
		{name: "repeated", lang: "en", cast: cast{
			"tl":    lines(say("", create("uio", "design")), say("w"), say("so be it")),
			"uio_1": func(_ model.Request, n int) reply { return say("again", call("list_dir")) },
		}},
		{name: "deadline", lang: "zh", cast: cast{
			"tl":    lines(say("", create("uio", "设计"), create("fse", "接口")), say("等"), say("时间到")),
			"uio_1": lines(reply{Text: "很慢", Delay: time.Hour}),
			"fse_1": lines(say("", call("ask_other_agent", "agent", "uio_1", "question", "什么颜色？"))),
		}, team: func(t *leader.Team) { t.Limits.Deadline = 10 * time.Second }},
		{name: "paused", lang: "en", cast: cast{
			"tl":    lines(say("", create("uio", "design"), create("fse", "api")), say("w")),
			"uio_1": lines(reply{Text: "slow", Calls: []event.Call{call("list_dir")}, Delay: 2 * time.Second}, say("designed")),
			"fse_1": lines(say("", call("ask_other_agent", "agent", "uio_1", "question", "which colour?"))),
		}, during: func(_ *testing.T, run *leader.Run) {
			time.Sleep(time.Second)
			run.Pause(event.PersonName)
		}},
	}
	paused := list[len(list)-1]
	paused.name, paused.resumed = "resumed", true
	list = append(list, paused, scene{
		name: "answered", lang: "zh", resumed: true, options: []leader.Option{leader.WithAttendance(leader.Unattended)},
		team: func(t *leader.Team) {
			t.Permissions = leader.Permissions{Ask: []string{"read_file"}, Headless: leader.HeadlessSuspend}
		},
		cast: cast{
			"tl":    lines(say("", create("res", "看接口"), call("ask_user", "question", "用什么颜色？")), say("等"), say("蓝色的页面")),
			"res_1": lines(say("", call("read_file", "path", "api.md"), call("read_file", "path", "notes.md")), say("看完了")),
		},
		between: func(t *testing.T, log string) {
			if err := errors.Join(leader.Answer(log, "ask_tl_001", "蓝色"), leader.Decide(log, "apr_001", leader.Decision{Allow: true}),
				leader.Decide(log, "apr_002", leader.Decision{Reason: "不必看"})); err != nil {
				t.Error(err)
			}
		},
	})
	for _, lang := range []string{"zh", "en"} {
		list = append(list, scene{name: "questions-" + lang, lang: lang, cast: cast{
			"tl": answerer("answer_sub_agent_question",
				say("two", create("uio", "design"), create("fse", "api")),
				say("", call("ask_sub_agent", "agent", "fse_1", "question", "how far are you?")),
				say("", call("wait_sub_agent_output", "until", "all"))),
			"uio_1": lines(
				say("I ask", call("ask_master", "question", "which colour?"), call("ask_other_agent", "agent", "fse_1", "question", "which fields?")),
				say("", call("ask_other_agent", "agent", "fse_1", "question", "done?", "expects", "reply")),
				say("", call("ask_other_agent", "agent", "fse_1", "question", "thanks", "expects", "none")),
				say("the page")),
			"fse_1": answerer("answer_other_agent",
				say("", call("ask_other_agent", "agent", "uio_1", "question", "for whom?")), say("api.md is done")),
		}})
	}
	return list
}

func compactedCast() cast {
	long := strings.Repeat("the page has a form with a name and a mail, ", 60)
	return cast{
		"tl": func(req model.Request, n int) reply {
			if strings.HasPrefix(req.Messages[0].Content, "You condense") {
				return say("One worker was hired.")
			}
			if n < 6 && n > 0 {
				return say(long, call("list_active_sub_agents"))
			}
			if n == 0 {
				return say("", create("uio", "design"))
			}
			return say("all is known")
		},
		"uio_1": lines(say("designed")),
	}
}

// load reads a recorded run.
func load(t testing.TB, path string) []event.Record {
	t.Helper()
	var records []event.Record
	for rec, err := range transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

func sequence(records []event.Record) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func verify(t testing.TB, records []event.Record, change func(*agent.Config)) replay.Verification {
	t.Helper()
	v, err := replay.Verify(t.Context(), sequence(records), replay.Change(change))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestScenes records every scene anew and verifies it.
func TestScenes(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			records := s.record(t)
			if testing.Verbose() {
				dump(t, records)
			}
			check(t, verify(t, records, nil))
		})
	}
}

func dump(t *testing.T, records []event.Record) {
	t.Helper()
	var b bytes.Buffer
	for _, rec := range records {
		raw, _ := rec.MarshalJSON()
		b.Write(append(raw[:min(len(raw), 330)], '\n'))
	}
	t.Log(b.String())
}

func check(t *testing.T, v replay.Verification) {
	t.Helper()
	for _, a := range v.Agents {
		t.Logf("%s: %d records, %d requests %v", a.Agent, a.Records, a.Requests, a.MissingTools)
		if m := a.Mismatch; m != nil {
			t.Errorf("%s at %d (%s) %s: %s, replayed %s %s\n%s", m.Agent, m.Seq, m.Type, m.Path, m.Recorded, m.Replayed, m.Note, m.Diff)
		}
	}
	for _, x := range v.Violations {
		t.Errorf("%+v", x)
	}
}

// recorded are the paths of the recorded runs.
func recorded(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(runsDir, "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded runs: %v", err)
	}
	return paths
}

// TestRecordedRuns verifies every run in testdata/runs. With -update it records
// the scenes anew.
func TestRecordedRuns(t *testing.T) {
	if golden.Updating() {
		dir, err := filepath.Abs(runsDir)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scenes() {
			t.Run("record "+s.name, func(t *testing.T) { write(t, filepath.Join(dir, s.name+".jsonl"), s.record(t)) })
		}
	}
	for _, path := range recorded(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			records := load(t, path)
			v := verify(t, records, nil)
			check(t, v)
			n := 0
			for _, a := range v.Agents {
				n += a.Requests
			}
			if want := count[event.ModelRequested](records); n != want {
				t.Errorf("%d requests are the same, the log has %d", n, want)
			}
		})
	}
}

func write(t *testing.T, path string, records []event.Record) {
	t.Helper()
	var b bytes.Buffer
	for _, rec := range records {
		if d, ok := rec.Data.(event.RunStarted); ok {
			d.WorkDir = "" // of this machine
			rec.Data = d
		}
		raw, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// count is the number of records that say a D.
func count[D event.Data](records []event.Record) (n int) {
	for _, rec := range records {
		if _, ok := rec.Data.(D); ok {
			n++
		}
	}
	return n
}

// TestEveryCut verifies every recorded run as a crash would have left it after
// each of its records.
func TestEveryCut(t *testing.T) {
	for _, path := range recorded(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			records := load(t, path)
			for n := 1; n <= len(records); n++ {
				v := verify(t, records[:n], nil)
				if !v.OK() {
					t.Fatalf("cut after record %d (%s %s): %+v %v", n, records[n-1].Agent, records[n-1].Type(), v.First(), v.Violations)
				}
			}
		})
	}
}

type priceArgs struct {
	Of string `json:"of"`
}

func priceTool(description string) tools.Tool {
	return tools.Func("price", description, func(context.Context, priceArgs) (string, error) { return "42", nil })
}

// TestAStopInAWait verifies a run in which an agent is stopped while it waits to
// ask its model again, and the wait is cut by the end of the run.
func TestAStopInAWait(t *testing.T) {
	busy := model.NewError(model.ClassRateLimited, "too many requests")
	busy.RetryAfter = time.Minute
	records := scene{
		name: "waits", lang: "en", cast: cast{
			"tl": lines(say("", create("uio", "design")), say("", call("list_agents")), reply{
				Delay: 20 * time.Second, Err: model.NewError(model.ClassQuota, "the account has nothing left"),
			}),
			"uio_1": lines(reply{Err: busy}),
		},
		team: func(t *leader.Team) { t.Model.Client = model.WithRetry(t.Model.Client, model.RetryPolicy{}) },
		during: func(t *testing.T, run *leader.Run) {
			time.Sleep(10 * time.Second)
			if err := run.Stop("uio_1", leader.Soft); err != nil {
				t.Error(err)
			}
		},
	}.record(t)
	if count[event.AgentStopping](records) != 1 || count[event.ModelRetried](records) != 1 {
		t.Fatal("the worker was not stopped in its wait")
	}
	check(t, verify(t, records, nil))
}
