package leader_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// figures are what a survey tells of a folder, and what the test counts.
type figures struct {
	Files, Folders, Links int
	Bytes                 int64
	Kinds                 map[string]string // files and bytes by ending
	Lines                 map[string]string // lines and files with TODO, and with FIXME
	Places                []string          // of the first ones of each, path and line
	EmptyFiles, Empty     int               // empty files, empty folders
	Skipped               int
	Readmes               []string // that were read
	Largest               []int64
}

// counter counts the figures of a folder.
type counter struct {
	figures
	files, bytes map[string]int64 // by ending
	readmes      []string
	sizes        []int64
	lines, in    map[string]int // lines and files that have them, by TODO and FIXME
	places       map[string][]string
}

// countFigures looks at the folder itself.
func countFigures(t *testing.T, dir string) figures {
	t.Helper()
	c := counter{
		figures: figures{Kinds: map[string]string{}, Lines: map[string]string{}}, files: map[string]int64{}, bytes: map[string]int64{},
		lines: map[string]int{}, in: map[string]int{}, places: map[string][]string{},
	}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || at == dir {
			return err
		}
		switch {
		case d.IsDir():
			return c.folder(at)
		case d.Type()&fs.ModeSymlink != 0:
			c.Links++
			return nil
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		return c.file(at, rel)
	})
	if err != nil {
		t.Fatal(err)
	}
	for ending, n := range c.files {
		c.Kinds[ending] = fmt.Sprint(n, " ", c.bytes[ending])
	}
	slices.SortStableFunc(c.readmes, func(a, b string) int {
		return (strings.Count(a, "/")-strings.Count(b, "/"))*1000 + len(a) - len(b)
	})
	for _, rel := range c.readmes[:min(3, len(c.readmes))] {
		c.Readmes = append(c.Readmes, quoted(rel))
	}
	for _, word := range []string{"TODO", "FIXME"} {
		c.Lines[word] = fmt.Sprint(c.lines[word], " ", c.in[word])
		c.Places = append(c.Places, c.places[word][:min(20, len(c.places[word]))]...)
	}
	slices.Sort(c.sizes)
	slices.Reverse(c.sizes)
	c.Largest = c.sizes[:min(10, len(c.sizes))]
	return c.figures
}

func (c *counter) folder(at string) error {
	c.Folders++
	if slices.Contains(tools.SkippedDirs(), filepath.Base(at)) {
		c.Skipped++
		return filepath.SkipDir
	}
	in, err := os.ReadDir(at)
	if len(in) == 0 {
		c.Empty++
	}
	return err
}

func (c *counter) file(at, rel string) error {
	text, err := os.ReadFile(at)
	size := int64(len(text))
	c.Files++
	c.Bytes += size
	if size == 0 {
		c.EmptyFiles++
	} else {
		c.sizes = append(c.sizes, size)
	}
	name := strings.ToLower(path.Base(rel))
	c.files[path.Ext(name)]++
	c.bytes[path.Ext(name)] += size
	if strings.HasPrefix(name, "readme") {
		c.readmes = append(c.readmes, rel)
	}
	c.search(rel, text)
	return err
}

// search counts the lines of a file with TODO and those with FIXME.
func (c *counter) search(rel string, text []byte) {
	if bytes.IndexByte(text, 0) >= 0 {
		return
	}
	for _, word := range []string{"TODO", "FIXME"} {
		before := c.lines[word]
		for i, line := range strings.Split(string(text), "\n") {
			if regexp.MustCompile(word + `\b`).MatchString(line) {
				c.lines[word]++
				c.places[word] = append(c.places[word], quoted(rel)+":"+strconv.Itoa(i+1))
			}
		}
		if c.lines[word] > before {
			c.in[word]++
		}
	}
}

// quoted is a path as the survey shows it.
func quoted(rel string) string {
	if strings.ContainsAny(rel, "\n\t") || strings.HasPrefix(rel, `"`) {
		return strconv.Quote(rel)
	}
	return rel
}

