package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/config"
)

const servedTeam = `
roles: {uio: {does: x}}
serve:
  listen: "${HOUSE_LISTEN:-127.0.0.1:8787}"
  tls_cert: cert.pem
  tls_key: key.pem
  tokens: {alice: ALICE_TOKEN, 王芳: FANG_TOKEN}
  token_key_env: SIGNING_KEY
  token_life: 10m
  workspace: work
  audit: audit.jsonl
  origins: [https://studio.example.com, "http://127.0.0.1:5173"]
  hosts: [agents.example.com]
  max_sessions: 8
  grace: 20s
  limits: {connections: 10, connections_per_user: unlimited, files_per_user: 20, messages_per_second: 5, message_burst: 9, bytes_per_second: 64KiB, byte_burst: 1000}
  client: {path: /client}
  studio: {path: /chat/studio, on_disconnect: stop, verbose: true, iterations: false}
  envelope: {path: /envelope, tools: [read_file], dedupe_ttl: 10m, wait: 5s, dialects: [maps/house.yaml]}
`

func TestServeIsRead(t *testing.T) {
	team, err := config.Parse("team.yaml", []byte(servedTeam), nil, known())
	if err != nil {
		t.Fatal(err)
	}
	no := false
	bound := func(n int) config.Limit[int] { return config.Limit[int]{State: config.Bounded, Value: n} }
	want := config.Serve{
		Listen: "127.0.0.1:8787", TLSCert: "cert.pem", TLSKey: "key.pem",
		Tokens:      map[string]string{"alice": "ALICE_TOKEN", "王芳": "FANG_TOKEN"},
		TokenKeyEnv: "SIGNING_KEY", TokenLife: 10 * time.Minute, Workspace: "work", Audit: "audit.jsonl",
		Origins: []string{"https://studio.example.com", "http://127.0.0.1:5173"}, Hosts: []string{"agents.example.com"},
		MaxSessions: 8, Grace: 20 * time.Second,
		Limits: config.ServeLimits{
			Connections: bound(10), ConnectionsPerUser: config.Limit[int]{State: config.Unlimited}, FilesPerUser: bound(20),
			MessagesPerSecond: bound(5), MessageBurst: 9, BytesPerSecond: bound(64 << 10), ByteBurst: 1000,
		},
		Client: &config.ClientFace{Path: "/client"},
		Studio: &config.StudioFace{Path: "/chat/studio", OnDisconnect: "stop", Verbose: true, Iterations: &no},
		Envelope: &config.EnvelopeFace{
			Path: "/envelope", Tools: []string{"read_file"}, DedupeTTL: 10 * time.Minute, Wait: 5 * time.Second, Dialects: []string{"maps/house.yaml"},
		},
	}
	if diff := cmp.Diff(want, team.Serve); diff != "" {
		t.Errorf("serve (-want +got):\n%s", diff)
	}
	if err := resolvedSchema(t).Validate(instance(t, []byte(servedTeam))); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
}

func TestServeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{listen: localhost}":                   "127.0.0.1:8787",
		"{listen: ':99999'}":                    "127.0.0.1:8787",
		"{tls_cert: a.pem}":                     "go together",
		"{tokens: {alice: sk-4f9a8b7c6d5e4f}}":  "looks like a key",
		"{tokens: {' ': TOKEN}}":                "no user",
		"{token_key_env: 0123456789abcdef}":     "looks like a key",
		"{origins: [studio.example.com]}":       "an origin",
		"{origins: ['https://a.example/b']}":    "no path",
		"{studio: {path: studio}}":              "a path such as",
		"{studio: {path: /a/../b}}":             "a path such as",
		"{studio: {path: '/{a}'}}":              "a path such as",
		"{studio: {on_disconnect: pause}}":      "continue or stop",
		"{studio: {verbos: true}}":              `did you mean "verbose"?`,
		"{limits: {byte_burst: 12 KB}}":         "a size such as 256KiB",
		"{limits: {byte_burst: 0}}":             "a size such as 256KiB",
		"{workspace: /srv}":                     "leads out",
		"{audit: ../audit.jsonl}":               "leads out",
		"{envelope: {tools: [read_fil]}}":       `did you mean "read_file"?`,
		"{envelope: {dialects: [/house.yaml]}}": "leads out",
		"{ui: {path: /}}":                       "not supported",
		"{port: 80}":                            `did you mean "listen"?`,
	} {
		_, err := config.Parse("team.yaml", []byte("roles: {uio: {does: x}}\nserve: "+text+"\n"), nil, known())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("serve: %s: %v, want %q in the error", text, err, want)
			continue
		}
		if strings.Contains(err.Error(), "4f9a8b7c") || strings.Contains(err.Error(), "0123456789abcdef") {
			t.Errorf("serve: %s: the error shows the key: %v", text, err)
		}
	}
}
