package prompts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/prompts"
)

func TestBuiltinRoles(t *testing.T) {
	want := []string{
		"uio UI Operator", "fse Full-Stack Engineer", "cr Code Reviewer",
		"res Researcher", "qae QA Engineer",
	}
	for _, lang := range langs {
		var got []string
		var text strings.Builder
		for _, r := range prompts.BuiltinRoles(lang) {
			got = append(got, r.ID+" "+r.Name)
			fmt.Fprintf(&text, "%s, %s, code %s, tools %q\n%s\n\n%s\n\n", r.ID, r.Name, r.Code, r.Tools, r.Does, r.Prompt)
			if r.Code != r.ID || r.Does == "" || r.Prompt == "" {
				t.Errorf("%s %s: incomplete: %+v", lang, r.ID, r)
			}
			if s := strangers(r.Does+r.Prompt, nil); len(s) > 0 {
				t.Errorf("%s %s names tools %q", lang, r.ID, s)
			}
			for _, tool := range r.Tools {
				if !slices.Contains(fileTools, tool) {
					t.Errorf("%s %s has the tool %q", lang, r.ID, tool)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: roles %q, want %q", lang, got, want)
		}
		golden.Equal(t, "testdata/roles."+lang+".golden", []byte(strings.TrimSpace(text.String())+"\n"))
	}
}

// TestBuiltinRolesInTwoLanguages checks that the languages differ in what is
// for reading and in nothing else.
func TestBuiltinRolesInTwoLanguages(t *testing.T) {
	zh, en := prompts.BuiltinRoles("zh"), prompts.BuiltinRoles("en")
	for i := range en {
		if zh[i].Does == en[i].Does || zh[i].Prompt == en[i].Prompt {
			t.Errorf("%s has the same text in both languages", en[i].ID)
		}
		if !slices.Equal(zh[i].Tools, en[i].Tools) || zh[i].Name != en[i].Name {
			t.Errorf("%s differs in more than text", en[i].ID)
		}
	}
}

func TestBuiltinRolesAreTheCallers(t *testing.T) {
	first := prompts.BuiltinRoles("en")
	first[0].Tools[0] = "changed"
	if got := prompts.BuiltinRoles("en")[0].Tools[0]; got == "changed" {
		t.Error("a change to a returned role shows in the next call")
	}
}
