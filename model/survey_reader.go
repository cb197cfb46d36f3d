package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// What the reader searches for, and in pages of how many lines.
const (
	todoPattern    = `\b(TODO|FIXME)\b`
	firstHits      = 200
	laterHits      = 5000
	searchPages    = 2
	shownHits      = 100
	shownHitLength = 100 // characters of a matching line
	readReadmes    = 3   // READMEs that are read
)

// playReader plays the sub-agent that searches and reads: it searches and asks the
// scout for the READMEs at the same time, turns pages, reads them, and reports.
func playReader(t *talk) move {
	r := readingOf(t)
	if m, ok := t.answerAll(func(string) string { return r.answer(t.lang) }); ok {
		return m
	}
	if m, ok := r.begin(t); ok {
		return m
	}
	if m, ok := r.goOn(t); ok {
		return m
	}
	return move{text: readerReport(t, r)}
}

// reading is what the reader knows so far.
type reading struct {
	search  searched
	pages   int
	failure string // why the search broke off; empty if it did not

	asked    did // the question to the scout
	wasAsked bool
	looked   bool // it looked for READMEs itself
	known    bool // it knows which files are READMEs
	readmes  []readme
	count    int    // READMEs there are
	unknown  string // why they are not known
}

// readme is a README, with what was read of it.
type readme struct {
	shown string
	read  bool
	text  string
	isErr bool
}

// readingOf puts the results of the round together.
func readingOf(t *talk) reading {
	var r reading
	for _, d := range t.calls("search_files") {
		r.pages++
		if d.failed() || !d.done {
			r.failure = clip(d.result.Content, 200)
			continue
		}
		page, ok := parseSearch(d.result.Content)
		if !ok {
			r.failure = clip(d.result.Content, 200)
			continue
		}
		page.hits = append(r.search.hits, page.hits...)
		r.search = page
	}
	r.asked, r.wasAsked = t.lastCall("ask_other_agent")
	if r.wasAsked && !r.asked.failed() {
		r.fromAnswer(answerText(r.asked.result.Content))
	}
	for _, d := range t.calls("list_dir") {
		r.looked = true
		if !r.known {
			r.fromListing(d)
		}
	}
	results := make(map[string]Message)
	for _, d := range t.calls("read_file") {
		results[d.argument("path")] = d.result
	}
	for i, f := range r.readmes {
		if m, ok := results[realPath(f.shown)]; ok {
			r.readmes[i].read, r.readmes[i].text, r.readmes[i].isErr = true, m.Content, m.IsError
		}
	}
	return r
}

// fromAnswer takes the READMEs from the scout's answer.
func (r *reading) fromAnswer(answer string) {
	for line := range strings.Lines(answer) {
		line = strings.TrimSuffix(line, "\n")
		if n, ok := strings.CutPrefix(line, readmeCount); ok {
			r.known, r.count = true, atoi(n)
		}
		if name, ok := strings.CutPrefix(line, readmeLine); ok {
			r.readmes = append(r.readmes, readme{shown: name})
		}
	}
}

// fromListing takes the READMEs from a look at the top of the folder.
func (r *reading) fromListing(d did) {
	if d.failed() {
		r.unknown = clip(d.result.Content, 200)
		return
	}
	entries, left := parseListing(d.result.Content)
	list := newTree(entries, left.count, "").readmes()
	r.known, r.count, r.readmes = true, len(list), nil
	for _, e := range list {
		r.readmes = append(r.readmes, readme{shown: e.shown})
	}
}

// agentID finds the id of an agent in a text.
var agentID = regexp.MustCompile(`\b[a-z0-9]+_[0-9]+\b`)

// begin starts the search and asks the scout, in one step.
func (r reading) begin(t *talk) (m move, ok bool) {
	if r.pages == 0 && t.offered["search_files"] {
		m.text = t.lang.say("I search the files for TODO and FIXME.", "我在文件中查找 TODO 和 FIXME。")
	}
	if who := agentID.FindString(t.task()); who != "" && !r.wasAsked && t.offered["ask_other_agent"] {
		m.text = strings.TrimSpace(m.text + t.lang.say(" I ask %s which files are READMEs, because it lists them all.",
			"我问 %s 哪些文件是 README，因为它会列出全部文件。", who))
		m.call("ask_other_agent", map[string]any{"agent": who, "question": t.lang.question(askReadmes)})
	}
	if r.pages == 0 && t.offered["search_files"] {
		m.call("search_files", map[string]any{"pattern": todoPattern, "limit": firstHits})
	}
	return m, len(m.calls) > 0
}

