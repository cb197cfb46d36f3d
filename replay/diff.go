package replay

import (
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Recording reads a run from its first record on; each call begins anew. A run
// that is being written may have grown since the last call. An error is
// yielded last.
type Recording func() iter.Seq2[event.Record, error]

// DiffOptions tune [Diff]. The zero value is fine.
type DiffOptions struct {
	// Context is how many unchanged lines stand around the changed ones of a
	// text; 0 means 3, a negative number none.
	Context int
}

const defaultContext = 3

// Difference is where two runs went apart, agent by agent, and what it cost.
type Difference struct {
	// Equal says that nothing went apart.
	Equal bool    `json:"equal"`
	A     RunSide `json:"a"`
	B     RunSide `json:"b"`
	// Fork is where one run was forked from the other, or both from a third.
	Fork *ForkPoint `json:"fork,omitempty"`
	// First is the first difference that follows from no other; nil when the
	// runs are equal.
	First *First `json:"first,omitempty"`
	// Team is what the headers say differently: the task, the team, the
	// language.
	Team []TeamChange `json:"team"`
	// Agents are the pairs of agents: those that went apart in the order of
	// run A, then the others.
	Agents []AgentDiff `json:"agents"`
	// Since is what the runs spent from the first difference on.
	Since *Costs `json:"since,omitempty"`
}

// RunSide is one of the two runs.
type RunSide struct {
	RunID    string        `json:"run_id"`
	TeamName string        `json:"team_name,omitempty"`
	Program  string        `json:"program,omitempty"`
	Fork     *event.Origin `json:"fork,omitempty"`
	Records  int64         `json:"records"` // that were compared
	// End is the type of the record that ended the run; empty while it has no
	// end, because it is under way or was cut off.
	End event.Type `json:"end,omitempty"`
	// Damage is what is wrong with the record behind the last that could be
	// read; empty for a whole log.
	Damage string `json:"damage,omitempty"`
	Spent  Spent  `json:"spent"`
}

// ForkPoint is a fork that the two runs have in common.
type ForkPoint struct {
	// Of is "a" when B was forked from A, "b" when A was forked from B, empty
	// when both were forked from a third run.
	Of    string `json:"of,omitempty"`
	RunID string `json:"run_id"` // of the origin
	Seq   int64  `json:"seq"`    // the last record that they have in common
}

// First names the first difference.
type First struct {
	// Agent is the id in run A, or in run B of an agent that only B has; empty
	// when the headers differ.
	Agent string     `json:"agent,omitempty"`
	Type  event.Type `json:"type"` // of the record
	Path  string     `json:"path"` // of the field in that record
	SeqA  int64      `json:"seq_a,omitempty"`
	SeqB  int64      `json:"seq_b,omitempty"`
}

// TeamChange is one field of the header that differs.
type TeamChange struct {
	Path string `json:"path"` // in the header, for example "$.data.team.roles[0].prompt"
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
	Diff string `json:"diff,omitempty"` // of longer texts, as in [Divergence]
}

// AgentDiff is one agent in both runs.
type AgentDiff struct {
	A    string `json:"a,omitempty"` // its id in run A; empty when only B has it
	B    string `json:"b,omitempty"` // its id in run B; empty when only A has it
	Name string `json:"name"`        // display name, in run A if it is there
	Role string `json:"role"`
	// Same is the number of things that were compared and equal.
	Same       int         `json:"same"`
	Divergence *Divergence `json:"divergence,omitempty"`
	// Since is what the agent spent from its divergence on.
	Since *Costs `json:"since,omitempty"`
}

// ID is the agent's id in run A, or in B when only B has it.
func (d AgentDiff) ID() string {
	if d.A != "" {
		return d.A
	}
	return d.B
}

// Divergence is the first thing in which an agent's course differs.
type Divergence struct {
	A *Place `json:"a,omitempty"` // nil when run A has nothing more of the agent
	B *Place `json:"b,omitempty"` // nil when run B has nothing more of the agent
	// Path is the field that differs, in the record Place.Source; empty when one
	// run has nothing, or something else, at this place.
	Path string `json:"path,omitempty"`
	// Diff is the text of the field as lines that begin with "-" (run A), "+"
	// (run B) or a space, around the first change. Ids of B are written as those
	// of A that they correspond to.
	Diff  string `json:"diff,omitempty"`
	Cause Cause  `json:"cause"`
}

// Place is one record of an agent's course.
type Place struct {
	Turn int        `json:"turn,omitempty"`
	Step int        `json:"step,omitempty"`
	Seq  int64      `json:"seq"`
	Type event.Type `json:"type"`
	// Source is the record that has the field: another than Seq for a message
	// that was delivered, and for an answer that a call returned.
	Source int64 `json:"source"`
}

// CauseKind says why an agent went another way.
type CauseKind string

// The causes. All but the first are no consequence of what another agent did.
const (
	// CauseAgent: it follows from the divergence of another agent.
	CauseAgent CauseKind = "agent"
	// CauseTeam: the agents were set up differently, or got another task.
	CauseTeam CauseKind = "team"
	// CauseModel: the model replied differently.
	CauseModel CauseKind = "model"
	// CauseTool: a tool returned something else.
	CauseTool CauseKind = "tool"
	// CausePerson: the person said, answered or decided something else.
	CausePerson CauseKind = "person"
	// CauseLimit: a limit was near, or reached, in one run only.
	CauseLimit CauseKind = "limit"
	// CauseTiming: the same things came in another order.
	CauseTiming CauseKind = "timing"
	// CauseRuntime: Troupe itself said or asked something else.
	CauseRuntime CauseKind = "runtime"
	// CauseEnd: one run ends here.
	CauseEnd CauseKind = "end"
)

// Cause is why an agent went another way.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Agent is the one that it follows from, for [CauseAgent]: the id in run A,
	// or in B when only B has it.
	Agent string `json:"agent,omitempty"`
	// SeqA and SeqB are where that agent went apart; 0 in a run in which it had
	// nothing more.
	SeqA int64 `json:"seq_a,omitempty"`
	SeqB int64 `json:"seq_b,omitempty"`
	// Via is the message or question that carried it, as run A or else run B
	// names it, or the path of a file.
	Via string `json:"via,omitempty"`
	// SameRequest says, for [CauseModel], that both requests were the same byte
	// for byte.
	SameRequest bool `json:"same_request,omitempty"`
}

