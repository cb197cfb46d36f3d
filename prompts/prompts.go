package prompts

import (
	"fmt"
	"strings"
)

// Tool is a tool as the registry has it. The list of tools in a prompt is
// made from these, so it cannot disagree with what the agent can call.
type Tool struct {
	// Name is what the model calls, for example "read_file".
	Name string
	// Description is the registry's; the prompt shows its first line, the
	// model gets the rest with the schema.
	Description string
}

// Role describes a kind of sub-agent.
type Role struct {
	// ID is the key in the team file, for example "uio".
	ID string
	// Name is shown with a number behind it: "UI Operator" gives
	// "UI Operator_1".
	Name string
	// Does says in a sentence what the role is good for; the leader chooses
	// by it.
	Does string
	// Code is the short code in message ids, for example "uio".
	Code string
	// Prompt is the role's own part of its sub-agents' system prompt. The
	// leader is not shown it.
	Prompt string
	// Tools names the role's tools; nil means the reading tools.
	Tools []string
	// Elsewhere is the place where its sub-agents work when that is outside of
	// the program: "streams/weather_agent".
	Elsewhere string
}

// Limits are the bounds that the leader plans by. Zero means unlimited.
type Limits struct {
	Agents int // sub-agents that work or wait at the same time
	Spawns int // sub-agents created in the whole run
	Steps  int // model calls of the whole run
}

// LeaderData is what [Leader] renders. Empty parts are left out of the
// prompt.
type LeaderData struct {
	TeamName        string
	TeamDescription string
	Roles           []Role
	Tools           []Tool
	Limits          Limits
	// Extra is the team file's own leader prompt.
	Extra string
	// Context is the text of the project notes, for example of AGENTS.md.
	Context string
	// WorkDir is the folder that relative paths start from.
	WorkDir string
}

// WorkerData is what [Worker] renders. Empty parts are left out of the
// prompt.
type WorkerData struct {
	// Name is the display name, for example "UI Operator_1"; it must be set.
	Name     string
	RoleName string
	Does     string
	// Prompt is the role's own.
	Prompt string
	Tools  []Tool
	// CanAsk names the roles whose agents it may ask; nil means everyone, an
	// empty list nobody.
	CanAsk []string
	// Context is the text of the project notes, for example of AGENTS.md.
	Context string
	// WorkDir is the folder that relative paths start from.
	WorkDir string
}

// Leader returns the system prompt of the Team Leader. The language is "zh"
// or "en"; another one, and a tool without a name or with the name of an
// earlier one, is an error.
func Leader(lang string, d LeaderData) (string, error) {
	view, err := newLeaderView(d)
	if err != nil {
		return "", err
	}
	return write(lang, leaderZH, leaderEN, view)
}

// Worker returns the system prompt of a sub-agent. The language is "zh" or
// "en"; another one, an empty name, and a tool without a name or with the
// name of an earlier one, is an error.
func Worker(lang string, d WorkerData) (string, error) {
	view, err := newWorkerView(d)
	if err != nil {
		return "", err
	}
	return write(lang, workerZH, workerEN, view)
}

// write writes a prompt in one of two languages.
func write[V any](lang string, zh, en func(*strings.Builder, V), view V) (string, error) {
	var b strings.Builder
	switch lang {
	case "zh":
		zh(&b, view)
	case "en":
		en(&b, view)
	default:
		return "", fmt.Errorf(`prompts: no language %q, only "en" and "zh"`, lang)
	}
	return strings.Clone(b.String()), nil
}

// leaderView is what the leader's template sees.
type leaderView struct {
	LeaderData
	names
}

func newLeaderView(d LeaderData) (leaderView, error) {
	has, err := namesOf(d.Tools)
	d.TeamDescription = strings.TrimSpace(d.TeamDescription)
	d.Extra = strings.TrimSpace(d.Extra)
	d.Context = strings.TrimSpace(d.Context)
	return leaderView{d, has}, err
}

// workerView is what the sub-agent's template sees.
type workerView struct {
	WorkerData
	names
}

func newWorkerView(d WorkerData) (workerView, error) {
	if strings.TrimSpace(d.Name) == "" {
		return workerView{}, fmt.Errorf("prompts: a sub-agent without a name")
	}
	has, err := namesOf(d.Tools)
	d.Does = strings.TrimSpace(d.Does)
	d.Prompt = strings.TrimSpace(d.Prompt)
	d.Context = strings.TrimSpace(d.Context)
	return workerView{d, has}, err
}

// Isolated reports whether it may ask no other agent.
func (v workerView) Isolated() bool { return v.CanAsk != nil && len(v.CanAsk) == 0 }

// names is the set of tools that a prompt may name.
type names map[string]bool

// Has reports whether the agent has one of the tools; the templates ask it
// before they name one.
func (n names) Has(tools ...string) bool {
	for _, t := range tools {
		if n[t] {
			return true
		}
	}
	return false
}

func namesOf(tools []Tool) (names, error) {
	n := make(names, len(tools))
	for i, t := range tools {
		if t.Name == "" {
			return nil, fmt.Errorf("prompts: tool %d has no name", i+1)
		}
		if n[t.Name] {
			return nil, fmt.Errorf("prompts: tool %q is given twice", t.Name)
		}
		n[t.Name] = true
	}
	return n, nil
}

// line puts a text on one line, for use in a list.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// first is the first line of a text.
func first(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}
