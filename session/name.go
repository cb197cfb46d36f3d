package session

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// maxName bounds the name of a user and of a session, in bytes.
const maxName = 256

// Keys of what the header of a log notes of a session, beside its settings.
const (
	metaUser = event.NoteUser
	metaName = "session"
)

// Keys of settings that stand elsewhere in the log, so that the header does not note
// them again: the tools that the client executes, which the team has, and the trace.
const (
	settingTools = "tools"
	settingTrace = "trace_id"
)

// name says whose session it is and what the user calls it.
type name struct{ user, session string }

// newName checks a name that came from outside.
func newName(user, session string) (name, error) {
	n := name{user, session}
	for _, part := range n.parts() {
		what, s := part.what, part.name
		switch {
		case s == "":
			return name{}, failure(codeBad, "client", "the name of the %s is empty", what)
		case len(s) > maxName:
			return name{}, failure(codeBad, "client", "the name of the %s has %d bytes; at most %d", what, len(s), maxName)
		case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
			return name{}, failure(codeBad, "client", "the name of the %s has characters that no name has", what)
		}
	}
	return n, nil
}

// part is one of the names that make a name.
type part struct{ what, name string }

func (n name) parts() [2]part { return [2]part{{"user", n.user}, {"session", n.session}} }

// plain refuses a name that a log would not show as it is.
func (n name) plain(mask func(string) string) error {
	for _, part := range n.parts() {
		if mask(part.name) != part.name {
			return failure(codeBad, "client", "the name of the %s has in it what looks like a secret, which no log shows; it takes another name", part.what)
		}
	}
	return nil
}

// handle names the session in the methods of the Manager.
func (n name) handle() string { return url.PathEscape(n.user) + "/" + url.PathEscape(n.session) }

// nameOf reads a handle.
func nameOf(handle string) (name, error) {
	user, session, _ := strings.Cut(handle, "/")
	user, err := url.PathUnescape(user)
	if err == nil {
		session, err = url.PathUnescape(session)
	}
	if err == nil {
		var n name
		if n, err = newName(user, session); err == nil && n.handle() == handle {
			return n, nil
		}
	}
	return name{}, failure(codeUnknown, "client", "there is no such session")
}

// digits are letters that all file systems keep apart.
var digits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	shownName   = 24 // characters of a session's name that its folder shows
	digestBytes = 20 // of a SHA-256: nobody finds two names for one folder
)

// folder is the name of the folder with the log: something that people
// recognise, and a digest that makes it the only one.
func (n name) folder() string {
	shown := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, n.session)
	sum := sha256.Sum256([]byte(n.user + "\x00" + n.session))
	return "s-" + strings.Trim(shown[:min(len(shown), shownName)], "-") + "-" + digits.EncodeToString(sum[:digestBytes])
}

// meta is what the header notes: the settings, and whose session it is.
func (n name) meta(settings map[string]string) map[string]string {
	meta := map[string]string{}
	maps.Copy(meta, settings)
	delete(meta, settingTools)
	delete(meta, settingTrace)
	meta[metaUser], meta[metaName] = n.user, n.session
	return meta
}

// readMeta reads what a header notes; ok is false when it is no session's.
func readMeta(text json.RawMessage) (n name, settings map[string]string, ok bool) {
	if json.Unmarshal(text, &settings) != nil {
		return name{}, nil, false
	}
	n = name{settings[metaUser], settings[metaName]}
	delete(settings, metaUser)
	delete(settings, metaName)
	return n, settings, n.user != "" && n.session != ""
}
