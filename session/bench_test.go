package session_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/session"
)

// BenchmarkIdleReaders has many sessions at rest, each with a reader that waits.
func BenchmarkIdleReaders(b *testing.B) {
	const sessions = 1000
	m, stop := manager(b)
	defer stop()
	for i := range sessions {
		turn(b, m, handle(b, m, i), "hello")
	}
	var used uint64
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		before := memory()
		done := make(chan struct{})
		waiting := make(chan struct{}, sessions)
		for i := range sessions {
			s := handle(b, m, i)
			go func() {
				for rec, err := range m.Follow(ctx, s, 0) {
					if err == nil && rec.Type() == event.TypeRunFinished {
						waiting <- struct{}{}
					}
				}
				done <- struct{}{}
			}()
		}
		for range sessions {
			<-waiting
		}
		used = memory() - before
		cancel()
		for range sessions {
			<-done
		}
	}
	b.ReportMetric(float64(used)/sessions, "bytes/session")
}

// BenchmarkTurn takes a turn of a session whose log has had so many before: all
// of them are read for it.
func BenchmarkTurn(b *testing.B) {
	for _, before := range []int{0, 100, 300} {
		b.Run(fmt.Sprint("before=", before), func(b *testing.B) {
			m, stop := manager(b)
			defer stop()
			for i := range before {
				turn(b, m, handle(b, m, 0), fmt.Sprint("hello ", i))
			}
			for b.Loop() {
				turn(b, m, handle(b, m, 0), "hello")
			}
		})
	}
}

// memory is what is in use, heap and stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapInuse + s.StackInuse
}

func manager(b *testing.B) (m *session.Manager, stop func()) {
	b.Helper()
	team := leader.Team{Model: leader.Model{Client: echoing(), Name: "test/echo"}}
	team.Limits.Tokens, team.Limits.Steps, team.Limits.Deadline = leader.Unlimited, leader.Unlimited, leader.Unlimited
	work := b.TempDir()
	m, err := session.New(session.Options{Dir: b.TempDir(), Team: func(map[string]string) (leader.Team, []leader.Option, error) {
		return team, []leader.Option{leader.WithWorkDir(work), leader.WithSync("off")}, nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	return m, func() { cancel(); <-done }
}

func handle(b *testing.B, m *session.Manager, i int) string {
	b.Helper()
	s, _, err := m.Open(b.Context(), "ann", fmt.Sprint("session ", i))
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// turn submits a prompt and waits for the end of the turn.
func turn(b *testing.B, m *session.Manager, s, text string) {
	b.Helper()
	if err := m.Submit(b.Context(), s, "", text, nil); err != nil {
		b.Fatal(err)
	}
	session.Rest(m, s)
}
