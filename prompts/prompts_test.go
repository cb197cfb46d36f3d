package prompts_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/prompts"
)

func TestGolden(t *testing.T) {
	for _, lang := range langs {
		golden.Equal(t, "testdata/leader."+lang+".golden", []byte(leader(t, lang, leaderSample(lang))+"\n"))
		golden.Equal(t, "testdata/leader_bare."+lang+".golden", []byte(leader(t, lang, prompts.LeaderData{})+"\n"))
		golden.Equal(t, "testdata/worker."+lang+".golden", []byte(worker(t, lang, workerSample(lang))+"\n"))
		golden.Equal(t, "testdata/worker_bare."+lang+".golden", []byte(worker(t, lang, prompts.WorkerData{Name: "UI Operator_1"})+"\n"))
	}
}

// TestWhoMayBeAsked tells a list that is not given, which is everyone, from one
// that is empty, which is nobody.
func TestWhoMayBeAsked(t *testing.T) {
	everyone := map[string]string{"en": "You may ask every agent of the team.", "zh": "团队里的每个智能体都可以问"}
	nobody := map[string]string{"en": "You may not ask other agents", "zh": "你不能问别的智能体"}
	for _, lang := range langs {
		for _, tt := range []struct {
			canAsk           []string
			everyone, nobody bool
		}{{canAsk: nil, everyone: true}, {canAsk: []string{}, nobody: true}, {canAsk: []string{"res"}}} {
			w := workerSample(lang)
			w.CanAsk = tt.canAsk
			text := worker(t, lang, w)
			if got := strings.Contains(text, everyone[lang]); got != tt.everyone {
				t.Errorf("%s, %#v: it may ask everyone: %t, want %t", lang, tt.canAsk, got, tt.everyone)
			}
			if got := strings.Contains(text, nobody[lang]); got != tt.nobody {
				t.Errorf("%s, %#v: it may ask nobody: %t, want %t", lang, tt.canAsk, got, tt.nobody)
			}
		}
	}
}

// TestShort keeps the prompts short: a model reads them with every request.
func TestShort(t *testing.T) {
	for name, text := range map[string]string{
		"leader": leader(t, "en", leaderSample("en")),
		"worker": worker(t, "en", workerSample("en")),
	} {
		if n := len(strings.Fields(text)); n >= 900 {
			t.Errorf("%s in English has %d words, want fewer than 900", name, n)
		}
	}
	for name, text := range map[string]string{
		"leader": leader(t, "zh", leaderSample("zh")),
		"worker": worker(t, "zh", workerSample("zh")),
	} {
		if n := utf8.RuneCountInString(text); n >= 3500 {
			t.Errorf("%s in Chinese has %d runes, want fewer than 3500", name, n)
		}
	}
}

// TestEveryFieldIsShown gives each field a text of its own and looks for it.
func TestEveryFieldIsShown(t *testing.T) {
	for _, lang := range langs {
		var l prompts.LeaderData
		marks := fill(reflect.ValueOf(&l).Elem(), "L")
		text := leader(t, lang, l)
		for field, mark := range marks {
			shown := strings.Contains(text, mark)
			if want := field != "L.Roles.Prompt"; shown != want {
				t.Errorf("%s leader: field %s shown = %v, want %v", lang, field, shown, want)
			}
		}
		var w prompts.WorkerData
		marks = fill(reflect.ValueOf(&w).Elem(), "W")
		w.Tools = append(w.Tools, tools("ask_other_agent")...)
		text = worker(t, lang, w)
		for field, mark := range marks {
			if !strings.Contains(text, mark) {
				t.Errorf("%s worker: field %s is not shown", lang, field)
			}
		}
	}
}

// fill sets every field below v to a mark of its own and returns the marks
// by the path of the field.
func fill(v reflect.Value, path string) map[string]string {
	marks := map[string]string{}
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			walk(v.Index(0), path)
		case reflect.String:
			marks[path] = fmt.Sprintf("mark%dmark", len(marks))
			v.SetString(marks[path])
		case reflect.Int:
			n := 7000 + len(marks)
			marks[path] = fmt.Sprint(n)
			v.SetInt(int64(n))
		default:
			panic("no mark for " + v.Kind().String())
		}
	}
	walk(v, path)
	return marks
}

