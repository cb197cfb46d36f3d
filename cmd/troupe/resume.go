package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// resumeCommand is "troupe resume": a run that ended goes on for real. It shows
// and writes what "troupe run" does.
type resumeCommand struct {
	*runCommand
	forkFlags
	run    transcript.Run
	origin transcript.Run // of a fork
	header event.RunStarted
}

func (a *app) resumeCommand() *cobra.Command {
	r := &resumeCommand{runCommand: a.newRun()}
	r.cmd = &cobra.Command{
		Use: "resume RUN [INSTRUCTIONS…]", Args: a.args(1, maxWords), ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.refused(cmd.Context(), r.Run(cmd.Context(), args[0], args[1:]))
		},
	}
	f := a.flags(r.cmd)
	f.text(&r.file, "file", "f")
	f.list(&r.params, "param", "p")
	r.declareShared(f)
	r.declareFork(f)
	return r.cmd
}

// Run goes on with the run that ref names.
func (r *resumeCommand) Run(ctx context.Context, ref string, args []string) error {
	if err := r.checkFlags(); err != nil {
		return err
	}
	if err := r.checkFork(r.words); err != nil {
		return err
	}
	t, err := r.find(ref)
	if err != nil {
		return err
	}
	if err := r.checkFlags(); err != nil { // the .env file may have set more
		return err
	}
	view, err := r.viewOptions(r.Stderr, r.viewFlags, t.config.Display)
	if err != nil {
		return err
	}
	task, err := r.given(ctx, args)
	if err != nil {
		return err
	}
	opts, err := r.options(t, task)
	if err != nil {
		return err
	}
	if r.fork {
		if err := r.forkRun(ctx, t); err != nil {
			return err
		}
	}
	run, err := leader.Resume(ctx, r.run.Path, opts...)
	if err != nil {
		r.unmake()
		return r.refusal(t, err)
	}
	r.forkLine()
	if n := run.Dropped(); n > 0 {
		r.warn(fmt.Sprintf(r.words.tornCut, n))
	}
	return r.perform(ctx, t, run, r.run.Records, view)
}

// find finds the run, and the settings that it goes on with.
func (r *resumeCommand) find(ref string) (*team, error) {
	t := &team{config: &config.Team{}}
	if err := r.settle(t, ""); err != nil {
		return nil, err
	}
	var err error
	if t.runs, err = r.runsFolder(cmp.Or(r.runDir, t.config.Transcript.Dir)); err != nil {
		return nil, err
	}
	if r.run, err = transcript.Find(t.runs, ref); err != nil {
		return nil, err
	}
	if err := r.isInFolder(r.run); err != nil {
		return nil, err
	}
	if dir, err := filepath.Abs(r.run.Dir); err == nil {
		t.runs = filepath.Dir(dir)
	}
	if r.header, _, err = transcript.Header(r.run.Path); err != nil {
		return nil, r.refusal(t, err)
	}
	if t.file == "" { // then that of the folder that the run works in
		return t, r.settle(t, r.header.WorkDir)
	}
	return t, nil
}

// settle reads what the team file of a folder, here without one, and the .env
// file beside it say of keys, display and the log. The team itself is in the
// log of the run.
func (r *resumeCommand) settle(t *team, dir string) error {
	var err error
	if dir == "" {
		t.file, err = r.findTeam(r.file)
	} else if t.file, err = config.Find(dir); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	if t.settings, err = r.readSettings(t.file); err != nil {
		return err
	}
	// Where agents may write is no matter of a file that came with a project.
	if err := r.fromVariables(r.cmd, t.settings.fromFile, "file", "workdir"); err != nil {
		return err
	}
	if t.file != "" {
		err = r.readTeamFile(t)
	}
	t.lang = r.speak(t.config.Display.Lang)
	return err
}

// readTeamFile reads the team file. One that nobody named and that has mistakes
// may be that of another team.
func (r *resumeCommand) readTeamFile(t *team) error {
	params, err := r.parameters(r.params)
	if err != nil {
		return err
	}
	file, err := config.Load(t.file, leader.Known(t.settings.lookup, params))
	switch {
	case err == nil:
		t.config = file
		t.config.Warnings = nil // they are about the team
	case r.file != "":
		return r.teamError(err)
	default:
		r.warn(fmt.Sprintf(r.words.fileLeft, t.file, firstLine(unpackaged(err))))
	}
	return nil
}

// options are those that the flags ask for.
func (r *resumeCommand) options(t *team, task string) ([]leader.Option, error) {
	opts, err := r.workOptions(&r.teamFlags, t)
	if err != nil {
		return nil, err
	}
	opts = append(opts, leader.WithRedact(t.config.Transcript.Redact...), leader.WithTask(task))
	if r.lang == zh || r.lang == en {
		opts = append(opts, leader.WithLang(r.lang))
	}
	_, err = os.Stat(r.header.WorkDir)
	gone := r.header.WorkDir == "" || err != nil
	if r.workDir != "" || gone {
		dir, err := r.workFolder(r.workDir)
		if err != nil {
			return nil, err
		}
		opts = append(opts, leader.WithWorkDir(dir))
		if r.workDir == "" && r.header.WorkDir != "" {
			r.warn(fmt.Sprintf(r.words.folderGone, r.header.WorkDir, dir))
		}
	}
	return opts, nil
}

// warn writes a line that needs attention.
func (a *app) warn(text string) {
	a.say(a.paint(a.Stderr, render.StyleWarn, a.words.warning) + " " + render.Clean(text))
}

// refusal words why a run does not go on.
func (r *resumeCommand) refusal(t *team, err error) error {
	f := &failure{code: exitUsage, text: unpackaged(err), err: err}
	id, path := r.run.ID, r.run.Path
	if r.origin.ID != "" {
		id, path = r.origin.ID, r.origin.Path
	}
	command := r.commandLine(t, "resume", id, path)
	_, damaged := errors.AsType[*transcript.DamageError](err)
	_, cannotWrite := errors.AsType[*transcript.WriteError](err)
	switch {
	case errors.Is(err, leader.ErrFinished):
		f.text, f.hint = r.words.runFinished, command+` "…"`
	case errors.Is(err, transcript.ErrLocked):
		f.text, f.hint = fmt.Sprintf(r.words.runLive, unpackaged(err)), r.commandLine(t, "replay", id, path)
	case damaged:
		f.code, f.hint = exitFailed, r.commandLine(t, "runs repair", id, path)
	case errors.Is(err, leader.ErrInCode):
		f.hint = command + " -m provider/model"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, transcript.ErrNewer), cannotWrite:
		f.code = exitFailed
	default:
		return r.teamError(err)
	}
	return f
}