// The lines of a report by which the figures are told, in both languages.
var (
	totalsLine  = regexp.MustCompile(`(?m)^- (\d+) (?:files? in|个文件，) ?(\d+) (?:folders?, |个文件夹，共 ).*?(\d+) (?:bytes?|字节)[)）]?$`)
	linksLine   = regexp.MustCompile(`(?m)^- (\d+) (?:symbolic link|个符号链接)`)
	kindLine    = regexp.MustCompile("(?m)^- (?:`(\\.[^`]+)`|without ending|无扩展名).*?(?:: |：)(\\d+) (?:files?, |个文件，).*?(\\d+) (?:bytes?|字节)[)）]?$")
	todoLine    = regexp.MustCompile(`(?m)^- (TODO|FIXME)(?:: |：)(\d+) (?:lines? in|行，分布在) (\d+) `)
	placeLine   = regexp.MustCompile("(?m)^  - `(.+?:\\d+)`(?:: |：)")
	emptyLine   = regexp.MustCompile(`(?m)^- (?:empty files \(|空文件（)(\d+)`)
	voidLine    = regexp.MustCompile(`(?m)^- (?:empty folders \(|空文件夹（)(\d+)`)
	skippedLine = regexp.MustCompile(`(?m)^- (\d+) (?:folders? that list_dir|个文件夹，list_dir)`)
	readmeLine  = regexp.MustCompile("(?m)^- `(.+?)`(?:: |：).*(?:, |，)")
	sizeLine    = regexp.MustCompile("(?m)^- `.+`(?:: |：).*?(\\d+) (?:bytes?|字节)[)）]?$")
)

// told reads the figures that a report tells.
func told(t *testing.T, report string) figures {
	t.Helper()
	parts := sections(report)
	f := figures{Kinds: map[string]string{}, Lines: map[string]string{}}
	one := func(re *regexp.Regexp, in string) int {
		m := re.FindStringSubmatch(in)
		if m == nil {
			return 0
		}
		return atoi(t, m[1])
	}
	if m := totalsLine.FindStringSubmatch(parts[0]); m != nil {
		f.Files, f.Folders, f.Bytes = atoi(t, m[1]), atoi(t, m[2]), int64(atoi(t, m[3]))
	}
	f.Links = one(linksLine, parts[0])
	for _, m := range kindLine.FindAllStringSubmatch(parts[1], -1) {
		f.Kinds[m[1]] = m[2] + " " + m[3]
	}
	for _, m := range sizeLine.FindAllStringSubmatch(parts[2], -1) {
		f.Largest = append(f.Largest, int64(atoi(t, m[1])))
	}
	for _, m := range todoLine.FindAllStringSubmatch(parts[3], -1) {
		f.Lines[m[1]] = m[2] + " " + m[3]
	}
	for _, m := range placeLine.FindAllStringSubmatch(parts[3], -1) {
		f.Places = append(f.Places, m[1])
	}
	for _, m := range readmeLine.FindAllStringSubmatch(parts[4], -1) {
		f.Readmes = append(f.Readmes, m[1])
	}
	f.EmptyFiles, f.Empty, f.Skipped = one(emptyLine, parts[5]), one(voidLine, parts[5]), one(skippedLine, parts[6])
	return f
}

// sections are the texts below the headings of a report, in their order.
func sections(report string) []string {
	titles := []string{
		"Totals|总计", "Files by kind|按类型统计", "Largest files|最大的文件", "TODO and FIXME|TODO 与 FIXME", "README|README",
		"What looks unusual|异常之处", "What this does not cover|未覆盖的内容",
	}
	parts := make([]string, len(titles))
	for part := range strings.SplitSeq("\n"+report, "\n## ") {
		title, text, _ := strings.Cut(part, "\n")
		for i, both := range titles {
			if slices.Contains(strings.Split(both, "|"), title) {
				parts[i] = text
			}
		}
	}
	return parts
}

func atoi(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// surveyTeam is the team that the program has embedded.
func surveyTeam(lang string) leader.Team {
	team := leader.Team{Model: leader.Model{Client: model.Survey(model.SurveyOptions{Pace: 200 * time.Millisecond}), Name: "scripted/survey", Scripted: true}}
	for _, r := range model.SurveyTeam(lang) {
		team.Roles = append(team.Roles, leader.Role{ID: r.ID, Name: r.Name, Code: r.Code, Does: r.Does, Tools: r.Tools})
	}
	return team
}

// runSurvey surveys a folder in a bubble.
func runSurvey(t *testing.T, team leader.Team, dir, lang, task string) (res leader.Result, records []event.Record) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l, err := leader.New(team, leader.WithWorkDir(dir), leader.WithLang(lang))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if res, err = run.Wait(); err != nil {
			t.Fatal(err)
		}
		for rec, err := range run.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, rec)
		}
	})
	return res, records
}

