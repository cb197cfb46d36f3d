package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// account is what the log of a run adds up to.
type account struct {
	runRow
	Program   string            `json:"program,omitempty"`
	ModelKind string            `json:"model_kind"`
	Duration  time.Duration     `json:"duration_ns"`
	Usage     event.Usage       `json:"usage"`
	Cost      *event.Cost       `json:"cost,omitempty"`
	Limit     string            `json:"limit,omitempty"`
	Failure   *event.Failure    `json:"failure,omitempty"`
	Agents    []*agentAccount   `json:"agents"`
	Questions []questionAccount `json:"questions"`
	Artifacts []string          `json:"artifacts"`
	Results   []resultAccount   `json:"results,omitempty"`
	Answer    string            `json:"answer,omitempty"`
	Import    *event.Import     `json:"import,omitempty"`
	guessed   bool              // some of the cost is that of estimated tokens
}

// agentAccount is one agent of a run.
type agentAccount struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Role     string      `json:"role"`
	Model    string      `json:"model"`
	Scripted bool        `json:"scripted,omitempty"`
	State    event.State `json:"state"`
	Turns    int         `json:"turns"`
	Steps    int         `json:"steps"` // model calls
	Usage    event.Usage `json:"usage"`
	Cost     *event.Cost `json:"cost,omitempty"` // nil: unknown
	guessed  bool        // some of the cost is that of estimated tokens
}

// resultAccount is a tool result that was too long for the log.
type resultAccount struct {
	Agent string `json:"agent"`
	Tool  string `json:"tool"`
	Call  string `json:"call"`
	File  string `json:"file"` // from the folder of the log
	Bytes int64  `json:"bytes"`
}

// questionAccount is one question and what became of it.
type questionAccount struct {
	ID       string        `json:"id"`
	From     string        `json:"from"`
	To       string        `json:"to"`
	Question string        `json:"question"`
	Outcome  event.Outcome `json:"outcome,omitempty"` // empty while it is open
	Answer   string        `json:"answer,omitempty"`
}

// tally adds up the records of a run.
func tally(run transcript.Run, records iter.Seq2[event.Record, error]) (*account, error) {
	acc := &account{runRow: rowOf(run), Questions: []questionAccount{}, Artifacts: []string{}}
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		acc.Updated, acc.Records = rec.Time, rec.Seq
		acc.apply(rec)
	}
	acc.Duration = acc.Updated.Sub(acc.Started)
	return acc, nil
}

func (acc *account) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		acc.RunID, acc.Team, acc.Task = d.RunID, d.TeamName, d.Task // the row has them too, but not masked
		acc.Program, acc.ModelKind, acc.Import = d.Program, d.ModelKind, d.Import
	case event.RunFinished:
		acc.Answer, acc.Limit = d.Answer, d.Limit
	case event.RunFailed:
		acc.Answer, acc.Failure = d.Answer, &d.Failure
	case event.ArtifactCreated:
		if !slices.Contains(acc.Artifacts, d.Path) {
			acc.Artifacts = append(acc.Artifacts, d.Path)
		}
	case event.ToolFinished:
		if d.File != "" {
			acc.Results = append(acc.Results, resultAccount{rec.Agent, d.Name, d.CallID, d.File, d.Bytes})
		}
		acc.applyAgent(rec)
	case event.MessageSent:
		acc.addText(d)
	case event.QuestionOpened:
		acc.Questions = append(acc.Questions, questionAccount{ID: d.ID, From: d.From, To: d.To})
	case event.QuestionClosed:
		for i := range acc.Questions {
			if q := &acc.Questions[i]; q.ID == d.ID {
				q.Outcome, q.Answer = d.Outcome, d.Text
			}
		}
	default:
		acc.applyAgent(rec)
	}
}

// addText gives a question its text, which is the message of the same id and
// comes after the question was opened.
func (acc *account) addText(m event.MessageSent) {
	for i := range acc.Questions {
		if q := &acc.Questions[i]; q.ID == m.ID {
			q.Question = m.Content
		}
	}
}

func (acc *account) applyAgent(rec event.Record) {
	if d, ok := rec.Data.(event.AgentCreated); ok {
		acc.Agents = append(acc.Agents, &agentAccount{
			ID: rec.Agent, Name: d.Name, Role: d.Role, Model: d.Model, Scripted: d.Scripted, State: event.Created,
		})
		return
	}
	a := acc.agent(rec.Agent)
	if a == nil {
		return
	}
	a.Turns = max(a.Turns, rec.Turn)
	switch d := rec.Data.(type) {
	case event.AgentState:
		a.State = d.To
	case event.ModelReplied:
		a.Steps++
		acc.book(a, d.Usage, d.Cost)
	case event.ModelFailed:
		a.Steps++
		acc.book(a, d.Usage, d.Cost)
	default:
	}
}

