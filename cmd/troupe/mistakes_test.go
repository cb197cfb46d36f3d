package main

import (
	"errors"
	"strings"
	"testing"
)

// TestMistakesAreInOurWords calls commands wrongly, in both languages: each
// mistake exits with 2 and says what is wrong and what would be right, without
// the words of a library.
func TestMistakesAreInOurWords(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	put(t, "team.yaml", "version: 1\nname: pure\nmodel: scripted/ok.json\nroles: {a: {name: A, does: nothing}}\n")
	if code := p.call(t.Context(), "run", "task"); code != 0 {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	for _, tt := range []struct {
		args  string
		wants []string
	}{
		{"runs --limit x", []string{"--limit", `"x"`, "20"}},
		{"run --quiet=maybe", []string{"--quiet", `"maybe"`, "true, false"}},
		{"run -m", []string{"-m"}},
		{"run --model", []string{"--model"}},
		{"completion tcsh", []string{`"tcsh"`, "bash"}},
		{"schema config", []string{`"config"`, "record"}},
		{"replay last --only nobody", []string{`"nobody"`, "tl"}},
	} {
		for _, lang := range []string{zh, en} {
			p.vars["TROUPE_LANG"] = lang
			code := p.call(t.Context(), strings.Fields(tt.args)...)
			got := p.stderr.String()
			if code != exitUsage {
				t.Errorf("%s: exit code %d, want %d", tt.args, code, exitUsage)
			}
			for _, want := range tt.wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s, %s: %q has no %q", lang, tt.args, got, want)
				}
			}
			for _, foreign := range []string{"strconv", "invalid", "flag needs", "--shell", "--schema"} {
				if strings.Contains(got, foreign) {
					t.Errorf("%s, %s: %q has %q", lang, tt.args, got, foreign)
				}
			}
		}
	}
}

// TestOnlyTakesTheNamesThatAreShown replays what each name of a participant
// selects.
func TestOnlyTakesTheNamesThatAreShown(t *testing.T) {
	p := newProcess(t)
	put(t, "README.md", "# A project\n")
	p.survey(t, "--quiet")
	for _, name := range []string{"leader", "tl", "Team Leader", "team leader", "user", "scout", "scout_1", "SCOUT_1", "Scout_1"} {
		if code := p.call(t.Context(), "replay", "last", "--only", name); code != exitOK {
			t.Errorf("--only %q: exit code %d, %s", name, code, &p.stderr)
		}
	}
}

// full is a stdout that takes some bytes and no more.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.left {
		return 0, errFull
	}
	f.left -= len(b)
	return len(b), nil
}

// TestALostAnswerIsNoSuccess lets every form of the result run into a full
// disk, at once and half-way.
func TestALostAnswerIsNoSuccess(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	put(t, "team.yaml", "version: 1\nname: pure\nmodel: scripted/ok.json\nroles: {a: {name: A, does: nothing}}\n")
	for _, form := range []string{formText, formJSON, formJSONL} {
		for _, room := range []int{0, 5, 1000} {
			if form != formJSONL && room == 1000 {
				continue // it fits
			}
			p.Stdout = &full{room}
			code := p.call(t.Context(), "run", "task", "--output-format", form)
			if code != exitFailed || !strings.Contains(p.stderr.String(), errFull.Error()) {
				t.Errorf("%s with room for %d bytes: exit code %d, stderr %q", form, room, code, &p.stderr)
			}
		}
	}
}
