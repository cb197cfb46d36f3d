package model

import (
	"cmp"
	"slices"
	"strings"
)

// How the reader searches and reads.
const (
	firstHits      = 200 // lines of the first page of a search
	laterHits      = 5000
	searchPages    = 2
	shownHits      = 20
	shownHitLength = 100 // characters of a matching line
	readReadmes    = 3   // READMEs that are read
)

// todoWords are what the reader searches for, one search each: a pattern that
// begins with a plain word is found many times faster than a choice of words.
func todoWords() []string { return []string{"TODO", "FIXME"} }

// todoPattern finds a word, if no letter or digit follows.
func todoPattern(word string) string { return word + `\b` }

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
	hunts []hunt // one for each of todoWords

	asked    did // the question to the scout
	wasAsked bool
	looked   bool // it looked for READMEs itself
	known    bool // it knows which files are READMEs
	readmes  []readme
	count    int    // READMEs there are
	unknown  string // why they are not known
}

// hunt is the search for one word.
type hunt struct {
	searched
	word    string
	pages   int
	failure string // why the search broke off; empty if it did not
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
	for _, word := range todoWords() {
		r.hunts = append(r.hunts, huntOf(t, word))
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

// huntOf puts the pages of one search together.
func huntOf(t *talk, word string) hunt {
	h := hunt{word: word}
	for _, d := range t.calls("search_files") {
		if d.argument("pattern") != todoPattern(word) {
			continue
		}
		h.pages++
		page, ok := parseSearch(d.result.Content)
		if d.failed() || !ok {
			h.failure = clip(d.result.Content, 200)
			continue
		}
		page.hits = append(h.hits, page.hits...)
		h.searched = page
	}
	return h
}

// nextPage asks for the next page of a search, if there is one to ask for;
// the first page is one too.
func (h hunt) nextPage(t *talk, m *move) (ok bool) {
	switch {
	case !t.offered["search_files"] || h.failure != "" || h.pages >= searchPages:
		return false
	case h.pages == 0:
		m.call("search_files", map[string]any{"pattern": todoPattern(h.word), "limit": firstHits})
		return true
	case h.left.count == 0:
		return false
	}
	m.call("search_files", map[string]any{"pattern": todoPattern(h.word), "limit": laterHits, "offset": h.left.offset})
	return true
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
var agentID = pattern(`\b[a-z0-9]+_[0-9]+\b`)

// begin asks the scout and starts the searches, in one step.
func (r reading) begin(t *talk) (m move, ok bool) {
	who := agentID().FindString(t.task())
	if who == "" || r.wasAsked || !t.offered["ask_other_agent"] {
		return move{}, false
	}
	m.text = t.lang.say("I search the files for TODO and FIXME, and ask %s which files are READMEs, because it lists them all.",
		"我在文件中查找 TODO 和 FIXME，并问 %s 哪些文件是 README，因为它会列出全部文件。", who)
	m.call("ask_other_agent", map[string]any{"agent": who, "question": t.lang.question(askReadmes)})
	for _, h := range r.hunts {
		h.nextPage(t, &m)
	}
	return m, true
}

// goOn turns the pages, looks for READMEs that nobody could name, and reads
// those that are known, in one step.
func (r reading) goOn(t *talk) (m move, ok bool) {
	var doing []string
	for _, h := range r.hunts {
		if h.nextPage(t, &m) {
			doing = append(doing, t.lang.say("I search the files for %s.", "我在文件中查找 %s。", h.word))
		}
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
	parts := []string{l.say("I am a script.", "我是一个脚本。")}
	for _, h := range r.hunts {
		if h.pages > 0 {
			parts = append(parts, l.say("%s so far: %s in %s.", "目前 %s：%s，分布在 %s中。", h.word, l.count(h.lines, "line", "行"), l.files(h.files)))
		}
	}
	return strings.Join(parts, l.say(" ", ""))
}

// readerReport writes what the reader found.
func readerReport(t *talk, r reading) string {
	f := &findings{lang: t.lang}
	for _, h := range r.hunts {
		h.todoLines(f)
	}
	r.leftOut(f)
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

// todoLines tells the places of one word.
func (h hunt) todoLines(f *findings) {
	l := f.lang
	switch {
	case h.pages == 0:
		f.add(headLeftOut, "nothing was searched for %s: there was no search_files to do it with", "没有查找 %s：没有可用的 search_files", h.word)
		return
	case h.failure != "":
		f.add(headLeftOut, "the search for %s broke off: %s", "对 %s 的查找中断：%s", h.word, h.failure)
		if len(h.hits) == 0 {
			return
		}
	}
	f.add(headTodo, "%s: %s in %s", "%s：%s，分布在 %s中", h.word, l.count(h.lines, "line", "行"), l.files(h.files))
	for _, one := range h.hits[:min(len(h.hits), shownHits)] {
		f.sub(headTodo, 1, l.say("`%s:%s`: %s", "`%s:%s`：%s", one.path, one.line, clip(one.text, shownHitLength)))
	}
	if n := h.lines - min(len(h.hits), shownHits); n > 0 {
		f.sub(headTodo, 1, l.say("… and %d more, not named here; of the first %d lines most are in %s", "…… 另有 %d 处，这里不再列出；前 %d 行中最多的是 %s",
			n, len(h.hits), l.some(h.fullest())))
	}
}

// leftOut tells what was not searched; that is the same for every word.
func (r reading) leftOut(f *findings) {
	s := r.hunts[0]
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
