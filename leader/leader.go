package leader

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// Leader is a team ready to run tasks. It may run several at once.
type Leader struct {
	team Team
	opts options
	// known names every tool that a role may list.
	known []string
	raw   json.RawMessage // the team as the log's header has it
}

// New makes a team from a description in code. The error names every mistake
// at once.
func New(t Team, opts ...Option) (*Leader, error) {
	return newLeader(t, newOptions(opts))
}

func newLeader(t Team, o options) (*Leader, error) {
	if o.lang != "zh" && o.lang != "en" {
		return nil, fmt.Errorf("leader: language %q; it is zh or en", o.lang)
	}
	ws, err := tools.NewWorkspace(o.workDir, tools.WorkspaceOptions{Lang: o.lang})
	if err != nil {
		return nil, err
	}
	defer func() { _ = ws.Close() }()
	known, err := knownTools(o.tools)
	if err != nil {
		return nil, err
	}
	team, err := t.resolved(o.lang, known)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(team)
	if err != nil {
		return nil, fmt.Errorf("leader: team: %w", err)
	}
	return &Leader{team: team, opts: o, known: known, raw: raw}, nil
}

// knownTools names the tools of the workspace and those of the program.
func knownTools(custom []tools.Tool) ([]string, error) {
	set, err := tools.NewSet(custom...)
	if err != nil {
		return nil, err
	}
	known := tools.WorkspaceNames()
	for _, name := range set.Names() {
		if slices.Contains(known, name) {
			return nil, fmt.Errorf("leader: tool %q: the name is that of a tool of the workspace", name)
		}
	}
	return append(known, set.Names()...), nil
}

// Team returns the team with all defaults filled in.
func (l *Leader) Team() Team { return l.team }

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
	id := ulid.MustNew(ulid.Timestamp(l.opts.now()), rand.Reader).String()
	log, err := l.openLog(id)
	if err != nil {
		return nil, err
	}
	run, err := newRun(l, id, log)
	if err != nil {
		_ = log.Close()
		return nil, err
	}
	header := event.RunStarted{
		RunID: id, TeamName: l.team.Name, Team: l.raw, Task: task,
		TraceID: traceID(), Program: l.opts.program, ModelKind: l.modelKind(), Lang: l.opts.lang,
	}
	if err := run.begin(header); err != nil {
		run.release()
		return nil, err
	}
	go run.loop(ctx)
	return run, nil
}

func (l *Leader) openLog(id string) (*transcript.Log, error) {
	o := transcript.Options{
		Sync: transcript.SyncMode(l.opts.sync), Mask: transcript.NewMask(l.opts.secrets...), Now: l.opts.now,
	}
	if l.opts.runDir == "" {
		return transcript.NewMemory(o), nil
	}
	return transcript.Create(filepath.Join(l.opts.runDir, id), o)
}

// modelKind is scripted when any model of the team is.
func (l *Leader) modelKind() string {
	scripted := l.team.Leader.Model.Scripted
	for _, r := range l.team.Roles {
		scripted = scripted || r.Model.Scripted
	}
	if scripted {
		return event.ModelScripted
	}
	return event.ModelReal
}

// traceID is a W3C trace id: 16 random bytes in hex.
func traceID() string {
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
