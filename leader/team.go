package leader

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// Unlimited is the value of a limit that does not bind.
const Unlimited = -1

// Team describes a team in code, as a team file does in YAML. Only Model (or
// a model for the leader and each role) is required; without roles the team
// has the built-in ones.
type Team struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	// Model answers for everyone who has none of their own.
	Model Model `json:"model"`
	// Leader is the team leader's own part.
	Leader Lead `json:"leader,omitzero"`
	// Roles are the kinds of sub-agents that the leader may create.
	Roles []Role `json:"roles"`
	// Context is text that every agent's prompt ends with, for example the
	// project's notes.
	Context string `json:"context,omitempty"`
	// ClientTools are tools that the person's client executes.
	ClientTools []ClientTool `json:"client_tools,omitempty"`
	// Limits bound the run; zero values take the defaults.
	Limits Limits `json:"limits"`
	// Permissions say which tool calls run, and which need a person's leave.
	Permissions Permissions `json:"permissions"`
}

// Model is a client with the name that the log and the views show for it.
type Model struct {
	// Client answers. It is never written down. A client of an endpoint gets
	// what it lacks of retries and of the limiter that all models of the team
	// with the same endpoint and key share; see [model.Limiters.Client].
	Client model.Client `json:"-"`
	// Name is provider/model, for example "deepseek/deepseek-chat".
	Name string `json:"name"`
	// Source is how the client was made, if a team file or a reference names the
	// model; nil for clients made in code.
	Source *Source `json:"source,omitempty"`
	// Scripted marks a client that plays a script: it is labelled as such
	// wherever it is shown.
	Scripted bool `json:"scripted,omitempty"`
	// MaxOutputTokens bounds a reply; 0 leaves it to the client.
	MaxOutputTokens int `json:"max_output_tokens,omitempty"`
	// Price is what it costs; nil means unknown, not free.
	Price *Price `json:"price,omitempty"`
	// ContextWindow is how many tokens it can read; 0 means unknown.
	ContextWindow int `json:"context_window,omitempty"`
	// CompactAt is the share of ContextWindow, from 0 to 1, from which on older
	// steps of a conversation are folded into a summary. Without both that is
	// done only when the endpoint refuses a conversation as too long.
	CompactAt float64 `json:"compact_at,omitempty"`
	// Fallback are the models that are asked in turn when this one fails; they
	// need names. A call is paid by the price of the model that answered; the
	// budget reserves for the dearest.
	Fallback []Model `json:"fallback,omitempty"`
}

// Lead is what a team says of its leader.
type Lead struct {
	// Model is the leader's own; optional.
	Model Model `json:"model,omitzero"`
	// Prompt is added to the leader's rules.
	Prompt string `json:"prompt,omitempty"`
	// Tools names tools that the leader has beside the communication tools.
	Tools []string `json:"tools,omitempty"`
	// WakeOnProgress lets progress reports begin a turn of the leader, which
	// otherwise only completions, questions, notes and failures do.
	WakeOnProgress bool `json:"wake_on_progress,omitempty"`
	// MaxSteps bounds a turn of the leader; 0 means 40.
	MaxSteps int `json:"max_steps,omitempty"`
}

// Role is a kind of sub-agent.
type Role struct {
	// ID is the key in the team file; empty takes the code.
	ID string `json:"id"`
	// Name is shown with a number behind it: "UI Operator" gives
	// "UI Operator_1". Required.
	Name string `json:"name"`
	// Code is the short code in message ids; empty derives it (mailbox
	// protocol, section 5).
	Code string `json:"code"`
	// Does tells the leader what the role is good for.
	Does string `json:"does"`
	// Prompt is the role's own part of the system prompt.
	Prompt string `json:"prompt,omitempty"`
	// Tools names the role's tools; nil means the reading tools and the
	// team's own, an empty list none. The communication tools are always there.
	Tools []string `json:"tools,omitzero"`
	// Model is the role's own; optional.
	Model Model `json:"model,omitzero"`
	// MaxInstances bounds the living instances; 0 means no bound.
	MaxInstances int `json:"max_instances,omitempty"`
	// MaxSteps bounds a turn; 0 takes the team's limit.
	MaxSteps int `json:"max_steps,omitempty"`
	// MayAsk lists the ids of the roles it may ask; nil means everyone, an empty
	// list nobody.
	MayAsk []string `json:"may_ask,omitzero"`
	// WorkDir is the folder, relative to the run's, in which it may write;
	// empty means the whole working folder.
	WorkDir string `json:"work_dir,omitempty"`
	// Remote runs the role's workers elsewhere; they have no Prompt, Tools, Model
	// and WorkDir from here. It is never written down. Optional.
	Remote Remote `json:"-"`
	// Place is how Remote is found again when the run is resumed ([WithRemotes]);
	// a role with a Place alone is reached so from the start.
	Place Place `json:"remote,omitzero"`
}

