package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Pages of the scout's listing: the first is short, so that a small folder
// costs little; at most so many are asked for.
const (
	firstPage    = 1000
	laterPage    = 10_000
	listingPages = 8
)

// playScout plays the sub-agent that lists and measures: it lists the folder page
// by page, answers who asks, asks the leader one thing, and reports.
func playScout(t *talk) move {
	l := listingOf(t)
	if m, ok := l.nextPage(t); ok {
		return m
	}
	if m, ok := t.answerAll(func(string) string { return scoutAnswer(t.lang, l.tree) }); ok {
		return m
	}
	d := doubtAbout(l.tree)
	asked, wasAsked := t.lastCall("ask_master")
	if !wasAsked && t.offered["ask_master"] {
		return d.ask(t.lang, l.tree)
	}
	if folder, ok := d.lookInto(asked); ok && t.offered["list_dir"] && !l.peeked {
		m := move{text: t.lang.say("I look at the top level of `%s`.", "我看一下 `%s` 的最上一层。", folder.shown)}
		m.call("list_dir", map[string]any{"path": folder.path})
		return m
	}
	return move{text: scoutReport(t, l, d, asked)}
}

// listing is what the scout has listed so far.
type listing struct {
	tree   *tree
	pages  int
	next   int  // the offset to go on with
	ended  bool // all pages are there, or no more will come
	peeked bool // a folder that was left out was looked at
	peek   peek
}

// peek is what is in the top level of a folder that was left out.
type peek struct {
	entries int
	failure string
}

type listDirCall struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Offset    int    `json:"offset"`
	Limit     int    `json:"limit"`
}

// listingOf puts the pages together that the round has.
func listingOf(t *talk) listing {
	var l listing
	var entries []listed
	var left unshown
	failure := ""
	for _, d := range t.calls("list_dir") {
		var args listDirCall
		_ = json.Unmarshal([]byte(d.call.Arguments), &args) // the script wrote it
		if !args.Recursive {
			l.peeked, l.peek = true, peekOf(d)
			continue
		}
		l.pages++
		left = unshown{}
		if d.failed() || !d.done {
			failure, l.ended = clip(d.result.Content, 200), true
			continue
		}
		var page []listed
		page, left = parseListing(d.result.Content)
		entries = append(entries, page...)
	}
	l.next = left.offset
	if l.pages > 0 && left.count == 0 || l.pages >= listingPages {
		l.ended = true
	}
	l.tree = newTree(entries, left.count, failure)
	return l
}

func peekOf(d did) peek {
	if d.failed() {
		return peek{failure: clip(d.result.Content, 200)}
	}
	entries, left := parseListing(d.result.Content)
	return peek{entries: len(entries) + left.count}
}

// nextPage asks for the next page of the listing, if there is one to ask for.
func (l listing) nextPage(t *talk) (m move, ok bool) {
	if l.ended || !t.offered["list_dir"] {
		return move{}, false
	}
	args := map[string]any{"path": ".", "recursive": true, "limit": firstPage}
	m.text = t.lang.say("I list the working folder with everything in it.", "我列出工作目录中的全部内容。")
	if l.pages > 0 {
		args["offset"], args["limit"] = l.next, laterPage
		m.text = t.lang.say("%d entries so far, %d to go; I turn the page.", "已列出 %d 项，还有 %d 项，继续翻页。", l.next, l.tree.missing)
	}
	m.call("list_dir", args)
	return m, true
}

// doubt is what the scout asks the leader about: a folder that was left out,
// one that looks generated or hidden, or only how much to tell.
type doubt struct {
	skipped, made *listed
}

// doubtAbout finds the folder to ask about. Version control comes last, since
// everybody has it.
func doubtAbout(t *tree) doubt {
	var d doubt
	for _, e := range t.foldersWhere(func(e listed) bool { return e.note == "skipped" }) {
		if d.skipped == nil || d.skipped.path == ".git" {
			d.skipped = &e
		}
	}
	for _, e := range t.foldersWhere(func(e listed) bool { return !e.unread() && looksMade(e) }) {
		d.made = &e
		break
	}
	return d
}

// ask puts the question to the leader.
func (d doubt) ask(l tongue, t *tree) move {
	var facts string
	var q inquiry
	switch {
	case d.skipped != nil:
		q = askPeek
		facts = l.say("`%s` looks generated or hidden, and list_dir does not go into it.", "`%s` 看起来是自动生成或隐藏的，list_dir 不会进入。", d.skipped.shown)
	case d.made != nil:
		q = askCount
		n, _ := t.below(d.made.path)
		facts = l.say("`%s` with %s looks generated or is hidden.", "`%s`（%s）看起来是自动生成或隐藏的。", d.made.shown, l.files(n))
	default:
		q = askLargest
		facts = l.say("I counted %s in %s; none of the folders looks generated.", "我清点到 %s，%s；没有看起来自动生成的文件夹。", l.files(t.files), l.folders(t.folders))
	}
	m := move{text: l.say("I ask the Team Leader before I finish.", "完成之前，我先问一下 Team Leader。")}
	m.call("ask_master", map[string]any{"question": facts + l.say(" ", "") + l.question(q)})
	return m
}

// lookInto reports which folder the leader wants to have looked into.
func (d doubt) lookInto(asked did) (listed, bool) {
	if d.skipped == nil || !asked.done || asked.failed() {
		return listed{}, false
	}
	answer := strings.ToLower(strings.TrimSpace(answerText(asked.result.Content)))
	yes := strings.HasPrefix(answer, "yes") || strings.HasPrefix(answer, "是") || strings.HasPrefix(answer, "看") || strings.HasPrefix(answer, "好")
	return *d.skipped, yes
}

// The number of largest files to name: without a word of the leader, and at
// most.
const (
	largestFiles    = 10
	maxLargestFiles = 50
)

var anyNumber = pattern(`\d+`)

// largest is how many of the largest files the leader wants to have named.
func (d doubt) largest(asked did) int {
	if d.skipped != nil || d.made != nil || !asked.done || asked.failed() {
		return largestFiles
	}
	n := atoi(anyNumber().FindString(answerText(asked.result.Content)))
	if n == 0 {
		return largestFiles
	}
	return min(n, maxLargestFiles)
}

// maxReadmes bounds the READMEs that the scout names in an answer.
const maxReadmes = 20

// readmeLine begins the lines of the scout's answer that name READMEs, and
// readmeCount the one that counts them.
const (
	readmeLine  = "README: "
	readmeCount = "READMEs: "
)

// scoutAnswer answers whoever asks with what the scout has found.
func scoutAnswer(l tongue, t *tree) string {
	texts := len(t.filesWhere(func(e listed) bool {
		use := useOf(endingOf(e.path))
		return use == useSource || use == useText || use == useData
	}))
	readmes := t.readmes()
	lines := []string{
		l.say("I counted %s in %s; by its ending, %d of the files look like text.", "我清点到 %s，%s；按扩展名看，其中 %d 个是文本文件。",
			l.files(t.files), l.folders(t.folders), texts),
		readmeCount + strconv.Itoa(len(readmes)),
	}
	for _, e := range readmes[:min(len(readmes), maxReadmes)] {
		lines = append(lines, readmeLine+e.shown)
	}
	if !t.whole() {
		lines = append(lines, l.say("Not everything was listed.", "并非全部内容都已列出。"))
	}
	return strings.Join(lines, "\n")
}
