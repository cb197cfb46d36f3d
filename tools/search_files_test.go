package tools_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tools"
)

func TestSearchFiles(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{Lang: "zh"})
	b.put("src/main.go", "package main\n\nfunc main() {\r\n\tprintln(\"Main\")\n}")
	b.put("src/a.md", "main\n")
	b.put("docs/x/y.md", "the main thing\n")
	b.put("logo.png", "main\x00")
	b.put("big.txt", "main\n"+strings.Repeat("x", 1<<20))
	b.put("node_modules/a.js", "main")
	b.put("new\nline", "main")
	b.put("bad.txt", "main\xff")
	b.link("src", "link")
	tests := []struct {
		in   args
		want []string
	}{
		{args{"pattern": `\bmain\b`}, []string{
			"6 matches in 5 files; skipped 1 binary, 1 over 1 MiB", "bad.txt:1: main\uFFFD", "docs/x/y.md:1: the main thing", `"new\nline":1: main`,
			"src/a.md:1: main", "src/main.go:1: package main", "src/main.go:3: func main() {", "[1 bytes are not UTF-8 and shown as U+FFFD]",
		}},
		{args{"pattern": "main", "path": "src", "glob": "*.go"}, []string{"2 matches in 1 files", "src/main.go:1: package main", "src/main.go:3: func main() {"}},
		{args{"pattern": "MAIN", "path": "src", "ignore_case": true, "limit": 2, "offset": 1}, []string{
			"4 matches in 2 files", "src/main.go:1: package main", "src/main.go:3: func main() {", "… 1 more; go on with offset=3",
		}},
		{args{"pattern": "main", "glob": "docs/**/*.{md,txt}"}, []string{"1 matches in 1 files", "docs/x/y.md:1: the main thing"}},
		{args{"pattern": "main", "path": "src/a.md"}, []string{"1 matches in 1 files", "src/a.md:1: main"}},
		{args{"pattern": "main", "path": "link", "glob": "*.md"}, []string{"1 matches in 1 files", "src/a.md:1: main"}},
		{args{"pattern": "^main$", "path": "big.txt"}, []string{"1 matches in 1 files", "big.txt:1: main"}},
		{args{"pattern": "nowhere"}, []string{"0 matches in 0 files; skipped 1 binary, 1 over 1 MiB"}},
		{args{"pattern": "^$", "path": "src"}, []string{"1 matches in 1 files", "src/main.go:2: "}},
	}
	for _, test := range tests {
		want := strings.Join(test.want, "\n")
		if diff := cmp.Diff(want, strings.TrimSuffix(b.ok("search_files", test.in), "\n")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestSearchFilesShowsTheMatch(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	long := strings.Repeat("长", 299)
	for name, test := range map[string]struct{ line, want string }{
		"near": {long + "needle", long + "n…"},
		"far":  {long + "xxneedle" + long, "…needle" + strings.Repeat("长", 294) + "…"},
		"fits": {strings.Repeat("needle", 50), strings.Repeat("needle", 50)},
	} {
		b.put(name, test.line)
		want := fmt.Sprintf("1 matches in 1 files\n%s:1: %s\n", name, test.want)
		if got := b.ok("search_files", args{"pattern": "needle", "path": name}); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestSearchFilesRefuses(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a.txt", "a\n")
	for argument, in := range map[string]args{
		"pattern":     {"pattern": "a("},
		"glob":        {"pattern": "a", "glob": "[a"},
		"ignore_case": {"pattern": "a", "ignore_case": "yes"},
	} {
		bad, ok := errors.AsType[*tools.ArgumentError](b.bad("search_files", in))
		if !ok || bad.Argument != argument || !strings.HasPrefix(bad.Signature, "search_files(pattern: string, ") {
			t.Errorf("%v: error %v, want one for %s", in, bad, argument)
		}
	}
	b.refuses("search_files", args{"pattern": ""})
	b.refuses("search_files", args{"pattern": "a", "offset": 1})
	b.refuses("search_files", args{"pattern": "a", "path": "none"})
}

// TestSearchFilesOracle compares with a search that a child could check.
func TestSearchFilesOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	word := func() string { return []string{"alpha", "beta", "Gamma", "", "a b", "αβγ"}[rng.IntN(6)] }
	for round := range 20 {
		b := newBench(t, tools.WorkspaceOptions{})
		files := map[string]string{}
		for i := range 1 + rng.IntN(8) {
			name := fmt.Sprintf("%sfile%d.txt", strings.Repeat("d/", rng.IntN(3)), i)
			var lines []string
			for range rng.IntN(10) {
				lines = append(lines, word()+word())
			}
			files[name] = strings.Join(lines, "\n")
			b.put(name, files[name])
		}
		pattern := []string{"alpha", "a+$", "^$", "[A-Z]", "β"}[rng.IntN(5)]
		var want []string
		hit := map[string]bool{}
		for name, content := range files {
			lines := strings.Split(content, "\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			for i, line := range lines {
				if ok, err := regexp.MatchString(pattern, line); err == nil && ok {
					want = append(want, fmt.Sprintf("%s:%d: %s\n", name, i+1, line))
					hit[name] = true
				}
			}
		}
		got := slices.Collect(strings.Lines(b.ok("search_files", args{"pattern": pattern})))
		if header := fmt.Sprintf("%d matches in %d files\n", len(want), len(hit)); got[0] != header {
			t.Errorf("round %d: header %q, want %q", round, got[0], header)
		}
		got = got[1:]
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("round %d, %q (-want +got):\n%s", round, pattern, cmp.Diff(want, got))
		}
	}
}
