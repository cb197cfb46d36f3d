package config

import (
	"fmt"
	"io/fs"
	"math"
	"net"
	"path"
	"strconv"
	"strings"
	"time"
)

// Serve says what "troupe serve" serves and to whom; zero fields are absent.
type Serve struct {
	// Listen is the address, host:port; an empty host means every one.
	Listen string
	// TLSCert and TLSKey are files in PEM form: both or none.
	TLSCert, TLSKey string
	// Tokens maps users to the names of the variables with their tokens.
	Tokens map[string]string
	// TokenKeyEnv is the name of the variable with the key that signs issued
	// tokens.
	TokenKeyEnv string
	// TokenLife is how long an issued token is good.
	TokenLife time.Duration
	// Workspace is the folder below which clients may have agents work, and Audit
	// the file in which stands who did what: both in the folder of the team file
	// and relative to it, because what a project brings with it says nothing of
	// what lies elsewhere.
	Workspace, Audit string
	// Origins are those of the web pages that may use the server beside its
	// own; Hosts are the names under which it is reached, all when nil.
	Origins, Hosts []string
	// MaxSessions bounds the sessions that work at once.
	MaxSessions int
	// Grace is how long the steps under way may take when the server stops.
	Grace time.Duration
	// Limits bound what users may do.
	Limits ServeLimits
	// Client, Studio and Envelope are the faces; nil ones are switched off.
	Client   *ClientFace
	Studio   *StudioFace
	Envelope *EnvelopeFace
}

// ServeLimits bound what users of a server may do.
type ServeLimits struct {
	// Connections are counted in all, and for each user.
	Connections, ConnectionsPerUser Limit[int]
	// FilesPerUser are those that a user may keep.
	FilesPerUser Limit[int]
	// MessagesPerSecond and BytesPerSecond are what a user may send over all
	// connections.
	MessagesPerSecond, BytesPerSecond Limit[int]
	// MessageBurst and ByteBurst are how much of it at once, 0 when absent.
	MessageBurst, ByteBurst int
}

// ClientFace is the client protocol.
type ClientFace struct {
	// Path is where it is served, empty for the usual place.
	Path string
}

// StudioFace is the studio protocol.
type StudioFace struct {
	// Path is where it is served, empty for the usual place.
	Path string
	// OnDisconnect is "continue", "stop" or, when absent, empty.
	OnDisconnect string
	// Verbose shows the model calls of sub-agents too, and whose a tool call is.
	Verbose bool
	// Iterations says whether the steps of the leader are shown, nil when absent.
	Iterations *bool
}

// EnvelopeFace is the door for standard envelopes.
type EnvelopeFace struct {
	// Path is where it is served, empty for the usual place.
	Path string
	// Tools are those that may be called from outside.
	Tools []string
	// DedupeTTL is how long the result of a tool call is kept, in case the call
	// comes again.
	DedupeTTL time.Duration
	// Wait is how long an answer waits for a result when the request does not say.
	Wait time.Duration
	// Dialects are mapping files, relative to the folder of the team file.
	Dialects []string
}

