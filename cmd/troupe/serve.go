package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/transcript"
)

// serveCommand is "troupe serve": the team for programs of others, over
// protocols of which each is switched on.
type serveCommand struct {
	*app
	cmd *cobra.Command
	teamFlags
	settings config.Serve // of the flags; those of the team file come behind
	logLevel string
}

func (a *app) serveCommand() *cobra.Command {
	s := &serveCommand{app: a}
	s.cmd = &cobra.Command{
		Use: "serve", Args: a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.Run(cmd.Context()) },
	}
	f := a.flags(s.cmd)
	f.text(&s.file, "file", "f")
	f.list(&s.params, "param", "p")
	f.text(&s.model, "model", "m")
	f.flag(&s.demo, "demo", "")
	f.list(&s.limits, "limits", "")
	for _, face := range faces() {
		f.face(face)
	}
	f.text(&s.settings.Listen, "listen", "")
	f.text(&s.settings.TLSCert, "tls-cert", "")
	f.text(&s.settings.TLSKey, "tls-key", "")
	f.list(&s.settings.Origins, "origins", "")
	f.list(&s.settings.Hosts, "hosts", "")
	f.text(&s.settings.Workspace, "workspace", "")
	f.text(&s.settings.Audit, "audit", "")
	f.text(&s.runDir, "run-dir", "")
	f.text(&s.sync, "sync", "")
	f.text(&s.logLevel, "log-level", "")
	a.below(s.cmd, a.serveTokenCommand())
	return s.cmd
}

// defaultListen is where the server listens unless it is told otherwise: on this
// machine only.
const defaultListen = "127.0.0.1:8787"

// Run serves until the process is told to stop.
func (s *serveCommand) Run(ctx context.Context) error {
	t, err := s.loadTeam(ctx, s.cmd, &s.teamFlags)
	if err != nil {
		return err
	}
	set, err := s.serveSettings(t)
	if err != nil {
		return err
	}
	sv, err := s.open(t, set)
	if err != nil {
		return err
	}
	defer sv.close()
	mux, err := sv.mux(s)
	if err != nil {
		return err
	}
	listener, err := s.listen(ctx, set)
	if err != nil {
		return err
	}
	s.retain(t, false)
	s.welcome(sv, listener.Addr())
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.stop.onFirst(func() {
		s.say(s.words.serve["stopping"])
		stop(errInterrupted)
		s.stop.onFirst(sv.cut)
	})
	defer s.stop.onFirst(nil)
	return sv.run(ctx, listener, mux)
}

// serveSettings are what flags and team file ask for together.
func (s *serveCommand) serveSettings(t *team) (config.Serve, error) {
	set, flags := t.config.Serve, s.settings
	set.Listen = cmp.Or(flags.Listen, set.Listen, defaultListen)
	inProject := func(path string) string {
		if path == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(t.config.Dir, filepath.FromSlash(path))
	}
	set.TLSCert = cmp.Or(flags.TLSCert, inProject(set.TLSCert))
	set.TLSKey = cmp.Or(flags.TLSKey, inProject(set.TLSKey))
	set.Workspace = cmp.Or(flags.Workspace, inProject(set.Workspace), ".")
	set.Audit = cmp.Or(flags.Audit, inProject(set.Audit), filepath.Join(t.runs, "audit.jsonl"))
	if len(flags.Origins) > 0 {
		set.Origins = listed(flags.Origins)
	}
	if len(flags.Hosts) > 0 {
		set.Hosts = listed(flags.Hosts)
	}
	if (set.TLSCert == "") != (set.TLSKey == "") {
		return set, usageError(s.words.serve["tlsPair"], "--tls-cert FILE --tls-key FILE")
	}
	return set, nil
}

// server is all that serves: the ground of the faces, and the sessions below it.
type server struct {
	gateway.Ground
	team     *team
	settings config.Serve
	sessions *session.Manager
	root     string        // of the workspace
	closing  chan struct{} // as in the ground
	hurry    chan struct{} // one slot: what cut leaves for run
	files    *client.Files // of the client protocol, if it is on
	anyone   bool          // may come in, without a token
	mask     *transcript.Mask
	sync     string // of the logs; empty for the usual way
	mounted  []mounted
	parts    []part // of faces that have more than a handler
}

// part runs beside the sessions until the server stops, and is closed then.
type part struct {
	run   func(context.Context) error
	cut   func() // ends run at once, when ctx has ended
	close func() error
}

