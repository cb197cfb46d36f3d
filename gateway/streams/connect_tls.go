package streams

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// The settings of TLS in an address. redis-py, and so the Python SDK, has the same
// names: one address serves both.
const (
	authoritiesSetting = "ssl_ca_certs"
	certificateSetting = "ssl_certfile"
	keySetting         = "ssl_keyfile"
)

// trust is whom a client trusts, and what it shows.
type trust struct {
	authorities *x509.CertPool // nil for those of the system
	own         []tls.Certificate
}

// takeTrust reads the files that an address names, and takes their settings, which
// go-redis does not know, out of it and of its query.
func takeTrust(u *url.URL, query url.Values) (t trust, err error) {
	authorities, certificate, key := query.Get(authoritiesSetting), query.Get(certificateSetting), query.Get(keySetting)
	if authorities == "" && certificate == "" && key == "" {
		return t, nil
	}
	if u.Scheme != "rediss" {
		return t, errors.New("the files of TLS need an address with rediss://")
	}
	if authorities != "" {
		if t.authorities, err = readAuthorities(authorities); err != nil {
			return t, fmt.Errorf("%s: %w", authoritiesSetting, err)
		}
	}
	if certificate != "" || key != "" {
		if certificate == "" || key == "" {
			return t, fmt.Errorf("%s and %s belong together", certificateSetting, keySetting)
		}
		own, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return t, fmt.Errorf("%s, %s: %w", certificateSetting, keySetting, err)
		}
		t.own = []tls.Certificate{own}
	}
	for _, name := range []string{authoritiesSetting, certificateSetting, keySetting} {
		query.Del(name)
	}
	u.RawQuery = query.Encode()
	return t, nil
}

func readAuthorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// apply puts what was read into the configuration of a client with TLS.
func (t trust) apply(c *tls.Config) {
	if c == nil {
		return
	}
	c.RootCAs, c.Certificates = t.authorities, t.own
}

// anyServer lets each of several servers answer for its own name: go-redis would
// want the name of the first of all.
func anyServer(c *tls.Config) {
	if c != nil {
		c.ServerName = ""
	}
}
