package leader

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// ErrNoModel is in the error of [Load] when neither the team file nor an
// option nor OPENAI_MODEL names a model.
var ErrNoModel = errors.New("leader: no model is named; set model: in the team file")

// Load reads a team file and the files it names, checks all of it, and makes a
// team. An invalid file is a [*config.Error] with every mistake; a model that
// cannot be used is a [*model.KeyError] or names the reason; a file that names
// no model gives [ErrNoModel]. Nothing is asked of any network.
func Load(path string, opts ...Option) (*Leader, error) {
	o := newOptions(opts)
	brought := Team{ClientTools: o.clientTools}
	file, err := config.Load(path, Known(o.env, o.params, slices.Concat(o.tools, brought.clientTools(nil))...))
	if err != nil {
		return nil, err
	}
	return fromFile(file, o)
}

// Known is what a team file is checked against: the tools and providers of
// this version, and the custom tools given.
func Known(env func(string) (string, bool), params map[string]string, custom ...tools.Tool) config.Known {
	names := tools.WorkspaceNames()
	specs := tools.WorkspaceSpecs()
	for _, t := range custom {
		names = append(names, t.Spec().Name)
		specs = append(specs, t.Spec())
	}
	var providers []string
	for _, p := range model.Providers() {
		providers = append(providers, p.Name)
	}
	return config.Known{
		Tools: names, LeaderTools: names, Providers: providers, LookupEnv: env, Params: params,
		Models: func(ref string) error { _, _, err := model.ParseRef(ref); return err },
		Rule:   func(rule string) *config.RuleFault { return ruleFault(rule, specs) },
	}
}

// ruleFault says what is wrong with a rule of permissions.
func ruleFault(rule string, known []tools.Spec) *config.RuleFault {
	_, err := tools.ParseRule(rule, known)
	if e, ok := errors.AsType[*tools.RuleError](err); ok {
		return &config.RuleFault{At: e.At, Message: e.Reason, Hint: e.Hint}
	}
	return nil
}

// fromFile turns a checked team file into a team.
func fromFile(file *config.Team, o options) (*Leader, error) {
	models := newModelFinder(file, &o)
	t := Team{
		Name: file.Name, Description: file.Description, Model: models.find(file.Model),
		Leader: Lead{
			Prompt: file.Leader.Prompt, Tools: file.Leader.Tools, MaxSteps: file.Leader.MaxSteps.Or(0, Unlimited),
			WakeOnProgress: file.Leader.WakeOn == "progress", Model: models.own(file.Leader.Model),
		},
		Context: contextText(file.Context), Limits: limitsOf(file.Limits), Permissions: permissionsOf(file.Permissions),
	}
	for _, r := range file.Roles {
		t.Roles = append(t.Roles, Role{
			ID: r.ID, Name: r.Name, Code: r.Code, Does: r.Does, Prompt: r.Prompt, Tools: r.Tools,
			Model: models.own(r.Model), MaxInstances: max(0, r.MaxInstances.Or(0, Unlimited)),
			MaxSteps: r.MaxSteps.Or(0, Unlimited), MayAsk: r.MayAsk, WorkDir: r.WorkDir, Place: PlaceOf(r.Remote),
		})
	}
	if err := models.err(); err != nil {
		return nil, err
	}
	o.sync = cmp.Or(o.sync, file.Transcript.Sync)
	o.runDir = cmp.Or(o.runDir, file.Transcript.Dir)
	o.redact = append(o.redact, file.Transcript.Redact...)
	if o.override != nil {
		o.override(&t)
	}
	return newLeader(t, o)
}

// PlaceOf is where a role of a team file runs.
func PlaceOf(r config.Remote) Place {
	return Place{Kind: r.Kind, Address: r.Address, Via: r.Redis, TokenEnv: r.TokenEnv}
}

func permissionsOf(p config.Permissions) Permissions {
	return Permissions{Deny: p.Deny, Allow: p.Allow, Ask: p.Ask, ClientTools: p.ClientTools, Headless: Headless(p.Headless)}
}

