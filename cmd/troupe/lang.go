package main

import (
	"cmp"
	"strings"
)

// The languages that the program speaks.
const (
	zh = "zh"
	en = "en"
)

// guessLang finds the language before the command line is parsed, because the
// help is in it too: --lang, TROUPE_LANG, the locale.
func (a *app) guessLang() string {
	given := a.get("TROUPE_LANG")
	for i, arg := range a.Args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, "--lang="); ok {
			given = value
		}
		if arg == "--lang" && i+1 < len(a.Args) {
			given = a.Args[i+1]
		}
	}
	return a.language(given)
}

// language is the language for a setting, which may be "auto" or empty.
func (a *app) language(setting string) string {
	if setting == zh || setting == en {
		return setting
	}
	locale := cmp.Or(a.get("LC_ALL"), a.get("LC_MESSAGES"), a.get("LANG"))
	if strings.HasPrefix(strings.ToLower(locale), zh) {
		return zh
	}
	return en
}

// speak takes a setting that became known later, from a file, unless the
// command line or the environment chose.
func (a *app) speak(setting string) string {
	lang := a.language(cmp.Or(a.lang, setting))
	a.words = wordsOf(lang)
	return lang
}
