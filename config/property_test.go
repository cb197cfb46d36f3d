package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/config"
)

// drawRole draws a role with the n-th id, and its text.
func drawRole(t *rapid.T, n int, ids []string) (config.Role, string) {
	var b strings.Builder
	r := config.Role{ID: ids[n]}
	fmt.Fprintf(&b, "  %s:\n", r.ID)
	set := func(key, text string) { fmt.Fprintf(&b, "    %s: %s\n", key, text) }
	r.Name = fmt.Sprintf("%s %d", rapid.StringMatching(`[A-Z设][a-z计]{0,8}(-[A-Z][a-z]{1,8})?`).Draw(t, "name"), n)
	set("name", r.Name)
	r.Does = rapid.StringMatching(`[a-z设计：，#!$]{1,3}[a-z: $#&*!%@{}\[\]]{0,30}[a-z]`).Draw(t, "does")
	set("does", "'"+r.Does+"'")
	if rapid.Bool().Draw(t, "prompt?") {
		r.Prompt = rapid.StringMatching(`[a-z]{1,5}\n( {0,3}[a-z:#$-]{1,9}\n){0,4}`).Draw(t, "prompt")
		set("prompt", "|\n      "+strings.ReplaceAll(strings.TrimSuffix(r.Prompt, "\n"), "\n", "\n      "))
	}
	if rapid.Bool().Draw(t, "tools?") {
		r.Tools = rapid.SliceOfDistinct(rapid.SampledFrom(known().Tools), rapid.ID[string]).Draw(t, "tools")
		set("tools", "["+strings.Join(r.Tools, ", ")+"]")
	}
	if rapid.Bool().Draw(t, "may_ask?") {
		r.MayAsk = rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID[string]).Draw(t, "may_ask")
		set("may_ask", "["+strings.Join(r.MayAsk, ", ")+"]")
	}
	switch rapid.IntRange(0, 2).Draw(t, "max_steps") {
	case 1:
		r.MaxSteps = config.Limit[int]{State: config.Unlimited}
		set("max_steps", "unlimited")
	case 2:
		r.MaxSteps = config.Limit[int]{State: config.Bounded, Value: rapid.IntRange(1, 1000).Draw(t, "steps")}
		set("max_steps", fmt.Sprint(r.MaxSteps.Value))
	}
	return r, b.String()
}

func TestValidTeamsLoadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{2}[0-9][a-z0-9_-]{0,9}`), 1, 5, rapid.ID[string]).Draw(t, "ids")
		var want []config.Role
		text := rapid.SampledFrom([]string{"", "\ufeff", "version: 1\n", "---\n", "# c\nx-a: [1]\n"}).Draw(t, "head") + "roles:\n"
		for n := range ids {
			role, yaml := drawRole(t, n, ids)
			want = append(want, role)
			text += yaml
		}
		if rapid.Bool().Draw(t, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		team, err := config.Parse("team.yaml", []byte(text), nil, known())
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, text)
		}
		if diff := cmp.Diff(want, team.Roles, cmpopts.IgnoreFields(config.Role{}, "Source")); diff != "" {
			t.Fatalf("roles (-want +got):\n%s\nin\n%s", diff, text)
		}
	})
}
