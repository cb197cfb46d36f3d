package prompts_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/prompts"
)

// TestEveryWord calls every method in both languages with arguments of their
// own and checks that the text is there, in its language, with every argument
// in it, and names no tool of its own accord.
func TestEveryWord(t *testing.T) {
	for m := range reflect.TypeFor[prompts.Words]().Methods() {
		t.Run(m.Name, func(t *testing.T) {
			texts := map[string]string{}
			for _, lang := range langs {
				args := []reflect.Value{reflect.ValueOf(prompts.In(lang))}
				marks := map[string]string{}
				for p := 1; p < m.Type.NumIn(); p++ {
					arg, got := wordArg(m.Type.In(p), fmt.Sprintf("%s.%d", m.Name, p), 100*p)
					args = append(args, arg)
					maps.Copy(marks, got)
				}
				text := m.Func.Call(args)[0].String()
				texts[lang] = text
				for field, mark := range marks {
					if !strings.Contains(text, mark) {
						t.Errorf("%s: %s (%s) is not in %q", lang, field, mark, text)
					}
				}
				if s := strangers(text, nil); len(s) > 0 {
					t.Errorf("%s: names %q", lang, s)
				}
				if han := strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }); han != (lang == "zh") {
					t.Errorf("%s: Chinese characters = %v in %q", lang, han, text)
				}
				if strings.Contains(text, "%!") || text != strings.TrimSpace(text) {
					t.Errorf("%s: badly formatted: %q", lang, text)
				}
			}
			if texts["zh"] == texts["en"] {
				t.Error("the same text in both languages")
			}
		})
	}
}

// wordArg makes an argument whose every part has a mark of its own; n is
// where its numbers begin.
func wordArg(typ reflect.Type, path string, n int) (reflect.Value, map[string]string) {
	v := reflect.New(typ).Elem()
	marks := map[string]string{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		if d, ok := reflect.TypeAssert[*time.Duration](v.Addr()); ok {
			*d = time.Duration(n+len(marks)) * time.Second
			marks[path] = d.String()
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			walk(v.Index(0), path+"[0]")
			walk(v.Index(1), path+"[1]")
		case reflect.String:
			marks[path] = fmt.Sprintf("mark%d-%dmark", n, len(marks))
			v.SetString(marks[path])
		case reflect.Int:
			v.SetInt(int64(n + len(marks)))
			marks[path] = fmt.Sprint(v.Int())
		case reflect.Float64:
			v.SetFloat(float64(n+len(marks)) + 0.5)
			marks[path] = fmt.Sprint(v.Float())
		case reflect.Bool:
			v.SetBool(true)
		default:
			panic("no mark for " + v.Kind().String())
		}
	}
	walk(v, path)
	return v, marks
}

// outcomes are the ten outcomes of a question (the mailbox protocol, section
// 5).
var outcomes = []string{
	"answered", "implicit", "declined", "completed_without_answer", "terminated",
	"failed", "budget", "cancelled", "timeout", "refused_cycle",
}

func TestOutcome(t *testing.T) {
	for _, lang := range langs {
		seen := map[string]string{}
		for _, kind := range outcomes {
			text := prompts.In(lang).Outcome(kind, "{id}_1", "ask_uio_001", "ask_fse_007", "the detail")
			for _, part := range []string{"{id}_1", "ask_uio_001", "ask_fse_007", "the detail"} {
				if !strings.Contains(text, part) {
					t.Errorf("%s %s: %q is not in %q", lang, kind, part, text)
				}
			}
			if strings.Contains(text, kind) && strings.Contains(kind, "_") {
				t.Errorf("%s %s is not told in words: %q", lang, kind, text)
			}
			bare := prompts.In(lang).Outcome(kind, "X_1", "ask_uio_001", "", "")
			if strings.ContainsAny(bare, "\n({（") {
				t.Errorf("%s %s: leaves a place for what is not there: %q", lang, kind, bare)
			}
			if other, dup := seen[bare]; dup {
				t.Errorf("%s: %s and %s have the same words", lang, kind, other)
			}
			seen[bare] = kind
		}
		if got := prompts.In(lang).Outcome("eclipsed", "X_1", "ask_uio_001", "", ""); !strings.Contains(got, "eclipsed") {
			t.Errorf("%s: an unknown outcome is not named: %q", lang, got)
		}
	}
}

func TestLateAnswerBeginsWithTheQuestion(t *testing.T) {
	for _, lang := range langs {
		got := prompts.In(lang).LateAnswer("ask_tl_001", "Two hours.")
		id, rest, _ := strings.Cut(got, "ask_tl_001")
		if id != "" || strings.ContainsAny(rest[:1], "_0123456789") || !strings.HasSuffix(got, "\nTwo hours.") {
			t.Errorf("%s: %q does not begin with the id and end with the answer", lang, got)
		}
	}
}

