package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// The questions of [Probe], in their order.
const (
	ProbePlain      = "plain"       // an answer in one piece
	ProbeStream     = "stream"      // an answer in pieces, with an output limit
	ProbeUsage      = "usage"       // the tokens of the streamed answer
	ProbeToolCall   = "tool_call"   // a tool is called with good arguments
	ProbeToolResult = "tool_result" // the conversation goes on after a tool's result
)

// ProbeReport is what [Probe] found.
type ProbeReport struct {
	// Checks are the answers, in the order of the questions; those after one
	// that makes asking useless are left out.
	Checks []ProbeCheck
	// Family is the profile that the endpoint was asked with at first, Found
	// the one that it was asked with at last.
	Family, Found Profile
	// Learned are the switches that changed on the way, and why.
	Learned []event.ModelProfile
	// Usage is what the questions cost.
	Usage event.Usage
}

// ProbeCheck is the answer to one question.
type ProbeCheck struct {
	// Name is one of the Probe constants.
	Name string
	// OK says that it works.
	OK bool
	// Detail is what came, or what is wrong, in English; may be empty.
	Detail string
	// Took is the time of the answer.
	Took time.Duration
}

// probeQuestionTime bounds one question, probeTokens its answer; models that
// think need some.
const (
	probeQuestionTime = 60 * time.Second
	probeTokens       = 1024
)

// Probe asks a real endpoint a few harmless questions, one after the other, and
// reports what works and which profile fits. They cost a few hundred tokens.
// The error is why the endpoint cannot be used at all, usually an [*Error]; the
// report holds what was found before.
func Probe(ctx context.Context, e Endpoint) (ProbeReport, error) {
	e, err := e.complete()
	if err != nil {
		return ProbeReport{}, err
	}
	e.Timeout = min(e.Timeout, probeQuestionTime)
	p := &prober{endpoint: e, report: ProbeReport{Family: e.Profile, Found: e.Profile}}
	err = p.plain(ctx)
	if err == nil {
		err = p.streamed(ctx)
	}
	return p.report, err
}

type prober struct {
	endpoint Endpoint
	report   ProbeReport
}

// answer is a whole reply.
type answer struct {
	text, reasoning, extra string
	calls                  []event.Call
	finish                 event.Finish
	usage                  *event.Usage
	pieces                 int
	took                   time.Duration
}

// ask asks one question and keeps what was learned.
func (p *prober) ask(ctx context.Context, c *Adaptive, req Request) (a answer, err error) {
	began := time.Now()
	req.MaxOutputTokens = probeTokens
	for chunk, failed := range c.Stream(ctx, req) {
		err = failed
		if learned, ok := chunk.Notice.(event.ModelProfile); ok {
			p.report.Learned = append(p.report.Learned, learned)
		}
		if chunk.Text != "" {
			a.pieces++
		}
		a.text += chunk.Text
		a.reasoning += chunk.Reasoning
		a.extra += chunk.Extra
		a.calls = append(a.calls, chunk.Calls...)
		if chunk.Finish != "" {
			a.finish = chunk.Finish
		}
		if chunk.Usage != nil {
			a.usage = chunk.Usage
		}
	}
	if a.usage != nil {
		p.report.Usage = p.report.Usage.Add(*a.usage)
	}
	a.took = time.Since(began)
	return a, err
}

// note keeps the answer to a question, and returns the error if no other
// question can do better.
func (p *prober) note(ctx context.Context, name, detail string, took time.Duration, err error) error {
	if err != nil {
		detail = strings.TrimPrefix(AsFailure(err).String(), "model: ")
	}
	p.report.Checks = append(p.report.Checks, ProbeCheck{Name: name, OK: err == nil, Detail: detail, Took: took})
	e, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return err
	case !ok: // an answer that is not what was asked for
		return nil
	}
	switch e.like() {
	case ClassNoModel, ClassAuth, ClassQuota, ClassTransport, ClassRateLimited, ClassOverloaded:
		return err
	}
	return nil
}