// serveTable lists the keys of serve.
func serveTable() table[Serve] {
	return table[Serve]{"serve", []field[Serve]{
		key("listen", "The address, host:port.", listenAddress(), func(s *Serve) *string { return &s.Listen }).or("address", "addr", "bind", "port"),
		key("tls_cert", "A file with the certificate chain, in PEM form.", text(), func(s *Serve) *string { return &s.TLSCert }).or("cert", "certificate"),
		key("tls_key", "A file with the key of the certificate, in PEM form.", text(), func(s *Serve) *string { return &s.TLSKey }),
		key("tokens", "Users, each with the name of the variable that holds its token; never a token.", tokens(), func(s *Serve) *map[string]string { return &s.Tokens }).or("users", "token", "auth"),
		key("token_key_env", "The name of the variable with the key that signs issued tokens; never a key.", keyVariable(), func(s *Serve) *string { return &s.TokenKeyEnv }).or("token_key", "key", "secret", "hmac_key"),
		key("token_life", "How long an issued token is good.", duration(), func(s *Serve) *time.Duration { return &s.TokenLife }).or("token_ttl", "life"),
		key("workspace", "The folder below which clients may have agents work, in the folder of the team file.", beside(), func(s *Serve) *string { return &s.Workspace }).or("workdir", "root"),
		key("audit", "The file in which stands who did what, in the folder of the team file.", beside(), func(s *Serve) *string { return &s.Audit }).or("audit_log"),
		key("origins", "Origins of web pages that may use the server beside its own.", list(origin()), func(s *Serve) *[]string { return &s.Origins }).or("origin", "allowed_origins", "cors"),
		key("hosts", "Names under which the server is reached; without it all.", list(text()), func(s *Serve) *[]string { return &s.Hosts }).or("host", "allowed_hosts"),
		key("max_sessions", "Sessions that work at once.", integer(1, math.MaxInt32), func(s *Serve) *int { return &s.MaxSessions }).or("max_runs", "sessions", "concurrency"),
		key("grace", "How long the steps under way may take when the server stops.", duration(), func(s *Serve) *time.Duration { return &s.Grace }).or("shutdown_timeout"),
		key("limits", "What users may do.", object(serveLimitsTable()), func(s *Serve) *ServeLimits { return &s.Limits }).or("limit", "rate"),
		key("client", "The client protocol.", pointer(object(clientFaceTable())), func(s *Serve) **ClientFace { return &s.Client }),
		key("studio", "The studio protocol.", pointer(object(studioFaceTable())), func(s *Serve) **StudioFace { return &s.Studio }),
		key("envelope", "The door for standard envelopes.", pointer(object(envelopeFaceTable())), func(s *Serve) **EnvelopeFace { return &s.Envelope }),
		later[Serve]("ui"),
	}}
}

// serveLimitsTable lists the keys of serve.limits.
func serveLimitsTable() table[ServeLimits] {
	number := integer(1, math.MaxInt32)
	count := limit(number)
	return table[ServeLimits]{"limits", []field[ServeLimits]{
		key("connections", "Connections in all.", count, func(l *ServeLimits) *Limit[int] { return &l.Connections }),
		key("connections_per_user", "Connections of one user.", count, func(l *ServeLimits) *Limit[int] { return &l.ConnectionsPerUser }),
		key("files_per_user", "Files that one user may keep at the server.", count, func(l *ServeLimits) *Limit[int] { return &l.FilesPerUser }).or("files"),
		key("messages_per_second", "Messages of one user in a second.", count, func(l *ServeLimits) *Limit[int] { return &l.MessagesPerSecond }).or("messages"),
		key("message_burst", "Messages of one user at once.", number, func(l *ServeLimits) *int { return &l.MessageBurst }),
		key("bytes_per_second", "Bytes of one user in a second.", limit(size()), func(l *ServeLimits) *Limit[int] { return &l.BytesPerSecond }).or("bytes"),
		key("byte_burst", "Bytes of one user at once.", size(), func(l *ServeLimits) *int { return &l.ByteBurst }),
	}}
}

const docFacePath = "Where it is served."

func clientFaceTable() table[ClientFace] {
	return table[ClientFace]{"client", []field[ClientFace]{
		key("path", docFacePath, facePath(), func(f *ClientFace) *string { return &f.Path }),
	}}
}

func studioFaceTable() table[StudioFace] {
	return table[StudioFace]{"studio", []field[StudioFace]{
		key("path", docFacePath, facePath(), func(f *StudioFace) *string { return &f.Path }),
		key("on_disconnect", "What becomes of the work when the client disconnects.", oneOf("continue", "stop"), func(f *StudioFace) *string { return &f.OnDisconnect }),
		key("verbose", "Show the model calls of sub-agents too, and whose a tool call is.", boolean(), func(f *StudioFace) *bool { return &f.Verbose }),
		key("iterations", "Show the steps of the leader.", pointer(boolean()), func(f *StudioFace) **bool { return &f.Iterations }),
	}}
}