// book adds what one call used; a failed one may have cost something too.
func (acc *account) book(a *agentAccount, u event.Usage, c *event.Cost) {
	a.Usage, a.Cost = a.Usage.Add(u), a.Cost.Add(c)
	acc.Usage, acc.Cost = acc.Usage.Add(u), acc.Cost.Add(c)
	if c != nil && u.Estimated {
		a.guessed, acc.guessed = true, true
	}
}

func (acc *account) agent(id string) *agentAccount {
	for _, a := range acc.Agents {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// Show prints what one run did.
func (r *runsCommand) Show(ctx context.Context, ref string) error {
	dir, err := r.runsFolder(r.runDir)
	if err != nil {
		return err
	}
	run, err := transcript.Find(dir, ref)
	if err != nil {
		return err
	}
	if r.waits || r.at != 0 {
		return r.Waits(ctx, run)
	}
	acc, err := tally(run, r.masked(transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{})))
	if err != nil {
		return err
	}
	if r.json {
		return writeJSON(r.Stdout, acc)
	}
	_, err = io.WriteString(r.Stdout, r.accountText(acc))
	return err
}

// accountText is the account for a person.
func (r *runsCommand) accountText(acc *account) string {
	var b strings.Builder
	b.WriteString(r.headText(acc) + "\n" + r.agentsText(acc.Agents))
	if len(acc.Questions) > 0 {
		b.WriteString("\n" + r.questionsText(acc.Questions))
	}
	if len(acc.Artifacts) > 0 {
		b.WriteString("\n" + r.words.colArtifacts + "\n")
	}
	for _, path := range acc.Artifacts {
		b.WriteString("  " + render.CleanLine(path) + "\n")
	}
	if len(acc.Results) > 0 {
		b.WriteString("\n" + r.resultsText(acc.Results))
	}
	return b.String()
}

func (r *runsCommand) resultsText(results []resultAccount) string {
	w := r.words
	rows := [][]string{{w.colAgent, w.colTool, w.colBytes, w.colLongResult}}
	for _, x := range results {
		rows = append(rows, []string{x.Agent, render.CleanLine(x.Tool), strconv.FormatInt(x.Bytes, 10), render.CleanLine(x.File)})
	}
	return table(rows, 0)
}

// headText is what is told of the run as a whole.
func (r *runsCommand) headText(acc *account) string {
	w := r.words
	status := w.status(acc.Status)
	if acc.Limit != "" {
		status += "  " + fmt.Sprintf(w.partial, acc.Limit)
	}
	if acc.Failure != nil {
		status += "  " + render.CleanLine(acc.Failure.Code+": "+acc.Failure.Message)
	}
	kind := ""
	if acc.ModelKind == event.ModelScripted {
		kind = "  " + w.scripted
	}
	return table([][]string{
		{w.colRun, acc.RunID + kind},
		{w.colTeam, orDash(render.CleanLine(acc.Team))},
		{w.colTask, render.Cut(render.CleanLine(firstLine(acc.Task)), 100, 1)},
		{w.colStatus, status},
		{w.colWhen, fmt.Sprintf("%s  %s", acc.Started.Local().Format(time.DateTime), acc.Duration.Round(time.Millisecond))},
		{w.colTokens, usageText(w, acc.Usage)},
		{w.colCost, costText(acc.Cost, acc.guessed)},
		{w.colLog, acc.Log},
	}, 0)
}

func (r *runsCommand) agentsText(agents []*agentAccount) string {
	w := r.words
	rows := [][]string{{w.colAgent, w.colName, w.colState, w.colSteps, w.colTokens, w.colCost, w.colModel}}
	for _, a := range agents {
		name := render.CleanLine(a.Model)
		if a.Scripted {
			name += " " + w.scripted
		}
		rows = append(rows, []string{
			a.ID, render.CleanLine(a.Name), w.state(a.State), strconv.Itoa(a.Steps), usageText(w, a.Usage), costText(a.Cost, a.guessed), name,
		})
	}
	return table(rows, 0)
}

func (r *runsCommand) questionsText(questions []questionAccount) string {
	w := r.words
	rows := [][]string{{w.colQuestion, w.colFrom, w.colTo, w.colOutcome, w.colText}}
	for _, q := range questions {
		rows = append(rows, []string{
			q.ID, q.From, q.To, w.outcome(q.Outcome), render.Cut(render.CleanLine(firstLine(q.Question)), 60, 1),
		})
	}
	return table(rows, 0)
}

// usageText is tokens in and out, or a dash when none were counted.
func usageText(w *words, u event.Usage) string {
	if u.Total() == 0 {
		return "—"
	}
	text := fmt.Sprintf(w.tokens, u.Input, u.Output)
	if u.Estimated {
		text = "~" + text
	}
	return text
}