// TestToolList checks that each tool stands in the list once, as given.
func TestToolList(t *testing.T) {
	for _, lang := range langs {
		l, w := leaderSample(lang), workerSample(lang)
		for _, c := range []struct {
			text  string
			tools []prompts.Tool
		}{
			{leader(t, lang, l), l.Tools},
			{worker(t, lang, w), w.Tools},
		} {
			var listed []string
			for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`(?:: |：)Description of ").FindAllStringSubmatch(c.text, -1) {
				listed = append(listed, m[1])
			}
			var want []string
			for _, tool := range c.tools {
				want = append(want, tool.Name)
			}
			if !slices.Equal(listed, want) {
				t.Errorf("%s: listed tools %q, want %q", lang, listed, want)
			}
			if strings.Contains(c.text, "More of it.") {
				t.Errorf("%s: the list shows more than the first line of a description", lang)
			}
		}
	}
}

var toolLike = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

// notTools are words of that form that are no tools.
var notTools = []string{"question_id"}

// strangers returns the tool-like names in a text that are not allowed.
func strangers(text string, allowed []string) []string {
	var found []string
	for _, name := range toolLike.FindAllString(text, -1) {
		if !slices.Contains(allowed, name) && !slices.Contains(notTools, name) {
			found = append(found, name)
		}
	}
	return found
}

// TestNoForeignTools renders many subsets of the tools and checks that a
// prompt names only what it was given.
func TestNoForeignTools(t *testing.T) {
	check := func(names []string, all bool) {
		t.Helper()
		for _, lang := range langs {
			l := leader(t, lang, prompts.LeaderData{Tools: tools(names...)})
			w := worker(t, lang, prompts.WorkerData{Name: "X_1", Tools: tools(names...)})
			for who, text := range map[string]string{"leader": l, "worker": w} {
				if s := strangers(text, names); len(s) > 0 {
					t.Errorf("%s %s with tools %q names %q", lang, who, names, s)
				}
			}
			if !all {
				continue
			}
			// Every communication tool is explained, not only listed.
			for _, name := range leaderTools {
				if strings.Count(l, "`"+name+"`") < 2 {
					t.Errorf("%s leader: %s is not explained", lang, name)
				}
			}
			for _, name := range workerTools {
				if strings.Count(w, "`"+name+"`") < 2 {
					t.Errorf("%s worker: %s is not explained", lang, name)
				}
			}
		}
	}
	all := slices.Concat(leaderTools, workerTools[:3], fileTools)
	check(nil, false)
	check(all, true)
	for i := range all {
		check(all[i:i+1], false)
		check(slices.Delete(slices.Clone(all), i, i+1), false)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var some []string
		for _, name := range all {
			if rng.IntN(2) == 0 {
				some = append(some, name)
			}
		}
		check(some, false)
	}
}

// TestStrangers shows that the check of TestNoForeignTools can fail.
func TestStrangers(t *testing.T) {
	got := strangers("用`ask_master`问，id ask_uio_001, question_id, then read_file.", []string{"read_file"})
	if want := []string{"ask_master"}; !slices.Equal(got, want) {
		t.Errorf("strangers = %q, want %q", got, want)
	}
}

// TestMessageForms checks that both prompts show one example of each kind of
// message, framed as the mailbox protocol says.
func TestMessageForms(t *testing.T) {
	frame := regexp.MustCompile(`(?m)^来自 (.+) 的(.+)\nid: ([a-z]+_)(?:[a-z]+_)?\d{3}\n\n<(.+)>\n<([A-Z][a-z]+)( question_id="ask_uio_001")?>\n.+\n</(.+)>\n</(.+)>$`)
	want := []string{
		"任务发布 task_ Task", "任务进度输出 out_ Output", "任务完成汇报 out_ Output",
		"提问 ask_ Ask", "消息 msg_ Message", "回答 ans_ Answer",
	}
	for _, lang := range langs {
		for who, text := range map[string]string{
			"leader": leader(t, lang, prompts.LeaderData{}),
			"worker": worker(t, lang, prompts.WorkerData{Name: "X_1"}),
		} {
			var got []string
			for _, m := range frame.FindAllStringSubmatch(text, -1) {
				got = append(got, m[2]+" "+m[3]+" "+m[5])
				if m[1] != m[4] || m[4] != m[8] || m[5] != m[7] {
					t.Errorf("%s %s: the frame does not close as it opens:\n%s", lang, who, m[0])
				}
				if (m[6] != "") != (m[5] == "Answer") {
					t.Errorf("%s %s: only an answer has a question_id:\n%s", lang, who, m[0])
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s shows %q, want %q", lang, who, got, want)
			}
		}
	}
}

// TestTextIsNoTemplate checks that what comes in is inserted as it is.
func TestTextIsNoTemplate(t *testing.T) {
	const hostile = `{{.TeamName}} {{template "notes"}} <b>&amp;</b>`
	for _, lang := range langs {
		l := leaderSample(lang)
		l.Extra, l.Context = hostile, hostile
		if text := leader(t, lang, l); strings.Count(text, hostile) != 2 {
			t.Errorf("%s leader changed inserted text:\n%s", lang, text)
		}
		w := workerSample(lang)
		w.Prompt, w.Context = hostile, hostile
		if text := worker(t, lang, w); strings.Count(text, hostile) != 2 {
			t.Errorf("%s worker changed inserted text:\n%s", lang, text)
		}
	}
}

// TestListsStayLists checks that texts of several lines cannot break a list.
func TestListsStayLists(t *testing.T) {
	d := prompts.LeaderData{Roles: []prompts.Role{{ID: "x", Name: "X", Does: "one\n\n# two\n- three"}}}
	for _, lang := range langs {
		if text := leader(t, lang, d); !strings.Contains(text, "one # two - three") {
			t.Errorf("%s: does is not on one line:\n%s", lang, text)
		}
	}
}

// TestLayout checks that conditions leave neither gaps nor blanks at line
// ends, whatever is left out.
func TestLayout(t *testing.T) {
	for _, lang := range langs {
		for name, text := range map[string]string{
			"leader":      leader(t, lang, leaderSample(lang)),
			"bare leader": leader(t, lang, prompts.LeaderData{}),
			"worker":      worker(t, lang, workerSample(lang)),
			"bare worker": worker(t, lang, prompts.WorkerData{Name: "X_1"}),
		} {
			if strings.Contains(text, "\n\n\n") || strings.Contains(text, " \n") || text != strings.TrimSpace(text) {
				t.Errorf("%s %s has a gap or a blank at a line's end:\n%s", lang, name, text)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	one := prompts.WorkerData{Name: "X_1"}
	for _, c := range []struct {
		name   string
		render func() (string, error)
		want   string
	}{
		{"leader language", func() (string, error) { return prompts.Leader("fr", prompts.LeaderData{}) }, `prompts: no language "fr", only "en" and "zh"`},
		{"worker language", func() (string, error) { return prompts.Worker("", one) }, `prompts: no language "", only "en" and "zh"`},
		{"leader tool twice", func() (string, error) { return prompts.Leader("en", prompts.LeaderData{Tools: tools("a", "a")}) }, `prompts: tool "a" is given twice`},
		{"worker tool twice", func() (string, error) {
			return prompts.Worker("en", prompts.WorkerData{Name: "X_1", Tools: tools("a", "b", "a")})
		}, `prompts: tool "a" is given twice`},
		{"tool without name", func() (string, error) { return prompts.Leader("en", prompts.LeaderData{Tools: tools("a", "")}) }, `prompts: tool 2 has no name`},
		{"worker without name", func() (string, error) { return prompts.Worker("en", prompts.WorkerData{Name: " "}) }, `prompts: a sub-agent without a name`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := c.render()
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %s", err, c.want)
			}
			if text != "" {
				t.Errorf("got text %q beside the error", text)
			}
		})
	}
}
