package model

// taskOpening begins the task of a part, so that a sub-agent knows its part
// in whatever role it was created.
func (l tongue) taskOpening(part string) string {
	if part == partScout {
		return l.say("Folder survey, the scout's part.", "文件夹调查，清点部分。")
	}
	return l.say("Folder survey, the reader's part.", "文件夹调查，阅读部分。")
}

// taskOf is the task of a part; scout is the id that the scout has or will
// have.
func (l tongue) taskOf(part, scout string) string {
	opening := l.taskOpening(part)
	if part == partScout {
		return opening + l.say(" List everything in the working folder with list_dir, recursively and page by page. "+
			"Report totals, files by kind, the largest files and what looks unusual. "+
			"If a folder looks generated or hidden, ask me whether to look into it. You may be asked which files are READMEs.",
			"用 list_dir 递归地逐页列出工作目录中的全部内容。汇报总计、按类型统计、最大的文件和异常之处。"+
				"如果有文件夹看起来是自动生成或隐藏的，问我要不要看里面。可能有人问你哪些文件是 README。")
	}
	return opening + l.say(" Find the lines with TODO or FIXME in all files of the working folder, page by page, and report their places. "+
		"Ask %s which files are READMEs, read them, and report their outline.",
		"在工作目录的所有文件中逐页查找含有 TODO 或 FIXME 的行，汇报它们的位置。问 %s 哪些文件是 README，阅读它们，汇报提纲。", scout)
}

// inquiry is something that one agent of the survey asks another.
type inquiry int

const (
	askPeek    inquiry = iota // whether to look into a folder that was left out
	askCount                  // whether to count a folder that looks generated
	askLargest                // how many of the largest files to name
	askReadmes                // which files are READMEs
)

// question is the words of an inquiry; facts go before them.
func (l tongue) question(q inquiry) string {
	switch q {
	case askPeek:
		return l.say("Shall I look at its top level?", "要不要看一下它的最上一层？")
	case askCount:
		return l.say("Shall I count it with the rest?", "要不要和其他文件一起计入？")
	case askLargest:
		return l.say("How many of the largest files shall I name?", "最大的文件要列出几个？")
	case askReadmes:
	}
	return l.say("Which files are READMEs, and how many files are there?", "哪些文件是 README？一共有多少个文件？")
}

// decision is the leader's answer to an inquiry.
func (l tongue) decision(q inquiry) string {
	switch q {
	case askPeek:
		return l.say("Yes, at its top level only, and keep it out of the totals.", "好，只看最上一层，不要计入总计。")
	case askCount:
		return l.say("Yes, count it, and name its share.", "是的，请计入，并单独说明它占多少。")
	case askLargest:
		return l.say("Name 10 of them.", "列出 10 个。")
	case askReadmes:
	}
	return l.say("I am a script and cannot tell. Decide by yourself and name what you assumed.", "我是一个脚本，无法判断。请自行决定，并说明你的假设。")
}
