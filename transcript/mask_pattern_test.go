package transcript_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	safe   = lower + upper + digits + "_-"
)

// drawn returns n bytes drawn by lot from set.
func drawn(rng *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[rng.IntN(len(set))]
	}
	return string(b)
}

// planted is a text with a secret, and the part of it that must not survive.
type planted struct{ text, secret string }

// secretsOf makes one secret of each kind.
func secretsOf(rng *rand.Rand) map[string]planted {
	alnum := lower + upper + digits
	all := map[string]planted{}
	plain := func(kind, secret string) { all[kind] = planted{secret, secret} }
	in := func(kind, format, secret string) { all[kind] = planted{fmt.Sprintf(format, secret), secret} }
	plain("openai", "sk-"+drawn(rng, alnum, 48))
	plain("openai project", "sk-proj-"+drawn(rng, safe, 120))
	plain("anthropic", "sk-ant-api03-"+drawn(rng, safe, 93))
	plain("deepseek", "sk-"+drawn(rng, "0123456789abcdef", 32))
	plain("openrouter", "sk-or-v1-"+drawn(rng, "0123456789abcdef", 64))
	plain("groq", "gsk_"+drawn(rng, alnum, 52))
	plain("github", "ghp_"+drawn(rng, alnum, 36))
	plain("github fine", "github_pat_"+drawn(rng, alnum, 22)+"_"+drawn(rng, alnum, 59))
	plain("gitlab", "glpat-"+drawn(rng, safe, 20))
	plain("aws", "AKIA"+drawn(rng, upper+"234567", 16))
	in("aws secret", "aws_secret_access_key = %s", drawn(rng, alnum, 12)+"7a/"+drawn(rng, alnum+"+/", 25))
	plain("google", "AIza"+drawn(rng, safe, 35))
	plain("aliyun", "LTAI5t"+drawn(rng, alnum, 17)+"7")
	plain("slack", "xoxb-"+drawn(rng, digits, 12)+"-"+drawn(rng, digits, 13)+"-"+drawn(rng, alnum, 24))
	plain("stripe", "sk_live_"+drawn(rng, alnum, 24))
	plain("hugging face", "hf_"+drawn(rng, alnum, 34))
	plain("jwt", "eyJ"+drawn(rng, safe, 33)+"."+"eyJ"+drawn(rng, safe, 60)+"."+drawn(rng, safe, 43))
	in("bearer", "Authorization: Bearer %s", drawn(rng, alnum, 20)+"4x"+drawn(rng, alnum+"-._~+/", 20))
	in("bearer alone", "curl -H 'authorization: bearer %s'", drawn(rng, alnum, 30)+"7")
	in("basic", "Authorization: Basic %s", base64.StdEncoding.EncodeToString([]byte("user:"+drawn(rng, alnum, 12))))
	in("header", "X-Api-Key: %s", drawn(rng, "0123456789abcdef", 32))
	in("setting", `{"client_secret": "%s"}`, drawn(rng, alnum, 30)+"7b")
	in("url password", "postgres://app:%s@db.internal:5432/x", "p"+drawn(rng, alnum+"!$%._-", 10))
	in("url name", "https://%s@git.example.com/x.git", drawn(rng, alnum, 30)+"7b")
	in("url token", "https://a.example/x?id=1&access_token=%s&y=2", drawn(rng, alnum+"-_.", 24)+"7")
	in("url key", "https://maps.example/api?key=%s", drawn(rng, alnum, 24)+"a7b7c7")
	in("redact", "the internal-%s one", drawn(rng, lower+digits, 16))
	body := base64.StdEncoding.EncodeToString([]byte(drawn(rng, safe, 300)))
	var lines []string
	for part := range slices.Chunk([]byte(body), 64) {
		lines = append(lines, string(part))
	}
	for _, label := range []string{"PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		block := "-----BEGIN " + label + "-----\n" + strings.Join(lines, "\n")
		all["cut "+label] = planted{block, lines[rng.IntN(len(lines))]}
		all[label] = planted{block + "\n-----END " + label + "-----\n", lines[rng.IntN(len(lines))]}
	}
	return all
}

var patterns = transcript.NewMask().WithPatterns(regexp.MustCompile(`(?i)internal-[a-z0-9]{16}`))

// surroundings are what a secret may stand in.
var surroundings = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return "key: " + s + "\nnext line" },
	func(s string) string { return "密钥是" + s + "，不要外传。" },
	func(s string) string { return "\"" + s + "\"" },
	func(s string) string { return "(" + s + ")" },
	func(s string) string { return "x=" + s + ";" },
	func(s string) string { return jsonText(map[string]any{"out": "\n" + s + "\n"}) },
	func(s string) string {
		return jsonText(map[string]any{"a": jsonText(map[string]string{"b": "\t" + s})})
	},
	func(s string) string { return strings.ReplaceAll(jsonText([]string{s}), "/", `\/`) },
	func(s string) string { return strings.ReplaceAll(jsonText([]string{"x " + s}), "+", `\u002b`) },
}

