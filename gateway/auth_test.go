package gateway_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/gateway"
)

const (
	aliceToken = "alice-0123456789abcdef"
	bobToken   = "bob-0123456789abcdefgh"
)

var tokenKey = []byte("0123456789abcdef0123456789abcdef")

func newAuth(t testing.TB, change func(*gateway.AuthOptions)) *gateway.Auth {
	t.Helper()
	o := gateway.AuthOptions{Tokens: map[string]string{"alice": aliceToken, "bob": bobToken}, Key: tokenKey}
	if change != nil {
		change(&o)
	}
	a, err := gateway.NewAuth(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// status is the code of an error for clients, 0 for none.
func status(err error) gateway.Status {
	if err == nil {
		return 0
	}
	return gateway.ErrorOf(err).Code
}

func TestStaticTokens(t *testing.T) {
	a := newAuth(t, nil)
	for token, want := range map[string]string{
		aliceToken: "alice", bobToken: "bob", "": "", aliceToken + "x": "", aliceToken[1:]: "", strings.ToUpper(aliceToken): "",
		strings.Repeat("x", 1<<20): "", "t1..": "", "alice": "",
	} {
		id, err := a.Check(token)
		if id.User != want || (want == "") != (status(err) == gateway.StatusUnauthorized) || !id.Expires.IsZero() {
			t.Errorf("%.30q is of %q, %v; want %q", token, id.User, err, want)
		}
		if err != nil && len(token) > 8 && strings.Contains(err.Error(), token[:8]) {
			t.Errorf("the error tells the token: %v", err)
		}
	}
	if _, _, err := a.Refresh(aliceToken); status(err) != gateway.StatusBad {
		t.Errorf("refresh of a static token: %v", err)
	}
}

func TestAnyone(t *testing.T) {
	a := newAuth(t, func(o *gateway.AuthOptions) { *o = gateway.AuthOptions{Anyone: "local"} })
	for _, token := range []string{"", "any", aliceToken} {
		if id, err := a.Check(token); err != nil || id.User != "local" {
			t.Errorf("with the token %q it is %q, %v", token, id.User, err)
		}
	}
	for name, o := range map[string]gateway.AuthOptions{
		"tokens": {Anyone: "local", Tokens: map[string]string{"alice": aliceToken}}, "a key": {Anyone: "local", Key: tokenKey},
	} {
		if _, err := gateway.NewAuth(o); err == nil {
			t.Errorf("anyone and %s: no error", name)
		}
	}
}

func TestIssuedTokensExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAuth(t, nil)
		token, id, err := a.Issue("carol")
		if err != nil || id.User != "carol" || !id.Expires.Equal(time.Now().Add(15*time.Minute)) {
			t.Fatalf("issued %+v, %v", id, err)
		}
		time.Sleep(15*time.Minute - time.Second)
		if got, err := a.Check(token); got != id || err != nil {
			t.Errorf("a second before its end: %+v, %v", got, err)
		}
		renewed, _, err := a.Refresh(token)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := a.Check(token); status(err) != gateway.StatusUnauthorized || !strings.Contains(err.Error(), "expired") {
			t.Errorf("at its end: %v", err)
		}
		if _, _, err := a.Refresh(token); status(err) != gateway.StatusUnauthorized {
			t.Errorf("refresh at its end: %v", err)
		}
		if got, err := a.Check(renewed); got.User != "carol" || err != nil {
			t.Errorf("the new one: %+v, %v", got, err)
		}
		n := 0
		for token = renewed; err == nil; n++ {
			time.Sleep(10 * time.Minute)
			token, _, err = a.Refresh(token)
		}
		if n < 70 || n > 73 || status(err) != gateway.StatusUnauthorized {
			t.Errorf("refreshed %d times, then %v; want it for 12 hours", n, err)
		}
	})
}

func TestKeysAreApart(t *testing.T) {
	token, _, err := newAuth(t, nil).Issue("carol")
	if err != nil {
		t.Fatal(err)
	}
	other := newAuth(t, func(o *gateway.AuthOptions) { o.Key = []byte(strings.Repeat("k", 32)) })
	none := newAuth(t, func(o *gateway.AuthOptions) { o.Key = nil })
	for what, a := range map[string]*gateway.Auth{"another key": other, "no key": none} {
		if _, err := a.Check(token); status(err) != gateway.StatusUnauthorized {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := none.Issue("carol"); status(err) != gateway.StatusForbidden {
		t.Errorf("issued without a key: %v", err)
	}
	if _, _, err := other.Issue(""); status(err) != gateway.StatusBad {
		t.Errorf("issued for nobody: %v", err)
	}
}

func TestNewAuthRefuses(t *testing.T) {
	for what, o := range map[string]gateway.AuthOptions{
		"a short key":    {Key: []byte("short")},
		"a short token":  {Tokens: map[string]string{"a": "short"}},
		"no user":        {Tokens: map[string]string{"": aliceToken}},
		"the same token": {Tokens: map[string]string{"a": aliceToken, "b": aliceToken}},
	} {
		if _, err := gateway.NewAuth(o); err == nil || strings.Contains(err.Error(), aliceToken) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestAChangedTokenIsRefused changes, cuts and lengthens tokens of any user.
func TestAChangedTokenIsRefused(t *testing.T) {
	a := newAuth(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		user := rapid.StringN(1, 40, 200).Filter(utf8.ValidString).Draw(t, "user")
		token, _, err := a.Issue(user)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := a.Check(token); err != nil || id.User != user {
			t.Fatalf("the token of %q is of %q, %v", user, id.User, err)
		}
		at := rapid.IntRange(0, len(token)-1).Draw(t, "at")
		letter := rapid.ByteRange(0, 255).Draw(t, "letter")
		for _, changed := range []string{
			token[:at], token[at:], token[:at] + string([]byte{letter}) + token[at+1:], token[:at] + string([]byte{letter}) + token[at:],
			token + "\n", " " + token, token + "=",
		} {
			if changed == token {
				continue
			}
			if id, err := a.Check(changed); err == nil {
				t.Fatalf("%q is taken for %q", changed, id.User)
			}
		}
	})
}

// FuzzToken looks for a token that is taken and was not issued.
func FuzzToken(f *testing.F) {
	// The clock stands, and far ahead: the processes of the fuzzer have the same good
	// token, and none that was issued by another clock is good.
	now := func() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }
	a, err := gateway.NewAuth(gateway.AuthOptions{Key: tokenKey, Now: now})
	if err != nil {
		f.Fatal(err)
	}
	good, _, err := a.Issue("carol")
	if err != nil {
		f.Fatal(err)
	}
	claims, err := json.Marshal(map[string]any{"sub": "root", "exp": 1 << 40, "auth_time": 0})
	if err != nil {
		f.Fatal(err)
	}
	body := "t1." + base64.RawURLEncoding.EncodeToString(claims)
	for _, seed := range []string{"", ".", "t1.", "t1..", body, body + ".", body + "." + good[strings.LastIndexByte(good, '.')+1:], good + ".", "eyJhbGciOiJub25lIn0.e30."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if id, err := a.Check(token); err == nil && token != good {
			t.Errorf("%q is taken for %q", token, id.User)
		}
	})
}
