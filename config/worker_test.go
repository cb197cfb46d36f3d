package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/config"
)

const workingTeam = `
roles: {uio: {does: x}}
worker:
  redis: "${REDIS_URL:-redis://127.0.0.1:6379/0}"
  agent_type: [signup, login]
  id: signup-1
  group: agent_engines
  schema: v2
  concurrency: 4
  max_deliver: 3
  drain: 30s
  lease: 10s
  events: page
  health: 127.0.0.1:8080
`

func TestWorkerIsRead(t *testing.T) {
	team, err := config.Parse("team.yaml", []byte(workingTeam), nil, known())
	if err != nil {
		t.Fatal(err)
	}
	want := config.Worker{
		Redis: "redis://127.0.0.1:6379/0", AgentTypes: []string{"signup", "login"}, ID: "signup-1", Group: "agent_engines", Schema: "v2",
		Concurrency: 4, MaxDeliver: 3, Drain: 30 * time.Second, Lease: 10 * time.Second, Events: "page", Health: "127.0.0.1:8080",
	}
	if diff := cmp.Diff(want, team.Worker); diff != "" {
		t.Errorf("worker (-want +got):\n%s", diff)
	}
	if err := resolvedSchema(t).Validate(instance(t, []byte(workingTeam))); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
	one, err := config.Parse("team.yaml", []byte("roles: {uio: {does: x}}\nworker: {agent_type: signup}\n"), nil, known())
	if err != nil || len(one.Worker.AgentTypes) != 1 || one.Worker.AgentTypes[0] != "signup" {
		t.Errorf("one agent type: %v, %v", one, err)
	}
}

func TestWorkerRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{redis: localhost}":                                  "redis://127.0.0.1:6379/0",
		"{redis: 'http://127.0.0.1'}":                         "redis://127.0.0.1:6379/0",
		"{redis: 'redis://ann:hunter2@127.0.0.1'}":            "never stand in the team file",
		"{redis: '${REDIS_URL:-redis://:hunter2@127.0.0.1}'}": "never stand in the team file",
		"{agent_type: 'sign up'}":                             "without spaces",
		"{agent_type: [a, a]}":                                "twice",
		"{agent_type: {a: b}}":                                "without spaces",
		"{agent_types: a}":                                    `did you mean "agent_type"?`,
		"{schema: v3}":                                        "v1 or v2",
		"{events: flat}":                                      "sdk or page",
		"{concurrency: 0}":                                    "at least 1",
		"{drain: 30}":                                         "add a unit",
		"{retries: 3}":                                        `did you mean "max_deliver"?`,
	} {
		_, err := config.Parse("team.yaml", []byte("roles: {uio: {does: x}}\nworker: "+text+"\n"), nil, known())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("worker: %s: %v, want %q in the error", text, err, want)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("worker: %s: the error shows the password: %v", text, err)
		}
	}
}
