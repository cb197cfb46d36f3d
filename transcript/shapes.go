package transcript

import (
	"encoding/base64"
	"strings"
	"sync"
)

// shape is what secrets of one kind look like: a word that marks them, and
// what has to stand around it.
type shape struct {
	kind   string // of the secret, for the mask
	anchor string // in any case of letters
	// find returns where a secret stands whose anchor is s[at:end]; from is
	// not below at. There is none if from == to; that is to be found out within
	// a bounded number of bytes, however the text is made.
	find func(s string, at, end int) (from, to int)
}

// Sets of bytes that secrets consist of.
var (
	alnum   = setOf("")
	urlSafe = setOf("_-")
	base64s = setOf("+/=")
	token68 = setOf("._~+/=-")
	inQuery = setOf("._~%+/=-")
)

// shapeFinder is all shapes and what finds their anchors.
type shapeFinder struct {
	shapes  []shape
	anchors *anchors
}

// finder makes the one finder; it is never changed.
var finder = sync.OnceValue(func() *shapeFinder {
	f := &shapeFinder{shapes: allShapes()}
	words := make([]string, len(f.shapes))
	for i, s := range f.shapes {
		words[i] = strings.ToLower(s.anchor)
	}
	f.anchors = newAnchors(words)
	return f
})

// spans appends the secrets of s, in order.
func (f *shapeFinder) spans(s string) (found []span) {
	f.anchors.scan(s, func(word, end int) int {
		sh := &f.shapes[word]
		from, to := sh.find(s, end-len(sh.anchor), end)
		if from >= to {
			return end
		}
		found = append(found, span{from, to, sh.kind})
		return to
	})
	return found
}

