package model

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rows and lines of the scout's findings.
const (
	shownKinds = 20
	largeFile  = 10 << 20 // bytes from which a file is called very large
)

// scoutReport writes what the scout found.
func scoutReport(t *talk, l listing, d doubt, asked did) string {
	f := &findings{lang: t.lang}
	l.totals(f)
	if l.pages > 0 {
		l.tree.kindLines(f)
		l.tree.largestLines(f, d.largest(asked))
		l.tree.unusual(f)
	}
	l.leftOut(f)
	l.course(f, d, asked)
	for _, line := range t.unheeded() {
		f.add(headCourse, "%s", "%s", line)
	}
	return f.report()
}

// totals says how much there is.
func (l listing) totals(f *findings) {
	if l.pages == 0 {
		f.add(headTotals, "nothing was listed: there was no list_dir to do it with", "没有列出任何内容：没有可用的 list_dir")
		return
	}
	t := l.tree
	f.add(headTotals, "%s in %s, %s", "%s，%s，共 %s", f.lang.files(t.files), f.lang.folders(t.folders), f.lang.size(t.bytes))
	if !t.whole() {
		f.add(headTotals, "only a part was listed, so all figures are about that part", "只列出了一部分，所有数字都只针对这一部分")
	}
	if t.links > 0 {
		f.add(headTotals, "%s, not followed", "%s，未跟随", f.lang.count(t.links, "symbolic link", "个符号链接"))
	}
	if t.others > 0 {
		f.add(headTotals, "%s, neither file nor folder nor link", "%s，既不是文件也不是文件夹或链接", f.lang.count(t.others, "other thing", "项"))
	}
}

// kindLines tells the files by ending.
func (t *tree) kindLines(f *findings) {
	var others endingSum
	kinds := t.kinds()
	for i, k := range kinds {
		if i >= shownKinds {
			others.files += k.files
			others.bytes += k.bytes
			continue
		}
		name := "`" + k.ending + "`"
		if k.ending == "" {
			name = f.lang.say("without ending", "无扩展名")
		}
		if use := f.lang.useName(useOf(k.ending)); use != "" {
			name += f.lang.say(" (%s)", "（%s）", use)
		}
		f.add(headKinds, "%s: %s, %s", "%s：%s，%s", name, f.lang.files(k.files), f.lang.size(k.bytes))
	}
	if others.files > 0 {
		f.add(headKinds, "%d other endings: %s, %s", "另外 %d 种扩展名：%s，%s", len(kinds)-shownKinds, f.lang.files(others.files), f.lang.size(others.bytes))
	}
}

func (t *tree) largestLines(f *findings, n int) {
	for _, e := range t.largest(n) {
		f.add(headLargest, "`%s`: %s", "`%s`：%s", e.shown, f.lang.size(e.size))
	}
}

// remark adds a finding that names entries, if there are any.
func (f *findings) remark(list []listed, en, zh string) {
	if len(list) == 0 {
		return
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.shown
	}
	f.add(headUnusual, en+" (%d): %s", zh+"（%d）：%s", len(list), f.lang.some(names))
}