func limitsOf(l config.Limits) Limits {
	return Limits{
		Agents: l.Agents.Or(0, Unlimited), Spawns: l.Spawns.Or(0, Unlimited), Depth: l.Depth.Or(0, Unlimited),
		MaxSteps: l.MaxSteps.Or(0, Unlimited), Steps: l.Steps.Or(0, Unlimited),
		Tokens: l.Tokens.Or(0, Unlimited), Budget: l.Budget.Or(0, Unlimited), Deadline: l.Deadline.Or(0, Unlimited),
		Parallel: l.Parallel.Or(0, Unlimited), Inbox: l.Inbox.Or(0, Unlimited),
		AskTimeout: l.AskTimeout.Or(0, Unlimited), ToolTimeout: l.ToolTimeout.Or(0, Unlimited),
	}
}

// contextText joins the files that every agent is given.
func contextText(files []config.ContextFile) string {
	var b strings.Builder
	for i, f := range files {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s:\n\n%s", f.Path, f.Text)
	}
	return b.String()
}

// modelFinder opens each model that a team file names, once.
type modelFinder struct {
	file    *config.Team
	options *options
	found   map[string]Model
	errs    []error
}

func newModelFinder(file *config.Team, o *options) *modelFinder {
	o.limiters = model.NewLimiters(waitCap(file.Limits))
	return &modelFinder{file: file, options: o, found: map[string]Model{}}
}

// own finds the model of somebody who may have none of their own.
func (f *modelFinder) own(ref string) Model {
	if ref == "" || f.options.model != "" {
		return Model{} // the team's
	}
	return f.find(ref)
}

// find opens the model of a reference. The order is that of the command line:
// the option first, then the file, then OPENAI_MODEL, then the fallback.
func (f *modelFinder) find(ref string) Model {
	if f.options.model != "" {
		ref = f.options.model
	}
	if ref == "" {
		if name, ok := f.options.env("OPENAI_MODEL"); ok && name != "" {
			ref = name
			if !strings.Contains(ref, "/") {
				ref = "openai/" + ref
			}
		}
	}
	if ref == "" {
		ref = f.options.fallback
	}
	if ref == "" {
		f.errs = append(f.errs, ErrNoModel)
		return Model{}
	}
	return f.get(ref)
}

// get opens the model of a reference, or returns it if it is open.
func (f *modelFinder) get(ref string) Model {
	if alias, ok := f.file.ModelAliases[ref]; ok {
		ref = alias
	}
	if m, ok := f.found[ref]; ok {
		return m
	}
	m, err := f.open(ref)
	if err != nil {
		f.errs = append(f.errs, err)
	}
	f.found[ref] = m
	return m
}

func (f *modelFinder) open(ref string) (Model, error) {
	if m, ok := f.options.models[ref]; ok {
		return m, nil
	}
	entry, err := entryOf(f.file, ref)
	if err != nil {
		return Model{}, err
	}
	source := f.sourceOf(entry)
	client, info, err := source.open(f.options)
	if err != nil {
		return Model{}, err
	}
	m := Model{
		Client: client, Name: info.Ref, Scripted: info.Scripted, Source: &source, MaxOutputTokens: entry.MaxOutputTokens,
		ContextWindow: cmp.Or(entry.Profile.ContextWindow, entry.Profile.NumCtx, model.ContextWindow(entry.Provider, entry.Model)), CompactAt: entry.CompactAt,
	}
	if p := entry.Price; p != nil {
		m.Price = &Price{Currency: p.Currency, Input: p.Input, CachedInput: p.Input, Output: p.Output}
		if p.CachedInput != nil {
			m.Price.CachedInput = *p.CachedInput
		}
	}
	return f.withFallbacks(m, entry.Fallback), nil
}

// err joins what went wrong, each mistake once.
func (f *modelFinder) err() error {
	var texts []string
	var errs []error
	for _, err := range f.errs {
		if !slices.Contains(texts, err.Error()) {
			texts = append(texts, err.Error())
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
