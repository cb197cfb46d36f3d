package event_test

import (
	"testing"

	"github.com/troupe-go/troupe/event"
)

// TestReadDecision reads what people write, with and without a space behind the word. What
// is more than yes is no yes.
func TestReadDecision(t *testing.T) {
	const allow, always, deny, unread = event.DecisionAllow, "always", event.DecisionDeny, ""
	for text, want := range map[string][2]string{
		"yes": {allow}, "y": {allow}, " allow ": {allow}, "允许": {allow}, " Yes!\n": {allow}, "OK.": {allow}, "是": {allow}, "好。": {allow}, "同意！": {allow},
		"a": {always}, "always": {always}, "Always.": {always}, "总是。": {always},
		"no": {deny}, "n": {deny}, "No.": {deny}, "否": {deny}, "拒绝。": {deny},
		"no not that file": {deny, "not that file"}, "No, not that file.": {deny, "not that file."}, "no: too late": {deny, "too late"},
		"no\nnot today": {deny, "not today"}, "deny\ttoo much": {deny, "too much"},
		"否 太危险": {deny, "太危险"}, "否，太危险": {deny, "太危险"}, "否：太危险。": {deny, "太危险。"}, "否\u3000太危险": {deny, "太危险"}, "不，改天": {deny, "改天"},
		"": {unread}, " ": {unread}, ".": {unread}, "why?": {unread}, "yes, but later": {unread}, "是，但是先看看": {unread}, "yesterday": {unread},
		"yes please": {unread}, "allow it": {unread}, "a lot": {unread}, "nothing": {unread}, "不是这个": {unread}, "always yes": {unread}, "[]": {unread},
	} {
		d, isAlways, ok := event.ReadDecision(text)
		got := [2]string{d.Decision, d.Reason}
		if isAlways {
			got[0] = always
		}
		if ok != (want[0] != unread) || ok && got != want {
			t.Errorf("%q is read as %q, %v; want %q", text, got, ok, want)
		}
	}
}
