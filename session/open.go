package session

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"

	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// Open returns the handle of a user's session; see gateway.Sessions.
func (m *Manager) Open(_ context.Context, user, session string) (handle string, last int64, err error) {
	n, err := newName(user, session)
	if err == nil {
		err = n.plain(m.opts.Mask)
	}
	if err != nil {
		return "", 0, err
	}
	_, err = m.settings(n)
	switch {
	case errors.Is(err, errEmpty):
		return n.handle(), 0, nil
	case err != nil:
		return "", 0, err
	}
	run, err := transcript.Find(m.opts.Dir, m.path(n))
	if err != nil {
		return "", 0, refusal(err)
	}
	return n.handle(), run.Records, nil
}

// settings reads the settings that the log of a session notes. It fails with
// errEmpty when there is no log.
func (m *Manager) settings(n name) (map[string]string, error) {
	header, _, err := transcript.Header(m.path(n))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, transcript.ErrEmpty):
		return nil, errEmpty
	case err != nil:
		return nil, refusal(err)
	}
	whose, settings, ok := readMeta(header.Meta)
	if !ok || whose != n {
		return nil, failure(codeUnknown, "client", "there is no such session")
	}
	return settings, nil
}

// prompt is what a user wants; without a text, that the run goes on.
type prompt struct {
	id, text string
	settings map[string]string
	amend    func(path string, opts []leader.Option) error // writes into the log first; may be nil
}

// open begins the run of a session, or goes on with it.
func (m *Manager) open(ctx context.Context, e *entry, p prompt) (*leader.Run, error) {
	n := e.name
	settings, err := m.settings(n)
	switch {
	case errors.Is(err, errEmpty) && p.text != "":
		return m.start(ctx, n, p)
	case err != nil:
		return nil, err
	}
	maps.Copy(settings, p.settings)
	team, opts, err := m.opts.Team(settings)
	if err != nil {
		return nil, err
	}
	if p.amend != nil {
		if err := p.amend(m.dir(n), opts); err != nil {
			return nil, err
		}
		e.written()
	}
	opts = append(opts, m.options(p)...)
	if opts, err = withTools(opts, p.settings); err != nil {
		return nil, err
	}
	for _, model := range models(team) {
		opts = append(opts, leader.WithClient(model.Name, model))
	}
	if p.text != "" {
		opts = append(opts, leader.WithTask(p.text))
	}
	return leader.Resume(ctx, m.dir(n), opts...)
}

// start begins the run with the first prompt.
func (m *Manager) start(ctx context.Context, n name, p prompt) (*leader.Run, error) {
	// A crash between the making of the file and its first line leaves an empty
	// log, in which nothing can be lost.
	if _, _, err := transcript.Header(m.path(n)); errors.Is(err, transcript.ErrEmpty) {
		if err := transcript.Remove(m.dir(n)); err != nil {
			return nil, err
		}
	}
	team, opts, err := m.opts.Team(p.settings)
	if err != nil {
		return nil, err
	}
	opts = append(opts, m.options(p)...)
	if opts, err = withTools(opts, p.settings); err != nil {
		return nil, err
	}
	opts = append(opts, leader.WithTrace(p.settings[settingTrace]), leader.WithRunDir(m.opts.Dir), leader.WithRunFolder(n.folder()), leader.WithMeta(n.meta(p.settings)))
	l, err := leader.New(team, opts...)
	if err != nil {
		return nil, err
	}
	return l.Start(ctx, p.text)
}

// options are the Manager's own.
func (m *Manager) options(p prompt) []leader.Option {
	return []leader.Option{
		leader.WithAttendance(leader.Unattended), leader.WithRequest(p.id), leader.WithLogger(m.opts.Logger),
	}
}

// withTools adds the tools that the client executes, as gateway.SettingTools has
// them.
func withTools(opts []leader.Option, settings map[string]string) ([]leader.Option, error) {
	text := settings[settingTools]
	if text == "" {
		return opts, nil
	}
	var list []leader.ClientTool
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, failure(codeBad, "client", "the tools of the client are no list of tools: %v", err)
	}
	return append(opts, leader.WithClientTools(list...)), nil
}

// models are the models of a team that have a client.
func models(t leader.Team) (list []leader.Model) {
	add := func(of leader.Model) {
		if of.Client != nil && of.Name != "" {
			list = append(list, of)
		}
	}
	add(t.Model)
	add(t.Leader.Model)
	for i := range t.Roles {
		add(t.Roles[i].Model)
	}
	return list
}
