package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxWords bounds the provider's words in an error, in bytes.
const maxWords = 2000

// refusal turns a reply with an error status into an error.
func refusal(status int, header http.Header, body []byte) *Error {
	words, codes := providerWords(body)
	if to, err := url.Parse(header.Get("Location")); status/100 == 3 && err == nil {
		words = "the address redirects to " + redacted(to)
	}
	if words == "" {
		words = statusText(status)
	}
	e := NewError(classOf(status, words, codes), words)
	e.Status = status
	e.RetryAfter = retryAfter(header, time.Now())
	if e.RetryAfter == 0 && e.mayPass() {
		e.RetryAfter = retryAfterBody(body, words)
	}
	return e
}

// statusText says what a status means.
func statusText(status int) string {
	if status == statusOverloaded {
		return "the provider is overloaded"
	}
	return cmp.Or(http.StatusText(status), "no words of the provider")
}

// statusOverloaded is a status that some providers have beside the standard's.
const statusOverloaded = 529

// mayPass reports whether the error is of a kind that waiting helps against.
func (e *Error) mayPass() bool { return e.like() == ClassRateLimited || e.like() == ClassOverloaded }

// streamError turns an error object inside a reply into an error; status is 0
// or the status that the object names.
func streamError(status int, words, codes string) *Error {
	words = cutWords(words)
	e := NewError(classOf(status, words, codes), words)
	e.Status = status
	if e.mayPass() {
		e.RetryAfter = retryAfterWords(words)
	}
	return e
}

// insideError turns an error inside a reply into one of class provider_error,
// or of a class that says what to do about it where that is what it says. Whether it
// is retryable, and how, follows from what it would be as a refusal.
func insideError(words, codes string) *Error {
	status := statusIn(codes + " " + words)
	like := classOf(status, words, codes)
	class := ClassProviderError
	switch like {
	case ClassContextOverflow, ClassContentFilter, ClassNoModel:
		class = like
	}
	e := NewError(class, words)
	e.Status, e.Like, e.Retryable = status, like, classes[like].retryable
	if e.mayPass() {
		e.RetryAfter = retryAfterWords(words)
	}
	return e
}

// statusIn finds the HTTP status that an error's codes or first words name; 0
// if there is none.
func statusIn(text string) int {
	const first = 8
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if n, err := strconv.Atoi(word); err == nil && n >= 400 && (http.StatusText(n) != "" || n == statusOverloaded) {
			return n
		}
		if i == first {
			break
		}
	}
	return 0
}

// wordKeys and codeKeys are the fields in which providers put the message of
// an error, and what kind of error it is.
var (
	wordKeys = []string{"message", "msg", "detail", "error_msg", "err_msg", "errmsg", "error_message", "status_msg"}
	codeKeys = []string{"code", "type", "status", "status_code", "error_code", "err_code", "errcode"}
)

// providerWords finds the message in an error body, and the codes and types
// that stand beside it. A body that is no JSON is its own message.
func providerWords(body []byte) (words, codes string) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return cutWords(plainText(body)), ""
	}
	inner := top
	raw := top["error"]
	if raw == nil {
		raw = top["errors"]
	}
	if text, ok := asText(raw); ok {
		words = text
	} else if raw != nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			raw = list[0]
		}
		if json.Unmarshal(raw, &object) == nil && object != nil {
			inner = object
		}
	}
	for _, key := range wordKeys {
		if text, ok := asText(inner[key]); ok && words == "" {
			words = text
		}
	}
	words += upstreamWords(inner["metadata"])
	if words == "" {
		words = strings.TrimSpace(string(body))
	}
	if param, ok := asText(inner["param"]); ok && !strings.Contains(words, param) {
		words += " (parameter " + param + ")"
	}
	for _, key := range codeKeys {
		if raw := inner[key]; raw != nil {
			codes += strings.Trim(string(raw), `"`) + " "
		}
	}
	return cutWords(words), codes
}

// upstreamWords is what a router says of the provider behind it, to be put
// after its own words.
func upstreamWords(metadata json.RawMessage) string {
	var m struct {
		Raw string `json:"raw"`
	}
	if len(metadata) == 0 || json.Unmarshal(metadata, &m) != nil || m.Raw == "" {
		return ""
	}
	return ": " + m.Raw
}

func asText(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) != nil || text == "" {
		return "", false
	}
	return text, true
}

// plainText is the body for people: a page of markup is only named.
func plainText(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") {
		if _, rest, ok := strings.Cut(text, "<title>"); ok {
			title, _, _ := strings.Cut(rest, "</title>")
			return fmt.Sprintf("an HTML page titled %q in place of an answer", strings.TrimSpace(title))
		}
		return "a page of markup in place of an answer"
	}
	return text
}

// cutWords keeps an error readable: one line, valid UTF-8, at most maxWords
// bytes.
func cutWords(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= maxWords {
		return s
	}
	end := maxWords
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// retryAfter reads how long the provider asks to wait: milliseconds in
// Retry-After-Ms, seconds or a date in Retry-After. Zero means that it does
// not say.
func retryAfter(header http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(header.Get(name), 64); err == nil {
			return seconds(ms / 1000)
		}
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds is s as a duration, at least 0 and at most a year.
func seconds(s float64) time.Duration {
	const year = 365 * 24 * time.Hour
	if !(s > 0) {
		return 0
	}
	if s >= year.Seconds() {
		return year
	}
	return time.Duration(s * float64(time.Second))
}
