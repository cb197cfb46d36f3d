package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// Config is what an agent is made of. All fields but Code are required.
type Config struct {
	// ID, Name and Code are how others know the agent: "uio_1",
	// "UI Operator_1", "uio".
	ID, Name, Code string
	// Prompt is the system prompt.
	Prompt Prompt
	// Box is where messages to the agent arrive.
	Box *mailbox.Box
	*Shared
}

// Shared is what the agents of a role have in common. It does not change any
// more once an agent is made of it. All fields without "optional" in their
// comment are required.
type Shared struct {
	// Role is the id of the role, for example "uio".
	Role string
	// Model answers, ModelName is how the log names it (provider/model).
	Model     model.Client
	ModelName string
	// Scripted marks a model that plays a script; optional.
	Scripted bool
	// Elsewhere marks an agent that works outside of this program; Model stands
	// for it. It takes messages only when a turn begins, the runtime itself says
	// nothing to it, its tokens are none of the run's, and a stop does not wait
	// for its step. Optional.
	Elsewhere bool
	// Leave is told when a turn is over that others outside of the program have a
	// part in: with the reason in words when they may still be at work, because a
	// stop, a limit, a failure or the end of the run ended it, and with an empty
	// one after its natural end. It may be told so twice. Optional.
	Leave func(ctx context.Context, agent, reason string)
	// Price is what a call of the model costs, nil when unknown; optional. The
	// empty name asks for the dearest of the models that may answer.
	Price func(model string, u event.Usage) *event.Cost
	// Tools are what the agents can do.
	Tools tools.Set
	// Offer is what the model is told of Tools; optional.
	Offer *Offer
	// Log takes the records; Post delivers the runtime's own words; Desk knows
	// the open questions.
	Log  event.Appender
	Post *mailbox.Post
	Desk *mailbox.Desk
	// Budget gives leave for each model call.
	Budget Budget
	// Words are the runtime's own words in the language of the agents.
	Words Words
	// Report hands over natural output; an error ends the run. Optional.
	Report func(Output) error
	// Last reports whether an agent takes no further turn after one that
	// ended for this reason; optional.
	Last func(event.Reason) bool
	// MaxSteps bounds the steps of a turn; 0 means no bound.
	MaxSteps int
	// MaxOutputTokens bounds a reply; optional.
	MaxOutputTokens int
	// ContextWindow is how many tokens the model can read; optional.
	ContextWindow int
	// CompactAt is the share of ContextWindow, from 0 to 1, from which on older
	// steps are folded into a summary. Without it, or without a window, that is
	// done only when the provider says that the conversation is too long.
	CompactAt float64
	// Brief tells what the agent with an id must still know when older steps are
	// gone: who is in the team, its task, open questions; optional.
	Brief func(agent string) string
	// ToolTimeout bounds a tool call that does not wait for others; optional.
	ToolTimeout time.Duration
	// Permit asks leave to run a call of a tool that the set has; the error is
	// the result of the call, which then does not run. It may wait for a person,
	// and ToolTimeout does not count meanwhile; one that waits calls Sent and
	// Blocked of the call, as a tool does, and fails when ctx ends. Optional.
	Permit func(ctx context.Context, spec tools.Spec, call tools.Call) error
	// Metadata is what tools are told of the run; optional.
	Metadata map[string]string
	// Logger is for operators; optional. An agent names itself in it.
	Logger zerolog.Logger
	// Now is the clock; optional.
	Now func() time.Time
}

// complete is s with all defaults.
func (s Shared) complete() *Shared {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Offer == nil {
		s.Offer = NewOffer(s.Tools)
	}
	return &s
}

// Output is what an agent said in plain text.
type Output struct {
	Agent, Name string // id and display name
	Turn        int
	Text        string
	// Final marks the one report that ends a turn; all others are progress.
	Final bool
	// Reason says why the turn ended; set when Final.
	Reason event.Reason
	// Limit, Failure and Stop say more about an end that was not natural.
	Limit   string
	Failure *event.Failure
	Stop    Stop
}

// OpenQuestion is a question that an agent has read and not answered.
type OpenQuestion struct{ ID, From, Text string }

// Words are what the runtime says to an agent, in its language.
type Words interface {
	// OpenQuestions reminds of questions before a turn ends.
	OpenQuestions(open []OpenQuestion) string
	// LimitNear tells that 80 % of a limit are used.
	LimitNear(limit string, used, limitMax float64) string
	// WrapUp asks for a last reply without tools.
	WrapUp(limit string) string
	// RepeatedCall tells of n identical calls with the same result.
	RepeatedCall(tool string, n int) string
	// EmptyReply asks again after a reply that said nothing.
	EmptyReply() string
	// UnknownOutcome is the result of a call that may have run when the
	// program ended, and that must not run twice.
	UnknownOutcome(tool string) string
	// CancelledCall is the result of a call that a stop cut short.
	CancelledCall(reason string) string
	// CutCall is the result of a call whose arguments the model could not
	// finish writing.
	CutCall() string
	// SummaryPrompt is the system prompt of a model that sums up a part of a
	// conversation, SummaryRequest hands it that part.
	SummaryPrompt() string
	SummaryRequest(conversation string) string
	// Extract introduces the first lines of messages that stand for a summary
	// when no model wrote one.
	Extract(lines string) string
	// Summary is the message that takes the place of the older steps; brief may
	// be empty.
	Summary(text, brief string) string
}