// TestWordsGolden keeps the words of both languages for review.
func TestWordsGolden(t *testing.T) {
	for _, lang := range langs {
		w := prompts.In(lang)
		question := prompts.OpenQuestion{ID: "ask_uio_001", From: "UI Operator_1", Text: "Which fields\ndoes the form have?"}
		row := prompts.AgentRow{
			Name: "UI Operator_1", ID: "uio_1", Role: "uio", State: "waiting",
			WaitsFor: []string{"ask_uio_001"}, Since: 6400 * time.Millisecond, Unread: 1, Steps: 3,
		}
		idle := prompts.AgentRow{Name: "Researcher_1", ID: "res_1", Role: "res", State: "idle", Since: 2 * time.Minute}
		var texts []string
		add := func(name string, more ...string) {
			texts = append(texts, "== "+name+"\n"+strings.Join(more, "\n--\n"))
		}
		add("OpenQuestions", w.OpenQuestions([]prompts.OpenQuestion{question}))
		add("LimitNear", w.LimitNear("steps", 320, 400), w.LimitNear("budget", 4.1249, 5), w.LimitNear("deadline", 1440, 1800), w.LimitNear("agents", 7, 8), w.LimitNear("spawns", 26, 32), w.LimitNear("max_steps", 24, 30), w.LimitNear("tokens", 1600000, 2000000))
		add("WrapUp", w.WrapUp("tokens"), w.WrapUp("repeat"))
		add("Undeliverable", w.Undeliverable("msg_tl_002", "UI Operator_1", w.TerminatedAgent("UI Operator_1")))
		add("EmptyReply", w.EmptyReply())
		add("RepeatedCall", w.RepeatedCall("read_file", 3))
		add("CancelledCall", w.CancelledCall("deadline"), w.CancelledCall(""))
		add("SummaryPrompt", w.SummaryPrompt())
		add("SummaryRequest", w.SummaryRequest("[Team Leader 任务发布 task_001]\n> Design the page."))
		add("Extract", w.Extract("- assistant: The form has four fields."))
		add("Summary", w.Summary("The form has four fields.", ""), w.Summary("The form has four fields.", w.ActiveList([]prompts.AgentRow{idle})))
		add("Brief", w.Brief(prompts.Brief{
			Task: "Design the sign-up page.\nIn blue.", Team: w.ActiveList([]prompts.AgentRow{row}), ToAgent: []prompts.OpenQuestion{question},
			Own: []prompts.OwnQuestion{{ID: "ask_uio_001", To: "Team Leader", Text: "Which\ncolour?"}},
		}), w.Brief(prompts.Brief{Task: "Design the sign-up page."}))
		add("FailureReport", w.FailureReport("UI Operator_1", "the model refused the key", "set DEEPSEEK_API_KEY"), w.FailureReport("UI Operator_1", "the network is down", ""))
		add("LimitReport", w.LimitReport("UI Operator_1", "max_steps", "The palette is done."), w.LimitReport("UI Operator_1", "max_steps", ""))
		add("StopReport", w.StopReport("UI Operator_1", "User", "wrong colours", "The palette is done."), w.StopReport("UI Operator_1", "User", "", ""))
		add("TerminateReport", w.TerminateReport("UI Operator_1", "Team Leader", "not needed", "The palette is done."), w.TerminateReport("UI Operator_1", "Team Leader", "", ""))
		for _, kind := range outcomes {
			add("Outcome "+kind, w.Outcome(kind, "Full-Stack Engineer_1", "ask_uio_001", "", ""), w.Outcome(kind, "Full-Stack Engineer_1", "ask_uio_001", "ask_fse_007", "detail"))
		}
		add("Yielded", w.Yielded("ask_tl_001", "ask_fse_001", "Full-Stack Engineer_1"))
		add("LateAnswer", w.LateAnswer("ask_tl_001", "Two hours."))
		add("Created", w.Created("UI Operator_1", "uio_1", 1, 7), w.Created("UI Operator_1", "uio_1", 1, -1))
		add("Sent", w.Sent("msg_tl_002", "UI Operator_1"))
		add("MessageSentNoReply", w.MessageSentNoReply("msg_uio_003", "Full-Stack Engineer_1"))
		add("AnswerDelivered", w.AnswerDelivered("ask_uio_001"))
		add("WaitEnded",
			w.WaitEnded(prompts.WaitEnd{Completions: []string{"out_uio_002", "out_fse_004"}, Working: []string{"Researcher_1"}}),
			w.WaitEnded(prompts.WaitEnd{Questions: []string{"ask_fse_001"}, Notes: []string{"msg_user_002"}, Failures: []string{"out_res_002"}}),
			w.WaitEnded(prompts.WaitEnd{NoneWorking: true}),
			w.WaitEnded(prompts.WaitEnd{TimedOut: true, Working: []string{"Researcher_1"}}))
		add("Stopped", w.Stopped("UI Operator_1"))
		add("Stopping", w.Stopping("UI Operator_1"))
		add("Terminated", w.Terminated("UI Operator_1"))
		add("RoleCreated", w.RoleCreated("seo", "SEO Expert"))
		add("RolesList", w.RolesList([]prompts.RoleRow{
			{ID: "uio", Name: "UI Operator", Does: "Designs pages.", Tools: []string{"read_file", "write_file"}, Live: 1, Max: 2},
			{ID: "cr", Name: "Code Reviewer", Does: "Reviews\ncode."},
			{ID: "weather", Name: "Weather", Does: "Knows the weather.", Elsewhere: "streams/weather_agent"},
		}), w.RolesList(nil))
		add("ActiveList", w.ActiveList([]prompts.AgentRow{row, idle}), w.ActiveList(nil))
		add("States", states(w)...)
		add("Status", w.Status([]prompts.AgentDetail{
			{
				AgentRow: row, Task: "Design the sign-up page.", Model: "deepseek/deepseek-chat", Tokens: 5700,
				Cost: "CNY 0.008", LastOutput: "Looking at the design.\nNext: colours.",
				Failure: "the network is down", OpenQuestions: []prompts.OpenQuestion{question},
			},
			{AgentRow: idle},
		}), w.Status(nil))
		add("AgentsFull", w.AgentsFull(8, 8))
		add("SpawnsOut", w.SpawnsOut(32))
		add("RoleFull", w.RoleFull("uio", 2))
		add("UnknownRole", w.UnknownRole("ui", []string{"uio", "fse"}), w.UnknownRole("ui", nil))
		add("MayNotAsk", w.MayNotAsk("QA Engineer_1", []string{"Researcher"}))
		add("UnknownAgent", w.UnknownAgent("uio_9", []string{"UI Operator_1"}), w.UnknownAgent("uio_9", nil))
		add("TerminatedAgent", w.TerminatedAgent("UI Operator_1"))
		add("WorksElsewhere", w.WorksElsewhere("Weather_1"))
		add("ElsewherePrompt", w.ElsewherePrompt("Weather_1", "streams/weather_agent"))
		add("ToYourself", w.ToYourself())
		add("UnknownQuestion", w.UnknownQuestion("ask_uio_009", []string{"ask_uio_001"}), w.UnknownQuestion("ask_uio_009", nil))
		add("ClosedQuestion", w.ClosedQuestion("ask_uio_001"))
		add("UseAskMaster", w.UseAskMaster())
		add("UnknownModel", w.UnknownModel("gpt", []string{"ollama/qwen3:8b"}))
		add("ToolNotAllowed", w.ToolNotAllowed("write_file", []string{"read_file"}))
		add("DeniedByRule", w.DeniedByRule("write_file", "write_file(.env)", []string{"write_file(out/**)"}), w.DeniedByRule("deploy", "deploy", nil))
		add("DeniedByPerson", w.DeniedByPerson("write_file", "Not on a Friday."), w.DeniedByPerson("write_file", ""))
		add("DeniedUnasked", w.DeniedUnasked("write_file", w.NobodyToAsk()), w.DeniedUnasked("write_file", ""))
		add("NobodyToAsk", w.NobodyToAsk())
		add("OtherThanApproved", w.OtherThanApproved("write_file"))
		add("SilentReport", w.SilentReport("UI Operator_1"))
		add("CutCall", w.CutCall())
		add("ClientSilent", w.ClientSilent("analyse_data", 5*time.Minute))
		add("NotCreated", w.NotCreated())
		add("UnknownOutcome", w.UnknownOutcome("deploy"))
		add("Resumed", w.Resumed("limit tokens"), w.Resumed(""))
		add("UnknownProto", w.UnknownProto(`"2.0"`))
		add("AddressedTo", w.AddressedTo("UI Operator"))
		add("SentAt", w.SentAt("2026-11-30 03:00 UTC", "2h5m"))
		add("Omitted", w.Omitted(786432, "files/9f86d081884c7d659a2feaa0c55ad015.txt"))
		shown := strings.Join(texts, "\n\n")
		golden.Equal(t, "testdata/words."+lang+".golden", []byte(shown+"\n"))
		for m := range reflect.TypeFor[prompts.Words]().Methods() {
			if !strings.Contains(shown, "== "+m.Name) {
				t.Errorf("%s is not among the golden words", m.Name)
			}
		}
	}
}

// states are rows in each state of an agent, and in one that is not known.
func states(w prompts.Words) []string {
	var texts []string
	for _, s := range []string{"created", "working", "waiting", "idle", "failed", "stopped", "terminated", "dreaming"} {
		texts = append(texts, w.ActiveList([]prompts.AgentRow{{Name: "X_1", ID: "x_1", Role: "x", State: s}}))
	}
	return texts
}

func TestLanguageOfWords(t *testing.T) {
	zh, en := prompts.In("zh").EmptyReply(), prompts.In("en").EmptyReply()
	for lang, want := range map[string]string{"zh": zh, "en": en, "": en, "fr": en} {
		if got := prompts.In(lang).EmptyReply(); got != want {
			t.Errorf("In(%q) speaks %q, want %q", lang, got, want)
		}
	}
	if got := (prompts.Words{}).EmptyReply(); got != en {
		t.Errorf("the zero Words speaks %q, want English", got)
	}
}