func jsonText(v any) string {
	text, err := json.Marshal(v) // escapes & as \u0026
	if err != nil {
		panic(err)
	}
	return string(text)
}

// No secret of any kind reaches the file, wherever it stands, and the record
// that Append returns is the one that is read back.
func TestPlantedSecretsDoNotReachTheFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{Sync: transcript.SyncOff, Mask: patterns})
	var secrets []string
	var names []string
	for range 3 {
		for kind, p := range secretsOf(rng) {
			for i, around := range surroundings {
				text := around(p.text)
				secrets, names = append(secrets, p.secret), append(names, fmt.Sprintf("%s in surroundings %d: %s", kind, i, text))
				if rec := add(t, l, event.ToolFinished{CallID: "c", Result: text}); strings.Contains(rec.Data.(event.ToolFinished).Result, p.secret) {
					t.Fatalf("%s survived: %s", names[len(names)-1], rec.Data.(event.ToolFinished).Result)
				}
				add(t, l, event.MessageSent{ID: "m", Content: text})
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range secrets {
		if strings.Contains(string(text), s) || strings.Contains(string(text), strings.ReplaceAll(s, "/", `\/`)) {
			t.Fatalf("%s reached the file", names[i])
		}
	}
}

// Text without secrets is left as it is.
func TestPatternsLeaveTextAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	image := make([]byte, 1<<14)
	for i := range image {
		image[i] = byte(rng.Uint32())
	}
	texts := []string{
		"", "设计注册页并写接口文档：令牌（token）放在请求头里，密码不要写进日志。",
		"commit f72864d9a1b2c3d4e5f60718293a4b5c6d7e8f90", "id 550e8400-e29b-41d4-a716-446655440000",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"data:image/png;base64," + base64.StdEncoding.EncodeToString(image),
		base64.RawURLEncoding.EncodeToString(image),
		"class=\"sk-fading-circle sk-container-id-1 sk-toggleable__control\"", "task-force-of-the-year-2024-edition",
		"locale sk-SK and risk-assessment-2024-final-report",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer YOUR_API_KEY", "Authorization: required",
		"the bearer of this letter, bearer authentication, Bearer TokenAuthentication",
		"http://localhost:8080/a@b?x=1", "git@github.com:troupe-go/troupe.git", "ssh://git@github.com/troupe-go/troupe",
		"https://${USER}:${PASSWORD}@host", "https://user:<password>@host/", "docker://alpine:3.20@sha256:abcdef0123456789abcdef",
		"访问 http://a.example:8080，联系 x@a.example", "mail a@b.example or see http://x.example:80, c@d.example",
		"?page_token=CAUQAA&next_token=abc123def456", "?sort_key=created_at&key=name", "?token=YOUR_TOKEN", "&token=\" + t.token",
		"password := getPassword(); key == \"token=\"", "if api_key == os.Getenv(\"API_KEY\") {",
		`const begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"`,
		"-----BEGIN CERTIFICATE-----\n" + strings.Repeat(base64.StdEncoding.EncodeToString(image[:48])+"\n", 9) + "-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + base64.StdEncoding.EncodeToString(image[:48]) + "\n-----END PUBLIC KEY-----",
		`C:\new\table\users\u0041\x.go and a regexp \d+\.\w*\\n`, "[masked] and [masked: JWT] and Bearer [masked: bearer token]",
		"h1:abc0123456789012345678901234567890123456789=", "AKIASHORT", "eyJhbGciOiJIUzI1NiJ9 without the rest",
		"func (m *Mask) secretKey() string // accountKey: the key of an account",
	}
	for range 2000 {
		texts = append(texts, prose(rng))
	}
	for _, text := range texts {
		for _, around := range surroundings {
			in := around(text)
			if got := patterns.Text(in); got != in {
				t.Errorf("%.300q\nbecame %.300q", in, got)
			}
		}
	}
}

// prose is some words of several languages, with numbers and signs.
func prose(rng *rand.Rand) string {
	words := []string{"the", "token", "页面", "設計", "key", "=", "secret", "https://example.com/a?b=c&d=e", "\n", "\\", "42", "v1.2.3", "main.go:12", "{}", "é", "密码：", "api", "-", "_", "bearer"}
	var b strings.Builder
	for range 30 {
		b.WriteString(words[rng.IntN(len(words))] + " ")
	}
	return b.String()
}

// What was masked is not masked again, so that views may mask once more.
func TestMaskingTwiceIsMaskingOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	mask := transcript.NewMask("secret-value").WithPatterns()
	for range 20 {
		for kind, p := range secretsOf(rng) {
			for _, around := range surroundings {
				once := mask.Text(around(p.text + " secret-value"))
				if twice := mask.Text(once); twice != once {
					t.Fatalf("%s: masked twice: %q, once: %q", kind, twice, once)
				}
			}
		}
	}
}

