package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// addressForm says which addresses a key takes.
type addressForm struct {
	like    string   // one that is right
	schemes []string // in lower case; unix names a file and no host
	// secret is the way out when a name or password stands in the file. Those of
	// a variable are taken, unless bare says that the key takes none at all.
	secret string
	bare   bool
}

// webAddress is the address of an endpoint, whose key is a setting of its own.
func webAddress() kind[string] {
	return address(addressForm{
		like: "https://host/v1", schemes: []string{"http", "https"},
		secret: "keys never stand in the team file; use api_key_env", bare: true,
	})
}

// redisAddress is a URL of Redis. What its path and query say is checked by
// whoever connects.
func redisAddress() kind[string] {
	return address(addressForm{
		like: "redis://127.0.0.1:6379/0", schemes: []string{"redis", "rediss", "unix", "redis+cluster", "rediss+cluster"},
		secret: "passwords never stand in the team file: put the address into a variable and write ${REDIS_URL}",
	})
}

// remoteAddress is where an agent of another process is reached.
func remoteAddress(like string, schemes ...string) kind[string] {
	return address(addressForm{
		like: like, schemes: schemes,
		secret: "passwords never stand in the team file: put the address into a variable and write ${NAME}",
	})
}

// address is a URL of a form. No message shows what comes from a variable.
func address(form addressForm) kind[string] {
	k := text()
	read := k.read
	k.want = "an address such as " + form.like
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := read(r, v)
		if !ok {
			return "", false
		}
		u, err := url.Parse(s)
		var fault string
		switch {
		case writtenSecret(v.raw), err == nil && u.User != nil && form.bare:
			r.secret(v, v.path+": a name or password stands in the address", form.secret)
			return "", false
		case err != nil:
			fault = "it is no URL"
			if strings.Contains(s, "@") {
				fault = "it is no URL; write @, : and / in a name or password as %40, %3A and %2F"
			}
		default:
			fault = form.fault(u, s)
		}
		switch {
		case fault == "":
			return s, true
		case strings.Contains(v.raw, "@"):
			r.secret(v, v.path+": wanted "+k.want, fault)
		default:
			r.wrong(v, k.want, fault)
		}
		return "", false
	}
	return k
}

// fault says what is wrong with an address, empty if nothing.
func (f addressForm) fault(u *url.URL, text string) string {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case !slices.Contains(f.schemes, u.Scheme):
		begins := make([]string, len(f.schemes))
		for i, scheme := range f.schemes {
			begins[i] = scheme + "://"
		}
		return "it must begin with " + strings.Join(begins[:len(begins)-1], ", ") + " or " + begins[len(begins)-1]
	case strings.Contains(text, "#"):
		return "an address has no #; write %23 if it is part of a word"
	case u.Scheme == "unix" && (u.Host != "" || !strings.HasPrefix(u.Path, "/")):
		return "a socket is named by its whole path: unix:///run/redis.sock"
	case u.Scheme == "unix":
		return ""
	case u.Hostname() == "":
		return "it names no host"
	case u.Port() == "" && strings.HasSuffix(u.Host, ":"), u.Port() != "" && (err != nil || port == 0):
		return "a port is a number from 1 to 65535"
	}
	return ""
}

var (
	// writtenInfo finds what stands before the host of an address.
	writtenInfo = pattern(`://([^/@\s]*)@`)
	// referredInfo is such a part whose last word, which is the secret one, comes
	// from elsewhere.
	referredInfo = pattern(`^([^:{}]*:)?(\$\{[A-Za-z_][A-Za-z0-9_.-]*(:-|:\?[^{}]*)?\})+$`)
)

// writtenSecret reports whether an address, as it stands in the file, has a name
// or password that does not come from a variable or parameter.
func writtenSecret(raw string) bool {
	return slices.ContainsFunc(writtenInfo().FindAllStringSubmatch(raw, -1), func(m []string) bool {
		return !referredInfo().MatchString(m[1])
	})
}
