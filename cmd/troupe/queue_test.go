//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/troupe-go/troupe/gateway/streams"
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
