package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/transcript"
)

// workerCommand is "troupe worker": the team takes tasks from Redis Streams.
type workerCommand struct {
	*app
	cmd *cobra.Command
	teamFlags
	settings config.Worker // of the flags; those of the team file come behind
	drain    string
	lease    string
	logLevel string
	json     bool
}

func (a *app) workerCommand() *cobra.Command {
	w := &workerCommand{app: a}
	w.cmd = &cobra.Command{
		Use: "worker", Args: a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return w.Run(cmd.Context()) },
	}
	f := a.flags(w.cmd)
	f.list(&w.settings.AgentTypes, "agent-type", "t")
	f.text(&w.settings.Redis, "redis", "")
	f.text(&w.settings.Schema, "schema", "")
	f.text(&w.settings.Group, "group", "")
	f.text(&w.settings.ID, "id", "")
	f.number(&w.settings.Concurrency, "concurrency")
	f.number(&w.settings.MaxDeliver, "max-deliver")
	f.text(&w.drain, "drain", "")
	f.text(&w.lease, "lease", "")
	f.text(&w.settings.Events, "events", "")
	f.text(&w.settings.Health, "health", "")
	f.text(&w.file, "file", "f")
	f.list(&w.params, "param", "p")
	f.text(&w.model, "model", "m")
	f.flag(&w.demo, "demo", "")
	f.list(&w.limits, "limits", "")
	f.text(&w.runDir, "run-dir", "")
	f.text(&w.workDir, "workdir", "")
	f.text(&w.sync, "sync", "")
	f.text(&w.logLevel, "log-level", "")
	f.flag(&w.json, "json", "")
	return w.cmd
}

// The defaults of a worker.
const (
	defaultRedis       = "redis://127.0.0.1:6379/0"
	defaultConcurrency = 4
	defaultDrain       = 30 * time.Second
	defaultLease       = 30 * time.Second
	// handBackGrace is how long the steps under way may take when a task is
	// handed back.
	handBackGrace = 2 * time.Second
	// redisPatience is how long Redis may take to answer at the start.
	redisPatience = 5 * time.Second
)

// Run works until the process is told to stop.
func (w *workerCommand) Run(ctx context.Context) error {
	t, err := w.loadTeam(ctx, w.cmd, &w.teamFlags)
	if err != nil {
		return err
	}
	set, err := w.workerSettings(usualRedis(t.config.Worker, t.settings))
	if err != nil {
		return err
	}
	secrets, redact := secretsOf(t.file, t.settings)
	mask := transcript.NewMask(secrets...).WithPatterns(redact...)
	log, err := w.operatorLog(w.logLevel, mask)
	if err != nil {
		return err
	}
	streams.LogDriver(log)
	// A blocked read holds a connection for each type and the worker's stream.
	conn, err := w.redis(ctx, set.Redis, set.Schema, set.Concurrency+len(set.AgentTypes)+10)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	sessions, closeSessions := context.WithCancel(context.WithoutCancel(ctx))
	defer closeSessions()
	crew, err := w.crew(t, set, secrets, mask, log, closeSessions)
	if err != nil {
		return err
	}
	crew.options.Schema = conn.Schema
	workshop, err := leader.NewWorkshop(t.leader)
	if err != nil {
		return err
	}
	defer func() { _ = workshop.Close() }()
	crew.options.Agents = streams.NewAgents(workshop, 0)
	crew.options.Ready = func() {
		w.say(fmt.Sprintf(w.words.worker["banner"], set.ID, strings.Join(set.AgentTypes, ", "), conn.Host,
			render.CleanLine(teamName(t.leader.Team().Name, t.file)), t.leader.Team().Leader.Model.Name))
	}
	worker, err := streams.NewWorker(conn.Redis, crew.options)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { _ = crew.sessions.Run(sessions) }) // it only returns nil
	err = w.work(ctx, worker, set.Health)
	closeSessions()
	running.Wait()
	return w.workerEnd(err, set)
}

// work runs the worker. The first Ctrl-C and SIGTERM let tasks end, a second
// Ctrl-C hands them back at once.
func (w *workerCommand) work(ctx context.Context, worker *streams.Worker, health string) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	draining := sync.OnceFunc(func() {
		w.say(w.words.worker["draining"])
		stop()
	})
	w.stop.onFirst(draining)
	defer w.stop.onFirst(nil)
	unhook := context.AfterFunc(ctx, func() {
		draining()
		if errors.Is(context.Cause(ctx), errInterrupted) {
			worker.HandBack()
		}
	})
	defer unhook()
	if health == "" {
		return worker.Run(working)
	}
	return w.healthy(working, worker, health)
}

// crew is the worker's teams and how it runs them.
type crew struct {
	sessions *session.Manager
	options  streams.WorkerOptions
}

