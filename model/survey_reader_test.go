package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
)

// readerStage begins the reader's conversation; the scout answers its question
// with the text, or with an error if it begins with "!".
func readerStage(t *testing.T, files map[string]string, scout string) *stage {
	t.Helper()
	s := newStage(t, "reader", fill(t, files), workerPrompt, readerTools...)
	s.answer = func(c event.Call) (string, bool, bool) {
		if c.Name != "ask_other_agent" {
			return "", false, false
		}
		if text, isError := strings.CutPrefix(scout, "!"); isError {
			return text, true, true
		}
		return frame("Scout_1", scout), false, true
	}
	return s.hear(event.Task, "Team Leader", "tl", "task_002", "Find TODO. Ask scout_1 for the README.")
}

func TestSurveyReaderFindsPlaces(t *testing.T) {
	s := readerStage(t, map[string]string{
		"a.go":             "package a\n\n// TODO: one\n// TODOS are none\nFIXME TODO twice on a line\n",
		"odd:7: name/b c":  "x\n中文 TODO：二\n",
		"line\nbreak.txt":  "FIXME",
		"picture.png":      "TODO \x00",
		"node_modules/a.c": "TODO",
		"latin.txt":        "TODO \xe9",
	}, "READMEs: 0")
	report := s.finish()
	if !strings.HasPrefix(report, labelEn+"\n") {
		t.Errorf("the report begins with %.80q, want the label", report)
	}
	mustHave(t, report, "- TODO: 4 lines in 3 files", "- FIXME: 2 lines in 2 files", "  - `a.go:3`: // TODO: one",
		"  - `a.go:5`: FIXME TODO twice on a line", "  - `\"line\\nbreak.txt\":1`: FIXME", "  - `latin.txt:1`: TODO \ufffd", "- there is no README",
		"- not searched, because they are binary: 1 file",
		"- Asked scout_1 which files are READMEs. Answer: READMEs: 0")
	if !strings.Contains(report, "odd:7: name/b c:2") && !strings.Contains(report, "`odd:7`: name/b c:2: 中文 TODO：二") {
		t.Errorf("the odd name is not told whole:\n%s", report)
	}
	if first := s.made()[:3]; !slices.Equal(first, []string{"ask_other_agent", "search_files", "search_files"}) {
		t.Errorf("it begins with %v, want the question and the searches in one step", first)
	}
}

func TestSurveyReaderTurnsPages(t *testing.T) {
	s := readerStage(t, map[string]string{"a.txt": strings.Repeat("TODO\n", 450)}, "READMEs: 0")
	mustHave(t, s.finish(), "- TODO: 450 lines in 1 file", "  - `a.txt:20`: TODO", "  - … and 430 more, not named here; of the first 450 lines most are in `a.txt`")
	if n := len(slices.DeleteFunc(s.made(), func(name string) bool { return name != "search_files" })); n != 3 {
		t.Errorf("it searched %d pages, want two for TODO and one for FIXME", n)
	}
}

func TestSurveyReaderStopsAtItsBound(t *testing.T) {
	s := readerStage(t, nil, "READMEs: 0")
	asks, pages := s.answer, 0
	s.answer = func(c event.Call) (string, bool, bool) {
		if c.Name != "search_files" || argument(t, c, "pattern") != `TODO\b` {
			return asks(c)
		}
		pages++
		return fmt.Sprintf("900 matches in 9 files\na.c:%d: TODO\n… 800 more; go on with offset=%d\n", pages, pages), false, true
	}
	mustHave(t, s.finish(), "- TODO: 900 lines in 9 files", "  - `a.c:2`: TODO", "  - … and 898 more, not named here; of the first 2 lines most are in `a.c`")
	if pages != 2 {
		t.Errorf("it asked for %d pages, want the bound of 2", pages)
	}
}

func TestSurveyReaderReadsREADMEs(t *testing.T) {
	long := strings.Repeat("word\n", 2500)
	for name, tc := range map[string]struct {
		files map[string]string
		scout string
		lines []string
	}{
		"one": {
			map[string]string{"README.md": "# A\n\ntext\n"},
			"READMEs: 1\nREADME: README.md",
			[]string{"- `README.md`: 10 bytes, 3 lines", "  - A"},
		},
		"several": {
			map[string]string{"README.md": "# A\n", "a/README.md": "# B\n", "b/README.md": "# C\n", "c/README.md": "# D\n"},
			"READMEs: 4\nREADME: README.md\nREADME: a/README.md\nREADME: b/README.md\nREADME: c/README.md",
			[]string{"  - A", "  - B", "  - C", "- … and 1 more, not read"},
		},
		"an odd name": {
			map[string]string{"new\nline/README.md": "# A\n"},
			`READMEs: 1` + "\n" + `README: "new\nline/README.md"`,
			[]string{"- `\"new\\nline/README.md\"`: 4 bytes, 1 line", "  - A"},
		},
		"without headings": {
			map[string]string{"README": "\n  Hello\nyou\n"},
			"READMEs: 1\nREADME: README",
			[]string{"  - no headings; it begins: Hello you"},
		},
		"empty":  {map[string]string{"README": ""}, "READMEs: 1\nREADME: README", []string{"- `README`: 0 bytes, empty"}},
		"binary": {map[string]string{"README": "a\x00"}, "READMEs: 1\nREADME: README", []string{"- `README`: 2 bytes, binary, application/octet-stream"}},
		"gone": {
			nil, "READMEs: 1\nREADME: README",
			[]string{"- `README` could not be read: workspace: \"README\" does not exist; list_dir shows what does"},
		},
		"long": {
			map[string]string{"README.md": "# A\n" + long},
			"READMEs: 1\nREADME: README.md",
			[]string{"- `README.md`: 12.2 KiB (12504 bytes), 2501 lines", "- only the first 2000 lines of it were read", "  - A"},
		},
		"the scout failed": {
			map[string]string{"readme.txt": "# A\n", "a/README.md": "# B\n"},
			"!scout_1 was terminated",
			[]string{"- `readme.txt`: 4 bytes, 1 line", "- Asked scout_1 which files are READMEs. It brought no answer: scout_1 was terminated"},
		},
		"the scout says something else": {map[string]string{"Readme.md": "# A\n"}, "I do not know.", []string{"  - A"}},
	} {
		t.Run(name, func(t *testing.T) {
			mustHave(t, readerStage(t, tc.files, tc.scout).finish(), tc.lines...)
		})
	}
}

