package event

import (
	"strings"
	"unicode"
)

// ReadDecision reads what a person says to an approval, in Chinese or English: a word
// for yes, one for always, or one for no with a reason. Always asks for a rule that
// allows such calls for the rest of the run. ok is false for a text that decides
// nothing, also for one that says yes and something more, which may be a condition.
func ReadDecision(text string) (d ApprovalDecided, always, ok bool) {
	first, rest := strings.TrimSpace(text), ""
	if end := strings.IndexFunc(first, endsWord); end >= 0 {
		first, rest = first[:end], strings.TrimLeftFunc(first[end:], endsWord)
	}
	switch strings.ToLower(first) {
	case "y", "yes", "allow", "ok", "是", "好", "允许", "同意":
		return ApprovalDecided{Decision: DecisionAllow}, false, rest == ""
	case "a", "always", "总是", "一直允许":
		return ApprovalDecided{Decision: DecisionAllow}, true, rest == ""
	case "n", "no", "deny", "否", "不", "拒绝":
		return ApprovalDecided{Decision: DecisionDeny, Reason: rest}, false, true
	}
	return ApprovalDecided{}, false, false
}

// endsWord reports whether the first word of an answer ends there. In Chinese no
// space stands behind it.
func endsWord(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(".,;:!。，、；：！", r)
}
