package leader

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// ErrFinished is in the error of [Resume] for a run that has done its task,
// when nothing more is asked of it; see [WithTask].
var ErrFinished = errors.New("leader: the run has finished, there is nothing to resume")

// ErrRepeated is in the error of [Resume] and [Run.TellOnce] for a command that
// the run has had before ([WithRequest]). Nothing was done.
var ErrRepeated = errors.New("leader: the run has had this command")

// ErrInCode is in the error of [Resume] for a run with a model or a tool that a
// program made in code, which no log can hold, when it is not passed again.
var ErrInCode = errors.New("leader: the run needs what its program made in code")

// Resume goes on with a run that a crash, a limit, a failure, an interruption
// or a question to the person ended, or gives one that finished more to do
// ([WithTask]). path is the run's folder or the log in it; the new records are
// appended there.
//
// Team, conversations, inboxes, open questions, what was spent, and what was
// learned of endpoints come from the log. Finished tool calls do not run again.
// One that has no result runs again if its effect allows it, with the same
// request id; else the model is told that nobody knows what became of it. Keys
// come from the environment, tools of your own from [WithTools], models made in
// code from [WithClient] by their names. [WithOverride] changes the team, for
// example raises the limit that was reached; [WithModel] replaces all models.
// The log keeps the change: whoever resumes the run later has it too.
//
// It fails with [ErrFinished], [ErrRepeated], [ErrInCode], [transcript.ErrLocked] when another process
// writes the log, a [*transcript.DamageError], and what [New] fails with.
func Resume(ctx context.Context, path string, opts ...Option) (*Run, error) {
	run, f, err := openRun(path, newOptions(opts))
	if err != nil {
		return nil, err
	}
	if err := run.restore(f); err != nil {
		run.release()
		return nil, err
	}
	go run.loop(ctx)
	return run, nil
}

// openRun opens the log of a run and makes of it the run that it tells of.
func openRun(path string, o options) (*Run, *folder, error) {
	dir, err := runFolder(path)
	if err != nil {
		return nil, nil, err
	}
	header, err := lastHeader(filepath.Join(dir, transcript.FileName))
	if err != nil {
		return nil, nil, err
	}
	if o.task != "" {
		if err := checkTask(o.task); err != nil {
			return nil, nil, err
		}
	}
	l, err := fromHeader(header, o)
	if err != nil {
		return nil, nil, err
	}
	run, err := newRun(l, header.RunID)
	if err != nil {
		return nil, nil, err
	}
	run.trace, run.told = header.TraceID, told(metaOf(header.Meta))
	f := newFolder(run)
	log, err := transcript.OpenEach(dir, l.logOptions(), f.fold)
	if err != nil {
		run.closeSpace()
		return nil, nil, err
	}
	run.write(log)
	return run, f, nil
}

// runFolder is the folder of the run that path names.
func runFolder(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("leader: the log of the run: %w", err)
	}
	switch {
	case info.IsDir():
		return path, nil
	case filepath.Base(path) != transcript.FileName:
		return "", fmt.Errorf("leader: %s is no log of a run that can be written: its file is not named %s", path, transcript.FileName)
	}
	return filepath.Dir(path), nil
}

// lastHeader is the header of the log at path as it was when the run ended.
func lastHeader(path string) (event.RunStarted, error) {
	header, _, err := transcript.Header(path)
	if err != nil {
		return header, err
	}
	for rec, err := range transcript.RunRecords(path) {
		if err != nil {
			return header, err
		}
		if d, ok := rec.Data.(event.RunResumed); ok {
			header = header.Resumed(d)
		}
	}
	return header, nil
}

// fromHeader makes the team that the header of a log describes.
func fromHeader(header event.RunStarted, o options) (*Leader, error) {
	if header.Import != nil {
		return nil, fmt.Errorf("leader: the run was imported from %s and cannot be resumed", header.Import.Format)
	}
	t, err := teamOf(header)
	if err != nil {
		return nil, err
	}
	o.lang = cmp.Or(o.lang, header.Lang)
	o.redact = append(o.redact, header.Redact...)
	if _, err := os.Stat(header.WorkDir); header.WorkDir != "" && err == nil {
		o.workDir = cmp.Or(o.workDir, header.WorkDir)
	}
	if o.model != "" {
		models := newModelFinder(&config.Team{}, &o)
		t.setModels(models.find(""))
		if err := models.err(); err != nil {
			return nil, err
		}
	} else if err := t.reopen(&o); err != nil {
		return nil, err
	}
	t.addClientTools(o.clientTools)
	if missing := t.missingTools(o.tools); len(missing) > 0 {
		return nil, fmt.Errorf("%w: the tools %s; pass them with WithTools", ErrInCode, strings.Join(missing, ", "))
	}
	if o.override != nil {
		o.override(&t)
	}
	return newLeader(t, o)
}

