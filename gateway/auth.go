package gateway

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	minKey        = 32 // bytes of the key of issued tokens
	minToken      = 16 // bytes of a static token
	maxToken      = 4 << 10
	tokenVersion  = "t1" // begins issued tokens
	defaultLife   = 15 * time.Minute
	defaultMaxAge = 12 * time.Hour
)

// AuthOptions say who may come in. With none of Tokens, Key and Anyone nobody may.
type AuthOptions struct {
	// Anyone is the user that everybody is, whatever token they send: for a server
	// that only its own machine reaches. It goes with neither Tokens nor Key.
	Anyone string
	// Tokens are the static tokens, by the name of their user: at least 16 bytes
	// each, and each of one user only.
	Tokens map[string]string
	// Key signs the tokens that [Auth.Issue] makes: 32 secret bytes or more;
	// without one none are made.
	Key []byte
	// Life is how long an issued token is good, in whole seconds, a part of one
	// counting as one; 0 means 15 minutes.
	Life time.Duration
	// MaxAge is how long after the first token of a chain [Auth.Refresh] makes
	// another; 0 means 12 hours.
	MaxAge time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Auth tells whose a token is. It is safe for concurrent use.
type Auth struct {
	opts   AuthOptions
	static []staticToken
}

// staticToken is a token as it is compared.
type staticToken struct {
	user string
	sum  [sha256.Size]byte
}

// Identity is who holds a token.
type Identity struct {
	User string
	// Expires is when the token ends; zero for a static one.
	Expires time.Time
	// Anyone says that there are no tokens, so that this may be anybody.
	Anyone bool
}

// NewAuth checks the options.
func NewAuth(o AuthOptions) (*Auth, error) {
	if len(o.Key) > 0 && len(o.Key) < minKey {
		return nil, fmt.Errorf("gateway: auth: the key has %d bytes; at least %d", len(o.Key), minKey)
	}
	if o.Life < 0 || o.MaxAge < 0 {
		return nil, errors.New("gateway: auth: Life and MaxAge are not negative")
	}
	if o.Anyone != "" && len(o.Tokens)+len(o.Key) > 0 {
		return nil, errors.New("gateway: auth: where anyone may come in there are no tokens")
	}
	o.Life, o.MaxAge = cmp.Or(o.Life, defaultLife), cmp.Or(o.MaxAge, defaultMaxAge)
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Auth{opts: o}
	seen := map[[sha256.Size]byte]string{}
	for user, token := range o.Tokens {
		sum := sha256.Sum256([]byte(token))
		switch {
		case user == "":
			return nil, errors.New("gateway: auth: a token has no user")
		case len(token) < minToken || len(token) > maxToken:
			return nil, fmt.Errorf("gateway: auth: the token of %s has %d bytes; at least %d, at most %d", user, len(token), minToken, maxToken)
		case seen[sum] != "":
			return nil, fmt.Errorf("gateway: auth: %s and %s have the same token", min(user, seen[sum]), max(user, seen[sum]))
		}
		seen[sum] = user
		a.static = append(a.static, staticToken{user, sum})
	}
	return a, nil
}

// Check tells whose a token is. It fails with [StatusUnauthorized], in words that
// say nothing of the token.
func (a *Auth) Check(token string) (Identity, error) {
	if a.opts.Anyone != "" {
		return Identity{User: a.opts.Anyone, Anyone: true}, nil
	}
	if token == "" {
		return Identity{}, NewError(StatusUnauthorized, "there is no token").WithHint("send one with the first message or in the header Authorization")
	}
	if user, ok := a.userOf(token); ok {
		return Identity{User: user}, nil
	}
	c, err := a.read(token)
	if err != nil {
		return Identity{}, err
	}
	if !a.opts.Now().Before(c.expires()) {
		return Identity{}, NewError(StatusUnauthorized, "the token has expired").WithHint("ask for a new one")
	}
	return Identity{User: c.User, Expires: c.expires()}, nil
}

// userOf looks a static token up, in a time that does not depend on it.
func (a *Auth) userOf(token string) (user string, ok bool) {
	sum := sha256.Sum256([]byte(token))
	for _, s := range a.static {
		if subtle.ConstantTimeCompare(sum[:], s.sum[:]) == 1 {
			user, ok = s.user, true
		}
	}
	return user, ok
}

// claims are what an issued token says.
type claims struct {
	User string `json:"sub"`
	// Expires and Since are in seconds since 1970: the end of this token, and
	// the issue of the first one of the chain.
	Expires int64 `json:"exp"`
	Since   int64 `json:"auth_time"`
}

func (c claims) expires() time.Time { return time.Unix(c.Expires, 0) }

// Issue makes a token for a user. It fails without a key.
func (a *Auth) Issue(user string) (token string, id Identity, err error) {
	if user == "" || !utf8.ValidString(user) {
		return "", Identity{}, NewError(StatusBad, "a token needs the name of a user")
	}
	return a.issue(user, a.opts.Now())
}

// Refresh makes a new token for the user of one that is still good. After MaxAge
// the user has to come in anew.
func (a *Auth) Refresh(token string) (renewed string, id Identity, err error) {
	if id, err = a.Check(token); err != nil {
		return "", Identity{}, err
	}
	if id.Expires.IsZero() {
		return "", Identity{}, NewError(StatusBad, "a static token is not refreshed; it does not expire")
	}
	c, err := a.read(token)
	if err != nil {
		return "", Identity{}, err
	}
	since := time.Unix(c.Since, 0)
	if a.opts.Now().Sub(since) >= a.opts.MaxAge {
		return "", Identity{}, NewError(StatusUnauthorized, "the token was refreshed for as long as may be").WithHint("ask for a new one")
	}
	return a.issue(c.User, since)
}

func (a *Auth) issue(user string, since time.Time) (string, Identity, error) {
	if len(a.opts.Key) == 0 {
		return "", Identity{}, NewError(StatusForbidden, "this server issues no tokens")
	}
	end := a.opts.Now().Add(a.opts.Life + time.Second - 1) // or a token of less than a second would end before it begins
	c := claims{User: user, Expires: end.Unix(), Since: since.Unix()}
	text, err := json.Marshal(c)
	if err != nil {
		return "", Identity{}, fmt.Errorf("gateway: auth: %w", err)
	}
	body := tokenVersion + "." + base64.RawURLEncoding.EncodeToString(text)
	token := body + "." + a.sign(body)
	if len(token) > maxToken {
		return "", Identity{}, NewError(StatusBad, "the name of the user has %d bytes, which is too long for a token", len(user))
	}
	return token, Identity{User: user, Expires: c.expires()}, nil
}

// sign is the signature of the body of a token, as text.
func (a *Auth) sign(body string) string {
	mac := hmac.New(sha256.New, a.opts.Key)
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// read checks the signature of an issued token and reads it. The signature is
// compared as text, so that each token has one form only.
func (a *Auth) read(token string) (claims, error) {
	bad := NewError(StatusUnauthorized, "the token is not known here")
	at := strings.LastIndexByte(token, '.')
	if len(a.opts.Key) == 0 || len(token) > maxToken || at < 0 {
		return claims{}, bad
	}
	body, signature := token[:at], token[at+1:]
	if subtle.ConstantTimeCompare([]byte(signature), []byte(a.sign(body))) != 1 {
		return claims{}, bad
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(body, tokenVersion+"."))
	var c claims
	if err != nil || json.Unmarshal(text, &c) != nil || c.User == "" {
		return claims{}, bad
	}
	return c, nil
}
