package session_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/session"
)

// TestRecoverLeavesTheRest starts again where one session was at work, one was
// stopped by its user, one has finished, and a copy and a foreign run lie about.
func TestRecoverLeavesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, nil)
		m, stop := serve(t, o)
		working := open(t, m, "ann", "working")
		submit(t, m, working, "slowly x")
		synctest.Wait()
		if err := os.CopyFS(filepath.Join(o.Dir, "copy"), os.DirFS(folderOf(t, o.Dir))); err != nil {
			t.Fatal(err)
		}
		halted, finished := open(t, m, "ann", "halted"), open(t, m, "ann", "finished")
		submit(t, m, halted, "slowly x")
		submit(t, m, finished, "x")
		if err := m.Stop(t.Context(), halted, "", event.StopNow); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		stop()
		team, opts, err := o.Team(nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := leader.New(team, append(opts, leader.WithRunDir(o.Dir))...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = l.Do(ctx, "x") // is interrupted

		m, err = session.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = m.Run(ctx) }()
		if n, err := m.Recover(t.Context()); n != 1 || err != nil {
			t.Errorf("%d sessions work again, %v; want 1", n, err)
		}
		time.Sleep(2 * time.Hour)
		for s, want := range map[string]int{finished: 0, halted: 0, working: 1} {
			if got := count(records(t, m, s), event.TypeRunResumed); got != want {
				t.Errorf("%s was resumed %d times, want %d", s, got, want)
			}
		}
	})
}

// TestRecoverAfterACrash takes the folder as it is while a session works, as a
// crash leaves it.
func TestRecoverAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, nil)
		m, stop := serve(t, o)
		s := open(t, m, "ann", "a")
		submit(t, m, s, "slowly x")
		time.Sleep(time.Minute)
		dead := filepath.Join(t.TempDir(), "dead")
		if err := os.CopyFS(dead, os.DirFS(o.Dir)); err != nil {
			t.Fatal(err)
		}
		stop()
		o.Dir = dead
		m, stop = serve(t, o) // recovers
		defer stop()
		time.Sleep(2 * time.Hour)
		list := records(t, m, s)
		if d, ok := list[len(list)-1].Data.(event.RunFinished); !ok || d.Answer != "slowly x" {
			t.Errorf("the log ends with %+v", list[len(list)-1].Data)
		}
	})
}

// TestARepeatedPromptGoesOn gives the prompt again in whose work the process
// ended: nothing is recovered, and only that session works again, once.
func TestARepeatedPromptGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, nil)
		m, stop := serve(t, o)
		for _, name := range []string{"cut", "halted"} {
			if err := m.Submit(t.Context(), open(t, m, "ann", name), "p-1", "slowly x", nil); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if err := m.Stop(t.Context(), open(t, m, "ann", "halted"), "", event.StopNow); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		stop()

		m, err := session.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = m.Run(ctx) }()
		for name, want := range map[string]int{"cut": 1, "halted": 0} {
			s := open(t, m, "ann", name)
			for range 3 {
				if err := m.Submit(t.Context(), s, "p-1", "slowly x", nil); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Hour)
			}
			list := records(t, m, s)
			if got := count(list, event.TypeRunFinished); got != want {
				t.Errorf("%s: finished %d times, want %d", name, got, want)
			}
			prompts := 0
			for _, rec := range list {
				if d, ok := rec.Data.(event.MessageSent); ok && d.RequestID == "p-1" {
					prompts++
				}
			}
			if prompts != 1 {
				t.Errorf("%s: the prompt was given %d times", name, prompts)
			}
		}
	})
}
