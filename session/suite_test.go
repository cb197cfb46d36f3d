package session_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/gatewaytest"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/session"
)

// options serve a team that the suite plays.
func options(t *testing.T, s gatewaytest.Setup) session.Options {
	t.Helper()
	work := t.TempDir()
	return session.Options{Dir: s.Dir, Team: func(map[string]string) (leader.Team, []leader.Option, error) {
		team := leader.Team{Model: leader.Model{Client: s.Model, Name: "test/test"}, Roles: []leader.Role{{Name: "Aid", Code: "aid"}}}
		team.Permissions.Headless, team.Limits.Deadline = leader.HeadlessSuspend, leader.Unlimited
		for _, tool := range s.Tools {
			team.Leader.Tools = append(team.Leader.Tools, tool.Spec().Name)
		}
		return team, []leader.Option{leader.WithTools(s.Tools...), leader.WithWorkDir(work)}, nil
	}}
}

// serve runs a Manager until stop is called.
func serve(t *testing.T, o session.Options) (m *session.Manager, stop func()) {
	t.Helper()
	m, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx); close(done) }()
	if _, err := m.Recover(ctx); err != nil {
		t.Fatal(err)
	}
	return m, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestManagerIsSessions(t *testing.T) {
	gatewaytest.TestSessions(t, func(t *testing.T, s gatewaytest.Setup) (gateway.Sessions, func()) {
		return serve(t, options(t, s))
	})
}