// allShapes lists what is taken for a secret.
func allShapes() []shape {
	list := [][]shape{
		prefixed("API key", urlSafe, 16, 0, true, "sk-", "gsk_", "xai-", "pplx-", "r8_"),
		prefixed("GitHub token", alnum, 20, 0, false, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
		prefixed("GitHub token", urlSafe, 20, 0, false, "github_pat_"),
		prefixed("GitLab token", urlSafe, 20, 0, false, "glpat-"),
		prefixed("AWS key", alnum, 16, 16, false, "AKIA", "ASIA"),
		prefixed("Google key", urlSafe, 30, 40, false, "AIza"),
		prefixed("Google token", token68, 20, 0, false, "ya29."),
		prefixed("Google secret", urlSafe, 20, 0, false, "GOCSPX-"),
		prefixed("Alibaba Cloud key", alnum, 12, 24, true, "LTAI"),
		prefixed("Tencent Cloud key", alnum, 32, 32, true, "AKID"),
		prefixed("Volcengine key", alnum, 40, 60, true, "AKLT"),
		prefixed("Slack token", urlSafe, 10, 0, false, "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-"),
		prefixed("Stripe key", alnum, 16, 0, false, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
		prefixed("Hugging Face token", alnum, 30, 0, false, "hf_"),
		prefixed("npm token", alnum, 36, 0, false, "npm_"),
		prefixed("PyPI token", urlSafe, 50, 0, false, "pypi-"),
		prefixed("SendGrid key", token68, 60, 0, false, "SG."),
		prefixed("DigitalOcean token", alnum, 40, 0, false, "dop_v1_"),
		prefixed("webhook URL", token68, 20, 0, false, "hooks.slack.com/services/", "open.feishu.cn/open-apis/bot/v2/hook/"),
		assigned("cloud key", "secret_access_key", "secretaccesskey", "access_key_secret", "accesskeysecret", "accountkey", "sharedaccesskey"),
		assigned("API key", "api_key", "apikey", "api-key"),
		assigned("secret", "client_secret", "clientsecret", "secret_key", "secretkey"),
		queried("token=", "key=", "secret=", "password=", "passwd=", "pwd=", "sig=", "signature=", "credential="),
		{
			{"bearer token", "bearer", findBearer},
			{"authorization", "authorization", findAuthorization},
			{"JWT", "eyJ", findJWT},
			{"password in a URL", "://", findUserinfo},
			{"private key", "-----BEGIN ", findPEM},
		},
	}
	var all []shape
	for _, shapes := range list {
		all = append(all, shapes...)
	}
	return all
}

// prefixed are secrets that begin with one of the prefixes, exactly as they
// are written here, and go on with bytes of the set: at least least, and at
// most most unless that is 0. With random they must also look random.
func prefixed(kind string, set *charset, least, most int, random bool, prefixes ...string) []shape {
	shapes := make([]shape, len(prefixes))
	for i, prefix := range prefixes {
		shapes[i] = shape{kind, prefix, func(s string, at, end int) (from, to int) {
			if s[at:end] != prefix || !begins(s, at) {
				return 0, 0
			}
			switch {
			case random:
				to = set.randomRun(s, end, least)
			case most > 0:
				to = set.run(s[:min(len(s), end+most+1)], end)
			default:
				to = set.run(s, end)
			}
			if n := to - end; n < least || most > 0 && n > most {
				return 0, 0
			}
			return at, to
		}}
	}
	return shapes
}

// assigned are values that a name calls secret, as in a file of settings or a
// JSON object, and that look random.
func assigned(kind string, names ...string) []shape {
	const least = 16
	shapes := make([]shape, len(names))
	for i, name := range names {
		shapes[i] = shape{kind, name, func(s string, _, end int) (from, to int) {
			from, ok := skipAssign(s, end)
			if !ok {
				return 0, 0
			}
			return from, token68.randomRun(s, from, least)
		}}
	}
	return shapes
}

// skipAssign skips what stands between a name and its value: quotes, blanks
// and a colon or an equals sign.
func skipAssign(s string, i int) (value int, ok bool) {
	const most = 12
	for limit := min(len(s), i+most); i < limit; i++ {
		switch s[i] {
		case ':', '=':
			ok = true
		case '"', '\'', '`', ' ', '\t', '\\', '>':
		default:
			return i, ok
		}
	}
	return i, ok
}

// findBearer finds the token of "Bearer TOKEN".
func findBearer(s string, _, end int) (from, to int) {
	const least = 8
	from = skipBlanks(s, end)
	if from == end {
		return 0, 0
	}
	return from, token68.randomRun(s, from, least)
}

// skipBlanks skips blanks, also as a URL has them.
func skipBlanks(s string, i int) int {
	for i < len(s) {
		switch {
		case s[i] == ' ', s[i] == '\t':
			i++
		case strings.HasPrefix(s[i:], "%20"):
			i += len("%20")
		default:
			return i
		}
	}
	return i
}

// findAuthorization finds what stands in a header or a setting of this name,
// behind the name of the scheme.
func findAuthorization(s string, _, end int) (from, to int) {
	const least = 8
	from, ok := skipAssign(s, end)
	if !ok {
		return 0, 0
	}
	if word := alnum.run(s, from); word < len(s) && s[word] == ' ' {
		scheme := strings.ToLower(s[from:word])
		from = skipBlanks(s, word)
		to = base64s.run(s, from)
		switch {
		case scheme == "bearer":
			return 0, 0 // findBearer comes next
		case scheme == "basic" && isNameAndPassword(s[from:to]):
			return from, to
		}
	}
	return from, token68.randomRun(s, from, least)
}

// isNameAndPassword reports whether s is what the scheme Basic sends.
func isNameAndPassword(s string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil && strings.Contains(string(text), ":")
}

// findJWT finds a JSON web token: three parts, two of which are JSON objects.
func findJWT(s string, at, end int) (from, to int) {
	const least, mostHead, mostBody = 10, 1 << 10, 16 << 10 // bytes of a part
	if s[at:end] != "eyJ" || !begins(s, at) {
		return 0, 0
	}
	head := urlSafe.run(s[:min(len(s), at+mostHead)], at)
	if head-at < least || head == len(s) || s[head] != '.' {
		return 0, 0
	}
	body := urlSafe.run(s[:min(len(s), head+mostBody)], head+1)
	if body-head <= least || body == len(s) || s[body] != '.' {
		return 0, 0
	}
	if to = urlSafe.run(s, body+1); to-body <= least {
		return 0, 0
	}
	return at, to
}
