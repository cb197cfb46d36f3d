package tools

import "fmt"

// lang is the language of the sentences that a tool says: "zh" is Chinese,
// anything else English.
type lang string

// say formats the sentence of the language with the arguments.
func (l lang) say(en, zh string, args ...any) string {
	format := en
	if l == "zh" {
		format = zh
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}