// Root reports whether it follows from nothing else in the runs.
func (c Cause) Root() bool { return c.Kind != CauseAgent }

// Spent is what a run, or a part of one, cost.
type Spent struct {
	Steps      int         `json:"steps"` // model calls
	Tools      int         `json:"tools"` // tool calls
	Usage      event.Usage `json:"usage"`
	Cost       *event.Cost `json:"cost,omitempty"` // nil: unknown
	DurationMS int64       `json:"duration_ms"`
}

// Costs is what the two runs spent.
type Costs struct {
	A Spent `json:"a"`
	B Spent `json:"b"`
}

// Diff compares two recordings. Each is read three times. What the agents of
// a run did is compared agent by agent, each in its own order; how they took
// turns with each other, times, ids minted in another order, usage, retries
// and states that come and go do not count, nor does what an agent was told of
// the progress of others.
//
// A recording that ends in damage is compared up to there. The error is one of
// reading.
func Diff(a, b Recording, o DiffOptions) (Difference, error) {
	if o.Context == 0 {
		o.Context = defaultContext
	}
	var c comparison
	for i, rec := range []Recording{a, b} {
		out, err := outlineOf(rec)
		if err != nil {
			return Difference{}, err
		}
		c.runs[i] = out
	}
	c.pair()
	c.team = teamChanges(c.runs[0].head, c.runs[1].head, o.Context)
	if err := c.match(a, b); err != nil {
		return Difference{}, err
	}
	if err := c.look(a, b); err != nil {
		return Difference{}, err
	}
	return c.difference(o.Context), nil
}

// comparison is the work of one [Diff].
type comparison struct {
	runs  [2]*outline
	pairs []*agentPair
	byID  [2]map[string]*agentPair // by the agent's id in that run
	names *renamer                 // of run B
	team  []TeamChange
}

// agentPair is one agent, in both runs or in one.
type agentPair struct {
	actors [2]*actor // nil in a run without it
	same   int
	parted bool
	at     [2]*sight // where it parted; nil in a run that has nothing more of it
	since  [2]spending
	heard  *hint  // of progress of an agent that had parted
	halted string // display name of who wanted it to stop, before it parted by that
}

// id is the agent's id in run A, or in B when only B has it.
func (p *agentPair) id() string { return p.either().id }

func (p *agentPair) either() *actor {
	if p.actors[0] != nil {
		return p.actors[0]
	}
	return p.actors[1]
}
