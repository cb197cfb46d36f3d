package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

// permitted runs a call as an agent under a policy does.
func (b *bench) permitted(p tools.Policy, tool, raw string) (ran bool, err error) {
	b.t.Helper()
	s, err := b.set.Subject(tool, json.RawMessage(raw))
	if err != nil {
		return false, err
	}
	found, _ := b.set.Lookup(tool)
	if v, r := p.Decide(found.Spec(), s); v != tools.Allowed {
		return false, fmt.Errorf("%s by %s", v, r)
	}
	_, err = b.set.Run(b.t.Context(), tool, tools.Call{Agent: "uio_1", Arguments: json.RawMessage(raw)})
	return true, err
}

// TestNoWayRoundADenial tries every way to write one file and to read another.
func TestNoWayRoundADenial(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("secret/key.pem", "old\n")
	b.put("a/b/c.txt", "x\n")
	b.link("secret", "door")
	b.link("key.pem", "secret/alias.txt")
	b.link("../secret/key.pem", "a/far.txt")
	b.link(filepath.Join(b.dir, "secret"), "a/absolute")
	p := policy(t, b.set, []string{"write_file(secret/key.pem)", "read_file(**/*.pem)"}, []string{"write_file", "read_file(**)"}, nil)
	path := func(p string) string { text, _ := json.Marshal(p); return string(text) }
	ways := []string{
		"secret/key.pem", "./secret/key.pem", "secret//key.pem", "a/../secret/key.pem", "secret/./key.pem", "a/b/../../secret/key.pem",
		"door/key.pem", "secret/alias.txt", "door/alias.txt", "a/far.txt", "a/absolute/key.pem", "a/b/../far.txt", "SECRET/KEY.PEM", "secret/Key.pem",
		filepath.Join(b.dir, "secret/key.pem"), filepath.Join(b.dir, "door", "key.pem"), "nothing/../secret/key.pem", "secret/key.pem/", "secret/key.pem/.",
	}
	for _, way := range ways {
		for tool, rest := range map[string]string{
			"write_file": `,"content":"new"`, "edit_file": `,"old":"old","new":"new"`, "read_file": ``, "search_files": `,"pattern":"o"`,
		} {
			if ran, err := b.permitted(p, tool, `{"path":`+path(way)+rest+`}`); ran || err == nil {
				t.Errorf("%s %q ran: %v", tool, way, err)
			}
		}
	}
	for _, raw := range []string{
		`{"path":"a/ok.txt","path":"secret/key.pem","content":"new"}`, `{"path":"a/ok.txt","Path":"secret/key.pem","content":"new"}`,
		`{"path":"secret/key\u002epem","content":"new"}`, `{"PATH":"secret/key.pem","content":"new"}`, `{"content":"new"}`, `nonsense`, ``,
		`{"path":null,"content":"new"}`, `{"path":["secret/key.pem"],"content":"new"}`, `{"path":"secret/key.pem\u0000","content":"new"}`,
		`{"path":"../` + filepath.Base(b.dir) + `/secret/key.pem","content":"new"}`,
	} {
		if ran, err := b.permitted(p, "write_file", raw); ran || err == nil {
			t.Errorf("write_file %s ran: %v", raw, err)
		}
	}
	if got := b.get("secret/key.pem"); got != "old\n" {
		t.Errorf("the file is %q", got)
	}
	if ran, err := b.permitted(p, "write_file", `{"path":"a/b/new.txt","content":"new"}`); !ran || err != nil {
		t.Errorf("another file: ran %t, %v", ran, err)
	}
}

// TestRandomSpellingsOfADeniedPath walks about in a small tree with links.
func TestRandomSpellingsOfADeniedPath(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("d/e/target.txt", "x")
	b.link("d", "l")
	b.link("../d/e", "d/m")
	b.link("target.txt", "d/e/n")
	b.link(".", "dot")
	p := policy(t, b.set, []string{"read_file(d/e/target.txt)"}, nil, nil)
	rng := rand.New(rand.NewPCG(3, 5))
	steps := []string{"d", "e", "l", "m", "n", "..", ".", "target.txt", "dot", "D", ""}
	reached := 0
	for range 10_000 {
		var parts []string
		for range 1 + rng.IntN(7) {
			parts = append(parts, steps[rng.IntN(len(steps))])
		}
		way := strings.Join(append(parts, []string{"target.txt", "n"}[rng.IntN(2)]), "/")
		raw, _ := json.Marshal(map[string]string{"path": way})
		ran, err := b.permitted(p, "read_file", string(raw))
		if ran && err == nil {
			t.Fatalf("%q was read", way)
		}
		if !ran && strings.HasPrefix(err.Error(), "deny") {
			reached++
		}
	}
	if reached < 100 {
		t.Errorf("only %d spellings reached the file", reached)
	}
}

func TestSubjects(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("d/a.txt", "x")
	b.link("d", "l")
	set, err := b.set.With(shell(), query(), deploy())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		tool, raw string
		want      []string
	}{
		{"list_dir", `{}`, []string{"."}},
		{"list_dir", `{"path":"l/"}`, []string{"d", "l"}},
		{"write_file", `{"path":"./l/../l/new.txt","content":""}`, []string{"d/new.txt", "l/new.txt"}},
		{"run_command", `{"command":"a  b"}`, []string{"a  b"}},
		{"query", `{"sql":"select"}`, []string{"select"}},
		{"deploy", `{}`, nil},
	} {
		got, err := set.Subject(tt.tool, json.RawMessage(tt.raw))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s%s is about %q (%v), want %q", tt.tool, tt.raw, got, err, tt.want)
		}
	}
	if _, err := set.Subject("nothing", nil); err == nil {
		t.Error("a tool that does not exist is about something")
	}
}

// TestSearchSeesNoFileThatMayNotBeRead looks for a word in a folder with a
// secret.
func TestSearchSeesNoFileThatMayNotBeRead(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{MayRead: func(path string) bool { return !strings.HasSuffix(path, ".pem") }})
	b.put("sub/a.txt", "word\n")
	b.put("sub/key.pem", "word\n")
	b.put("sub/other.pem", "nothing\n")
	for _, path := range []string{".", "sub"} {
		got := b.ok("search_files", args{"path": path, "pattern": "word"})
		want := "1 matches in 1 files; skipped 2 not permitted\nsub/a.txt:1: word\n"
		if got != want {
			t.Errorf("search in %s:\n%swant\n%s", path, got, want)
		}
	}
	narrow, err := b.workspace.WithWriteDir("sub")
	if err != nil {
		t.Fatal(err)
	}
	got, err := mustSet(t, narrow.Tools()...).Run(t.Context(), "search_files", tools.Call{Arguments: json.RawMessage(`{"pattern":"word"}`)})
	if err != nil || strings.Contains(got, "key.pem") {
		t.Errorf("in another folder to write in: %q (%v)", got, err)
	}
}

func TestAboutNeedsAStringArgument(t *testing.T) {
	for _, argument := range []string{"nothing", "limit", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("calls are about %q", argument)
				}
			}()
			tools.Func("query", "ask", func(context.Context, queryArgs) (string, error) { return "", nil }, tools.About(tools.TextSubject, argument))
		}()
	}
}
