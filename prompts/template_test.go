package prompts_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/prompts"
)

// TestSameFiles checks that each file exists in both languages.
func TestSameFiles(t *testing.T) {
	have := map[string][]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, ok := strings.CutSuffix(path, ".md")
		if !ok {
			return nil
		}
		for _, lang := range langs {
			if base, is := strings.CutSuffix(name, "."+lang); is {
				have[lang] = append(have[lang], base)
				return nil
			}
		}
		t.Errorf("%s has no language in its name", path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(have["zh"], have["en"]); diff != "" {
		t.Errorf("files differ (-zh +en):\n%s", diff)
	}
	if len(have["zh"]) == 0 {
		t.Error("no files")
	}
}

// TestSameActions checks that the templates of both languages have the same
// conditions and placeholders in the same order. Literal separators may
// differ.
func TestSameActions(t *testing.T) {
	actions := map[string]map[string][]string{}
	for _, lang := range langs {
		actions[lang] = map[string][]string{}
		for _, tmpl := range templates(t, lang).Templates() {
			visit(tmpl, func(n parse.Node) {
				name := tmpl.Name()
				switch n := n.(type) {
				case *parse.ActionNode:
					actions[lang][name] = append(actions[lang][name], separators.Replace(n.Pipe.String()))
				case *parse.IfNode:
					actions[lang][name] = append(actions[lang][name], "if "+n.Pipe.String())
				case *parse.RangeNode:
					actions[lang][name] = append(actions[lang][name], "range "+n.Pipe.String())
				case *parse.WithNode:
					actions[lang][name] = append(actions[lang][name], "with "+n.Pipe.String())
				case *parse.TemplateNode:
					actions[lang][name] = append(actions[lang][name], n.String())
				}
			})
		}
	}
	if diff := cmp.Diff(actions["zh"], actions["en"]); diff != "" {
		t.Errorf("actions differ (-zh +en):\n%s", diff)
	}
	if !slices.Contains(actions["en"]["leader"], "if .Has \"create_sub_agent\"") {
		t.Error("the walk misses a condition that is there")
	}
}

var separators = strings.NewReplacer(`"、"`, "SEP", `", "`, "SEP")

// TestEveryTextIsReachable checks that no branch of a template is dead: each
// piece of text shows up in some rendering of the samples.
func TestEveryTextIsReachable(t *testing.T) {
	for _, lang := range langs {
		var all strings.Builder
		for _, missing := range append([]string{"", "+"}, leaderTools...) {
			l := leaderSample(lang)
			l.Tools = slices.DeleteFunc(l.Tools, func(tool prompts.Tool) bool {
				return tool.Name == missing || missing == "+" && tool.Name != "ask_user" && tool.Name != "list_active_sub_agents"
			})
			all.WriteString(leader(t, lang, l))
		}
		w := workerSample(lang)
		all.WriteString(worker(t, lang, w))
		for _, canAsk := range [][]string{nil, {}} {
			w.CanAsk = canAsk
			all.WriteString(worker(t, lang, w))
		}
		for _, tmpl := range templates(t, lang).Templates() {
			visit(tmpl, func(n parse.Node) {
				text, ok := n.(*parse.TextNode)
				if ok && !strings.Contains(all.String(), string(text.Text)) {
					t.Errorf("%s %s: never rendered: %q", lang, tmpl.Name(), text.Text)
				}
			})
		}
	}
}

// visit calls f for each node of a template, in order.
func visit(tmpl *template.Template, f func(parse.Node)) {
	if tmpl.Tree == nil {
		return
	}
	var list func(*parse.ListNode)
	branch := func(b *parse.BranchNode) {
		list(b.List)
		list(b.ElseList)
	}
	list = func(l *parse.ListNode) {
		if l == nil {
			return
		}
		for _, n := range l.Nodes {
			f(n)
			switch n := n.(type) {
			case *parse.IfNode:
				branch(&n.BranchNode)
			case *parse.RangeNode:
				branch(&n.BranchNode)
			case *parse.WithNode:
				branch(&n.BranchNode)
			}
		}
	}
	list(tmpl.Root)
}
