//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/freeport"
)

// TestQueueKeepsItsPlace reads a session twice under one name.
func TestQueueKeepsItsPlace(t *testing.T) {
	p := newProcess(t)
	s := miniredis.RunT(t)
	redis := "redis://" + s.Addr()
	for _, text := range []string{"one", "two"} {
		e := streams.Voice{SessionID: "s1", AgentType: "a", MessageID: "m"}.Answer(streams.Stamp{ID: strings.Repeat("A", 31) + text[:1], At: time.Now()}, text)
		encoded, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.XAdd(streams.V1.DataStream("s1"), "*", []string{"data", string(encoded)}); err != nil {
			t.Fatal(err)
		}
		if got := p.queue(t, redis, exitOK, "tail", "s1", "--no-follow", "--reader", "me"); strings.Count(got, "\n") != 1 || !strings.Contains(got, text) {
			t.Errorf("got %q, want %s alone", got, text)
		}
	}
	if got := p.queue(t, redis, exitOK, "tail", "s1", "--no-follow", "--json"); strings.Count(got, "\n") != 2 || !json.Valid([]byte(strings.Split(got, "\n")[0])) {
		t.Errorf("all of it as JSON: %q", got)
	}
}

// TestQueueFollowsOn follows a task in whose stream somebody wrote what nobody can
// read, and below which an agent asks: the answer is for that one.
func TestQueueFollowsOn(t *testing.T) {
	p := newProcess(t)
	s := miniredis.RunT(t)
	done := make(chan error, 1)
	go func() {
		for ; !s.Exists(streams.V1.Registry("s1")); <-time.After(time.Millisecond) {
		}
		asks, err := streams.Voice{SessionID: "s1", AgentType: "b", MessageID: "m-below", ParentMessageID: "m"}.
			Question(streams.Stamp{ID: strings.Repeat("B", 32), At: time.Now()}, "Which colour?").Encode()
		for _, text := range []string{"junk", string(asks)} {
			if err == nil {
				_, err = s.XAdd(streams.V1.DataStream("s1"), "*", []string{"data", text})
			}
		}
		done <- err
	}()
	p.queue(t, "redis://"+s.Addr(), exitWaiting, "send", "a", "x", "--session", "s1", "--message-id", "m", "--queue-anyway", "--follow")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := p.stderr.String(); askedBy(t, got) != "m-below" || !strings.Contains(got, "no JSON object") {
		t.Errorf("stderr is %s", got)
	}
}

// asking is a worker that asks what it is told to, and else does as it is told.
type asking struct{}

func (asking) Start(_ context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
	if text := t.Content.Text(); !strings.HasPrefix(text, "ask") {
		return streams.Outcome{Answer: "did " + text}, nil
	}
	return streams.Outcome{Wait: streams.WaitingUser, Question: "Which colour?"}, nil
}

func (asking) Resume(_ context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
	return streams.Outcome{Answer: "it is " + t.Content.Text()}, nil
}

func (asking) Cancel(context.Context, streams.Task) error { return nil }

// TestQueueSendsAgain sends tasks that are known: what comes of them is shown as the
// first time, whether they work, wait or have ended.
func TestQueueSendsAgain(t *testing.T) {
	p := newProcess(t)
	addr := miniredis.RunT(t).Addr()
	conn, err := streams.Connect(t.Context(), "redis://"+addr, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := streams.NewWorker(conn.Redis, streams.WorkerOptions{ID: "w-1", AgentTypes: []string{"a"}, Handler: asking{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	defer func() { cancel(); <-done; conn.Close() }()
	send := func(code int, id, text string) string {
		t.Helper()
		return p.queue(t, "redis://"+addr, code, "send", "a", text, "--session", "s1", "--message-id", id, "--queue-anyway", "--follow")
	}
	for range 3 {
		if got := send(exitOK, "m-1", "one"); got != "did one\n" {
			t.Errorf("m-1: %q", got)
		}
		send(exitWaiting, "m-2", "ask")
		if got := p.stderr.String(); askedBy(t, got) != "m-2" || !strings.Contains(got, "Which colour?") {
			t.Errorf("m-2: %s", got)
		}
	}
	p.queue(t, "redis://"+addr, exitOK, "resume", "s1", "m-2", "blue")
	client, err := streams.NewClient(conn.Redis, streams.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for { // the worker takes the answer when it comes to it
		rec, err := client.Record(t.Context(), "s1", "m-2")
		if err != nil {
			t.Fatal(err)
		}
		if rec.Status == streams.Completed {
			break
		}
		<-time.After(time.Millisecond)
	}
	for range 2 {
		if got := send(exitOK, "m-2", "ask"); got != "it is blue\n" {
			t.Errorf("m-2, answered: %q", got)
		}
	}
}

// TestRedisIsLookedForNoLonger: who ends the program while it connects is told that, and
// not that Redis does not answer.
func TestRedisIsLookedForNoLonger(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errTerminated) })
	_, err := (&app{}).redis(ctx, "redis://"+freeport.Address(t), "", 0)
	if !errors.Is(err, errTerminated) {
		t.Errorf("%v", err)
	}
}

func TestQueueRefuses(t *testing.T) {
	p := newProcess(t)
	redis := "redis://" + miniredis.RunT(t).Addr()
	for args, want := range map[string]string{
		"send signup":                      "",
		"send signup x --extra [1]":        "a JSON object",
		"send signup x --schema v3":        "v1, v2",
		"resume s1 m":                      "",
		"resume s1 m x --data {":           "takes JSON",
		"tail":                             "",
		"tail s1 --from banana":            "banana",
		"cancel":                           "",
		"pending":                          "",
		"send signup x --redis http://a:b": "redis://",
	} {
		p.queue(t, redis, exitUsage, strings.Fields(args)...)
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s: %s, want %q", args, &p.stderr, want)
		}
	}
	p.queue(t, redis, exitFailed, "claim", "signup", "9-9")
	p.queue(t, redis, exitOK, "cancel", "s1")
	for args, want := range map[string]string{ // what can be done about it
		"cancel s1 m":   "troupe queue tail s1",
		"resume s1 m x": "the session s1 has no task m",
		"send signup x": "troupe worker --agent-type signup",
	} {
		p.queue(t, redis, exitFailed, strings.Fields(args)...)
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s: %s, want %q", args, &p.stderr, want)
		}
	}
}
