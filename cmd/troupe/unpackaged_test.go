package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// namedErrors are the packages of this project whose errors begin with their
// names.
func namedErrors(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if m := packageClause.FindSubmatch(text); m != nil && !forTests[string(m[1])] && bytes.Contains(text, []byte(`"`+string(m[1])+`: `)) {
			names = append(names, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// forTests are packages that are no part of the program.
var forTests = map[string]bool{"golden": true, "modeltest": true}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

func TestAllPackagesWithNamedErrorsAreKnown(t *testing.T) {
	if diff := cmp.Diff(namedErrors(t), packages); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func TestUnpackaged(t *testing.T) {
	inner := errors.New("event: record: it ends too soon")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("the disk is full"), "the disk is full"},
		{errors.New("config: 1 mistake\n\nteam.yaml:1:1: model: found nothing"), "1 mistake\n\nteam.yaml:1:1: model: found nothing"},
		{inner, "record: it ends too soon"},
		{fmt.Errorf("transcript: log.jsonl:3: %w", inner), "log.jsonl:3: record: it ends too soon"},
		{fmt.Errorf("log.jsonl:3: %w (is it the log of a run?)", inner), "log.jsonl:3: record: it ends too soon (is it the log of a run?)"},
		{errors.Join(inner, fmt.Errorf("leader: %w", inner)), "record: it ends too soon\nrecord: it ends too soon"},
		{errors.New("open: it says model: x"), "open: it says model: x"},
	} {
		if got := unpackaged(tt.err); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.err, got, tt.want)
		}
	}
}

// TestNoPackageIsNamed makes the mistakes that are found in packages below, in both
// languages: none of them is named.
func TestNoPackageIsNamed(t *testing.T) {
	names := regexp.MustCompile(`(?m)(^|[ :：(])(` + strings.Join(packages, "|") + `): `)
	whole, err := filepath.Abs("../../testdata/runs/steered.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess(t)
	p.vars["QUEUE_URL"] = "redis://127.0.0.1:1"
	records, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(records), "\n")
	put(t, "dir/x", "")
	put(t, "broken.yaml", "roles: [\n")
	put(t, "wrong.yaml", "roles: {a: {doess: x}}\n")
	put(t, "ok.json", answering)
	put(t, "ok.yaml", "version: 1\nname: pure\nmodel: scripted/ok.json\nroles: {a: {name: A, does: nothing}}\n")
	put(t, "noscript.yaml", "version: 1\nname: pure\nmodel: scripted/none.json\nroles: {a: {name: A, does: nothing}}\n")
	put(t, "badscript.json", "{")
	put(t, "badscript.yaml", "version: 1\nname: pure\nmodel: scripted/badscript.json\nroles: {a: {name: A, does: nothing}}\n")
	put(t, "empty.jsonl", "")
	put(t, "text.jsonl", "nothing\n")
	put(t, "foreign.json", `{"messages": 1}`)
	put(t, "holed.jsonl", strings.Join(append(slices.Clone(lines[:3]), lines[5:]...), ""))
	for _, name := range []string{"damaged", "torn"} {
		put(t, name+"/log.jsonl", strings.Join(lines[:3], "")+"{damaged}\n"+strings.Join(lines[4:], ""))
	}
	put(t, "good/log.jsonl", string(records))
	refs := strings.Fields("nosuch dir missing.jsonl empty.jsonl text.jsonl foreign.json holed.jsonl damaged ./damaged damaged/log.jsonl")
	var calls []string
	for file := range strings.FieldsSeq("missing.yaml dir broken.yaml wrong.yaml noscript.yaml badscript.yaml") {
		for _, command := range []string{"run x -f ", "chat -f ", "check -f ", "serve --listen 127.0.0.1:0 -f ", "worker -t a --redis redis://127.0.0.1:1 -f ", "queue pending -f ", "models -f "} {
			calls = append(calls, command+file)
		}
	}
	for _, ref := range refs {
		for _, command := range []string{
			"runs show %s", "runs show %s --json", "runs cost %s", "runs export %s", "runs repair %s --json", "runs repair %s", "runs rm %s", "replay %s --speed 0", "replay %s --verify",
			"replay %s --from-format crewai", "replay %s --output-format jsonl", "resume %s", "resume %s --from 3", "resume %s --edit 2=x", "answer %s q_1 yes", "diff %s good", "diff good %s",
		} {
			calls = append(calls, fmt.Sprintf(command, ref))
		}
	}
	calls = append(calls,
		"run x -m nosuch", "run x -m no/such", "run x -f ok.yaml --limits nosuch=1", "run x -f ok.yaml --limits tokens=-1", "run x -f ok.yaml --workdir missing", "models probe nosuch", "models probe no/such",
		"queue send a x --redis redis://127.0.0.1:1", "queue send a x --redis http://h", "queue send a x --redis redis://h:x", "queue send a x --schema v3", "queue tail s --redis redis://127.0.0.1:1",
		"envelope check text.jsonl", "envelope convert text.jsonl --to nosuch", "dial ws://127.0.0.1:1/studio x", "serve --listen nosuch -f ok.yaml", "serve --workspace missing/x -f ok.yaml", "serve --audit dir -f ok.yaml --listen 127.0.0.1:0",
		"run x -f ok.yaml --run-dir ok.json", "resume ./good --edit 1=x -f ok.yaml", "resume ./good --edit 99=x", "resume ./good --from 99",
	)
	for _, call := range calls {
		for _, lang := range []string{zh, en} {
			p.vars["TROUPE_LANG"] = lang
			put(t, "damaged/log.jsonl", strings.Join(lines[:3], "")+"{damaged}\n"+strings.Join(lines[4:], "")) // what repair made whole
			p.call(t.Context(), strings.Fields(call)...)
			for _, out := range []string{p.stdout.String(), p.stderr.String()} {
				if found := names.FindString(out); found != "" {
					t.Errorf("%s, %s: %q names a package:\n%s", lang, call, found, out)
				}
			}
			if p.stderr.Len() == 0 && p.stdout.Len() == 0 {
				t.Errorf("%s: it says nothing", call)
			}
		}
	}
}