// unusual tells what a careful person would look at.
func (t *tree) unusual(f *findings) {
	l := f.lang
	if len(t.entries) == 0 {
		if t.whole() {
			f.add(headUnusual, "the folder is empty", "文件夹是空的")
		}
		return
	}
	f.remark(t.foldersWhere(func(e listed) bool { return strings.HasPrefix(e.note, "unreadable") }), "unreadable folders", "无法读取的文件夹")
	f.remark(t.filesWhere(func(e listed) bool { return e.size == 0 }), "empty files", "空文件")
	f.remark(t.emptyFolders(), "empty folders", "空文件夹")
	f.remark(t.filesWhere(func(e listed) bool { return e.size >= largeFile }), "files of 10 MiB and more", "10 MiB 及以上的文件")
	f.remark(t.binariesAmongSources(), "programs or libraries among source code, by their ending", "源代码目录中的程序或库文件（按扩展名）")
	f.remark(t.filesWhere(maySecret), "files that often hold keys or passwords", "常含密钥或密码的文件")
	f.remark(t.where(oddName), "names with control characters, or spaces at their ends", "名称含控制字符或首尾有空格")
	f.remark(t.sameButCase(), "names that differ from another only in upper and lower case", "与其他名称只有大小写不同")
	among := ""
	if !t.whole() {
		among = l.say(" in what was listed", "（就已列出的部分而言）")
	}
	if len(t.readmes()) == 0 {
		f.add(headUnusual, "no README"+among, "没有 README"+among)
	}
	if len(t.filesWhere(isSource)) == 0 {
		return
	}
	if len(t.filesWhere(isLicence)) == 0 {
		f.add(headUnusual, "source code, but no licence at the top"+among, "有源代码，但最上层没有许可证文件"+among)
	}
	if len(t.filesWhere(isTest)) == 0 {
		f.add(headUnusual, "source code, but nothing that looks like a test"+among, "有源代码，但没有看起来像测试的文件"+among)
	}
}

// binariesAmongSources returns the binaries in folders that have source code.
func (t *tree) binariesAmongSources() []listed {
	sources := make(map[string]bool)
	for _, e := range t.filesWhere(isSource) {
		sources[path.Dir(e.path)] = true
	}
	return t.filesWhere(func(e listed) bool { return isBinary(e) && sources[path.Dir(e.path)] })
}

// oddName reports whether a name is easily mistaken or mistyped.
func oddName(e listed) bool {
	name := path.Base(e.path)
	odd := func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }
	return strings.ContainsFunc(name, odd) || name != strings.TrimSpace(name)
}

// sameButCase returns the entries whose path differs from an earlier one only
// in case; some systems cannot keep both.
func (t *tree) sameButCase() []listed {
	seen := make(map[string]bool)
	return t.where(func(e listed) bool {
		folded := strings.ToLower(e.path)
		was := seen[folded]
		seen[folded] = true
		return was
	})
}

// leftOut says what the figures do not cover.
func (l listing) leftOut(f *findings) {
	t := l.tree
	if skipped := t.foldersWhere(func(e listed) bool { return e.note == "skipped" }); len(skipped) > 0 {
		names := make([]string, len(skipped))
		for i, e := range skipped {
			names[i] = e.shown
		}
		f.add(headLeftOut, "%s that list_dir does not go into: %s", "%s，list_dir 不会进入：%s",
			f.lang.folders(len(skipped)), f.lang.some(names))
	}
	switch {
	case t.failure != "":
		f.add(headLeftOut, "the listing broke off: %s", "列表中断：%s", t.failure)
	case t.missing > 0:
		f.add(headLeftOut, "the listing stops at its bound: %d entries were listed, %d were not",
			"列表达到上限：已列出 %d 项，另有 %d 项没有列出", len(t.entries), t.missing)
	}
}

// course tells what the leader was asked, and what came of it.
func (l listing) course(f *findings, d doubt, asked did) {
	if asked.done {
		f.add(headCourse, "Asked the Team Leader: %s Answer: %s", "问过 Team Leader：%s 回答：%s",
			clip(asked.argument("question"), 300), clip(answerText(asked.result.Content), 200))
	}
	switch {
	case l.peeked && l.peek.failure != "":
		f.add(headCourse, "`%s` could not be looked at: %s", "`%s` 无法查看：%s", d.skipped.shown, l.peek.failure)
	case l.peeked:
		f.add(headCourse, "`%s` has %s at its top level, not counted above", "`%s` 的最上一层有 %s，未计入以上数字",
			d.skipped.shown, f.lang.count(l.peek.entries, "thing", "项"))
	case d.skipped == nil && d.made != nil:
		n, size := l.tree.below(d.made.path)
		f.add(headCourse, "of the totals, in `%s`: %s, %s", "总计之中，`%s` 里有：%s，%s", d.made.shown, f.lang.files(n), f.lang.size(size))
	}
}