var readyQuestion = []Message{{Role: User, Content: "Answer with this one word and nothing else: ready"}}

// plain asks for an answer in one piece.
func (p *prober) plain(ctx context.Context) error {
	e := p.endpoint
	e.Extra = maps.Clone(e.Extra)
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra["stream"] = false
	e.Profile.NoStreamUsage = true
	c, err := NewAdaptive(e)
	if err != nil {
		return err
	}
	a, err := p.ask(ctx, c, Request{Messages: readyQuestion})
	learned := c.Profile()
	learned.NoStreamUsage = p.endpoint.Profile.NoStreamUsage
	p.endpoint.Profile, p.report.Found = learned, learned
	return p.note(ctx, ProbePlain, "", a.took, spoken(a, err))
}

// streamed asks the questions that need a stream, as a team does.
func (p *prober) streamed(ctx context.Context) error {
	c, err := NewAdaptive(p.endpoint)
	if err != nil {
		return err
	}
	defer func() { p.report.Found = c.Profile() }()
	a, err := p.ask(ctx, c, Request{Messages: readyQuestion})
	if err := p.note(ctx, ProbeStream, fmt.Sprintf("%d pieces", a.pieces), a.took, spoken(a, err)); err != nil {
		return err
	}
	if err != nil {
		return err // a team cannot use it
	}
	counted := ProbeCheck{Name: ProbeUsage, Detail: "no tokens are counted; they will be estimated"}
	if u := a.usage; u != nil && !u.Estimated {
		counted.OK, counted.Detail = true, fmt.Sprintf("%d in, %d out", u.Input, u.Output)
	}
	p.report.Checks = append(p.report.Checks, counted)
	return p.tool(ctx, c)
}

// spoken is the error of a reply, or says that it has no text.
func spoken(a answer, err error) error {
	if err == nil && strings.TrimSpace(a.text) == "" {
		return fmt.Errorf("model: the answer has no text (finish reason %s)", a.finish)
	}
	return err
}

// tool asks for a call of a tool, and goes on after its result.
func (p *prober) tool(ctx context.Context, c *Adaptive) error {
	req := Request{
		Messages: []Message{
			{Role: System, Content: "You use tools when you are asked to."},
			{Role: User, Content: "Call the tool note with the word ready. When you have its result, answer: done"},
		},
		Tools: []Tool{{
			Name: "note", Description: "Take a note of one word.",
			Schema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","description":"the word"},"count":{"type":"integer","minimum":1}},"required":["word"],"additionalProperties":false}`),
		}},
	}
	a, err := p.ask(ctx, c, req)
	call, wrong := goodCall(a)
	if err == nil {
		err = wrong
	}
	if stop := p.note(ctx, ProbeToolCall, call, a.took, err); stop != nil || err != nil {
		return stop
	}
	req.Messages = append(req.Messages, Message{Role: Assistant, Content: a.text, Reasoning: a.reasoning, Calls: a.calls, Extra: a.extra})
	for i := range a.calls {
		one := &a.calls[i]
		one.ID = cmp.Or(one.ID, fmt.Sprintf("call_%d", i))
		req.Messages = append(req.Messages, Message{Role: ToolRole, CallID: one.ID, ToolName: one.Name, Content: "noted"})
	}
	a, err = p.ask(ctx, c, req)
	return p.note(ctx, ProbeToolResult, "", a.took, err)
}

// goodCall is the text of the first call of an answer, or says what is wrong
// with the calls.
func goodCall(a answer) (text string, err error) {
	if len(a.calls) == 0 {
		return "", errors.New("model: no tool was called")
	}
	for _, c := range a.calls {
		var args struct {
			Word string `json:"word"`
		}
		if c.Name != "note" || json.Unmarshal([]byte(c.Arguments), &args) != nil || args.Word == "" {
			return "", fmt.Errorf("model: the call is not what was asked for: %s(%s)", c.Name, cutWords(c.Arguments))
		}
	}
	return a.calls[0].Name + "(" + cutWords(a.calls[0].Arguments) + ")", nil
}