// Agent is one participant with a conversation of its own. Make one with
// [New] and run it with [Agent.Run].
type Agent struct {
	cfg     Config
	history history
	pending map[string]event.MessageSent // sent to it and not yet in the conversation; nil at rest when there are none
	gauge   gauge
	read    map[string]OpenQuestion // messages that this turn put into the conversation, some are questions; nil at rest
	t       turnState

	mu      sync.Mutex // guards all below
	machine stateMachine
	turn    int
	stop    *Stop                   // asked for, not yet done
	pausing bool                    // Run returns at the next rest, whatever else is asked for
	cancel  context.CancelCauseFunc // ends the running turn; nil at rest
	last    bool                    // a limit was reached; the turn says its last word
	calls   callCount
}

// New makes an agent at rest in state created. It does not append anything:
// the caller logs agent.created.
func New(cfg Config) (*Agent, error) {
	switch {
	case cfg.Shared == nil || cfg.ID == "" || cfg.Name == "" || cfg.Role == "":
		return nil, errors.New("agent: ID, Name and Role are required")
	case cfg.Model == nil:
		return nil, fmt.Errorf("agent: %s has no model", cfg.ID)
	case cfg.Log == nil || cfg.Post == nil || cfg.Box == nil || cfg.Desk == nil:
		return nil, fmt.Errorf("agent: %s needs Log, Post, Box and Desk", cfg.ID)
	case cfg.ContextWindow < 0 || cfg.CompactAt < 0 || cfg.CompactAt > 1:
		return nil, fmt.Errorf("agent: %s compacts at %v of %d tokens; the share is from 0 to 1", cfg.ID, cfg.CompactAt, cfg.ContextWindow)
	case cfg.Budget == nil || cfg.Words == nil:
		return nil, fmt.Errorf("agent: %s needs Budget and Words", cfg.ID)
	}
	if cfg.Now == nil || cfg.Offer == nil {
		cfg.Shared = cfg.complete() // a copy: others may use it
	}
	return &Agent{cfg: cfg, machine: newMachine()}, nil
}

// State is the agent's state now.
func (a *Agent) State() event.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.machine.state()
}

// ErrTerminated is what [Agent.Run] returns after the agent was terminated.
var ErrTerminated = errors.New("agent: terminated")

// errLast ends Run after the last turn.
var errLast = errors.New("agent: took its last turn")

// Run takes turns until ctx ends or until the last one, which are the good
// ends and return nil, or until the agent is terminated. A turn that is open in
// the records that were applied is gone on with where they end. Any other error
// means that the log or the report failed and that the run cannot go on.
func (a *Agent) Run(ctx context.Context) error {
	for {
		err := a.live(ctx)
		if errors.Is(err, errInterrupted) || errors.Is(err, errLast) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// live does what is due next: a turn, the end of one, or waiting for the next.
func (a *Agent) live(ctx context.Context) error {
	switch a.t.due {
	case dueRequest, dueAct:
		return a.apart(ctx)
	case dueRest:
		if err := a.comeToRest(*a.t.end); err != nil {
			return err
		}
	case dueNothing:
	}
	if err := a.rest(ctx); err != nil {
		return err
	}
	return a.apart(ctx)
}

// apart takes a turn on a goroutine of its own and waits for it: the deep stack
// that model calls need goes with it, and an agent at rest keeps a small one.
func (a *Agent) apart(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- a.takeTurn(ctx) }()
	return <-done
}

// rest waits for a message that wakes the agent and does meanwhile what a
// stop asks for.
func (a *Agent) rest(ctx context.Context) error {
	for {
		s, pausing := a.takeStop()
		if s != nil {
			if err := a.settleStop(*s); err != nil {
				return err
			}
		}
		if pausing || ctx.Err() != nil {
			return errInterrupted
		}
		if a.cfg.Box.Waking() {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-a.cfg.Box.News():
		}
	}
}

// append logs d as the agent's own and applies the record that comes back.
func (a *Agent) append(d event.Data) error {
	rec, err := a.cfg.Log.Append(a.cfg.ID, a.turn, d)
	if err != nil {
		return err
	}
	return a.apply(rec)
}

// move makes a move of the state machine; callers hold a.mu.
func (a *Agent) move(m move, cause string) error {
	if err := a.machine.check(m); err != nil {
		return err
	}
	from := a.machine.state()
	rec, err := a.cfg.Log.Append(a.cfg.ID, a.turn, event.AgentState{From: from, To: target[m], Cause: cause})
	if err != nil {
		return err
	}
	a.applyState(rec)
	return nil
}

// say sends the runtime's own words to the agent; they enter the conversation
// with the next drain, like every message.
func (a *Agent) say(text string) error {
	_, err := a.cfg.Post.Send(mailbox.Outgoing{
		Kind: event.Note, From: event.Runtime, To: a.cfg.ID, Content: text, Turn: a.turn,
	})
	if err == nil {
		a.t.said()
	}
	return err
}

// report hands over an output.
func (a *Agent) report(out Output) error {
	if a.cfg.Report == nil {
		return nil
	}
	out.Agent, out.Name, out.Turn = a.cfg.ID, a.cfg.Name, a.turn
	if err := a.cfg.Report(out); err != nil {
		return err
	}
	kind := event.Progress
	if out.Final {
		kind = event.Completion
	}
	a.t.told(kind, out.Reason)
	return nil
}
