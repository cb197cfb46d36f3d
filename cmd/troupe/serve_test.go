package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
)

// TestServeSettingsAreDocumented compares what there is to set with what the help
// and the manual name, in both languages.
func TestServeSettingsAreDocumented(t *testing.T) {
	manual, err := os.ReadFile("../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := serveKeys(t)
	if len(keys) < 25 {
		t.Fatalf("the schema has only the keys %v", keys)
	}
	p := newProcess(t)
	for _, lang := range []string{en, zh} {
		if code := p.call(t.Context(), "serve", "--help", "--lang", lang); code != exitOK {
			t.Fatal(code)
		}
		for _, key := range keys {
			if !regexp.MustCompile(`\b` + key + `\b`).MatchString(p.stdout.String()) {
				t.Errorf("%s: troupe serve --help does not name %s", lang, key)
			}
		}
	}
	for _, key := range keys {
		if !strings.Contains(string(manual), "`"+key+"`") {
			t.Errorf("docs/serve.md does not name %s", key)
		}
	}
	for _, name := range serveFlags(p) {
		if !strings.Contains(string(manual), "`--"+name+"`") {
			t.Errorf("docs/serve.md does not name --%s", name)
		}
	}
}

// serveKeys are the keys below serve: in the schema of the team file.
func serveKeys(t *testing.T) (keys []string) {
	t.Helper()
	type object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var team object
	if err := json.Unmarshal(config.Schema(), &team); err != nil {
		t.Fatal(err)
	}
	var walk func(text json.RawMessage)
	walk = func(text json.RawMessage) {
		var o object
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		for key, sub := range o.Properties {
			keys = append(keys, key)
			walk(sub)
		}
	}
	walk(team.Properties["serve"])
	slices.Sort(keys)
	return slices.Compact(keys)
}

// serveFlags are the flags of the command's own.
func serveFlags(p *process) []string {
	a := &app{Env: p.Env, words: &wordsEN, stop: &interrupts{}, declared: map[*cobra.Command][]string{}}
	return a.declared[a.serveCommand()]
}

// TestServeRefuses starts nothing when the settings cannot work.
func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := newProcess(t)
	put(t, "ok.json", answering)
	const team = "version: 1\nname: t\nmodel: scripted/ok.json\nroles: {a: {name: A, does: x}}\n"
	for _, c := range []struct {
		file string // the rest of the team file
		args []string
		code int
		want string
	}{
		{"", nil, exitUsage, "no protocol is switched on"},
		{"", []string{"--studio=chat"}, exitUsage, `"chat" is no path`},
		{"", []string{"--studio=/healthz"}, exitUsage, "are both at /healthz"},
		{"", []string{"--studio", "--listen", "0.0.0.0:0"}, exitUsage, "without tokens"},
		{"", []string{"--studio", "--listen", "example.com:80"}, exitUsage, "without tokens"},
		{"", []string{"--studio", "--listen", "8787"}, exitUsage, "no address"},
		{"", []string{"--studio", "--listen", taken.Addr().String()}, exitFailed, "cannot listen"},
		{"", []string{"--studio", "--tls-cert", "c.pem"}, exitUsage, "go together"},
		{"", []string{"--studio", "--tls-cert", "none.pem", "--tls-key", "none.pem"}, exitUsage, "none.pem"},
		{"", []string{"--studio", "--origins", "studio.example.com"}, exitUsage, "no origin"},
		{"", []string{"--studio", "--workspace", "none"}, exitUsage, "none"},
		{"", []string{"--studio", "--audit", "team.yaml/audit"}, exitUsage, "team.yaml"},
		{"", []string{"--studio", "--log-level", "loud"}, exitUsage, "log-level"},
		{"serve: {studio: {}, tokens: {alice: ALICE_TOKEN}}\n", nil, exitUsage, "ALICE_TOKEN"},
		{"serve: {studio: {}, tokens: {alice: SHORT}}\n", nil, exitUsage, "at least 16"},
		{"serve: {studio: {}, token_key_env: SHORT}\n", nil, exitUsage, "at least 32"},
		{"serve: {studio: {}, tokens: {alice: SAME, bob: SAME}}\n", nil, exitUsage, "the same token"},
		{"serve: {studio: {path: x}}\n", nil, exitUsage, "a path such as"},
	} {
		p.vars["SHORT"], p.vars["SAME"] = "short-secret", "the-same-token-0123"
		put(t, "team.yaml", team+c.file)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // should it serve after all
		code := p.call(ctx, append([]string{"serve"}, c.args...)...)
		cancel()
		if code != c.code || !strings.Contains(p.stderr.String(), c.want) || p.stdout.Len() > 0 {
			t.Errorf("%s %v: exit code %d, stdout %q, stderr %s; want %d, %q", c.file, c.args, code, &p.stdout, &p.stderr, c.code, c.want)
		}
		if strings.Contains(p.stderr.String(), "gateway:") {
			t.Errorf("%s %v: a package is named: %s", c.file, c.args, &p.stderr)
		}
		if strings.Contains(p.stderr.String(), "short-secret") || strings.Contains(p.stderr.String(), "the-same-token") {
			t.Errorf("%s: a secret is shown: %s", c.file, &p.stderr)
		}
	}
}

