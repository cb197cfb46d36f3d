package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tongue is the language that the survey speaks: "zh" is Chinese, anything
// else English.
type tongue string

// tongueOf tells the language of a system prompt: Chinese if it begins so.
func tongueOf(prompt string) tongue {
	if first, _ := utf8.DecodeRuneInString(strings.TrimSpace(prompt)); unicode.Is(unicode.Han, first) {
		return "zh"
	}
	return "en"
}

// say formats the sentence of the language with the arguments.
func (l tongue) say(en, zh string, args ...any) string {
	format := en
	if l == "zh" {
		format = zh
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// count writes a number of things; en is the word for one of them.
func (l tongue) count(n int, en, zh string) string {
	if l == "zh" {
		return fmt.Sprintf("%d %s", n, zh)
	}
	if n != 1 {
		en += "s"
	}
	return fmt.Sprintf("%d %s", n, en)
}

func (l tongue) files(n int) string   { return l.count(n, "file", "个文件") }
func (l tongue) folders(n int) string { return l.count(n, "folder", "个文件夹") }

// size writes a number of bytes, exactly and for people.
func (l tongue) size(n int64) string {
	exact := l.count(int(n), "byte", "字节")
	if n < 1<<10 {
		return exact
	}
	value := float64(n)
	unit := 0
	for value >= 1<<10 && unit < 4 {
		value /= 1 << 10
		unit++
	}
	return fmt.Sprintf(l.say("%.1f %s (%s)", "%.1f %s（%s）"), value, []string{"", "KiB", "MiB", "GiB", "TiB"}[unit], exact)
}

// maxExamples bounds the names that one finding gives.
const maxExamples = 5

// some lists names, at most a few of them.
func (l tongue) some(names []string) string {
	shown := make([]string, 0, maxExamples)
	for _, name := range names[:min(len(names), maxExamples)] {
		shown = append(shown, "`"+name+"`")
	}
	list := strings.Join(shown, l.say(", ", "、"))
	if rest := len(names) - len(shown); rest > 0 {
		list += l.say(" and %d more", " 等，另有 %d 个", rest)
	}
	return list
}

// label is the first line of everything that must not be taken for the words
// of a model.
func (l tongue) label() string {
	return l.say("Made by a script (scripted/survey), not by a language model.", "由脚本（scripted/survey）生成，不是语言模型。")
}

// onlySurveys says what the script can do, and how to have more.
func (l tongue) onlySurveys() string {
	return l.say("I am a script that only surveys the working folder: it counts files, finds TODO and FIXME, and outlines the README. "+
		"I cannot do anything else. To have a model do the work, name one: -m PROVIDER/MODEL, or `model:` in team.yaml, "+
		"for example deepseek/deepseek-chat with DEEPSEEK_API_KEY set, or a local one such as ollama/qwen3:8b.",
		"我是一个只会调查工作目录的脚本：清点文件、查找 TODO 和 FIXME、列出 README 的提纲，别的都不会。"+
			"要让模型来做，请指定模型：用 -m PROVIDER/MODEL，或在 team.yaml 中写 `model:`，"+
			"例如设置好 DEEPSEEK_API_KEY 后用 deepseek/deepseek-chat，或用本地模型如 ollama/qwen3:8b。")
}

// clip writes foreign text on one line of at most n characters.
func clip(text string, n int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}
