package leader_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// TestResumeOfRandomRuns cuts the logs of random runs, in which agents ask each
// other, fail, panic, are stopped and terminated, at random records, resumes
// what is left, and cuts and resumes that again. Every run comes to an end, and
// its whole log keeps all rules, across the cuts.
func TestResumeOfRandomRuns(t *testing.T) {
	t.Parallel()
	runs := uint64(40)
	if os.Getenv("TROUPE_SOAK") != "" {
		runs = schedules
	}
	for seed := range runs {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 11))
			n := 2 + rng.IntN(3)
			plans := chaos(rng, n)
			dir := t.TempDir()
			p := perform(t, dir, actors(newCast(seed, slowest, plans).client(), rough), meddle(rng, n, 3),
				leader.WithTools(nap(), boom()), leader.WithRunDir(dir), leader.WithSync("off"))
			for range 3 {
				text, err := os.ReadFile(p.Log)
				if err != nil {
					t.Fatal(err)
				}
				cut := 1 + rng.IntN(len(p.records)-1)
				p = playOn(t, rng, cutLog(t, text, cut), seed, plans, p.records[:cut])
				checkLog(t, p.records)
				if t.Failed() {
					t.Logf("cut after record %d", cut)
					dump(t, p.records)
					return
				}
			}
		})
	}
}

// playOn resumes a random run whose records so far are had, and meddles again. A
// limit or a failure of the leader may end it, as before.
func playOn(t *testing.T, rng *rand.Rand, dir string, seed uint64, plans map[string]actor, had []event.Record) played {
	t.Helper()
	c := newCast(seed, slowest, plans)
	for _, rec := range had { // a model remembers nothing, this one what it has said
		switch rec.Data.(type) {
		case event.ModelReplied, event.ModelFailed:
			c.made[rec.Agent]++
		default:
		}
	}
	var p played
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(had[len(had)-1].Time) + time.Minute)
		run, err := leader.Resume(t.Context(), dir, leader.WithWorkDir(dir), leader.WithTools(nap(), boom()), leader.WithSync("off"),
			leader.WithClient("test/test", leader.Model{Client: c.client(), Name: "test/test"}))
		if err != nil {
			t.Fatal(err)
		}
		var others sync.WaitGroup
		others.Go(func() { meddle(rng, len(plans)-1, 2)(run) })
		p.Result, p.err = run.Wait()
		others.Wait()
		p.records = recorded(t, run)
	})
	if _, typed := errors.AsType[*leader.Error](p.err); p.err != nil && !typed {
		t.Errorf("the resumed run ended with %v", p.err)
	}
	return p
}

// TestResumeAfterTheEnd resumes runs that ended in every other way than a crash.
func TestResumeAfterTheEnd(t *testing.T) {
	_, text := recordReference(t)
	dir := cutLog(t, text, len(lines(text)))
	if _, err := leader.Resume(t.Context(), dir, leader.WithTools(new(effects).deploy(), peek(), rests()),
		leader.WithClient("test/test", leader.Model{Client: reference(), Name: "test/test"})); !errors.Is(err, leader.ErrFinished) {
		t.Errorf("a finished run is resumed: %v", err)
	}
	got, _ := resumeRun(t, dir, nil, leader.WithTask("one more thing"))
	if got.err != nil || len(dataOf[event.RunFinished](got.records)) != 2 {
		t.Errorf("more to do: %s, %v", got.Status, got.err)
	}
	checkLog(t, got.records)

	for name, end := range map[string]func(*leader.Run, context.CancelCauseFunc){
		"interrupted": func(_ *leader.Run, cancel context.CancelCauseFunc) { cancel(errGoHome) },
		"paused":      func(run *leader.Run, _ context.CancelCauseFunc) { run.Pause("a test") },
	} {
		for _, after := range []time.Duration{500 * time.Millisecond, 3 * time.Second, 10 * time.Second, 30 * time.Second, 64 * time.Second} {
			t.Run(fmt.Sprintf("%s after %s", name, after), func(t *testing.T) {
				dir := t.TempDir()
				var p played
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					run := start(ctx, t, dir, referenceTeam(), leader.WithTools(new(effects).deploy(), peek(), rests()), leader.WithRunDir(dir), leader.WithSync("off"))
					time.Sleep(after)
					end(run, cancel)
					p.Result, p.err = run.Wait()
					p.records = recorded(t, run)
				})
				if p.Status != leader.StatusSuspended {
					t.Fatalf("the run ended %s, %v", p.Status, p.err)
				}
				ended := p.records[0].Time.Add(after)
				checkLogTo(t, p.records, ended)
				got, _ := resumeRun(t, filepath.Dir(p.Log), p.records)
				if got.err != nil || got.Status != leader.StatusFinished {
					t.Errorf("the resumed run ended %s, %v", got.Status, got.err)
				}
				checkLogTo(t, got.records, ended)
				dump(t, got.records)
			})
		}
	}
}

// TestAnotherFolderIsRemembered resumes a run in another folder, and then once
// more without a word about it.
func TestAnotherFolderIsRemembered(t *testing.T) {
	_, text := recordReference(t)
	dir, other := cutLog(t, text, len(lines(text))), t.TempDir()
	resumeRun(t, dir, nil, leader.WithTask("look there"), leader.WithWorkDir(other))
	got, _ := resumeRun(t, dir, nil, leader.WithTask("look again"))
	var folders []string
	for _, d := range dataOf[event.RunResumed](got.records) {
		folders = append(folders, d.WorkDir)
	}
	if len(folders) != 2 || folders[0] != other || folders[1] != "" {
		t.Errorf("the run was resumed in %q, want %s, and there again", folders, other)
	}
}

// TestTwoWritersOfOneRun resumes a run that is under way.
func TestTwoWritersOfOneRun(t *testing.T) {
	_, text := recordReference(t)
	dir := cutLog(t, text, 20)
	log, err := transcript.Open(dir, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	_, err = leader.Resume(t.Context(), dir, leader.WithTools(new(effects).deploy(), peek(), rests()),
		leader.WithClient("test/test", leader.Model{Client: reference(), Name: "test/test"}))
	if !errors.Is(err, transcript.ErrLocked) {
		t.Errorf("two write one log: %v", err)
	}
}
