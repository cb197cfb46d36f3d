package config_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/config"
)

// addressKeys are the keys that take an address: a team file with %s in place of
// it, and the scheme of a good one.
var addressKeys = map[string]struct{ team, scheme string }{
	"base_url": {"models: {m: {provider: openai, model: m, base_url: '%s'}}\nroles: {uio: {does: x}}\n", "https"},
	"studio":   {"roles: {uio: {does: x, remote: {studio: '%s'}}}\n", "wss"},
	"envelope": {"roles: {uio: {does: x, remote: {envelope: '%s'}}}\n", "https"},
	"streams":  {"roles: {uio: {does: x, remote: {streams: a, redis: '%s'}}}\n", "redis"},
	"worker":   {"roles: {uio: {does: x}}\nworker: {redis: '%s'}\n", "rediss+cluster"},
}

// parseAddress reads a team file with an address in it, in which SCHEME stands for
// a good one.
func parseAddress(key, address string) error {
	k := addressKeys[key]
	address = strings.ReplaceAll(address, "SCHEME", k.scheme)
	known := known()
	known.LookupEnv = func(name string) (string, bool) {
		v, ok := map[string]string{
			"PLAIN": k.scheme + "://host.invalid/x", "LOGIN": k.scheme + "://ann:hunter2@host.invalid/x", "PASS": "hunter2",
			"BROKEN": k.scheme + "://ann:hunter2@host.invalid:hunter2", "OTHER": "hunter2://host.invalid",
		}[name]
		return v, ok
	}
	_, err := config.Parse("team.yaml", []byte(strings.Replace(k.team, "%s", address, 1)), nil, known)
	return err
}

func TestEachAddressHasTheSameRules(t *testing.T) {
	const inFile, wanted = "stands in the address", "wanted an address such as"
	for address, want := range map[string]string{ // empty: it is taken
		"SCHEME://host.invalid":                      "",
		"SCHEME://host.invalid:1/a?b=c":              "",
		"SCHEME://host.invalid:65535":                "",
		"SCHEME://[::1]:8080/a":                      "",
		"${PLAIN}":                                   "",
		"host.invalid":                               "must begin with",
		"SCHEME:host.invalid":                        "names no host",
		"gopher://host.invalid":                      "must begin with",
		"SCHEME://":                                  "names no host",
		"SCHEME://:8080/a":                           "names no host",
		"SCHEME:///a":                                "names no host",
		"SCHEME://host.invalid:/a":                   "a port is",
		"SCHEME://host.invalid:0":                    "a port is",
		"SCHEME://host.invalid:65536":                "a port is",
		"SCHEME://host.invalid:http":                 "it is no URL",
		"SCHEME://host .invalid":                     "it is no URL",
		"SCHEME://host.invalid/a#b":                  "has no #",
		"SCHEME://host.invalid/#":                    "has no #",
		"SCHEME://ann:hunter2@host.invalid":          inFile,
		"SCHEME://:hunter2@host.invalid":             inFile,
		"SCHEME://hunter2@host.invalid":              inFile,
		"SCHEME://${PASS}:hunter2@host.invalid":      inFile,
		"SCHEME://ann:${PASS:-hunter2}@host.invalid": inFile,
		"${PLAIN:-SCHEME://hunter2@host.invalid}":    inFile,
		"SCHEME://ann:hunter2/x@host.invalid":        wanted,
		"SCHEME://ann:hunter2 x@host.invalid":        wanted,
		"${BROKEN}":                                  wanted,
		"${OTHER}":                                   wanted,
	} {
		for key := range addressKeys {
			err := parseAddress(key, address)
			switch {
			case want == "" && err != nil:
				t.Errorf("%s: %s: %v, want no error", key, address, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s: %s: %v, want %q in the error", key, address, err, want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("%s: %s: the error shows the password: %v", key, address, err)
			}
		}
	}
}

func TestLoginOfAnAddressComesFromAVariable(t *testing.T) {
	for _, address := range []string{"${LOGIN}", "SCHEME://ann:${PASS}@host.invalid", "SCHEME://:${PASS}@host.invalid", "SCHEME://${PASS}@host.invalid"} {
		for key := range addressKeys {
			err := parseAddress(key, address)
			if key == "base_url" { // has api_key_env for it
				if err == nil || !strings.Contains(err.Error(), "use api_key_env") {
					t.Errorf("%s: %s: %v, want an error that names api_key_env", key, address, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v, want no error", key, address, err)
			}
		}
	}
}

func TestAddressOfASocket(t *testing.T) {
	for address, want := range map[string]string{
		"unix:///run/redis.sock":             "",
		"unix:///run/redis.sock?db=1":        "",
		"unix://:${PASS}@/run/redis.sock":    "",
		"unix://run/redis.sock":              "by its whole path",
		"unix:run/redis.sock":                "by its whole path",
		"unix://":                            "by its whole path",
		"unix://ann:hunter2@/run/redis.sock": "stands in the address",
	} {
		err := parseAddress("worker", address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in the error", address, err, want)
		}
	}
}
