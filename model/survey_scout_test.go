package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
)

func scoutStage(t *testing.T, files map[string]string) *stage {
	t.Helper()
	s := newStage(t, "scout", fill(t, files), workerPrompt, scoutTools...)
	s.answer = leaderSays("Yes")
	return s.hear(event.Task, "Team Leader", "tl", "task_001", "list it")
}

func TestSurveyScoutMeasuresOddNames(t *testing.T) {
	s := scoutStage(t, map[string]string{
		"main.go":                  "package main\n",
		"a  b/c -> d.txt":          "1234",
		"中文 目录/说明 文件.md":           "五个字节",
		"line\nbreak/new\nline.go": "12",
		`"quoted".go`:              "1",
		"empty.txt":                "",
		"void/":                    "",
		"deep/void/":               "",
		"x/  skipped/":             "",
		"node_modules/left/pad.js": "never counted",
		"trailing ":                "1",
	})
	report := s.finish()
	if !strings.HasPrefix(report, labelEn+"\n") {
		t.Errorf("the report begins with %.80q, want the label", report)
	}
	mustHave(t, report,
		"- 7 files in 9 folders, 33 bytes",
		"- `.go` (source code): 3 files, 16 bytes",
		"- `.txt` (text): 2 files, 4 bytes",
		"- `.md` (text): 1 file, 12 bytes",
		"- without ending: 1 file, 1 byte",
		"- `\"line\\nbreak/new\\nline.go\"`: 2 bytes",
		"- empty files (1): `empty.txt`",
		"- empty folders (3): `deep/void/`, `void/`, `x/  skipped/`",
		"- no README",
		"- source code, but no licence at the top",
		"- source code, but nothing that looks like a test",
		"- 1 folder that list_dir does not go into: `node_modules/`",
		"- `node_modules/` has 1 thing at its top level, not counted above",
	)
	if !strings.Contains(report, "names with control characters, or spaces at their ends (4): ") {
		t.Errorf("the odd names are not told:\n%s", report)
	}
}

func TestSurveyScoutTurnsPages(t *testing.T) {
	files := map[string]string{"README": "hello"}
	for i := range 1500 {
		files[fmt.Sprintf("d%02d/%d.c", i%30, i)] = "x"
	}
	s := scoutStage(t, files)
	mustHave(t, s.finish(), "- 1501 files in 30 folders, 1.5 KiB (1505 bytes)")
	pages := slices.DeleteFunc(s.made(), func(name string) bool { return name != "list_dir" })
	if len(pages) != 2 {
		t.Errorf("it listed in %d pages, want 2", len(pages))
	}
}

func TestSurveyScoutStopsAtItsBound(t *testing.T) {
	s := scoutStage(t, nil)
	page := 0
	s.answer = func(c event.Call) (string, bool, bool) {
		if c.Name != "list_dir" {
			return frame("Team Leader", "10"), false, true
		}
		page++
		return fmt.Sprintf("f  1  f%d.go\n… 500 more; go on with offset=%d\n", page, page), false, true
	}
	report := s.finish()
	if page != 8 {
		t.Errorf("it asked for %d pages, want the bound of 8", page)
	}
	mustHave(t, report, "- 8 files in 0 folders, 8 bytes", "- no README in what was listed",
		"- the listing stops at its bound: 8 entries were listed, 500 were not", "- only a part was listed, so all figures are about that part")
}

func TestSurveyScoutWithErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		results []string // of list_dir; those that begin with ! are errors
		lines   []string
	}{
		"at once": {
			[]string{"!workspace: \".\": permission denied"},
			[]string{"- 0 files in 0 folders, 0 bytes", "- the listing broke off: workspace: \".\": permission denied"},
		},
		"on the second page": {
			[]string{"f  5  README.md\n… 3 more; go on with offset=1\n", "!gone"},
			[]string{"- 1 file in 0 folders, 5 bytes", "- the listing broke off: gone"},
		},
		"an unreadable folder": {
			[]string{"d  secret/  unreadable: permission denied\nd  \"a\\nb/\"  unreadable: permission denied\nf  1  README.rst\nl  to -> there\no  socket\n"},
			[]string{
				"- 1 file in 2 folders, 1 byte", "- unreadable folders (2): `secret/`, `\"a\\nb/\"`", "- 1 symbolic link, not followed",
				"- 1 other thing, neither file nor folder nor link",
			},
		},
		"an empty folder": {[]string{"(empty)\n"}, []string{"- 0 files in 0 folders, 0 bytes", "- the folder is empty"}},
		"unusual things": {
			[]string{"f  9  README.md\nf  1  LICENSE\nf  1  Readme.md\nf  20000000  big.iso\nd  src/\nf  2  src/a.go\nf  3  src/a.so\nf  4  src/a_test.go\nf  1  src/.env\n"},
			[]string{
				"- files of 10 MiB and more (1): `big.iso`", "- programs or libraries among source code, by their ending (1): `src/a.so`",
				"- files that often hold keys or passwords (1): `src/.env`",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scoutStage(t, nil)
			s.answer = func(c event.Call) (string, bool, bool) {
				if c.Name != "list_dir" {
					return frame("Team Leader", "10"), false, true
				}
				result := tc.results[0]
				tc.results = tc.results[1:]
				text, isError := strings.CutPrefix(result, "!")
				return text, isError, true
			}
			report := s.finish()
			mustHave(t, report, tc.lines...)
			if name == "unusual things" && strings.Contains(report, "- no README") {
				t.Errorf("it misses the README:\n%s", report)
			}
		})
	}
}

func TestSurveyScoutGroupsRareEndings(t *testing.T) {
	files := map[string]string{}
	for i := range 23 {
		files[fmt.Sprintf("a.x%02d", i)] = strings.Repeat("x", 100-i)
	}
	files["b.x00"] = "1"
	mustHave(t, scoutStage(t, files).finish(), "- `.x00`: 2 files, 101 bytes", "- `.x19`: 1 file, 81 bytes",
		"- 3 other endings: 3 files, 237 bytes")
}

func TestSurveyScoutKnowsEndings(t *testing.T) {
	report := scoutStage(t, map[string]string{
		"a.PDF": "1", "b.png": "1", "c.zip": "1", "d.exe": "1", "e.json": "1", ".gitignore": "1", "f.": "1", "v1.a b c": "1", "key.pem": "1",
	}).finish()
	mustHave(t, report, "- `.pdf` (documents): 1 file, 1 byte", "- `.png` (pictures, sound, fonts): 1 file, 1 byte", "- `.zip` (archives): 1 file, 1 byte",
		"- `.exe` (programs and libraries): 1 file, 1 byte", "- `.json` (data and settings): 1 file, 1 byte", "- without ending: 3 files, 3 bytes",
		"- files that often hold keys or passwords (1): `key.pem`")
	if strings.Contains(report, "source code, but") {
		t.Errorf("it wants tests in a folder without source code:\n%s", report)
	}
}

func TestSurveyScoutAsksAndHeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		files            map[string]string
		answer           string
		question, result string
	}{
		"look": {
			map[string]string{".git/HEAD": "", "node_modules/a/b": "", "node_modules/c/d": ""},
			"Yes, please",
			"`node_modules/` looks generated or hidden, and list_dir does not go into it. Shall I look at its top level?",
			"- `node_modules/` has 2 things at its top level, not counted above",
		},
		"do not look": {
			map[string]string{"node_modules/a/b": ""},
			"No", "`node_modules/` looks generated or hidden, and list_dir does not go into it. Shall I look at its top level?",
			"- Asked the Team Leader: `node_modules/` looks generated or hidden, and list_dir does not go into it. Shall I look at its top level? Answer: No",
		},
		"count": {
			map[string]string{"dist/a.js": "12", "b.js": "1"},
			"Yes",
			"`dist/` with 1 file looks generated or is hidden. Shall I count it with the rest?",
			"- of the totals, in `dist/`: 1 file, 2 bytes",
		},
		"largest": {
			map[string]string{"a": "1", "b": "22", "c": "333"},
			"Name 1 of them",
			"I counted 3 files in 0 folders; none of the folders looks generated. How many of the largest files shall I name?",
			"- `c`: 3 bytes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scoutStage(t, tc.files)
			s.answer = leaderSays(tc.answer)
			report := s.finish()
			mustHave(t, report, tc.result)
			i := slices.IndexFunc(s.calls, func(c event.Call) bool { return c.Name == "ask_master" })
			if i < 0 || s.calls[i].Arguments != fmt.Sprintf(`{"question":%q}`, tc.question) {
				t.Errorf("calls are %v, want the question %q", s.calls, tc.question)
			}
			if name == "largest" && strings.Contains(report, "`b`: 2 bytes") {
				t.Errorf("it names more files than the leader wants:\n%s", report)
			}
			if name == "do not look" && strings.Contains(report, "at its top level, not counted") {
				t.Errorf("it looked without leave:\n%s", report)
			}
		})
	}
}

func TestSurveyScoutAnswersAtAnyTime(t *testing.T) {
	files := map[string]string{"docs/README.md": "x", "README.md": "y", "a.png": "z"}
	const want = "I counted 3 files in 1 folder; by its ending, 2 of the files look like text.\nREADMEs: 2\nREADME: README.md\nREADME: docs/README.md"
	for when := range 5 {
		s := scoutStage(t, files)
		answered := ""
		s.answer = func(c event.Call) (string, bool, bool) {
			if c.Name == "answer_other_agent" {
				answered = argument(t, c, "question_id") + " " + argument(t, c, "answer")
				return "delivered", false, true
			}
			return leaderSays("10")(c)
		}
		for range when {
			s.step()
		}
		s.hear(event.Question, "Reader_1", "reader_1", "ask_reader_001", "which?")
		report := s.finish()
		if answered != "ask_reader_001 "+want {
			t.Errorf("asked after %d steps it answered %q, want %q", when, answered, want)
		}
		mustHave(t, report, "- 3 files in 1 folder, 3 bytes")
	}
}

func TestSurveyScoutAndNotes(t *testing.T) {
	s := scoutStage(t, map[string]string{"a": "1"})
	s.step()
	s.hear(event.Note, "Troupe", "sys", "msg_sys_001", "Finish what matters most")
	s.hear(event.Note, "User", "user", "msg_user_002", "only\nGo files")
	report := s.finish()
	mustHave(t, report, "- User wrote: “only Go files” A script cannot act on that; the survey is unchanged.")
	if strings.Contains(report, "matters most") {
		t.Errorf("it quotes the runtime:\n%s", report)
	}
	s.hear(event.Note, "Team Leader", "tl", "msg_tl_001", "thanks")
	if again := s.finish(); !strings.Contains(again, "- 1 file in 0 folders, 1 byte") {
		t.Errorf("woken after its report it says %q, want the whole report", again)
	}
}

func TestSurveyScoutWrapsUp(t *testing.T) {
	s := scoutStage(t, map[string]string{"a": "1"})
	s.step()
	s.req.Tools = nil
	text, calls := s.step()
	if len(calls) > 0 {
		t.Errorf("it calls %v without tools", calls)
	}
	mustHave(t, text, "- 1 file in 0 folders, 1 byte")

	s = scoutStage(t, nil)
	s.req.Tools = nil
	text, calls = s.step()
	if len(calls) > 0 {
		t.Errorf("it calls %v without tools", calls)
	}
	mustHave(t, text, "- nothing was listed: there was no list_dir to do it with")
}

func TestSurveyScoutTakesASecondTask(t *testing.T) {
	s := scoutStage(t, map[string]string{"a": "1"})
	s.finish()
	first := len(s.calls)
	s.hear(event.Task, "Team Leader", "tl", "task_002", "again")
	s.finish()
	if got := len(s.calls) - first; got != first {
		t.Errorf("the second task took %d calls, want the %d of the first", got, first)
	}
}
