package leader

import (
	"fmt"
	"path/filepath"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/model"
)

// Source says how a model is asked that a team file or a reference names, so
// that a run can be resumed from its log alone. It has the name of the variable
// with the key, never the key.
type Source struct {
	model.Spec
	Retry model.RetryPolicy `json:"retry,omitzero"`
	Rate  model.Rate        `json:"rate,omitzero"`
}

// sourceOf is how the model of an entry is asked.
func (f *modelFinder) sourceOf(entry config.Model) Source {
	s := Source{
		Spec: specOf(f.file, entry), Retry: retryPolicy(entry.Retry, f.file.Limits),
		Rate: model.Rate{
			RequestsPerMinute: entry.Rate.RequestsPerMinute, TokensPerMinute: entry.Rate.TokensPerMinute, Concurrent: entry.Rate.Concurrent,
		},
	}
	if s.IsScriptFile() && !filepath.IsAbs(s.Model) {
		dir := f.file.Dir
		if f.options.model != "" { // one given as an option is relative to the current folder
			dir = ""
		}
		if path, err := filepath.Abs(filepath.Join(dir, s.Model)); err == nil {
			s.File = path
		}
	}
	return s
}

// ModelOf describes the model that a reference provider/model names, as the
// header of a log does: without a client, which [Resume] makes.
func ModelOf(ref string) (Model, error) {
	f := newModelFinder(&config.Team{}, &options{model: ref})
	entry, err := entryOf(f.file, ref)
	if err != nil {
		return Model{}, err
	}
	source := f.sourceOf(entry)
	return Model{
		Name: entry.Provider + "/" + entry.Model, Source: &source, Scripted: entry.Provider == "scripted",
		ContextWindow: model.ContextWindow(entry.Provider, entry.Model),
	}, nil
}

// open makes the client of the source, with limiter and retries.
func (s Source) open(o *options) (model.Client, model.Info, error) {
	client, info, err := model.Open(s.Spec, o.env)
	if err != nil {
		return nil, info, err
	}
	if info.Key != "" {
		o.secrets = append(o.secrets, info.Key)
	}
	if a, ok := client.(*model.Adaptive); ok {
		o.adaptive[info.Ref] = append(o.adaptive[info.Ref], a)
	}
	if l := o.limiters.Of(client); l != nil {
		l.Tighten(s.Rate)
		client = l.Client(client)
	}
	return model.WithRetry(client, s.Retry), info, nil
}

// reopen makes the clients of a model that was read from a log: those given by
// option for its name, else what its source says.
func (m Model) reopen(o *options) (Model, error) {
	if given, ok := o.models[m.Name]; ok {
		return given, nil
	}
	for i, f := range m.Fallback {
		var err error
		if m.Fallback[i], err = f.reopen(o); err != nil {
			return m, err
		}
	}
	switch {
	case m.Name == "": // the team's
		return m, nil
	case m.Source == nil:
		return m, fmt.Errorf("%w: the model %s; pass it with WithClient(%q, …)", ErrInCode, m.Name, m.Name)
	}
	var err error
	m.Client, _, err = m.Source.open(o)
	return m, err
}