// The mask says what it hides and leaves the rest.
func TestPatternText(t *testing.T) {
	for in, want := range map[string]string{
		"curl -H 'Authorization: Bearer abc123def456ghi7' x":            "curl -H 'Authorization: Bearer [masked: bearer token]' x",
		"use sk-abcdef0123456789abcdef0123456789, ok":                   "use [masked: API key], ok",
		"AKIAIOSFODNN7EXAMPLE":                                          "[masked: AWS key]",
		"https://bob:hunter2@example.com/x":                             "https://bob:[masked: password in a URL]@example.com/x",
		"http://x/?a=1&token=abc123&b=2":                                "http://x/?a=1&token=[masked: parameter of a URL]&b=2",
		`{"u":"http:\/\/x\/?a=1\u0026token=abc123","n":1}`:              `{"u":"http:\/\/x\/?a=1\u0026token=[masked: parameter of a URL]","n":1}`,
		"url%3Dghp_abcdefghijklmnopqrstuvwxyz0123456789":                "url%3D[masked: GitHub token]",
		"my INTERNAL-abcdef0123456789!":                                 "my [masked: redact]!",
		"令牌ghp_abcdefghijklmnopqrstuvwxyz0123456789。":                   "令牌[masked: GitHub token]。",
		`"client_secret":"a1b2c3d4e5f6g7h8","id":7`:                     `"client_secret":"[masked: secret]","id":7`,
		"ghp_abcdefghijklmnopqrstuvwxyz0123456789,AKIAIOSFODNN7EXAMPLE": "[masked: GitHub token],[masked: AWS key]",
	} {
		if got := patterns.Text(in); got != want {
			t.Errorf("Text(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

// Calls stay as the model made them.
func TestPatternsLeaveCallsAlone(t *testing.T) {
	const key = "sk-abcdef0123456789abcdef0123456789"
	for _, d := range []event.Data{
		event.ToolStarted{CallID: "c", Arguments: `{"key":"` + key + `"}`},
		event.ModelReplied{Calls: []event.Call{{ID: "c", Arguments: key}}},
		event.ApprovalRequested{ID: "a", Arguments: key},
	} {
		got := fmt.Sprint(enter(t, transcript.Options{Mask: patterns}, d))
		if !strings.Contains(got, key) {
			t.Errorf("%T became %s", d, got)
		}
	}
}

// However a text is made, looking for secrets takes time in proportion to it:
// a quadratic search would not end here.
func TestPatternsTakeTheirTime(t *testing.T) {
	const size = 1 << 17
	mask := transcript.NewMask().WithPatterns()
	for _, unit := range []string{
		"sk-", "-sk-a", "-eyJ", "-eyJaaaaaaaaaa", "-AIza", "AIza", "LTAI", "ghp_", "bearer ", "bearer-", "authorization=", "authorization: x", "authorization",
		"api_key=", "api-key:", "&key=a", "?token=", "://", "://a:", "://a@", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "a\\n", "\\", "\\\"sk-",
	} {
		for _, text := range []string{strings.Repeat(unit, size/len(unit)), strings.Repeat(unit, size/len(unit)/2) + strings.Repeat("a", size/2) + "."} {
			mask.Text(text)
		}
	}
	for _, text := range []string{strings.Repeat("-eyJaaaaaaaaaa", 40) + "." + strings.Repeat("a", size), "-----BEGIN PRIVATE KEY-----" + strings.Repeat("A a\n", size/4)} {
		mask.Text(strings.Repeat(text, 2))
	}
}

// Any text stays UTF-8, and JSON stays JSON.
func FuzzMask(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range secretsOf(rng) {
		f.Add(p.text)
		f.Add(jsonText([]string{p.text}))
	}
	f.Add(`\u12`)
	f.Add(`\ud800\u0041\ud83d\ude00 ghp_\u0061bcdefghijklmnopqrstuvwxyz0123456789`)
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if got := patterns.Text(text); !utf8.ValidString(got) {
			t.Errorf("Text(%q) = %q", text, got)
		}
		in := []byte(jsonText(map[string]string{text: text}))
		if got := patterns.JSON(in); !json.Valid(got) {
			t.Errorf("JSON(%s) = %s", in, got)
		}
	})
}
