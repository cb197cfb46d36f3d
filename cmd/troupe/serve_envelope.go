package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// mountEnvelope mounts the door for envelopes.
func mountEnvelope(mux *http.ServeMux, sv *server, path string) error {
	set, team := config.EnvelopeFace{}, sv.team.leader.Team()
	if s := sv.settings.Envelope; s != nil {
		set = *s
	}
	o := envelope.DoorOptions{
		Ground: sv.Ground, Path: path, Team: teamName(team.Name, ""), Warn: sv.sessions.Warn, Wait: set.Wait,
		Words: prompts.In(sv.team.lang), MsgID: newMsgID,
	}
	for i := range team.Roles {
		r := &team.Roles[i]
		o.Roles = append(o.Roles, envelope.Role{ID: r.ID, Name: r.Name, Code: r.Code})
	}
	for _, name := range set.Dialects {
		d, err := readDialect(filepath.Join(sv.team.config.Dir, filepath.FromSlash(name)))
		if err != nil {
			return usageError(unpathed(name, err), "")
		}
		o.Dialects = append(o.Dialects, d)
	}
	var err error
	if o.Calls, err = sv.envelopeCalls(set, o.Team, team); err != nil {
		return err
	}
	door, err := envelope.NewDoor(o)
	if err != nil {
		return usageError(strings.TrimPrefix(unpackaged(err), "door: "), "")
	}
	mux.Handle(path, door)
	if path != "/" {
		mux.Handle(path+"/", door)
	}
	return nil
}

// envelopeCalls are the calls of the tools that the team file lists; nil for none.
func (sv *server) envelopeCalls(set config.EnvelopeFace, name string, team leader.Team) (*envelope.Calls, error) {
	if len(set.Tools) == 0 {
		return nil, nil
	}
	box, err := sv.newToolbox(set.Tools, team)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(sv.team.runs, ".envelope", url.PathEscape("team-"+name))
	log, err := openCallLog(dir, transcript.Options{Sync: transcript.SyncMode(sv.sync), Mask: sv.mask})
	if err != nil {
		return nil, errors.Join(&failure{code: exitFailed, text: unpackaged(err), hint: "--run-dir DIR", err: err}, box.space.Close())
	}
	calls, err := envelope.NewCalls(envelope.CallsOptions{
		Log: log, Tools: box, TTL: set.DedupeTTL, Timeout: team.Limits.ToolTimeout, Grace: sv.grace(),
		Words: prompts.In(sv.team.lang), Logger: sv.Logger, Note: sv.noteCall,
		Header: event.RunStarted{
			RunID: filepath.Base(dir), TeamName: name, Task: "tool calls in envelopes", Program: "troupe " + version().Version,
			ModelKind: event.ModelReal, Lang: sv.team.lang, WorkDir: box.space.Dir(),
		},
	})
	closing := func() error { return errors.Join(log.Close(), box.space.Close()) }
	if err != nil {
		return nil, errors.Join(err, closing())
	}
	sv.parts = append(sv.parts, part{run: calls.Run, cut: calls.Cut, close: closing})
	return calls, nil
}

// openCallLog opens the log of a team's calls, and makes it if need be.
func openCallLog(dir string, o transcript.Options) (*transcript.Log, error) {
	log, err := transcript.Open(dir, o)
	if errors.Is(err, fs.ErrNotExist) {
		return transcript.Create(dir, o)
	}
	return log, err
}

// noteCall writes a call into the audit.
func (sv *server) noteCall(sender string, rec event.Record) {
	if e, ok := gateway.AuditOf(rec); ok {
		e.User, e.Protocol = sender, "envelope"
		sv.Note(e)
	}
}

// toolbox is the tools that may be called in envelopes, under the team's
// permissions.
type toolbox struct {
	set    tools.Set
	policy tools.Policy
	reads  tools.Spec // of read_file, by whose rules search_files goes
	free   bool       // calls that would need leave run, because the team file says so
	space  *tools.Workspace
}

// mayRead reports whether a file may be read without a word.
func (b *toolbox) mayRead(path string) bool {
	v, _ := b.policy.Decide(b.reads, tools.Subject{path})
	return v == tools.Allowed
}

// newToolbox makes the tools of those names.
func (sv *server) newToolbox(names []string, team leader.Team) (*toolbox, error) {
	b := &toolbox{free: team.Permissions.Headless == leader.HeadlessAllow}
	var err error
	if b.space, err = tools.NewWorkspace(sv.root, tools.WorkspaceOptions{Lang: sv.team.lang, MayRead: b.mayRead}); err != nil {
		return nil, err
	}
	all, err := tools.NewSet(b.space.Tools()...)
	if err == nil {
		b.set, err = all.Only(names...)
	}
	if err == nil {
		b.policy, err = team.Permissions.Policy(all)
		b.reads, _ = all.Spec("read_file")
	}
	if err != nil {
		return nil, errors.Join(usageError(unpackaged(err), ""), b.space.Close())
	}
	return b, nil
}

// Names implements [envelope.Tools].
func (b *toolbox) Names() []string { return b.set.Names() }

// Effect implements [envelope.Tools].
func (b *toolbox) Effect(name string) (envelope.Effect, bool) {
	spec, ok := b.set.Spec(name)
	return envelope.Effect(spec.Effect), ok
}

// Permit implements [envelope.Tools]. Nobody can be asked for leave here.
func (b *toolbox) Permit(c envelope.ToolCall) error {
	spec, _ := b.set.Spec(c.Name)
	subject, err := b.set.Subject(c.Name, c.Params)
	if err != nil {
		return gateway.NewError(gateway.StatusBad, "the call was not begun: %s", unpackaged(err)).WithHint("params are the arguments of the tool")
	}
	verdict, rule := b.policy.Decide(spec, subject)
	switch {
	case verdict == tools.Denied:
		return fmt.Errorf("the rule %s denies it", rule)
	case verdict == tools.Asked && !b.free:
		return errors.New("it needs a person's leave, and nobody can be asked here; a rule of permissions.allow lets it run")
	}
	return nil
}

// Run implements [envelope.Tools].
func (b *toolbox) Run(ctx context.Context, c envelope.ToolCall, d envelope.Decision) (string, error) {
	return b.set.Run(ctx, c.Name, tools.Call{
		Agent: event.Runtime, ID: d.CallID, RequestID: d.RequestID, Again: d.Again, Arguments: slices.Clone(c.Params),
	})
}