// goOn turns the page, looks for READMEs that nobody could name, and reads
// those that are known, in one step.
func (r reading) goOn(t *talk) (m move, ok bool) {
	var doing []string
	if r.search.left.count > 0 && r.failure == "" && r.pages < searchPages && t.offered["search_files"] {
		m.call("search_files", map[string]any{"pattern": todoPattern, "limit": laterHits, "offset": r.search.left.offset})
		doing = append(doing, t.lang.say("I turn the page of the search: %d lines to go.", "查找结果还有 %d 行，继续翻页。", r.search.left.count))
	}
	if !r.known && !r.looked && t.offered["list_dir"] {
		m.call("list_dir", map[string]any{"path": "."})
		doing = append(doing, t.lang.say("I look for the README at the top myself.", "我自己在最上一层找 README。"))
	}
	var names []string
	for _, f := range r.readmes[:min(len(r.readmes), readReadmes)] {
		if !f.read && t.offered["read_file"] {
			m.call("read_file", map[string]any{"path": realPath(f.shown)})
			names = append(names, f.shown)
		}
	}
	if len(names) > 0 {
		doing = append(doing, t.lang.say("I read %s.", "我来读 %s。", t.lang.some(names)))
	}
	m.text = strings.Join(doing, t.lang.say(" ", ""))
	return m, len(m.calls) > 0
}

// answer answers whoever asks with what the reader has found.
func (r reading) answer(l tongue) string {
	if r.pages == 0 {
		return l.say("I am a script and have found nothing yet.", "我是一个脚本，目前还没有结果。")
	}
	return l.say("I am a script. So far: %s with TODO or FIXME in %s.", "我是一个脚本。目前：%s含有 TODO 或 FIXME，分布在 %s中。",
		l.count(r.search.lines, "line", "行"), l.files(r.search.files))
}

// readerReport writes what the reader found.
func readerReport(t *talk, r reading) string {
	f := &findings{lang: t.lang}
	r.todoLines(f)
	r.readmeLines(f)
	if r.wasAsked {
		f.add(headCourse, "Asked %s which files are READMEs. %s", "问过 %s 哪些文件是 README。%s", r.asked.argument("agent"), r.askOutcome(f.lang))
	}
	for _, line := range t.unheeded() {
		f.add(headCourse, "%s", "%s", line)
	}
	return f.report()
}

func (r reading) askOutcome(l tongue) string {
	switch {
	case !r.asked.done:
		return l.say("There is no answer yet.", "还没有得到回答。")
	case r.asked.failed():
		return l.say("It brought no answer: %s", "没有得到回答：%s", clip(r.asked.result.Content, 200))
	}
	first, _, _ := strings.Cut(answerText(r.asked.result.Content), "\n")
	return l.say("Answer: %s", "回答：%s", clip(first, 200))
}

// fullest returns the files with the most of the lines that are known.
func (s searched) fullest() []string {
	lines := make(map[string]int)
	var files []string
	for _, h := range s.hits {
		if lines[h.path]++; lines[h.path] == 1 {
			files = append(files, h.path)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(lines[b], lines[a]) })
	return files[:min(len(files), maxExamples)]
}

// todoLines tells the places, and what was not searched.
func (r reading) todoLines(f *findings) {
	s := r.search
	if r.pages > 0 && (r.failure == "" || len(s.hits) > 0) {
		f.add(headTodo, "%s in %s", "%s，分布在 %s中", f.lang.count(s.lines, "line", "行"), f.lang.files(s.files))
	}
	for _, h := range s.hits[:min(len(s.hits), shownHits)] {
		f.add(headTodo, "`%s:%s`: %s", "`%s:%s`：%s", h.path, h.line, clip(h.text, shownHitLength))
	}
	if n := s.lines - min(len(s.hits), shownHits); n > 0 {
		f.add(headTodo, "… and %d more, not named here; of the first %d lines most are in %s", "…… 另有 %d 处，这里不再列出；前 %d 行中最多的是 %s",
			n, len(s.hits), f.lang.some(s.fullest()))
	}
	switch {
	case r.pages == 0:
		f.add(headLeftOut, "nothing was searched: there was no search_files to do it with", "没有查找任何内容：没有可用的 search_files")
	case r.failure != "":
		f.add(headLeftOut, "the search broke off: %s", "查找中断：%s", r.failure)
	}
	left := func(n int, en, zh string) {
		if n > 0 {
			f.add(headLeftOut, "not searched, because "+en+": %s", "未查找，因为"+zh+"：%s", f.lang.files(n))
		}
	}
	left(s.binary, "they are binary", "是二进制文件")
	left(s.large, "they are larger than 1 MiB", "超过 1 MiB")
	if s.unreadable > 0 {
		f.add(headLeftOut, "not searched, because they cannot be read: %s", "未查找，因为无法读取：%s",
			f.lang.say("%d files or folders", "%d 个文件或文件夹", s.unreadable))
	}
}
