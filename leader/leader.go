package leader

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/appendjson"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// Leader is a team ready to run tasks. It may run several at once.
type Leader struct {
	team Team
	opts options
	// registry has every tool that a role may list.
	registry tools.Set
	rules    tools.Policy
	raw      json.RawMessage // the team as the log's header has it
	mask     *transcript.Mask
}

// New makes a team from a description in code. The error names every mistake
// at once.
func New(t Team, opts ...Option) (*Leader, error) {
	o := newOptions(opts)
	t.Roles = slices.Clone(t.Roles)
	if o.model != "" {
		models := newModelFinder(&config.Team{}, &o)
		t.setModels(models.find(""))
		if err := models.err(); err != nil {
			return nil, err
		}
	}
	if o.override != nil {
		o.override(&t)
	}
	return newLeader(t, o)
}

func newLeader(t Team, o options) (*Leader, error) {
	o.workDir, o.lang = cmp.Or(o.workDir, "."), cmp.Or(o.lang, "en")
	if o.lang != "zh" && o.lang != "en" {
		return nil, fmt.Errorf("leader: language %q; it is zh or en", o.lang)
	}
	ws, err := tools.NewWorkspace(o.workDir, tools.WorkspaceOptions{Lang: o.lang})
	if err != nil {
		return nil, err
	}
	defer func() { _ = ws.Close() }()
	t.addClientTools(o.clientTools)
	registry, err := tools.NewSet(slices.Concat(ws.Tools(), o.tools, t.clientTools(nil))...)
	if err != nil {
		return nil, err
	}
	team, err := t.resolved(o.lang, registry)
	if err := errors.Join(err, team.reach(&o)); err != nil {
		return nil, err
	}
	rules, err := team.Permissions.Policy(registry)
	if err != nil {
		return nil, err
	}
	raw, err := appendjson.Value(nil, team)
	if err != nil {
		return nil, fmt.Errorf("leader: team: %w", err)
	}
	mask, err := o.mask()
	if err != nil {
		return nil, err
	}
	return &Leader{team: team, opts: o, registry: registry, rules: rules, raw: raw, mask: mask}, nil
}

// Team returns the team with all defaults filled in.
func (l *Leader) Team() Team { return l.team }

// Warnings tell what of the team does not work as it is written, although it
// can run; the log of each run begins with them.
func (l *Leader) Warnings() []event.Warning {
	var list []event.Warning
	for _, name := range l.team.windowless() {
		list = append(list, event.Warning{Code: "no_context_window", Text: "compact_at of model " + name +
			" has no effect, because its context window is not known; set profile.context_window"})
	}
	return list
}

// Do runs one task to its end. The result is complete also with an error that
// says why the run failed; the error is a [*Error].
func (l *Leader) Do(ctx context.Context, task string) (Result, error) {
	run, err := l.Start(ctx, task)
	if err != nil {
		return Result{}, err
	}
	return run.Wait()
}

// Start begins a task and returns at once. The run ends by itself, or when ctx
// ends; call [Run.Wait] to free what it holds.
func (l *Leader) Start(ctx context.Context, task string) (*Run, error) {
	if err := checkTask(task); err != nil {
		return nil, err
	}
	meta, err := l.opts.metaJSON()
	if err != nil {
		return nil, err
	}
	id := NewRunID(l.opts.now())
	run, err := newRun(l, id)
	if err != nil {
		return nil, err
	}
	log, err := l.openLog(id)
	if err != nil {
		run.closeSpace()
		return nil, err
	}
	run.write(log)
	header := event.RunStarted{
		RunID: id, TeamName: l.team.Name, Team: l.raw, Task: task,
		TraceID: cmp.Or(l.opts.trace, NewTraceID()), Program: l.opts.program, ModelKind: l.modelKind(), Lang: l.opts.lang,
		WorkDir: run.space.Dir(), Redact: l.opts.redact, Meta: meta, RequestID: l.opts.request,
	}
	run.trace, run.told = header.TraceID, told(l.opts.meta)
	if err := run.begin(header); err != nil {
		run.release()
		return nil, err
	}
	go run.loop(ctx)
	return run, nil
}

// NewRunID makes the id of a run that begins now: a ULID.
func NewRunID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

func (l *Leader) openLog(id string) (*transcript.Log, error) {
	o := l.logOptions()
	if l.opts.runDir == "" {
		return transcript.NewMemory(o), nil
	}
	folder := cmp.Or(l.opts.folder, id)
	if folder == "." || !filepath.IsLocal(folder) || folder != filepath.Base(folder) {
		return nil, fmt.Errorf("leader: %q is no name for the folder of a run", folder)
	}
	return transcript.Create(filepath.Join(l.opts.runDir, folder), o)
}

func (l *Leader) logOptions() transcript.Options {
	return transcript.Options{
		Sync: transcript.SyncMode(l.opts.sync), Mask: l.mask, Now: l.opts.now,
		MaxResult: l.opts.maxResult, Omitted: prompts.In(l.opts.lang).Omitted,
	}
}

// modelKind is scripted when any model of the team is.
func (l *Leader) modelKind() string {
	if slices.ContainsFunc(l.team.models(), Model.scripted) {
		return event.ModelScripted
	}
	return event.ModelReal
}

// NewTraceID makes a W3C trace id: 16 random bytes in hex.
func NewTraceID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("%x", b)
}

// builtinRoles converts the built-in roles to the team's words.
func builtinRoles(lang string) []Role {
	var roles []Role
	for _, r := range prompts.BuiltinRoles(lang) {
		roles = append(roles, Role{ID: r.ID, Name: r.Name, Code: r.Code, Does: r.Does, Prompt: r.Prompt, Tools: r.Tools})
	}
	return roles
}
