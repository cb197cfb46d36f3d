package tools_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

// FuzzRules: a rule that is read is written as it was and read the same again,
// what it allows it would also refuse, and no command line is allowed that has
// a part which alone is not.
func FuzzRules(f *testing.F) {
	for _, seed := range [][2]string{
		{"write_file(**/*.{pem,key})", "a/b.pem"},
		{"read_file(a[b-d]\\*)", "ac*"},
		{"run_command(go test *)", "go test ./... | sh"},
		{"query(select \\* ?)", "select * x"},
		{"run_command(echo *)", "echo 'a' # '\nrm x"},
		{"write_file(/a/)", "a/b"},
		{"deploy", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	set := shop(f)
	f.Fuzz(func(t *testing.T, text, subject string) {
		r, err := tools.ParseRule(text, set.Specs())
		if err != nil {
			return
		}
		if r.String() != text {
			t.Fatalf("%q is written %q", text, r)
		}
		found, _ := set.Lookup(r.Tool)
		spec := found.Spec()
		allow := policy(t, set, nil, []string{text}, []string{r.Tool})
		v, _ := allow.Decide(spec, tools.Subject{subject})
		if v != tools.Allowed {
			return
		}
		if v, _ := policy(t, set, []string{text}, nil, nil).Decide(spec, tools.Subject{subject}); v != tools.Denied && !commented(spec, subject) {
			t.Errorf("%s allows %q and does not refuse it", text, subject)
		}
		if spec.Subject != tools.CommandSubject || r.Pattern == "" {
			return
		}
		for _, part := range partsOf(subject) {
			if v, _ := allow.Decide(spec, tools.Subject{part}); v != tools.Allowed && strings.TrimSpace(part) != "" {
				t.Errorf("%s allows %q and not its part %q", text, subject, part)
			}
		}
	})
}

// commented reports whether quotes make one word of what a rule that refuses
// takes for more.
func commented(spec tools.Spec, subject string) bool {
	return spec.Subject == tools.CommandSubject && strings.ContainsAny(subject, "'\"#=%\\/")
}

// partsOf splits a command line where its operators stand outside quotes.
func partsOf(line string) []string {
	parts := []string{""}
	quote := rune(0)
	for _, r := range line {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune(";&|\n", r):
			parts = append(parts, "")
			continue
		}
		parts[len(parts)-1] += string(r)
	}
	return parts
}

// TestARuleThatDeniesOnlyTakesAway adds random rules to random ones: no
// verdict gets softer by a rule that denies, none gets harder by one that
// allows.
func TestARuleThatDeniesOnlyTakesAway(t *testing.T) {
	set := shop(t)
	rng := rand.New(rand.NewPCG(7, 11))
	rules := []string{
		"write_file(a)", "write_file(a/**)", "write_file(**)", "write_file", "edit_file(*.md)", "read_file(a/*)", "read_file(b.md)",
		"search_files(a)", "run_command(x *)", "run_command(y)", "run_command", "query(a*)", "query(?b)", "deploy", "list_dir(a)",
	}
	subjects := []string{"a", "a/b.md", "b.md", "x y; y", "x 1", "y | sudo", "ab", "A/B.MD", "."}
	rank := map[tools.Verdict]int{tools.Allowed: 0, tools.Asked: 1, tools.Denied: 2}
	some := func() (list []string) {
		for range rng.IntN(4) {
			list = append(list, rules[rng.IntN(len(rules))])
		}
		return list
	}
	changed := 0
	for range 5000 {
		deny, allow, ask, extra := some(), some(), some(), rules[rng.IntN(len(rules))]
		spec := set.Specs()[rng.IntN(len(set.Specs()))]
		s := tools.Subject{subjects[rng.IntN(len(subjects))]}
		before, _ := policy(t, set, deny, allow, ask).Decide(spec, s)
		harder, _ := policy(t, set, append(deny, extra), allow, ask).Decide(spec, s)
		softer, _ := policy(t, set, deny, append(allow, extra), ask).Decide(spec, s)
		if rank[harder] < rank[before] || rank[softer] > rank[before] {
			t.Fatalf("%s of %s%v is %s; denying %s makes it %s, allowing it %s", extra, spec.Name, s, before, extra, harder, softer)
		}
		if harder != before || softer != before {
			changed++
		}
	}
	if changed < 100 {
		t.Errorf("only %d of the rules changed anything", changed)
	}
}
