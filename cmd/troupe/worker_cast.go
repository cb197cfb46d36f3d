package main

import (
	"io"
	"slices"

	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// cast makes the team of each session of a worker. All share the clients of the
// team's models, so what an endpoint allows is counted over all of them.
func (w *workerCommand) cast(t *team) (func(map[string]string) (leader.Team, []leader.Option, error), error) {
	opts, err := w.workOptions(&w.teamFlags, t)
	if err != nil {
		return nil, err
	}
	dir, err := w.workFolder(w.workDir)
	if err != nil {
		return nil, err
	}
	secrets, _ := secretsOf(t.file, t.settings)
	opts = append(opts, leader.WithLang(t.lang), leader.WithWorkDir(dir), leader.WithSecrets(secrets...), leader.WithRedact(t.config.Transcript.Redact...))
	works := t.leader.Team()
	if t.config.Permissions.Headless == "" {
		works.Permissions.Headless = leader.HeadlessSuspend // the user of a task can be asked
	}
	return func(map[string]string) (leader.Team, []leader.Option, error) { return works, slices.Clone(opts), nil }, nil
}

// maskedWriter hides secrets in what is written, which is one text at a time.
type maskedWriter struct {
	w    io.Writer
	mask *transcript.Mask
}

func (m maskedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(m.w, m.mask.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
