//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"
)

// TestServeSaysHowToComeIn starts a server with tokens: the lines to try it with
// have the token, and who comes without one is told of it.
func TestServeSaysHowToComeIn(t *testing.T) {
	p := newProcess(t)
	put(t, "spoken.json", spoken)
	put(t, "team.yaml", spokenTeam+"serve: {tokens: {alice: ALICE_TOKEN}, studio: {}, envelope: {}}\n")
	p.vars["ALICE_TOKEN"] = "alice-static-token-0123"
	s := p.serve(t)
	if code := p.call(t.Context(), "dial", s.url, "--protocol", "studio", "hi"); code != exitFailed || !strings.Contains(p.stderr.String(), "TROUPE_TOKEN=… troupe dial ") {
		t.Errorf("without a token: exit code %d, %s", code, &p.stderr)
	}
	s.end(syscall.SIGTERM)
	for _, want := range []string{
		"TROUPE_TOKEN=… troupe dial --protocol studio " + s.url + "\n", `curl -H "Authorization: Bearer $TROUPE_TOKEN" http://`,
	} {
		if !strings.Contains(s.log(), want) {
			t.Errorf("%q is not in %s", want, s.log())
		}
	}
}