// put writes a file of a test tree.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// project is a folder with something of everything, and more than one page of
// each.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "README.md", "# Title\n\n## Install\n\n```\n# not one\n```\n\n## Use\n")
	put(t, dir, "docs/README.md", "# Docs\n")
	put(t, dir, "docs/说明 文件.md", "待办 TODO：写\n")
	put(t, dir, "odd\nname/a file.txt", "FIXME\n")
	put(t, dir, "node_modules/pkg/index.js", "TODO")
	put(t, dir, "src/empty.go", "")
	put(t, dir, "img/logo.png", "\x89PNG\x00TODO")
	for i := range 1200 {
		text := fmt.Sprintf("package p%d\n", i)
		if i%4 == 0 {
			text += "// TODO: more\n"
		}
		put(t, dir, fmt.Sprintf("src/p%02d/f%d.go", i%40, i), text)
	}
	if err := os.MkdirAll(filepath.Join(dir, "void"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("README.md", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSurveyOfAProject(t *testing.T) {
	for lang, want := range map[string]struct{ task, label, title string }{
		"en": {"Survey this folder", "Made by a script (scripted/survey), not by a language model.\n", "    - Install"},
		"zh": {"调查这个文件夹", "由脚本（scripted/survey）生成，不是语言模型。\n", "    - Install"},
	} {
		t.Run(lang, func(t *testing.T) {
			dir := project(t)
			res, records := runSurvey(t, surveyTeam(lang), dir, lang, want.task)
			if res.Status != leader.StatusFinished || !res.Scripted || res.Usage != (event.Usage{}) {
				t.Errorf("got status %s, scripted %v, usage %+v; want a finished, scripted run without tokens", res.Status, res.Scripted, res.Usage)
			}
			if !strings.HasPrefix(res.Answer, want.label) || !strings.Contains(res.Answer, "\n"+want.title+"\n") {
				t.Errorf("the answer lacks label or outline:\n%s", res.Answer)
			}
			if diff := cmp.Diff(countFigures(t, dir), told(t, res.Answer)); diff != "" {
				t.Errorf("the figures differ (-counted +told):\n%s\n%s", diff, res.Answer)
			}
			if res.Duration > 10*time.Second {
				t.Errorf("the run took %s, want a few seconds", res.Duration)
			}
			checkTalk(t, records)
		})
	}
}

// checkTalk checks who said what to whom in a run of the survey.
func checkTalk(t *testing.T, records []event.Record) {
	t.Helper()
	opened, closed := map[string]string{}, map[string]event.Outcome{}
	var agents []string
	pages := 0
	for _, r := range records {
		switch d := r.Data.(type) {
		case event.RunStarted:
			if d.ModelKind != event.ModelScripted {
				t.Errorf("the header says %q, want %q", d.ModelKind, event.ModelScripted)
			}
		case event.AgentCreated:
			agents = append(agents, r.Agent)
			if !d.Scripted || d.Model != "scripted/survey" {
				t.Errorf("%s is labelled %q, scripted %v", r.Agent, d.Model, d.Scripted)
			}
		case event.QuestionOpened:
			opened[d.ID] = d.From + " " + d.To
		case event.QuestionClosed:
			closed[d.ID] = d.Outcome
		case event.ToolFinished:
			if d.IsError {
				t.Errorf("%s of %s failed: %s", d.Name, r.Agent, d.Result)
			}
			if d.Name == "list_dir" || d.Name == "search_files" {
				pages++
			}
		case event.Warning, event.LimitWarned, event.LimitReached, event.MessageReturned:
			t.Errorf("unexpected record %s: %+v", d.Type(), d)
		}
	}
	if want := []string{"tl", "scout_1", "reader_1"}; !slices.Equal(agents, want) {
		t.Errorf("agents %v, want %v", agents, want)
	}
	asked := slices.Sorted(maps.Values(opened))
	if want := []string{"reader_1 scout_1", "scout_1 tl"}; !slices.Equal(asked, want) {
		t.Errorf("questions %v, want %v", asked, want)
	}
	for id := range opened {
		if closed[id] != event.Answered {
			t.Errorf("question %s ended %q, want answered", id, closed[id])
		}
	}
	if pages < 2 {
		t.Errorf("%d listings and searches, want at least one each", pages)
	}
}

func TestSurveyInATeamOfOthers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.go", "// TODO\n")
	team := surveyTeam("en")
	team.Roles = []leader.Role{{ID: "uio", Name: "UI Operator", Does: "design", Tools: []string{"write_file"}}}
	res, records := runSurvey(t, team, dir, "en", "Write a login page")
	if diff := cmp.Diff(countFigures(t, dir), told(t, res.Answer)); diff != "" {
		t.Errorf("the figures differ (-counted +told):\n%s\n%s", diff, res.Answer)
	}
	if !strings.Contains(res.Answer, "You asked for: “Write a login page”. I am a script that only surveys") {
		t.Errorf("it does not say that it cannot do the task:\n%s", res.Answer)
	}
	made := 0
	for _, r := range records {
		if d, ok := r.Data.(event.RoleCreated); ok {
			made++
			if slices.Contains(d.Tools, "write_file") {
				t.Errorf("the role %s may write", d.Name)
			}
		}
	}
	if made != 2 {
		t.Errorf("it made %d roles, want 2", made)
	}
}

func TestSurveyWithinTightLimits(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "README.md", "# A\n")
	for name, limits := range map[string]leader.Limits{
		"one place": {Agents: 1}, "few steps": {MaxSteps: 2}, "one spawn": {Spawns: 1},
	} {
		t.Run(name, func(t *testing.T) {
			team := surveyTeam("en")
			team.Limits = limits
			res, records := runSurvey(t, team, dir, "en", "Survey this folder")
			if !strings.Contains(res.Answer, "## Totals\n\n- 1 file in 0 folders, 4 bytes") {
				t.Errorf("the answer lacks the totals:\n%s", res.Answer)
			}
			open := 0
			for _, r := range records {
				switch r.Data.(type) {
				case event.QuestionOpened:
					open++
				case event.QuestionClosed:
					open--
				}
			}
			if open != 0 {
				t.Errorf("%d questions are open at the end", open)
			}
		})
	}
}

// TestSurveyOfRandomFolders compares the figures of random trees.
func TestSurveyOfRandomFolders(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			dir, lang := t.TempDir(), []string{"en", "zh"}[seed%2]
			if seed > 0 { // the first one is empty
				grow(t, rnd, dir, 3)
			}
			res, records := runSurvey(t, surveyTeam(lang), dir, lang, "survey")
			if diff := cmp.Diff(countFigures(t, dir), told(t, res.Answer)); diff != "" {
				t.Errorf("the figures differ (-counted +told):\n%s\n%s", diff, res.Answer)
			}
			checkTalk(t, records)
		})
	}
}

// grow fills a folder at random, some levels deep.
func grow(t *testing.T, rnd *rand.Rand, dir string, depth int) {
	t.Helper()
	names := []string{
		"a.go", "b.GO", "README.md", "readme.txt", "c d.py", "文件.md", "line\nbreak.c", `"q.js`, "empty.txt", "data.json", "noending", "x  y.md", "a -> b.sh",
	}
	folders := []string{"src", "文件夹", "two  spaces", "node_modules", ".git", "dist", "new\nline", "x.d", "  skipped"}
	texts := []string{"", "text\n", "TODO\n", "a\nFIXME: b\nTODO FIXME\nTODOS\n", "# Title\n\nTODO\n", "bin\x00TODO", "no newline TODO", strings.Repeat("TODO line\n", 130)}
	for _, name := range names {
		if rnd.IntN(3) == 0 {
			put(t, dir, name, texts[rnd.IntN(len(texts))])
		}
	}
	for _, name := range folders {
		if depth == 0 || rnd.IntN(3) > 0 {
			continue
		}
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if rnd.IntN(4) > 0 {
			grow(t, rnd, at, depth-1)
		}
	}
}
