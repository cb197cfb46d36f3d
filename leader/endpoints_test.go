package leader_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

const crew = 5

// crowded is an endpoint where a leader hires a crew, and whose workers are
// refused for a while.
type crowded struct {
	retryAfter time.Duration
	forever    bool

	mu      sync.Mutex // guards all below
	closed  time.Time  // when the first worker was refused
	refused int
	taken   []time.Duration // when workers were served, after closed
}

func (c *crowded) reply(req modeltest.ChatRequest) modeltest.Reply {
	if !strings.HasPrefix(req.Messages[0].Content, "You are Worker_") {
		if req.Reply() > 1 {
			return say("Reports are in.")
		}
		var hires []event.Call
		for i := range crew {
			hires = append(hires, create("w", fmt.Sprintf("part %d", i)))
		}
		return say("I hire.", hires...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.IsZero() {
		c.closed = time.Now()
	}
	if since := time.Since(c.closed); since >= c.retryAfter && !c.forever {
		c.taken = append(c.taken, since)
		return say("My part is done.")
	}
	c.refused++
	return modeltest.Reply{Wire: modeltest.Wire{
		Status: http.StatusTooManyRequests, Body: `{"error":{"message":"slow down"}}`,
		Header: http.Header{"Retry-After": {fmt.Sprint(c.retryAfter.Seconds())}},
	}}
}

// house loads a team whose only model is the server.
func house(t *testing.T, server *modeltest.Server, more string) *leader.Leader {
	t.Helper()
	l, err := leader.Load(teamFile(t, "model: house\nroles:\n  w: {name: Worker, does: works}\n"+more+
		"models:\n  house:\n    provider: openai-compatible\n    model: test-model\n    base_url: \"${URL}\"\n"), env("URL", server.URL),
		leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestATeamThatIsRateLimited: the endpoint sends workers away for two seconds.
// All wait, visibly, nobody runs into it again and again, and all finish.
func TestATeamThatIsRateLimited(t *testing.T) {
	t.Parallel()
	c := &crowded{retryAfter: 2 * time.Second}
	server := modeltest.NewServer(t, c.reply)
	run, err := house(t, server, "").Start(t.Context(), "work")
	if err != nil {
		t.Fatal(err)
	}
	waits := map[string]bool{}
	for rec, err := range run.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := rec.Data.(type) {
		case event.ModelRetried:
			waits[rec.Agent] = d.WaitMS >= 2000 && d.Failure.Code == model.ClassRateLimited || waits[rec.Agent]
		case event.Warning:
			waits[rec.Agent] = d.Code == "endpoint_wait" || waits[rec.Agent]
		}
	}
	res, err := run.Wait()
	if err != nil || res.Status != leader.StatusFinished {
		t.Fatalf("the run ended %s, %v", res.Status, err)
	}
	for i := range crew {
		if who := fmt.Sprintf("w_%d", i+1); !waits[who] {
			t.Errorf("the wait of %s is not in the log", who)
		}
	}
	if len(c.taken) != crew || c.refused > crew {
		t.Fatalf("%d served and %d refused, want %d and at most one refusal each", len(c.taken), c.refused, crew)
	}
	if first, last := slices.Min(c.taken), slices.Max(c.taken); first == last || last > 2*c.retryAfter {
		t.Errorf("served %s to %s after the refusal, want them spread soon after it", first, last)
	}
}

// TestStopEndsTheWaitForAnEndpoint: a team that waits a minute for its
// endpoint is stopped at once.
func TestStopEndsTheWaitForAnEndpoint(t *testing.T) {
	server := modeltest.NewServer(t, (&crowded{retryAfter: time.Minute, forever: true}).reply)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, err := house(t, server, "").Start(ctx, "work")
	if err != nil {
		t.Fatal(err)
	}
	waits := map[string]bool{}
	var stopped time.Time
	for rec, err := range run.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Data.(type) {
		case event.ModelRetried, event.Warning:
			waits[rec.Agent] = true
		default:
			continue
		}
		if len(waits) == crew && stopped.IsZero() {
			stopped = time.Now()
			cancel()
		}
	}
	if _, err := run.Wait(); err == nil {
		t.Error("the run ended well, want an end by the caller")
	}
	if took := time.Since(stopped); stopped.IsZero() || took > 10*time.Second {
		t.Errorf("%d workers waited; the run ended %s after it was stopped, want at once", len(waits), took)
	}
}

// TestFallbackInATeam: the second model answers for the first one, the log
// names both, and both are paid for.
func TestFallbackInATeam(t *testing.T) {
	down := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusBadGateway}}
	})
	up := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Text: "from the second", Usage: event.Usage{Input: 10, Output: 5}}
	})
	file := teamFile(t, `
model: first
roles: {w: {name: Worker, does: works}}
models:
  first: {provider: openai-compatible, model: one, base_url: "${DOWN}", retry: {max: 2, base: 1ms, cap: 1ms}, fallback: [second]}
  second: {provider: openai-compatible, model: two, base_url: "${UP}"}
`)
	l, err := leader.Load(file, env("DOWN", down.URL, "UP", up.URL), leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Start(t.Context(), "work")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for rec, err := range run.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := rec.Data.(type) {
		case event.ModelRetried:
			told = append(told, d.Failure.Code)
		case event.Warning:
			told = append(told, d.Code)
			if !strings.Contains(d.Text, "openai-compatible/one") || !strings.Contains(d.Text, "openai-compatible/two") {
				t.Errorf("warning %q, want both models named", d.Text)
			}
		}
	}
	res, err := run.Wait()
	if err != nil || res.Answer != "from the second" || res.Usage.Total() != 15 {
		t.Errorf("result %+v, error %v, want the second model's answer for 15 tokens", res, err)
	}
	if want := []string{model.ClassServerError, model.ClassServerError, "model_fallback"}; !slices.Equal(told, want) {
		t.Errorf("the log tells of %q, want %q", told, want)
	}
}

