package main

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// survey runs a survey of the current folder. Its scripted models take their time,
// so that it runs in a bubble; there each begins at the same moment, and has a place
// of its own.
func (p *process) survey(t *testing.T, args ...string) {
	t.Helper()
	p.vars["XDG_STATE_HOME"] = t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		if code := p.call(t.Context(), append([]string{"run"}, args...)...); code != exitOK {
			t.Fatalf("run: exit code %d: %s", code, &p.stderr)
		}
	})
}

// TestReplayShowsWhatWasShown compares the bubbles and lines of a run with
// those of its replay; the run has a banner before and a summary behind them.
func TestReplayShowsWhatWasShown(t *testing.T) {
	p := newProcess(t)
	put(t, "README.md", "# A project\n")
	for _, view := range []string{"bubbles", "lines"} {
		for _, lang := range []string{"zh", "en"} {
			p.survey(t, "--view", view, "--lang", lang)
			answer, shown := p.stdout.String(), p.stderr.String()
			lines := strings.SplitAfter(shown, "\n")
			const banner, summary = 2, 9
			shown = strings.Join(lines[banner:len(lines)-1-summary], "")
			if code := p.call(t.Context(), "replay", "last", "--view", view, "--lang", lang); code != exitOK {
				t.Fatalf("replay: exit code %d: %s", code, &p.stderr)
			}
			if diff := cmp.Diff(shown+answer, p.stdout.String()); diff != "" {
				t.Errorf("%s in %s: run and replay differ (-run +replay):\n%s", view, lang, diff)
			}
		}
	}
}

func TestPace(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		pace pace
		gaps []time.Duration
		want time.Duration
	}{
		{"at once", pace{idle: time.Hour}, []time.Duration{time.Hour, time.Hour}, 0},
		{"as it was", pace{speed: 1, idle: time.Hour}, []time.Duration{time.Second, 2 * time.Second}, 3 * time.Second},
		{"faster", pace{speed: 4, idle: time.Hour}, []time.Duration{4 * time.Second}, time.Second},
		{"slower", pace{speed: 0.5, idle: time.Hour}, []time.Duration{time.Second}, 2 * time.Second},
		{"idle gaps are cut", pace{speed: 1, idle: 2 * time.Second}, []time.Duration{time.Hour, time.Second}, 3 * time.Second},
		{"a clock that was set back", pace{speed: 1, idle: time.Hour}, []time.Duration{-time.Hour, time.Second}, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				at := begin
				for _, gap := range append([]time.Duration{0}, tt.gaps...) {
					at = at.Add(gap)
					if err := tt.pace.wait(t.Context(), at); err != nil {
						t.Fatal(err)
					}
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("waited %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestOnly plays the entries of one agent.
func TestOnly(t *testing.T) {
	p := newProcess(t)
	put(t, "README.md", "# A project\n")
	p.survey(t, "--quiet")
	p.call(t.Context(), "replay", "last", "--json", "--only", "scout")
	if out := p.stdout.String(); !strings.Contains(out, `"agent":"scout_1"`) || strings.Contains(out, `"agent":"reader_1"`) {
		t.Errorf("the records of scout are:\n%s", out)
	}
	p.call(t.Context(), "replay", "last", "--view", "lines", "--only", "Scout_1", "--only", "nobody")
	tool := func(agent string) *regexp.Regexp { return regexp.MustCompile(agent + ` +tool`) } // columns grow with the ids
	if out := p.stdout.String(); !tool("scout_1").MatchString(out) || tool("reader_1").MatchString(out) {
		t.Errorf("the lines of scout are:\n%s", out)
	}
	if !strings.Contains(p.stderr.String(), `no agent "nobody" in this run`) {
		t.Errorf("stderr is %q", &p.stderr)
	}
}
