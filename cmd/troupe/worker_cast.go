package main

import "github.com/troupe-go/troupe/leader"

// newCast makes the cast of a worker. The user of a task can be asked for leave.
func (w *workerCommand) newCast(t *team, secrets []string) (*cast, error) {
	opts, err := w.workOptions(&w.teamFlags, t)
	if err != nil {
		return nil, err
	}
	dir, err := w.workFolder(w.workDir)
	if err != nil {
		return nil, err
	}
	return &cast{
		t: t, workDir: dir, forced: w.model != "", suspend: t.config.Permissions.Headless == "",
		options: append(opts, leader.WithLang(t.lang), leader.WithSecrets(secrets...), leader.WithRedact(t.config.Transcript.Redact...)),
		teams:   map[string]leader.Team{},
	}, nil
}