// Limits bound a run. Zero takes the default, [Unlimited] lifts the limit. When
// the person gives a run that has ended another task, as in a chat, that task has
// what is bounded "of the run" anew.
type Limits struct {
	Agents      int           `json:"agents"`       // sub-agents working or waiting at once; 8
	Spawns      int           `json:"spawns"`       // sub-agents created in the run; 32
	Depth       int           `json:"depth"`        // 1: sub-agents cannot create; Unlimited is refused
	MaxSteps    int           `json:"max_steps"`    // model calls of a sub-agent's turn; 30
	Steps       int           `json:"steps"`        // model calls of the run; 400
	Tokens      int           `json:"tokens"`       // tokens of the run; 2,000,000
	Budget      float64       `json:"budget"`       // money of the run, in the currency of the prices; no limit
	Deadline    time.Duration `json:"deadline"`     // of the run; 30 minutes
	Parallel    int           `json:"parallel"`     // model calls at once; 8
	Inbox       int           `json:"inbox"`        // messages waiting in one inbox; 10000
	AskTimeout  time.Duration `json:"ask_timeout"`  // 10 minutes
	ToolTimeout time.Duration `json:"tool_timeout"` // 5 minutes
}

// defaultMaxSteps bounds a turn of the leader.
const defaultMaxSteps = 40

func (l Limits) withDefaults() Limits {
	return Limits{
		Agents:      cmp.Or(l.Agents, 8),
		Spawns:      cmp.Or(l.Spawns, 32),
		Depth:       cmp.Or(l.Depth, 1),
		MaxSteps:    cmp.Or(l.MaxSteps, 30),
		Steps:       cmp.Or(l.Steps, 400),
		Tokens:      cmp.Or(l.Tokens, 2_000_000),
		Budget:      l.Budget,
		Deadline:    cmp.Or(l.Deadline, 30*time.Minute),
		Parallel:    cmp.Or(l.Parallel, 8),
		Inbox:       cmp.Or(l.Inbox, 10_000),
		AskTimeout:  cmp.Or(l.AskTimeout, 10*time.Minute),
		ToolTimeout: cmp.Or(l.ToolTimeout, 5*time.Minute),
	}
}

// bound turns a limit into the form of the packages below: 0 means none.
func bound[T int | time.Duration](limit T) T {
	if limit < 0 {
		return 0
	}
	return limit
}

// resolved returns a copy with all defaults filled in, or an error that names
// every mistake.
func (t Team) resolved(lang string, known tools.Set) (Team, error) {
	t.Limits = t.Limits.withDefaults()
	t.Leader.MaxSteps = cmp.Or(t.Leader.MaxSteps, defaultMaxSteps)
	if t.Leader.Model.Client == nil {
		t.Leader.Model = t.Model
	}
	var errs []error
	if err := t.Permissions.complete(known); err != nil {
		errs = append(errs, err)
	}
	mistake := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("leader: "+format, args...))
	}
	if t.Leader.Model.Client == nil {
		mistake("the team has no model; set Team.Model")
	}
	if t.Limits.Depth != 1 {
		mistake("limit depth is %d; this version has teams of one leader and its sub-agents, depth 1", t.Limits.Depth)
	}
	t.Roles = slices.Clone(t.Roles)
	if len(t.Roles) == 0 {
		t.Roles = builtinRoles(lang)
	}
	seen := map[string]string{}
	codes := map[string]bool{}
	for _, r := range t.Roles {
		codes[r.Code] = r.Code != ""
	}
	for i := range t.Roles {
		t.Roles[i].complete(t.Model, t.Limits, codes)
		for _, m := range t.Roles[i].mistakes(seen, known) {
			mistake("%s", m)
		}
	}
	for i, r := range t.Roles {
		for _, id := range r.MayAsk {
			if !slices.ContainsFunc(t.Roles, func(o Role) bool { return o.ID == id }) {
				mistake("role %s may ask %q, which is no role; roles are %s", r.ID, id, strings.Join(roleIDs(t.Roles), ", "))
			}
		}
		if t.Roles[i].Model.Client == nil && t.Leader.Model.Client != nil && !r.elsewhere() { // else it has been said
			mistake("role %s has no model; set its Model or Team.Model", r.ID)
		}
	}
	for _, m := range t.badWindows() {
		mistake("%s", m)
	}
	for _, m := range t.badChains() {
		mistake("%s", m)
	}
	for _, m := range t.unpriced() {
		mistake("limit budget needs prices in one currency; %s", m)
	}
	for _, name := range t.Leader.Tools {
		if _, ok := known.Lookup(name); !ok {
			mistake("the leader lists the tool %q, which does not exist; tools are %s", name, strings.Join(known.Names(), ", "))
		}
	}
	return t, errors.Join(errs...)
}

