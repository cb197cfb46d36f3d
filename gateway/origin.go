package gateway

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Origins says from which web pages and under which names the server may be
// used. A page of somebody else could otherwise use it with what the person's
// browser may do.
type Origins struct {
	// Allowed are origins beside the server's own, such as
	// "https://studio.example.com"; an entry "*" allows all.
	Allowed []string
	// Hosts are the names under which the server is reached, whatever their ports;
	// empty allows any. A server on a loopback address sets them, or a page could reach
	// it by a name of its own that leads there.
	Hosts []string
}

// Check fails with [StatusForbidden] for a request of a page that may not make it.
// Requests without an Origin do not come from a page.
func (o Origins) Check(r *http.Request) error {
	host := hostOf(r.Host)
	named := func(allowed string) bool { return strings.EqualFold(hostOf(allowed), host) }
	if len(o.Hosts) > 0 && !slices.ContainsFunc(o.Hosts, named) {
		return NewError(StatusForbidden, "the server is not reached under the name %q", host).WithHint("use one of " + strings.Join(o.Hosts, ", "))
	}
	origins := r.Header.Values("Origin")
	switch {
	case len(origins) == 0, len(origins) == 1 && o.allows(origins[0], r):
		return nil
	}
	return NewError(StatusForbidden, "a page of %q may not use this server", origins[0]).WithHint("allow its origin in the settings of the server")
}

// allows reports whether a page of the origin may make the request.
func (o Origins) allows(origin string, r *http.Request) bool {
	if hasFold(o.Allowed, origin) || hasFold(o.Allowed, "*") {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return false // also "null"
	}
	return (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

func hasFold(list []string, s string) bool {
	for _, have := range list {
		if strings.EqualFold(have, s) {
			return true
		}
	}
	return false
}

// hostOf takes the port off a host.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}
