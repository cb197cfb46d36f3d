package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway"
)

// localUser is who everybody is on a server without tokens.
const localUser = "local"

// guard says who may come in. A server without tokens is for this machine alone.
func (s *serveCommand) guard(sv *server) error {
	set := sv.settings
	host, _, err := net.SplitHostPort(set.Listen)
	if err != nil {
		return usageError(fmt.Sprintf(s.words.serve["badListen"], set.Listen), "--listen HOST:PORT")
	}
	o, err := s.authOptions(sv.team.settings, set)
	if err != nil {
		return err
	}
	sv.Origins = gateway.Origins{Allowed: set.Origins, Hosts: set.Hosts}
	if len(o.Tokens)+len(o.Key) == 0 {
		if !isLoopback(host) {
			return usageError(fmt.Sprintf(s.words.serve["openWorld"], set.Listen), s.words.serve["openWorldHint"])
		}
		sv.anyone, o.Anyone = true, localUser
		if len(set.Hosts) == 0 {
			sv.Origins.Hosts = []string{"localhost", "127.0.0.1", "::1"}
			if !slices.Contains(sv.Origins.Hosts, host) {
				sv.Origins.Hosts = append(sv.Origins.Hosts, host)
			}
		}
	}
	if sv.Auth, err = gateway.NewAuth(o); err != nil {
		return usageError(unpackaged(err), "")
	}
	return nil
}

// isLoopback reports whether only this machine reaches an address with the host.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// authOptions read what variables hold of tokens.
func (a *app) authOptions(vars settings, set config.Serve) (gateway.AuthOptions, error) {
	o := gateway.AuthOptions{Life: set.TokenLife, Now: a.Now, Tokens: map[string]string{}}
	value := func(name string) (string, error) {
		text, _ := vars.lookup(name)
		if text == "" {
			return "", usageError(fmt.Sprintf(a.words.serve["noToken"], name), fmt.Sprintf(a.words.serve["noTokenHint"], name))
		}
		return text, nil
	}
	var err error
	for user, name := range set.Tokens {
		if o.Tokens[user], err = value(name); err != nil {
			return o, err
		}
	}
	if set.TokenKeyEnv != "" {
		key, err := value(set.TokenKeyEnv)
		if err != nil {
			return o, err
		}
		o.Key = []byte(key)
	}
	return o, nil
}

// openAudit opens the audit, and makes its folder if need be.
func openAudit(path string, mask func(string) string, now func() time.Time) (*gateway.Audit, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return gateway.OpenAudit(path, gateway.AuditOptions{Mask: mask, Now: now})
}