// TestServePaths has two faces at any two paths: they have one each, or are told
// which one is taken.
func TestServePaths(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	p := newProcess(t)
	put(t, "ok.json", answering)
	put(t, "team.yaml", "version: 1\nmodel: scripted/ok.json\nroles: {a: {name: A, does: x}}\n")
	paths := []string{"/", "/a", "/a/b", "/a/b/c", "/files", "/files/x", "/healthz/x"}
	for _, faces := range [][2]string{{"client", "studio"}, {"client", "envelope"}, {"studio", "envelope"}} {
		for _, one := range paths {
			for _, two := range paths {
				want := "cannot listen" // after all faces have their paths
				switch {
				case faces[0] == "client" && (strings.HasPrefix(one, "/files") || one != two && strings.HasPrefix(two, "/files")):
					want = "is taken: clients send files to /files"
				case one == two:
					want = "are both at"
				}
				code := p.call(t.Context(), "serve", "--"+faces[0]+"="+one, "--"+faces[1]+"="+two, "--listen", busy.Addr().String())
				if code == exitOK || !strings.Contains(p.stderr.String(), want) {
					t.Errorf("%s at %s, %s at %s: exit code %d, stderr %s; want %q", faces[0], one, faces[1], two, code, &p.stderr, want)
				}
			}
		}
	}
}

func TestServeToken(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	const team = "version: 1\nmodel: scripted/ok.json\nroles: {a: {name: A, does: x}}\n"
	if code := p.call(t.Context(), "serve", "token", "alice"); code != exitUsage || !strings.Contains(p.stderr.String(), "troupe init") {
		t.Errorf("without a team file: exit code %d, %s", code, &p.stderr)
	}
	put(t, "team.yaml", team)
	if code := p.call(t.Context(), "serve", "token", "alice"); code != exitUsage || !strings.Contains(p.stderr.String(), "token_key_env") {
		t.Errorf("without a key: exit code %d, %s", code, &p.stderr)
	}
	put(t, "team.yaml", team+"serve: {token_key_env: SIGNING}\n")
	if code := p.call(t.Context(), "serve", "token", "alice"); code != exitUsage || !strings.Contains(p.stderr.String(), "SIGNING") {
		t.Errorf("without the variable: exit code %d, %s", code, &p.stderr)
	}
	p.vars["SIGNING"] = "too short"
	if code := p.call(t.Context(), "serve", "token", "alice"); code != exitUsage || !strings.Contains(p.stderr.String(), "at least 32") || strings.Contains(p.stderr.String(), "gateway:") {
		t.Errorf("with a short key: exit code %d, %s", code, &p.stderr)
	}
	p.vars["SIGNING"] = "0123456789abcdef0123456789abcdef"
	for _, life := range []string{"soon", "-1m", "0"} {
		if code := p.call(t.Context(), "serve", "token", "alice", "--life", life); code != exitUsage {
			t.Errorf("--life %s: exit code %d", life, code)
		}
	}
	if code := p.call(t.Context(), "serve", "token", "alice", "--life", "1h", "--json"); code != exitOK {
		t.Fatalf("exit code %d, %s", code, &p.stderr)
	}
	var got issued
	if err := json.Unmarshal(p.stdout.Bytes(), &got); err != nil || got.User != "alice" || got.Expires.Sub(p.Now()) > 3601e9 || !strings.HasPrefix(got.Token, "t1.") {
		t.Errorf("issued %s, %v", &p.stdout, err)
	}
}

func TestDialRefuses(t *testing.T) {
	p := newProcess(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"http://127.0.0.1:1/studio"}, "ws://host/path"},
		{[]string{"ws://127.0.0.1:1/studio", "--protocol", "smtp"}, "raw, studio"},
		{[]string{"ws://127.0.0.1:1/studio", "--resume", "s1@4"}, "means nothing in the protocol studio"},
		{[]string{"ws://127.0.0.1:1/other", "--session", "s1"}, "means nothing in the protocol raw"},
		{[]string{"ws://127.0.0.1:1/studio", "--token-env", "NONE"}, "NONE"},
		{[]string{"ws://127.0.0.1:1/studio", "--send", "none.jsonl"}, "none.jsonl"},
		{[]string{"ws://127.0.0.1:1/studio", "--send-timeout", "soon"}, "send-timeout"},
	} {
		if code := p.call(t.Context(), append([]string{"dial"}, c.args...)...); code != exitUsage || !strings.Contains(p.stderr.String(), c.want) {
			t.Errorf("%v: exit code %d, %s; want %q", c.args, code, &p.stderr, c.want)
		}
	}
}
