package mailbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

func TestValidName(t *testing.T) {
	for _, name := range []string{
		"A", "UI Operator_1", "Team Leader", "User", "Troupe", "我的_1", "C++ Dev_1", "^$|\\_1", "QA: Login_1", "3D Artist_1",
		"🚀 Rocket_1", "Task", "x.y-z", "A 的消息", "向", "A 向", "向 B", "A向B", "a/b!c?", "“Q”", strings.Repeat("长", 64),
	} {
		if err := mailbox.ValidName(name); err != nil {
			t.Errorf("ValidName(%q) = %v, want nil", name, err)
		}
	}
	for name, word := range map[string]string{
		"":                      "empty",
		strings.Repeat("长", 65): "64",
		"A\xff":                 "UTF-8",
		" A":                    "space",
		"A ":                    "space",
		"   ":                   "space",
		"A  B":                  "two spaces",
		"A 向 B":                 "向",
		"/A":                    `"/"`,
		"!A":                    `"!"`,
		"?A":                    `"?"`,
		"A<B":                   "U+003C",
		"A>B":                   "U+003E",
		"A&B":                   "U+0026",
		`A"B`:                   "U+0022",
		"A'B":                   "U+0027",
		"A\nB":                  "U+000A",
		"A\tB":                  "U+0009",
		"A\x00B":                "U+0000",
		"A\u0085B":              "U+0085",
		"A\u00a0B":              "U+00A0",
		"A\u3000B":              "U+3000",
		"A\u2028B":              "U+2028",
		"\ufeffA":               "U+FEFF",
		"A\u200b":               "U+200B",
		"A\u202eB":              "U+202E",
		"A\ue000":               "U+E000",
		"A\U000f0000":           "U+F0000",
		"A\U000e0041":           "U+E0041",
	} {
		err := mailbox.ValidName(name)
		fault, ok := errors.AsType[*mailbox.FormatError](err)
		if !ok || fault.Field != "name" || !strings.Contains(fault.Reason, word) {
			t.Errorf("ValidName(%q) = %v, want a *FormatError about the name that holds %q", name, err, word)
		}
	}
}

func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"UI Operator_1", "ui operator_1", " UI  Operator_1 ", "ＵＩ　Ｏｐｅｒａｔｏｒ＿１", "UI\u00a0Operator_1", "UI\u200b Operator_1\ufeff", "UI\nOperator_1"},
		{"Straße", "STRASSE", "straſſe"},
		{"Ångström", "A\u030angstro\u0308m", "ÅNGSTRÖM"},
		{"ﬁle", "FILE", "fi\u00adle"},
		{"设计师_1", "设计师＿１"},
		{"α\u0345\u0313", "α\u0313\u0345"},
	} {
		for _, other := range same[1:] {
			if a, b := mailbox.Fold(same[0]), mailbox.Fold(other); a != b {
				t.Errorf("Fold(%q) = %q, Fold(%q) = %q, want the same", same[0], a, other, b)
			}
		}
	}
	if got, want := mailbox.Fold("UI  Operator_1"), "ui operator_1"; got != want {
		t.Errorf("Fold = %q, want %q", got, want)
	}
	for _, pair := range [][2]string{{"UI Operator_1", "UI Operator_2"}, {"UI Operator", "UIOperator"}, {"é", "e"}} {
		if mailbox.Fold(pair[0]) == mailbox.Fold(pair[1]) {
			t.Errorf("%q and %q fold to the same", pair[0], pair[1])
		}
	}
}

func TestFoldIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\p{L}\p{M}\p{Z}\p{S}\x{345}\x{200b}]{0,8}`)).Draw(t, "name")
		once := mailbox.Fold(s)
		if twice := mailbox.Fold(once); twice != once {
			t.Fatalf("Fold(%+q) = %+q, folded again %+q", s, once, twice)
		}
		for _, other := range []string{" " + s + "\t", "\u200b" + s + "\ufeff"} {
			if got := mailbox.Fold(other); got != once {
				t.Fatalf("Fold(%+q) = %+q, want %+q as without blanks", other, got, once)
			}
		}
	})
}

func TestReservedName(t *testing.T) {
	for _, name := range []string{
		"Team Leader", "User", "Troupe", "team leader", "TEAM  LEADER", "Ｔｅａｍ　Ｌｅａｄｅｒ", "Team Leader_1", "team leader_12", "Team-Leader",
		"TeamLeader", "team_leader", "User 2", "user.", "ＵＳＥＲ", "Us\u200ber", "ⓤⓢⓔⓡ", "🚀 Troupe", "uſer", "Team\u034f Leader",
	} {
		if !mailbox.ReservedName(name) {
			t.Errorf("ReservedName(%q) = false, want true", name)
		}
	}
	for _, name := range []string{"", "UI Operator", "User Research", "Team Lead", "Leader", "Users", "Trouper", "Troupe Doctor", "用户", "42"} {
		if mailbox.ReservedName(name) {
			t.Errorf("ReservedName(%q) = true, want false", name)
		}
	}
}

func TestReservedCode(t *testing.T) {
	for _, code := range []string{event.Leader, event.Person, event.Runtime, "TL", "User", "ｓｙｓ"} {
		if !mailbox.ReservedCode(code) {
			t.Errorf("ReservedCode(%q) = false, want true", code)
		}
	}
	for _, code := range []string{"", "uio", "tl1", "users", "a1"} {
		if mailbox.ReservedCode(code) {
			t.Errorf("ReservedCode(%q) = true, want false", code)
		}
	}
}

func TestRoleCode(t *testing.T) {
	tests := []struct {
		id, name string
		taken    string // codes between spaces
		want     string
	}{
		// The id, when it is short enough.
		{"uio", "UI Operator", "", "uio"},
		{"QA", "Tester", "", "qa"},
		{"3d", "Artist", "", "3d"},
		{"tester", "Quality Assurance", "", "tester"},
		// The initials.
		{"ui-operator", "UI Operator", "", "uio"},
		{"full-stack-engineer", "Full-Stack Engineer", "", "fse"},
		{"qa_tester", "QA Tester", "", "qat"},
		{"x", "Code Reviewer", "", "cr"},
		{"前端", "Frontend Dev", "", "fd"},
		{"artist-3d", "3D Artist", "", "3da"},
		{"cpp-dev", "C++ Dev", "", "cd"},
		{"a-very-long-role-name", "A Very Long Role Name Of Many Words", "", "avlrno"},
		{"agent-number", "Agent 007", "", "a0"},
		{"fullwidth", "ＵＩ　Operator", "", "uio"},
		{"d-b-a", "DATABASE ADMIN", "", "databa"},
		// The first letters of the id.
		{"researcher", "Researcher", "", "res"},
		{"data-cleaner", "数据清洗", "", "dat"},
		{"r", "🚀 Rocket", "", "r"},
		// Nothing, or nothing free.
		{"设计", "设计师", "", "a1"},
		{"设计", "设计师", " a1 a2 ", "a3"},
		{"", "", "", "a1"},
		{"uio", "UI Operator", " uio ", "a1"},
		{"uio", "UI Operator", " uio a1 ", "a2"},
		{"tl", "Tech Lead", "", "a1"},
		{"USER", "Somebody", "", "a1"},
		{"sys-admin", "SYS", "", "a1"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%s", tt.id, tt.name), func(t *testing.T) {
			taken := func(code string) bool { return strings.Contains(tt.taken, " "+code+" ") }
			if got := mailbox.RoleCode(tt.id, tt.name, taken); got != tt.want {
				t.Errorf("RoleCode(%q, %q) with %q taken = %q, want %q", tt.id, tt.name, tt.taken, got, tt.want)
			}
		})
	}
	if got := mailbox.RoleCode("uio", "UI Operator", nil); got != "uio" {
		t.Errorf("RoleCode with nothing taken = %q, want uio", got)
	}
}

func TestRoleCodesAreUsable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		used := map[string]bool{}
		for range rapid.IntRange(1, 20).Draw(t, "roles") {
			id := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z0-9_-]{0,8}`), rapid.SampledFrom([]string{"tl", "user", "sys", "a1"})).Draw(t, "id")
			name := rapid.OneOf(rapid.String(), genName()).Draw(t, "name")
			code := mailbox.RoleCode(id, name, func(code string) bool { return used[code] })
			if used[code] || mailbox.ReservedCode(code) || code == "" || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				t.Fatalf("RoleCode(%q, %q) = %q", id, name, code)
			}
			used[code] = true
		}
	})
}