func TestSurveyOutlines(t *testing.T) {
	for name, tc := range map[string]struct{ file, text, want string }{
		"markdown":      {"README.md", "# A #\n## B `c`\n#no\n### [D](x) ![i](y)\n", "A|  B `c|    D"},
		"underlined":    {"README.md", "A\n===\n\nB b\n---\n\n---\n- item\n---\n", "A|  B b"},
		"code":          {"README.md", "# A\n```sh\n# no\n```\n~~~\n# no\n~~~\n    # no\n## B\n", "A|  B"},
		"front matter":  {"README.md", "---\ntitle: x\n---\n# A\n", "A"},
		"markup":        {"README.md", "<h1 align=\"center\"><b>A</b></h1>\r\n## B\r\n", "A|  B"},
		"restructured":  {"README.rst", "=====\nTitle\n=====\n\nPart\n----\n\nSub\n~~~\n\nPart2\n-----\n", "Title|  Part|    Sub|  Part2"},
		"asciidoc":      {"README.adoc", "= A\n== B\n=C\n", "A|  B"},
		"org":           {"README.org", "* A\n** B\n", "A|  B"},
		"no heading":    {"README.md", "####### seven\n#\n", "no headings; it begins: ####### seven #"},
		"control runes": {"README.md", "# A\x1b[31m\n", "A [31m"},
	} {
		t.Run(name, func(t *testing.T) {
			report := readerStage(t, map[string]string{tc.file: tc.text}, "READMEs: 1\nREADME: "+tc.file).finish()
			_, section, _ := strings.Cut(report, "## README\n\n")
			section, _, _ = strings.Cut(section, "\n\n")
			var got []string
			for _, line := range strings.Split(section, "\n")[1:] {
				got = append(got, strings.Replace(strings.TrimPrefix(line, "  "), "- ", "", 1))
			}
			if shown := strings.Join(got, "|"); shown != tc.want {
				t.Errorf("got outline %q, want %q", shown, tc.want)
			}
		})
	}
}

func TestSurveyReaderTellsWhatItDidNotSearch(t *testing.T) {
	s := readerStage(t, map[string]string{"large.txt": strings.Repeat("TODO\n", 300_000), "a": "TODO"}, "READMEs: 0")
	mustHave(t, s.finish(), "- TODO: 1 line in 1 file", "- not searched, because they are larger than 1 MiB: 1 file")

	s = readerStage(t, nil, "READMEs: 0")
	asks := s.answer
	s.answer = func(c event.Call) (string, bool, bool) {
		if c.Name == "search_files" {
			return "0 matches in 0 files; skipped 2 binary, 3 over 1 MiB, 4 unreadable\n", false, true
		}
		return asks(c)
	}
	mustHave(t, s.finish(), "- TODO: 0 lines in 0 files", "- not searched, because they are binary: 2 files",
		"- not searched, because they are larger than 1 MiB: 3 files", "- not searched, because they cannot be read: 4 files or folders")
}

func TestSurveyReaderWithErrors(t *testing.T) {
	s := readerStage(t, nil, "READMEs: 0")
	asks := s.answer
	s.answer = func(c event.Call) (string, bool, bool) {
		if c.Name == "search_files" {
			return "tool: timed out", true, true
		}
		return asks(c)
	}
	mustHave(t, s.finish(), "- the search for TODO broke off: tool: timed out")
}

func TestSurveyReaderAnswersAndWrapsUp(t *testing.T) {
	s := readerStage(t, map[string]string{"a": "TODO"}, "READMEs: 0")
	s.hear(event.Question, "Team Leader", "tl", "ask_tl_001", "how far?")
	_, calls := s.reply()
	if len(calls) != 1 || calls[0].Name != "answer_other_agent" || argument(t, calls[0], "question_id") != "ask_tl_001" {
		t.Errorf("the question got %v, want an answer before all else", calls)
	}
	s = readerStage(t, map[string]string{"a": "TODO"}, "READMEs: 0")
	s.step()
	s.hear(event.Question, "Scout_1", "scout_1", "ask_scout_001", "how many?")
	if _, calls := s.reply(); argument(t, calls[0], "answer") != "I am a script. TODO so far: 1 line in 1 file. FIXME so far: 0 lines in 0 files." {
		t.Errorf("after its search it answers %v", calls)
	}
	s = readerStage(t, map[string]string{"a": "TODO"}, "READMEs: 0")
	s.req.Tools = nil
	text, calls := s.reply()
	if len(calls) > 0 {
		t.Errorf("it calls %v without tools", calls)
	}
	mustHave(t, text, "- nothing was searched for TODO: there was no search_files to do it with", "- which files are READMEs is not known")
}
