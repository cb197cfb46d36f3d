package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// cast makes the team of each session: that of the team file, with the model and
// the folder that the client asked for. All sessions share the clients of the
// models that the team file names, so that what an endpoint allows is counted over
// all of them.
type cast struct {
	t       *team
	options []leader.Option // of each run
	workDir string          // where a team works that is told nothing else
	forced  bool            // the command line has named the model
	suspend bool            // calls that need leave wait for somebody

	mu    sync.Mutex             // guards teams
	teams map[string]leader.Team // by the model that was asked for, if the team file names it
}

// newCast makes the cast of a server.
func (s *serveCommand) newCast(sv *server, secrets []string) (*cast, error) {
	t := sv.team
	opts, err := s.workOptions(&s.teamFlags, t)
	if err != nil {
		return nil, err
	}
	return &cast{
		t: t, workDir: sv.root, forced: s.model != "", suspend: t.config.Permissions.Headless == "" && approves(sv.mounted),
		options: append(opts, leader.WithLang(t.lang), leader.WithSecrets(secrets...), leader.WithRedact(t.config.Transcript.Redact...)),
		teams:   map[string]leader.Team{},
	}, nil
}

// team is the team of a session with these settings, and how it runs; see
// session.Options.
func (c *cast) team(settings map[string]string) (leader.Team, []leader.Option, error) {
	ref := settings[gateway.SettingModel]
	t, err := c.with(ref)
	if err != nil {
		return t, nil, err
	}
	if c.suspend {
		t.Permissions.Headless = leader.HeadlessSuspend
	}
	dir := c.workDir
	if asked := settings[gateway.SettingWorkDir]; asked != "" {
		dir = asked
	}
	opts := append(slices.Clone(c.options), leader.WithWorkDir(dir))
	if m := t.Leader.Model; ref != "" || c.forced {
		opts = append(opts, leader.WithModel(m.Name), leader.WithClient(m.Name, m))
	}
	return t, opts, nil
}

// with is the team with a model in place of its own, which is empty for those of
// the team file.
func (c *cast) with(ref string) (leader.Team, error) {
	if ref == "" || c.t.demo {
		return c.t.leader.Team(), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.teams[ref]; ok {
		return t, nil
	}
	opts := append(slices.Clone(c.t.made), leader.WithModel(ref))
	var l *leader.Leader
	var err error
	if c.t.file == "" {
		l, err = leader.New(leader.Team{}, opts...)
	} else {
		l, err = leader.Load(c.t.file, opts...)
	}
	if err != nil {
		return leader.Team{}, err
	}
	if _, named := c.t.config.Models[ref]; named {
		c.teams[ref] = l.Team()
	}
	return l.Team(), nil
}

// model finds what a client calls a model: an alias or a model of the team file,
// provider/model, or provider:model. It knows those that can be used here. A
// script is a file of this machine, so no client names one.
func (c *cast) model(name string) (ref string, ok bool) {
	file := c.t.config
	ref, alias := file.ModelAliases[name]
	_, named := file.Models[name]
	switch {
	case alias:
	case named:
		ref = name
	default:
		if ref = name; !strings.Contains(ref, "/") {
			ref = strings.Replace(ref, ":", "/", 1)
		}
		if provider, _, err := model.ParseRef(ref); err != nil || provider == "scripted" {
			return "", false
		}
	}
	_, err := c.with(ref)
	return ref, err == nil && !c.t.demo
}
