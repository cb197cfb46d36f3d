package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/leader"
)

const castTeam = `version: 1
name: cast
model: scripted/ok.json
models:
  fast: {provider: deepseek, model: deepseek-chat, base_url: "http://127.0.0.1:1/v1", api_key_env: HOUSE_KEY}
  dear: {provider: openai, model: gpt-4o, api_key_env: NO_KEY}
  house: {provider: scripted, model: ok.json}
model_aliases: {"火山引擎:doubao": fast, "script": scripted/ok.json, "gone": openai/gpt-4o}
roles: {a: {name: A, does: x}}
`

// castOf is the cast of a server of the team.
func castOf(t *testing.T, p *process, args ...string) *cast {
	t.Helper()
	a := &app{Env: p.Env, words: &wordsEN, stop: &interrupts{}, declared: map[*cobra.Command][]string{}}
	s := &serveCommand{app: a, cmd: a.serveCommand()}
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == "model" {
			s.model = args[i+1]
		}
	}
	team, err := s.loadTeam(t.Context(), s.cmd, &s.teamFlags)
	if err != nil {
		t.Fatal(err)
	}
	workspace, err := gateway.OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = workspace.Close() })
	c, err := s.newCast(&server{team: team, settings: config.Serve{}, root: t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPreferredModels finds what a studio calls a model, if it can be used here. No
// client names a script of this machine, unless the team file does.
func TestPreferredModels(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	put(t, "secret.json", answering)
	put(t, "team.yaml", castTeam)
	p.vars["HOUSE_KEY"], p.vars["MOONSHOT_API_KEY"] = "house-key-0123", "moon-key-0123"
	c := castOf(t, p)
	for name, want := range map[string]string{
		"火山引擎:doubao": "fast", "script": "scripted/ok.json", "fast": "fast", "house": "house",
		"moonshot:kimi-k2": "moonshot/kimi-k2", "moonshot/kimi-k2": "moonshot/kimi-k2", "ollama:qwen3:8b": "ollama/qwen3:8b",
		"dear": "", "gone": "", "openai:gpt-4o": "", "火山引擎:another": "", "": "", "moonshot": "", "moonshot:": "",
		"scripted:secret.json": "", "scripted/secret.json": "", "scripted/ok.json": "",
	} {
		ref, ok := c.model(name)
		if ref != want && ok || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", name, ref, ok, want)
		}
	}
}

// TestNameableModels are what hello.ack lists: a client can name each of them.
func TestNameableModels(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	put(t, "team.yaml", castTeam)
	p.vars["HOUSE_KEY"] = "house-key-0123"
	c := castOf(t, p)
	sv := &server{team: c.t}
	sv.Model = c.model
	for own, want := range map[string][]string{
		"scripted/ok.json": {"fast", "house"}, "fast": {"fast", "house"}, "ollama/qwen3:8b": {"ollama/qwen3:8b", "fast", "house"},
	} {
		if got := nameable(sv, own); !slices.Equal(got, want) {
			t.Errorf("beside %s they are %q, want %q", own, got, want)
		}
	}
}

// TestLimitsOfTheTeamFile are those of the server; what is left out has its default.
func TestLimitsOfTheTeamFile(t *testing.T) {
	bound := func(n int) config.Limit[int] { return config.Limit[int]{State: config.Bounded, Value: n} }
	got := limitOptions(config.ServeLimits{
		Connections: config.Limit[int]{State: config.Unlimited}, ConnectionsPerUser: bound(3), MessagesPerSecond: bound(5), MessageBurst: 7, ByteBurst: 100,
		FilesPerUser: bound(9),
	})
	want := gateway.LimitOptions{Connections: -1, ConnectionsPerUser: 3, Messages: 5, MessageBurst: 7, ByteBurst: 100, FilesPerUser: 9}
	if got.Now != nil || got.Connections != want.Connections || got.ConnectionsPerUser != want.ConnectionsPerUser || got.Messages != want.Messages ||
		got.MessageBurst != want.MessageBurst || got.Bytes != want.Bytes || got.ByteBurst != want.ByteBurst || got.FilesPerUser != want.FilesPerUser {
		t.Errorf("the limits are %+v, want %+v", got, want)
	}
}

// TestCastSharesClients gives all sessions the same client of a model, so that what
// its endpoint allows is counted over all of them.
func TestCastSharesClients(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	put(t, "team.yaml", castTeam)
	p.vars["HOUSE_KEY"] = "house-key-0123"
	c := castOf(t, p)
	for _, model := range []string{"", "fast"} {
		settings := map[string]string{gateway.SettingModel: model, gateway.SettingWorkDir: t.TempDir()}
		first, opts, err := c.team(settings)
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := c.team(settings)
		if err != nil || first.Leader.Model.Client != second.Leader.Model.Client || first.Leader.Model.Client == nil {
			t.Errorf("model %q: two sessions have two clients, %v", model, err)
		}
		l, err := leader.New(first, opts...) // as a session begins
		want := map[string]string{"": "scripted/ok.json", "fast": "deepseek/deepseek-chat"}[model]
		if err != nil || l.Team().Leader.Model.Name != want {
			t.Errorf("model %q: the team has %s, %v", model, l.Team().Leader.Model.Name, err)
		}
	}
	forced := castOf(t, p, "model", "fast")
	team, opts, err := forced.team(nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := leader.New(team, opts...); err != nil || l.Team().Leader.Model.Name != "deepseek/deepseek-chat" || l.Team().Leader.Model.Source.BaseURL != "http://127.0.0.1:1/v1" {
		t.Errorf("with -m fast the team has %+v, %v", l.Team().Leader.Model, err)
	}
}
