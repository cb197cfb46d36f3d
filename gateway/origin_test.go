package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/troupe-go/troupe/gateway"
)

func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		name    string
		origins gateway.Origins
		host    string
		origin  []string
		ok      bool
	}{
		{"no page", gateway.Origins{}, "h:1", nil, true},
		{"its own", gateway.Origins{}, "h:1", []string{"http://h:1"}, true},
		{"its own, in capitals", gateway.Origins{}, "h:1", []string{"https://H:1"}, true},
		{"another port", gateway.Origins{}, "h:1", []string{"http://h:2"}, false},
		{"another name", gateway.Origins{}, "h:1", []string{"http://evil:1"}, false},
		{"a name that begins so", gateway.Origins{}, "h", []string{"http://h.evil"}, false},
		{"a user that looks like it", gateway.Origins{}, "h:1", []string{"http://x@h:1"}, false},
		{"a path", gateway.Origins{}, "h:1", []string{"http://h:1/x"}, false},
		{"another scheme", gateway.Origins{}, "h:1", []string{"file://h:1"}, false},
		{"null", gateway.Origins{}, "h:1", []string{"null"}, false},
		{"empty", gateway.Origins{}, "h:1", []string{""}, false},
		{"two", gateway.Origins{}, "h:1", []string{"http://h:1", "http://evil"}, false},
		{"allowed", gateway.Origins{Allowed: []string{"https://s.example.com"}}, "h:1", []string{"https://s.example.com"}, true},
		{"allowed with another scheme", gateway.Origins{Allowed: []string{"https://s.example.com"}}, "h:1", []string{"http://s.example.com"}, false},
		{"all allowed", gateway.Origins{Allowed: []string{"*"}}, "h:1", []string{"http://evil"}, true},
		{"host", gateway.Origins{Hosts: []string{"127.0.0.1", "localhost", "::1"}}, "localhost:8787", nil, true},
		{"host without a port", gateway.Origins{Hosts: []string{"localhost"}}, "LOCALHOST", nil, true},
		{"host of IPv6", gateway.Origins{Hosts: []string{"::1"}}, "[::1]:8787", nil, true},
		{"host of IPv6 without a port", gateway.Origins{Hosts: []string{"::1"}}, "[::1]", nil, true},
		{"host that is named with a port", gateway.Origins{Hosts: []string{"localhost:8787"}}, "localhost:8787", nil, true},
		{"host of IPv6 that is named as in a URL", gateway.Origins{Hosts: []string{"[::1]"}}, "[::1]:8787", nil, true},
		{"another one that is named with a port", gateway.Origins{Hosts: []string{"localhost:8787"}}, "evil:8787", nil, false},
		{"a name that leads here", gateway.Origins{Hosts: []string{"127.0.0.1"}}, "evil.example.com:8787", []string{"http://evil.example.com:8787"}, false},
		{"all origins, but not all hosts", gateway.Origins{Allowed: []string{"*"}, Hosts: []string{"h"}}, "evil", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = tt.host
			for _, o := range tt.origin {
				r.Header.Add("Origin", o)
			}
			if err := tt.origins.Check(r); (err == nil) != tt.ok || err != nil && status(err) != gateway.StatusForbidden {
				t.Errorf("%v, want it allowed: %v", err, tt.ok)
			}
		})
	}
}
