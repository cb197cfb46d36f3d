package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
)

// teamFlags say which team works, with what, and where.
type teamFlags struct {
	file, model string
	params      []string
	limits      []string
	demo        bool
	workDir     string
	runDir      string
	sync        string
	attends     func() bool // whether somebody answers what the run asks; nil for nobody
}

// team is a team that is ready, and what was found on the way.
type team struct {
	leader   *leader.Leader
	works    leader.Team  // as it is at work
	file     string       // the team file; empty without one
	config   *config.Team // what it says; of no keys without one
	settings settings
	runs     string // the folder of the runs
	lang     string
	demo     bool
	taken    string          // the model that was taken though nobody named it
	made     []leader.Option // with which the team was made
}

// loadTeam finds the team, its model, and where it works.
func (a *app) loadTeam(ctx context.Context, cmd *cobra.Command, t *teamFlags) (*team, error) {
	found := &team{}
	var err error
	if found.file, err = a.findTeam(t.file); err != nil {
		return nil, err
	}
	found.demo = t.demo || found.file == "" && t.model == ""
	if found.demo {
		found.file = ""
	}
	if found.settings, err = a.readSettings(found.file); err != nil {
		return nil, err
	}
	// Where agents may write is no matter of a file that came with a project.
	if err := a.fromVariables(cmd, found.settings.fromFile, "file", "workdir", "workspace", "audit"); err != nil {
		return nil, err
	}
	if found.made, err = a.teamOptions(t, found); err != nil {
		return nil, err
	}
	switch {
	case found.demo:
		found.leader, err = demoTeam(found.lang, found.made)
	case found.file == "":
		found.leader, err = leader.New(leader.Team{}, found.made...) // the built-in roles
	default:
		found.leader, err = a.teamFrom(ctx, found, found.made)
	}
	return found, a.teamError(err)
}

// teamOptions reads what the team file says to us, and puts it together with
// the flags.
func (a *app) teamOptions(t *teamFlags, found *team) ([]leader.Option, error) {
	params, err := a.parameters(t.params)
	if err != nil {
		return nil, err
	}
	file := &config.Team{}
	if found.file != "" {
		if file, err = config.Load(found.file, leader.Known(found.settings.lookup, params)); err != nil {
			return nil, a.teamError(err)
		}
	}
	found.config = file
	found.lang = a.speak(file.Display.Lang)
	dir, err := a.workFolder(t.workDir)
	if err != nil {
		return nil, err
	}
	if found.runs, err = a.runsFolder(cmp.Or(t.runDir, file.Transcript.Dir)); err != nil {
		return nil, err
	}
	opts, err := a.workOptions(t, found)
	if err != nil {
		return nil, err
	}
	return append(opts,
		leader.WithParams(params), leader.WithWorkDir(dir), leader.WithRunDir(found.runs), leader.WithLang(found.lang)), nil
}

// workOptions are those that flags and settings ask for, of a new run and of
// one that goes on.
func (a *app) workOptions(t *teamFlags, found *team) ([]leader.Option, error) {
	sync := cmp.Or(t.sync, found.config.Transcript.Sync)
	if err := a.oneOf("sync", sync); err != nil {
		return nil, err
	}
	override, err := a.limitOption(t.limits)
	if err != nil {
		return nil, err
	}
	attendance := leader.Unattended
	if t.attends != nil && t.attends() {
		attendance = leader.Attended
	}
	return []leader.Option{
		leader.WithAttendance(attendance), leader.WithEnv(found.settings.lookup), leader.WithModel(t.model), override, a.remotes(found), leader.WithSecrets(redisPasswords(found)...),
		leader.WithSync(sync), leader.WithProgram("troupe " + version().Version),
	}, nil
}

// teamFrom makes the team of a team file.
func (a *app) teamFrom(ctx context.Context, found *team, opts []leader.Option) (*leader.Leader, error) {
	l, err := leader.Load(found.file, opts...)
	if !errors.Is(err, leader.ErrNoModel) {
		return l, err
	}
	chosen, err := a.choose(ctx, found.settings)
	if err != nil {
		return nil, err
	}
	found.taken = fmt.Sprintf(a.words.modelTaken, chosen.ref, chosen.why)
	return leader.Load(found.file, append(opts, leader.WithDefaultModel(chosen.ref))...)
}

// teamError gives an error of making a team its exit code.
func (a *app) teamError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*failure](err); ok {
		return err
	}
	if _, ok := errors.AsType[*config.Error](err); ok {
		return &failure{code: exitUsage, text: unpackaged(err), hint: a.words.checkHint, err: err}
	}
	if f, ok := a.noModel(err); ok {
		return f
	}
	return &failure{code: exitUsage, text: unpackaged(err), err: err}
}

// parameters reads -p name=value.
func (a *app) parameters(given []string) (map[string]string, error) {
	params := map[string]string{}
	for _, p := range given {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, usageError(fmt.Sprintf(a.words.badParam, p), "-p name=value")
		}
		params[name] = value
	}
	return params, nil
}

// limitOption reads --limits name=value,…: limits that go over those of the team.
func (a *app) limitOption(given []string) (leader.Option, error) {
	set := func(t *leader.Team) error {
		for _, pair := range strings.FieldsFunc(strings.Join(given, ","), func(r rune) bool { return r == ',' }) {
			name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
			if !ok {
				return usageError(fmt.Sprintf(a.words.badLimit, pair), "--limits tokens=4000000,deadline=1h")
			}
			if err := t.SetLimit(name, value); err != nil {
				return usageError(unpackaged(err), "")
			}
		}
		return nil
	}
	if err := set(&leader.Team{}); err != nil {
		return nil, err
	}
	return leader.WithOverride(func(t *leader.Team) { _ = set(t) }), nil // it was checked
}