// missingTools names the tools that the team lists and this program lacks.
func (t *Team) missingTools(custom []tools.Tool) []string {
	listed := slices.Clone(t.Leader.Tools)
	for _, r := range t.Roles {
		listed = append(listed, r.Tools...)
	}
	slices.Sort(listed)
	return slices.DeleteFunc(slices.Compact(listed), func(name string) bool {
		return slices.Contains(tools.WorkspaceNames(), name) ||
			slices.ContainsFunc(t.ClientTools, func(c ClientTool) bool { return c.Name == name }) ||
			slices.ContainsFunc(custom, func(t tools.Tool) bool { return t.Spec().Name == name })
	})
}

// teamOf reads the team of a header; it has no clients.
func teamOf(header event.RunStarted) (Team, error) {
	var t Team
	if len(header.Team) == 0 {
		return t, fmt.Errorf("leader: the header of run %s has no team, as a repair leaves it; the run can be read, but not go on", header.RunID)
	}
	if err := json.Unmarshal(header.Team, &t); err != nil {
		return t, fmt.Errorf("leader: the team in the header of run %s: %w", header.RunID, err)
	}
	return t, nil
}

// setModels makes one model answer for everyone.
func (t *Team) setModels(m Model) {
	t.Model, t.Leader.Model = m, Model{}
	for i := range t.Roles {
		t.Roles[i].Model = Model{}
	}
}

// reopen makes the clients of all models of a team that was read from a log.
func (t *Team) reopen(o *options) error {
	models := []*Model{&t.Model, &t.Leader.Model}
	for i := range t.Roles {
		models = append(models, &t.Roles[i].Model)
	}
	var errs []error
	for _, m := range models {
		opened, err := m.reopen(o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		*m = opened
	}
	return errors.Join(errs...)
}

// restore appends that the run goes on, and does what the program had no time
// to do when it ended.
func (r *Run) restore(f *folder) error {
	switch {
	case r.roster.requested(r.leader.opts.request):
		return ErrRepeated
	case f.finished && r.leader.opts.task == "":
		return ErrFinished
	}
	r.started = r.leader.opts.now().Add(-f.active())
	r.budget.started = r.started.Add(f.tasked)
	if r.leader.opts.task != "" {
		r.budget.started = r.leader.opts.now()
		r.budget.renew()
	}
	resumed := event.RunResumed{Task: r.leader.opts.task, Program: r.leader.opts.program, RequestID: r.leader.opts.request}
	if !bytes.Equal(r.leader.raw, f.header.Team) {
		resumed.Team = r.leader.raw
	}
	if lang := r.leader.opts.lang; lang != f.header.Lang {
		resumed.Lang = lang
	}
	if dir := r.space.Dir(); dir != f.header.WorkDir {
		resumed.WorkDir = dir
	}
	_, err := r.journal.Append("", 0, resumed)
	if n := r.log.Dropped(); err == nil && n > 0 {
		_, err = r.journal.Append("", 0, event.Warning{Code: "torn_tail", Text: fmt.Sprintf(
			"the last line of the log was torn, as a crash leaves it; its %d bytes were put aside", n)})
	}
	if err != nil {
		return err
	}
	return r.catchUp(f)
}

// catchUp does what the records call for that nobody has done: what a terminated
// agent leaves, calls that were under way, notes that were not sent, the
// person's message, and a word to a leader that had ended badly.
func (r *Run) catchUp(f *folder) error {
	if r.agent(event.Leader) == nil {
		if err := r.addLeader(); err != nil {
			return err
		}
	}
	for _, m := range r.roster.all() {
		if m.state == event.Finished {
			if err := r.exchange.Post.Close(m.id, m.cause); err != nil {
				return err
			}
			r.exchange.Desk.Ended(m.id, event.Terminated, "", m.cause)
		}
	}
	for _, a := range r.everyone() {
		if err := a.SettleBroken(); err != nil {
			return err
		}
	}
	if err := r.exchange.Post.Resume(); err != nil {
		return err
	}
	r.exchange.Desk.Resume()
	o := r.leader.opts
	for _, c := range []struct{ task, request string }{{f.task, f.request}, {o.task, o.request}} {
		if c.task == "" {
			continue
		}
		if err := r.sendTask(c.task, c.request); err != nil {
			return err
		}
	}
	r.resumed = r.log.Len()
	if r.badEnd() && !r.box(event.Leader).Waking() {
		end := r.roster.leaderEnd()
		return r.tellLeader(r.words.Resumed(cmp.Or(end.Limit, failureText(end.Failure))))
	}
	return nil
}

func failureText(f *event.Failure) string {
	if f == nil {
		return ""
	}
	return f.Message
}