// TestSettingsOfEndpoints: what a team file says of an endpoint is what the
// endpoint sees.
func TestSettingsOfEndpoints(t *testing.T) {
	var broken sync.Once
	server := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		reply := modeltest.Reply{Text: "whole"}
		broken.Do(func() { reply = modeltest.Reply{Text: "half", Wire: modeltest.Wire{NoFinish: true, NoDone: true}} })
		return reply
	})
	res, err := house(t, server, "limits: {retry_after_text: true, stall: 30s, retry_wait_cap: 1m}\n").Do(t.Context(), "work")
	if err != nil || res.Answer != "whole" {
		t.Errorf("result %+v, error %v, want the reply after the broken one", res, err)
	}

	file := "model: first\nroles: {w: {name: Worker, does: works}}\nmodels:\n" +
		"  first: {provider: openai-compatible, model: one, base_url: \"${URL}\", max_output_tokens: 9, profile: {max_tokens_field: max_completion_tokens}," +
		" rate: {concurrent: 1}, fallback: [second]}\n  second: {provider: deepseek, model: two}\n"
	if _, err := leader.Load(teamFile(t, file), env("URL", server.URL)); !isKeyError(err) {
		t.Errorf("error %v, want the missing key of the fallback", err)
	}
	l, err := leader.Load(teamFile(t, file), env("URL", server.URL, "DEEPSEEK_API_KEY", "sk-secret-1234"), leader.WithModel("first"), leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Do(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	all := server.Exchanges()
	if got := string(all[len(all)-1].Request.Fields["max_completion_tokens"]); got != "9" {
		t.Errorf("max_completion_tokens is %q, want what the profile says", got)
	}
}

func isKeyError(err error) bool {
	_, ok := errors.AsType[*model.KeyError](err)
	return ok
}