func (w *workerCommand) crew(
	t *team, set config.Worker, secrets []string, mask *transcript.Mask, log zerolog.Logger, closeSessions func(),
) (*crew, error) {
	cast, err := w.newCast(t, secrets)
	if err != nil {
		return nil, err
	}
	// A task that is cancelled while its team waits takes a place for a moment.
	m, err := session.New(session.Options{
		Dir: t.runs, Team: cast.team, MaxRuns: 2 * set.Concurrency, Grace: handBackGrace, Mask: mask.Text, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	teams, err := streams.NewTeams(streams.TeamOptions{Sessions: m, Close: closeSessions, Mask: mask.Records, Lang: t.lang})
	if err != nil {
		return nil, err
	}
	return &crew{m, streams.WorkerOptions{
		ID: set.ID, AgentTypes: set.AgentTypes, Handler: teams, Group: set.Group, Concurrency: set.Concurrency,
		MaxDeliver: set.MaxDeliver, Drain: set.Drain, Lease: set.Lease, Beat: set.Lease / 6, Claim: set.Lease, PageEvents: set.Events == "page", Report: w.reporter(), Now: w.Now, Log: log,
	}}, nil
}

// usualRedis is what the team file says of a worker, with the Redis server and
// the key schema that the environment names where the file names none: by the
// variables of the Python SDK and of hosting services.
func usualRedis(file config.Worker, s settings) config.Worker {
	address, _ := s.lookup("REDIS_URL")
	schema, _ := s.lookup("REDIS_KEY_SCHEMA_VERSION")
	file.Redis, file.Schema = cmp.Or(file.Redis, address, defaultRedis), cmp.Or(file.Schema, schema)
	return file
}

// workerSettings are what flags and team file ask for together.
func (w *workerCommand) workerSettings(file config.Worker) (config.Worker, error) {
	set, flags := file, w.settings
	if types := listed(flags.AgentTypes); len(types) > 0 {
		set.AgentTypes = types
	}
	set.Redis = cmp.Or(flags.Redis, set.Redis)
	set.Schema = cmp.Or(flags.Schema, set.Schema)
	set.Group = cmp.Or(flags.Group, set.Group, streams.DefaultGroup)
	set.ID = cmp.Or(flags.ID, set.ID)
	set.Concurrency = cmp.Or(flags.Concurrency, set.Concurrency, defaultConcurrency)
	set.MaxDeliver = cmp.Or(flags.MaxDeliver, set.MaxDeliver)
	set.Events = cmp.Or(flags.Events, set.Events)
	set.Health = cmp.Or(flags.Health, set.Health)
	set.Drain = cmp.Or(set.Drain, defaultDrain)
	if err := w.durationFlag("drain", w.drain, 0, &set.Drain); err != nil {
		return set, err
	}
	set.Lease = cmp.Or(set.Lease, defaultLease)
	if err := w.durationFlag("lease", w.lease, time.Second, &set.Lease); err != nil {
		return set, err
	}
	if err := w.oneOf("schema", set.Schema); err != nil {
		return set, err
	}
	if err := w.oneOf("events", set.Events); err != nil {
		return set, err
	}
	if len(set.AgentTypes) == 0 {
		return set, usageError(w.words.worker["noType"], "troupe worker --agent-type signup")
	}
	if set.Concurrency < 0 || set.MaxDeliver < 0 {
		return set, usageError(w.words.worker["negative"], "")
	}
	if set.ID == "" {
		digits := make([]byte, 4)
		if _, err := rand.Read(digits); err != nil {
			return set, err
		}
		set.ID = set.AgentTypes[0] + "-" + hex.EncodeToString(digits)
	}
	return set, nil
}

// durationFlag reads a flag that has a duration of at least so much; an empty one
// changes nothing.
func (a *app) durationFlag(flag, value string, least time.Duration, to *time.Duration) error {
	if value == "" {
		return nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < least {
		return usageError(fmt.Sprintf(a.words.badSample, flag, value, max(least, defaultDrain).String()+", 2m"), "")
	}
	*to = d
	return nil
}

// redis connects to a Redis that answers.
func (a *app) redis(ctx context.Context, address, schema string, pool int) (*streams.Connection, error) {
	patient, done := context.WithTimeout(ctx, redisPatience)
	defer done()
	c, err := streams.Connect(patient, address, schema, pool)
	switch {
	case err != nil && ctx.Err() != nil: // somebody ended the program
		return nil, context.Cause(ctx)
	case errors.Is(err, streams.ErrUnreachable):
		return nil, &failure{code: exitFailed, text: unpackaged(err), hint: "--redis redis://HOST:PORT/0", err: err}
	case errors.Is(err, streams.ErrLogin):
		return nil, &failure{code: exitFailed, text: unpackaged(err), hint: "REDIS_URL=redis://USER:PASSWORD@HOST:PORT/0", err: err}
	case err != nil:
		return nil, usageError(unpackaged(err), "--redis redis://127.0.0.1:6379/0")
	}
	return c, nil
}

// reporter writes a line for each change of a task's state.
func (w *workerCommand) reporter() func(streams.Change) {
	var mu sync.Mutex // tasks change at the same time
	return func(c streams.Change) {
		mu.Lock()
		defer mu.Unlock()
		if w.json {
			_ = writeJSON(w.Stdout, c)
			return
		}
		took := ""
		if c.Took > 0 {
			took = c.Took.Round(time.Millisecond).String()
		}
		_, _ = io.WriteString(w.Stdout, spaced(c.At.Format(time.TimeOnly), c.AgentType, c.SessionID, c.MessageID, string(c.From+" → "+c.To), took, c.Why))
	}
}

// spaced is a line of those texts that are not empty.
func spaced(texts ...string) string {
	var full []string
	for _, text := range texts {
		if text = render.CleanLine(text); text != "" {
			full = append(full, text)
		}
	}
	return strings.Join(full, "  ") + "\n"
}

// workerEnd words how a worker ended.
func (w *workerCommand) workerEnd(err error, set config.Worker) error {
	switch {
	case errors.Is(err, streams.ErrLeaseLost):
		return &failure{code: exitFailed, text: fmt.Sprintf(w.words.worker["lost"], set.ID), hint: w.words.worker["lostHint"], err: err}
	case errors.Is(err, streams.ErrEvicted):
		return &failure{code: exitFailed, text: fmt.Sprintf(w.words.worker["evicted"], set.ID), hint: w.words.worker["evictedHint"], err: err}
	case err != nil:
		return err
	}
	w.say(w.words.worker["ended"])
	return nil
}