// cut ends at once what the end of the server waits for.
func (sv *server) cut() {
	select {
	case sv.hurry <- struct{}{}:
	default:
	}
	sv.sessions.Cut()
	for _, p := range sv.parts {
		p.cut()
	}
}

// open makes the server and opens what it needs.
func (s *serveCommand) open(t *team, set config.Serve) (sv *server, err error) {
	secrets, redact := secretsOf(t.file, t.settings)
	mask := transcript.NewMask(secrets...).WithPatterns(redact...)
	sv = &server{team: t, settings: set, mask: mask, sync: cmp.Or(s.sync, t.config.Transcript.Sync), closing: make(chan struct{}), hurry: make(chan struct{}, 1)}
	sv.Closing = sv.closing
	defer func() {
		if err != nil {
			sv.close()
		}
	}()
	if sv.mounted, err = s.on(set); err != nil {
		return sv, err
	}
	if err = s.guard(sv); err != nil {
		return sv, err
	}
	if sv.Logger, err = s.operatorLog(s.logLevel, mask); err != nil {
		return sv, err
	}
	if sv.Workspace, err = gateway.OpenWorkspace(set.Workspace); err != nil {
		return sv, usageError(unpackaged(err), "--workspace DIR")
	}
	if sv.root, err = sv.Workspace.Dir(""); err != nil {
		return sv, err
	}
	if sv.Audit, err = openAudit(set.Audit, mask.Text, s.Now); err != nil {
		return sv, usageError(unpackaged(err), "--audit FILE")
	}
	cast, err := s.newCast(sv, secrets)
	if err != nil {
		return sv, err
	}
	sv.Limits, sv.Model = gateway.NewLimits(limitOptions(set.Limits)), cast.model
	sv.sessions, err = session.New(session.Options{
		Dir: t.runs, Team: cast.team, MaxRuns: set.MaxSessions, Grace: set.Grace, Mask: mask.Text, Watch: sv.watch, Logger: sv.Logger,
	})
	sv.Sessions = maskedSessions{sv.sessions, mask}
	return sv, err
}

// close lets go of what the server holds.
func (sv *server) close() {
	if sv.files != nil {
		_ = sv.files.Close()
	}
	for _, p := range sv.parts {
		if err := p.close(); err != nil {
			sv.Logger.Error().Err(err).Msg("a log cannot be closed")
		}
	}
	if sv.Workspace != nil {
		_ = sv.Workspace.Close()
	}
	if sv.Audit != nil {
		if err := sv.Audit.Close(); err != nil {
			sv.Logger.Error().Err(err).Msg("the audit cannot be closed")
		}
	}
}

// limitOptions are the limits of the team file; what it leaves out has its
// default.
func limitOptions(l config.ServeLimits) gateway.LimitOptions {
	const unlimited = -1
	return gateway.LimitOptions{
		Connections: l.Connections.Or(0, unlimited), ConnectionsPerUser: l.ConnectionsPerUser.Or(0, unlimited),
		FilesPerUser: l.FilesPerUser.Or(0, unlimited),
		Messages:     float64(l.MessagesPerSecond.Or(0, unlimited)), MessageBurst: float64(l.MessageBurst),
		Bytes: float64(l.BytesPerSecond.Or(0, unlimited)), ByteBurst: float64(l.ByteBurst),
	}
}

// listen opens the address. The certificate is looked at before.
func (s *serveCommand) listen(ctx context.Context, set config.Serve) (net.Listener, error) {
	if set.TLSCert != "" {
		if _, err := tls.LoadX509KeyPair(set.TLSCert, set.TLSKey); err != nil {
			return nil, usageError(render.CleanLine(err.Error()), "--tls-cert FILE --tls-key FILE")
		}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", set.Listen)
	if err != nil {
		return nil, &failure{code: exitFailed, text: fmt.Sprintf(s.words.serve["noListen"], set.Listen, err), hint: "--listen HOST:PORT", err: err}
	}
	return l, nil
}

// The bounds of the HTTP server. A face has its own on what comes after the
// headers.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	defaultGrace  = 10 * time.Second // as the sessions have it
	maxHeader     = 32 << 10
	// lastWords is how long the faces may take to say farewell when the
	// sessions have ended.
	lastWords = 5 * time.Second
	// briefWords is the same for who is in a hurry.
	briefWords = time.Second
)

var errStopping = errors.New("the server stops")

// grace is how long the steps under way may take when the server stops.
func (sv *server) grace() time.Duration { return cmp.Or(sv.settings.Grace, defaultGrace) }
