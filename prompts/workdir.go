package prompts

import "strings"

// workDirWords stand before the working folder in a system prompt, in both
// languages; leader and worker have the same.
var workDirWords = [...]string{"\n工作目录，相对路径从这里算起：", "\nWorking folder, where relative paths start: "}

// WorkDirOf finds the working folder that a system prompt of [Leader] or
// [Worker] names; it is empty when the prompt names none.
func WorkDirOf(prompt string) string {
	for _, words := range workDirWords {
		if _, rest, ok := strings.Cut(prompt, words); ok {
			dir, _, _ := strings.Cut(rest, "\n")
			return dir
		}
	}
	return ""
}