func envelopeFaceTable() table[EnvelopeFace] {
	return table[EnvelopeFace]{"envelope", []field[EnvelopeFace]{
		key("path", docFacePath, facePath(), func(f *EnvelopeFace) *string { return &f.Path }),
		key("tools", "Tools that may be called from outside.", list(leaderTool()), func(f *EnvelopeFace) *[]string { return &f.Tools }),
		key("dedupe_ttl", "How long the result of a tool call is kept, in case the call comes again.", duration(), func(f *EnvelopeFace) *time.Duration { return &f.DedupeTTL }).or("ttl", "dedupe"),
		key("wait", "How long an answer waits for a result when the request does not say.", duration(), func(f *EnvelopeFace) *time.Duration { return &f.Wait }).or("timeout"),
		key("dialects", "Mapping files for the names that other frameworks use, in the folder of the team file.", list(beside()), func(f *EnvelopeFace) *[]string { return &f.Dialects }).or("dialect", "maps", "map", "mappings"),
	}}
}

// serve reads what is served; a certificate and its key go together.
func serve() kind[Serve] {
	k := object(serveTable())
	read := k.read
	k.read = func(r *reader, v value) (Serve, bool) {
		s, ok := read(r, v)
		if ok && v.holds("tls_cert") != v.holds("tls_key") {
			r.problem(v, v.path+": tls_cert and tls_key go together", "set both, or none")
		}
		return s, ok
	}
	return k
}

// tokens maps users to the names of variables.
func tokens() kind[map[string]string] {
	return named(func(r *reader, v value, e entry) bool {
		if strings.TrimSpace(e.key) == "" {
			e.node.src.add(Problem{Path: v.path, Message: "a token has no user", Hint: "write USER: VARIABLE"}, e.at, false)
			return false
		}
		return true
	}, keyVariable())
}

// checkedText is text that a check must let pass.
func checkedText(want, hint string, good func(string) bool) kind[string] {
	k := text()
	k.want = want
	read := k.read
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := read(r, v)
		if ok && !good(s) {
			r.wrong(v, want, hint)
			return "", false
		}
		return s, ok
	}
	return k
}

// beside is a path in the folder of the team file.
func beside() kind[string] {
	k := text()
	read := k.read
	k.read = func(r *reader, v value) (string, bool) {
		p, ok := read(r, v)
		clean := path.Clean(p)
		if ok && (strings.Contains(p, `\`) || !fs.ValidPath(clean)) {
			r.problem(v, fmt.Sprintf("%s: %s leads out of the folder of the team file", v.path, quoteShort(v.raw)), "name what is in it, with /; another place is given by the flag of the same name")
			return "", false
		}
		return clean, ok
	}
	return k
}

// listenAddress is an address to listen on.
func listenAddress() kind[string] {
	return checkedText("an address such as 127.0.0.1:8787", "", func(s string) bool {
		_, port, err := net.SplitHostPort(s)
		n, portErr := strconv.Atoi(port)
		return err == nil && portErr == nil && 0 <= n && n <= math.MaxUint16
	})
}

// origin is the origin of a web page, or * for all.
func origin() kind[string] {
	return checkedText("an origin such as https://studio.example.com", "an origin has a scheme and a host, and no path", func(s string) bool {
		return originForm().MatchString(s)
	})
}

// facePath is a path of a URL.
func facePath() kind[string] {
	return checkedText("a path such as /studio", "", IsFacePath)
}

// IsFacePath reports whether s is a path at which a face can be served: absolute,
// in its shortest form, without characters that mean something else in a URL.
func IsFacePath(s string) bool {
	return strings.HasPrefix(s, "/") && path.Clean(s) == s && !strings.ContainsAny(s, "{}?#% ")
}

// sizeForm is the form of a size.
const sizeForm = `^([1-9][0-9]{0,8})(B|KiB|MiB)?$`

var (
	sizePattern = pattern(sizeForm)
	originForm  = pattern(`^(\*|https?://[^/?#@\s]+)$`)
)

// size is a number of bytes above zero such as 256KiB.
func size() kind[int] {
	units := map[string]int{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
	s := schema{"anyOf": []any{schema{"type": "integer", "minimum": 1}, schema{"type": "string", "pattern": sizeForm}}}
	return parsed("a size such as 256KiB", s, func(text string) (int, bool) {
		parts := sizePattern().FindStringSubmatch(text)
		if parts == nil {
			return 0, false
		}
		n, err := strconv.Atoi(parts[1])
		n *= units[parts[2]]
		return n, err == nil && n <= math.MaxInt32
	})
}