// models lists the models of a resolved team, one for each who has one here.
func (t Team) models() []Model {
	list := []Model{t.Leader.Model}
	for _, r := range t.Roles {
		if !r.elsewhere() {
			list = append(list, r.Model)
		}
	}
	return list
}

// badWindows lists the models whose context window or share of it makes no
// sense.
func (t Team) badWindows() []string {
	var list []string
	for _, m := range t.models() {
		if m.ContextWindow < 0 || m.CompactAt < 0 || m.CompactAt > 1 {
			list = append(list, fmt.Sprintf("model %s is compacted at %v of %d tokens; the share is from 0 to 1", m.Name, m.CompactAt, m.ContextWindow))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// windowless lists the models with a share of a context window that nobody
// knows.
func (t Team) windowless() []string {
	var list []string
	for _, m := range t.models() {
		if m.CompactAt > 0 && m.ContextWindow == 0 {
			list = append(list, m.Name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// unpriced lists why the money of a run cannot be counted, when it is limited.
func (t Team) unpriced() []string {
	if t.Limits.Budget <= 0 {
		return nil
	}
	var list []string
	currency := ""
	var all []Model
	for _, m := range t.models() {
		all = append(all, m.chain()...)
	}
	for _, m := range all {
		switch {
		case m.Scripted || m.Client == nil:
		case m.Price == nil:
			list = append(list, "model "+m.Name+" has none")
		case currency == "":
			currency = m.Price.Currency
		case m.Price.Currency != currency:
			list = append(list, "model "+m.Name+" has "+m.Price.Currency+", others "+currency)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// complete fills in what a role leaves to the team.
func (r *Role) complete(m Model, l Limits, codes map[string]bool) {
	if r.Code == "" {
		id := cmp.Or(r.ID, strings.ReplaceAll(mailbox.Fold(r.Name), " ", ""))
		r.Code = mailbox.RoleCode(id, r.Name, func(c string) bool { return codes[c] })
		codes[r.Code] = true
	}
	r.ID = cmp.Or(r.ID, r.Code)
	if r.Remote != nil && r.Place.Kind == "" {
		r.Place = Place{Kind: inCode, Address: r.ID}
	}
	r.MaxSteps = cmp.Or(r.MaxSteps, l.MaxSteps)
	if r.Model.Client == nil && !r.elsewhere() {
		r.Model = m
	}
}

// validCode reports whether a role may have this short code.
func validCode(code string) bool {
	return 1 <= len(code) && len(code) <= 16 &&
		!strings.ContainsFunc(code, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
}

// mistakes lists what is wrong with a completed role; seen holds the folded
// names, ids and codes of those before it. A name may not be the code of
// another role either: instances are addressed by both.
func (r *Role) mistakes(seen map[string]string, known tools.Set) []string {
	var list []string
	if mailbox.Fold(r.Name) == "" {
		list = append(list, fmt.Sprintf("role %q has no name; set its Name", r.ID))
	} else if err := mailbox.ValidName(r.Name + "_1"); err != nil {
		list = append(list, fmt.Sprintf("role %q: the name is no display name: %v", r.Name, err))
	}
	if mailbox.ReservedName(r.Name) {
		list = append(list, fmt.Sprintf("role %q: the name is kept for %s, %s and %s", r.Name, event.LeaderName, event.PersonName, event.RuntimeName))
	}
	if mailbox.ReservedCode(r.Code) {
		list = append(list, fmt.Sprintf("role %q: the code %q is reserved", r.Name, r.Code))
	}
	if !validCode(r.Code) {
		list = append(list, fmt.Sprintf("role %q: the code %q is not 1 to 16 letters a-z or digits", r.Name, r.Code))
	}
	if strings.ContainsRune(r.Does+r.Prompt, 0) {
		list = append(list, fmt.Sprintf("role %q: its texts have a NUL character", r.Name))
	}
	labels := []string{mailbox.Fold(r.Name), mailbox.Fold(r.ID), r.Code}
	for _, label := range labels {
		if other, dup := seen[label]; dup {
			list = append(list, fmt.Sprintf("role %q has the same name, id or code as role %q", r.Name, other))
			break
		}
	}
	for _, label := range labels {
		seen[label] = r.Name
	}
	if what := r.unfit(); what != "" {
		list = append(list, fmt.Sprintf("role %s works elsewhere (%s) and has %s, which it cannot have from here", r.ID, r.Place, what))
	}
	for _, name := range r.Tools {
		if _, ok := known.Lookup(name); !ok {
			list = append(list, fmt.Sprintf("role %s lists the tool %q, which does not exist; tools are %s", r.ID, name, strings.Join(known.Names(), ", ")))
		}
	}
	slices.Sort(list)
	return list
}

func roleIDs(roles []Role) []string {
	ids := make([]string, len(roles))
	for i, r := range roles {
		ids[i] = r.ID
	}
	return ids
}
