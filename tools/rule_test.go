package tools_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

// shop are the tools that the rules of these tests are about: those of a
// workspace, a shell, one with another text, and one without any.
func shop(t testing.TB) tools.Set {
	t.Helper()
	w, err := tools.NewWorkspace(t.TempDir(), tools.WorkspaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	set, err := tools.NewSet(append(w.Tools(), shell(), query(), deploy())...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

type commandArgs struct {
	Command string `json:"command"`
}

type queryArgs struct {
	SQL   string `json:"sql"`
	Limit int    `json:"limit,omitempty"`
}

// plainly is a tool that does nothing.
func plainly[In any](context.Context, In) (string, error) { return "done", nil }

func shell() tools.Tool {
	return tools.Func("run_command", "run", plainly[commandArgs], tools.About(tools.CommandSubject, "command"), tools.Asks())
}

func query() tools.Tool {
	return tools.Func("query", "ask", plainly[queryArgs], tools.About(tools.TextSubject, "sql"))
}

func deploy() tools.Tool {
	return tools.Func("deploy", "deploy", plainly[struct{}], tools.Asks())
}

// verdict decides about a call by rules, one list a kind.
func verdict(t testing.TB, set tools.Set, p tools.Policy, tool string, s ...string) string {
	t.Helper()
	found, ok := set.Lookup(tool)
	if !ok {
		t.Fatalf("no tool %s", tool)
	}
	v, r := p.Decide(found.Spec(), s)
	if r.Tool == "" {
		return string(v)
	}
	return string(v) + " " + r.String()
}

func policy(t testing.TB, set tools.Set, deny, allow, ask []string) tools.Policy {
	t.Helper()
	p, err := tools.NewPolicy(deny, allow, ask, set.Specs())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDenyThenAllowThenAsk(t *testing.T) {
	set := shop(t)
	p := policy(t, set,
		[]string{"write_file(.env)", "read_file(**/*.pem)", "run_command(sudo *)", "query(drop *)"},
		[]string{"write_file(out/**)", "run_command(go test *)", "run_command(ls)", "query(select *)"},
		[]string{"write_file", "read_file(/private)", "query"})
	for _, tt := range []struct{ tool, subject, want string }{
		{"read_file", "a.txt", "allow"},
		{"read_file", "keys/a.pem", "deny read_file(**/*.pem)"},
		{"read_file", "private/x/y.txt", "ask read_file(/private)"},
		{"read_file", "other/private", "allow"},
		{"search_files", "private", "ask read_file(/private)"},
		{"list_dir", "private", "allow"},
		{"write_file", "out/a.md", "allow write_file(out/**)"},
		{"write_file", "a.md", "ask write_file"},
		{"edit_file", "out/a.md", "allow write_file(out/**)"},
		{"edit_file", "out/.env", "deny write_file(.env)"},
		{"edit_file", "a.md", "ask write_file"},
		{"run_command", "go test ./...", "allow run_command(go test *)"},
		{"run_command", "go test", "allow run_command(go test *)"},
		{"run_command", "go vet ./...", "ask"},
		{"run_command", "sudo ls", "deny run_command(sudo *)"},
		{"query", "select 1\nfrom x", "allow query(select *)"},
		{"query", "DROP table x", "deny query(drop *)"},
		{"query", "update x", "ask query"},
		{"deploy", "", "ask"},
	} {
		if got := verdict(t, set, p, tt.tool, tt.subject); got != tt.want {
			t.Errorf("%s(%s): %s, want %s", tt.tool, tt.subject, got, tt.want)
		}
	}
	if got := verdict(t, set, tools.Policy{}, "write_file", "a"); got != "allow" {
		t.Errorf("without rules: %s", got)
	}
}

// TestWhatIsInDoubtIsNotAllowed reads one pattern both ways.
func TestWhatIsInDoubtIsNotAllowed(t *testing.T) {
	set := shop(t)
	for _, tt := range []struct {
		pattern, path    string
		refuses, allowed bool
	}{
		{".env", ".env", true, true},
		{".env", "a/b/.env", true, false},
		{".env", ".ENV", true, false},
		{".env", ".env/secret", true, false},
		{".env", ".envrc", false, false},
		{"./.env", "a/.env", false, false},
		{"./.env", ".env", true, true},
		{"/a", "b/a", false, false},
		{"secrets", "secrets/deep/er.txt", true, false},
		{"secrets/", "x/secrets/a", true, false},
		{"secrets/**", "secrets/a/b", true, true},
		{"secrets/**", "SECRETS/a", true, false},
		{"secrets/*", "secrets/a", true, true},
		{"secrets/*", "secrets/a/b", true, false},
		{"**", "a/b", true, true},
		{".", "a/b", true, false},
		{"**/*.pem", "a.pem", true, true},
		{"**/*.pem", "x/a.pem", true, true},
		{"**/*.{pem,key}", "x/a.key", true, true},
		{"**/*.pem", "a.pem.txt", false, false},
		{"{a,b}/c", "b/c", true, true},
		{`a\*b`, "a*b", true, true},
		{`a\*b`, "axb", false, false},
		{"ſecret", "SECRET", true, false},
		{"a[X-c]", "aX", true, true},
	} {
		p := policy(t, set, []string{"write_file(" + tt.pattern + ")"}, nil, nil)
		if got := verdict(t, set, p, "write_file", tt.path) != "allow"; got != tt.refuses {
			t.Errorf("deny %s refuses %s: %t, want %t", tt.pattern, tt.path, got, tt.refuses)
		}
		p = policy(t, set, nil, []string{"write_file(" + tt.pattern + ")"}, []string{"write_file"})
		if got := strings.HasPrefix(verdict(t, set, p, "write_file", tt.path), "allow"); got != tt.allowed {
			t.Errorf("allow %s allows %s: %t, want %t", tt.pattern, tt.path, got, tt.allowed)
		}
	}
}

// TestAllNamesOfAPath wants one name for a refusal and all for an allowance.
func TestAllNamesOfAPath(t *testing.T) {
	set := shop(t)
	deny := policy(t, set, []string{"write_file(link)"}, nil, nil)
	allow := policy(t, set, nil, []string{"write_file(link)"}, []string{"write_file"})
	if got := verdict(t, set, deny, "write_file", "real", "link"); got != "deny write_file(link)" {
		t.Errorf("the second name: %s", got)
	}
	if got := verdict(t, set, allow, "write_file", "real", "link"); got != "ask write_file" {
		t.Errorf("one of two names: %s", got)
	}
	if got := verdict(t, set, allow, "write_file"); got != "ask write_file" {
		t.Errorf("no name at all: %s", got)
	}
}

func TestCommandsThatAreNotAllowedByTheirFirstWord(t *testing.T) {
	set := shop(t)
	p := policy(t, set, nil, []string{"run_command(go test *)", "run_command(echo *)", "run_command(cd *)"}, nil)
	for _, command := range []string{
		"go test ./... ; rm -rf /", "go test && rm x", "go test || rm x", "go test | sh", "go test & rm x", "go test\nrm x",
		"go test $(rm x)", "go test `rm x`", `go test "$(rm x)"`, "go test \"`rm x`\"", "go test <(rm x)", "go test > /etc/passwd",
		"go test >> x", "go test < x", "go test 2>x", "(rm x)", "{ rm x; }", "go test \\\n; rm x", "go test # '\nrm x #'",
		"go test 'a' ; rm x", "go test 'unclosed", `go test "unclosed`, "PATH=/tmp go test", "/tmp/go test", "./go test", "go  vet",
		"go testx", "GO TEST ./...", "go test ${IFS}x", "go test $'\\n' rm", "go test\r\nrm x", "go test \x00 rm", "! go test", "", " ", ";",
		`go test \; rm x`, "if true; then rm x; fi", "go test;rm x", "cd x && rm y", "go test \x1b[0m",
	} {
		if got := verdict(t, set, p, "run_command", command); got != "ask" {
			t.Errorf("%q: %s", command, got)
		}
	}
	for _, command := range []string{
		"go test", "go test ./... -run 'Test; x'", `go test -run "a|b"`, "  go   test\t./...  ", "cd x && go test ./... | echo done; echo 'rm x'",
		"go test; ", "go test &", "go test -run=Test#1 --tags=a,b", "echo 100%",
	} {
		if got := verdict(t, set, p, "run_command", command); !strings.HasPrefix(got, "allow") {
			t.Errorf("%q: %s", command, got)
		}
	}
	all := policy(t, set, nil, []string{"run_command"}, nil)
	if got := verdict(t, set, all, "run_command", "a; $(b)"); got != "allow run_command" {
		t.Errorf("a rule without a pattern: %s", got)
	}
}

func TestCommandsThatAreDeniedWhereverTheyStand(t *testing.T) {
	set := shop(t)
	p := policy(t, set, []string{"run_command(sudo *)", "run_command(rm -rf *)"}, []string{"run_command"}, nil)
	for _, command := range []string{
		"sudo", "sudo ls", "SUDO ls", "/usr/bin/sudo ls", "  sudo  ls", "a; sudo ls", "a && sudo ls", "a|sudo ls", "a &sudo ls", "a\nsudo ls",
		"$(sudo ls)", "`sudo ls`", `bash -c "sudo ls"`, "bash -c 'a; sudo ls'", "env X=1 sudo ls", "xargs sudo rm", "(sudo ls)", "{ sudo ls; }",
		`su\do ls`, `s'ud'o ls`, `"sudo" ls`, "su\\\ndo ls", "sudo${IFS}ls", "sudo\tls", "x <(sudo ls)", "time sudo ls", "nohup /bin/rm -rf /",
		"rm  -rf  /", "!sudo ls", "#sudo ls", strings.Repeat("x ", 20_000),
	} {
		if got := verdict(t, set, p, "run_command", command); !strings.HasPrefix(got, "deny") {
			t.Errorf("%q: %s", command, got)
		}
	}
	for _, command := range []string{"pseudo ls", "sudoku", "rm -r x", "ls sudoers", "rm -rfv x", ""} {
		if got := verdict(t, set, p, "run_command", command); strings.HasPrefix(got, "deny") {
			t.Errorf("%q: %s", command, got)
		}
	}
}

func TestWrongRules(t *testing.T) {
	set := shop(t)
	for _, tt := range []struct {
		rule         string
		at           int
		reason, hint string
	}{
		{"", 0, "name of a tool", "TOOL(PATTERN)"},
		{"(x)", 0, "name of a tool", ""},
		{"write file(x)", 0, "name of a tool", ""},
		{"write_fil(x)", 0, "no tool", `"write_file"`},
		{"nothing_like_it", 0, "no tool", "read_file, list_dir"},
		{"write_file(x", 12, "not closed", ""},
		{"write_file(x) ", 14, "not closed", ""},
		{"write_file()", 11, "no pattern", "write write_file alone"},
		{"write_file( )", 11, "no pattern", ""},
		{"write_file(a[b)", 12, "not closed", `\`},
		{"write_file(a/[b/]c)", 11, "malformed", ""},
		{"write_file({a,b)", 11, "not closed", ""},
		{"write_file({a,{b,c}})", 14, "not closed", ""},
		{`write_file(a\)`, 12, "not closed", ""},
		{"write_file(../x)", 11, "..", ""},
		{"write_file(a/../x)", 13, "..", ""},
		{"write_file(" + strings.Repeat("{a,b}", 7) + ")", 11, "more than 100", "several"},
		{"deploy(x)", 6, "no pattern", "write deploy alone"},
		{"ask_user", 0, "communication tools", ""},
		{"ask_master(x)", 0, "communication tools", ""},
	} {
		_, err := tools.ParseRule(tt.rule, set.Specs())
		e, ok := errors.AsType[*tools.RuleError](err)
		if !ok {
			t.Errorf("%q: error %v, want a *RuleError", tt.rule, err)
			continue
		}
		if e.At != tt.at || !strings.Contains(e.Reason, tt.reason) || !strings.Contains(e.Hint, tt.hint) || e.Rule != tt.rule {
			t.Errorf("%q: %+v, want at %d %q (%q)", tt.rule, e, tt.at, tt.reason, tt.hint)
		}
	}
	_, err := tools.NewPolicy([]string{"a"}, []string{"b", "write_file"}, []string{"c"}, set.Specs())
	if err == nil || strings.Count(err.Error(), "no tool") != 3 {
		t.Errorf("three mistakes: %v", err)
	}
}

// TestExactRules allow one thing again and nothing else, also after they were
// written and read.
func TestExactRules(t *testing.T) {
	set := shop(t)
	for _, tt := range []struct{ tool, subject, other, want string }{
		{"write_file", "out/a*[b]{c,d}?.md", "out/ab{c,d}x.md", `write_file(out/a\*\[b]\{c,d}\?.md)`},
		{"write_file", "a.md", "b/a.md", "write_file(a.md)"},
		{"write_file", `a\b.md`, "ab.md", `write_file(a\\b.md)`},
		{"edit_file", "a(b).md", "a.md", "edit_file(a(b).md)"},
		{"run_command", "go test  ./...", "go test ./... -x", "run_command(go test ./...)"},
		{"run_command", "a; b", "", ""},
		{"run_command", "a $(b)", "", ""},
		{"run_command", "rm *", "", ""},
		{"query", "select * from x where y = '?'", "select 1 from x where y = '?'", `query(select \* from x where y = '\?')`},
		{"deploy", "", "", "deploy"},
		{"list_dir", ".", "a", "list_dir(.)"},
	} {
		found, _ := set.Lookup(tt.tool)
		spec := found.Spec()
		r, ok := tools.Exact(spec, tools.Subject{tt.subject})
		if r.String() != tt.want || ok != (tt.want != "") {
			t.Errorf("%s(%s): rule %s (%t), want %s", tt.tool, tt.subject, r, ok, tt.want)
		}
		if !ok {
			continue
		}
		again, err := tools.ParseRule(r.String(), set.Specs())
		if err != nil {
			t.Errorf("%s cannot be read: %v", r, err)
			continue
		}
		for _, rule := range []tools.Rule{r, again} {
			p := policy(t, set, nil, nil, []string{tt.tool}).With(rule)
			if got := verdict(t, set, p, tt.tool, tt.subject); !strings.HasPrefix(got, "allow") {
				t.Errorf("%s(%s) again: %s", tt.tool, tt.subject, got)
			}
			if got := verdict(t, set, p, tt.tool, tt.other); tt.other != "" && !strings.HasPrefix(got, "ask") {
				t.Errorf("%s allows %s: %s", rule, tt.other, got)
			}
			denied := policy(t, set, []string{tt.tool}, nil, nil).With(rule)
			if got := verdict(t, set, denied, tt.tool, tt.subject); !strings.HasPrefix(got, "deny") {
				t.Errorf("%s against a rule that denies: %s", rule, got)
			}
		}
	}
}

func TestFreeToolsNeedNoLook(t *testing.T) {
	set := shop(t)
	p := policy(t, set, []string{"write_file(.env)"}, []string{"read_file(**)"}, []string{"query"})
	for tool, want := range map[string]bool{"write_file": false, "edit_file": false, "query": false, "deploy": false, "read_file": true, "search_files": true} {
		found, _ := set.Lookup(tool)
		if got := p.Free(found.Spec()); got != want {
			t.Errorf("%s is free: %t, want %t", tool, got, want)
		}
	}
	var names []string
	for _, s := range tools.WorkspaceSpecs() {
		names = append(names, s.Name)
		if s.Subject != tools.PathSubject {
			t.Errorf("%s is about %q", s.Name, s.Subject)
		}
	}
	if !slices.Equal(names, tools.WorkspaceNames()) {
		t.Errorf("the tools are %q", names)
	}
}
