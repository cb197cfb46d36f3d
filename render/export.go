package render

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Markdown writes a run as a document to read: a head with the task, one
// section a message, one item for all else that [Printer.Record] would show as
// a line, then what each agent cost, and the answer. Tool calls, prompts and
// reasoning are folded (<details>). What agents said stands in code blocks,
// exactly as it was but for characters that are unsafe to print (see [Clean]),
// so nothing of it is taken for markup. Of the options, Lang, Verbose,
// Location, Only and ASCII count. It ends at the first error of the records or
// of w.
func Markdown(records iter.Seq2[event.Record, error], w io.Writer, o Options) error {
	return export(records, w, o, func(w *bufio.Writer, s style) page { return &markdownPage{w} })
}

// HTML writes a run as one page that needs nothing else: no scripts, no other
// files, light and dark as the reader's system is. It tells what [Markdown]
// does, by the same options; all text is escaped.
func HTML(records iter.Seq2[event.Record, error], w io.Writer, o Options) error {
	return export(records, w, o, func(w *bufio.Writer, s style) page { return &htmlPage{w, s.words.code} })
}

// page writes the pieces of a document. Texts are as agents wrote them: a page
// makes them safe.
type page interface {
	begin(title, id string)
	section(title, text string)
	heading(title string)
	message(m bubble)
	item(r remark)
	fold(r remark, parts []piece)
	table(rows [][]string) // the first row is the head
	end()
}

// bubble is a message in a document.
type bubble struct{ at, name, purpose, script, reference, text string }

// remark is a line in a document that is no message.
type remark struct {
	at, agent, purpose, text string
	style                    Style
}

// piece is a text with a title that is folded away.
type piece struct{ title, text string }

func export(records iter.Seq2[event.Record, error], w io.Writer, o Options, newPage func(*bufio.Writer, style) page) error {
	o.View, o.Style, o.Width = Lines, nil, 0
	out := bufio.NewWriter(w)
	p := NewPrinter(o)
	x := &exporter{Printer: p, page: newPage(out, p.style), status: NewStatus(), calls: map[string]event.ToolStarted{}}
	for rec, err := range records {
		if err == nil {
			x.record(rec)
			_, err = out.Write(nil) // a write that failed before
		}
		if err != nil {
			return fmt.Errorf("render: %w", err)
		}
	}
	x.close()
	if err := out.Flush(); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	return nil
}

// exporter turns records into the pieces of a document.
type exporter struct {
	*Printer
	page   page
	status *Status
	calls  map[string]event.ToolStarted // without a result, by id
	held   *event.Record                // words of the leader that may be the answer
	ended  event.Data                   // the newest record about the run
	last   time.Time
}

// record writes what one record tells.
func (x *exporter) record(rec event.Record) {
	x.cast.apply(rec)
	x.status.Apply(rec)
	e := x.describe(rec)
	x.cast.forget(rec)
	x.last = rec.Time
	x.release(rec)
	switch d := rec.Data.(type) {
	case event.RunStarted:
		x.ended = d
		x.start(rec, d)
	case event.RunResumed, event.RunSuspended, event.RunFinished, event.RunFailed:
		x.ended = d
		x.item(rec, e)
	case event.AgentCreated:
		x.created(rec, d, e)
	case event.ModelReplied:
		x.replied(rec, d, e)
	case event.ToolStarted:
		x.calls[d.CallID] = d // told with its result
	case event.ToolFinished:
		x.finished(rec, d, e)
	default:
		x.other(rec, e)
	}
}

// start writes the head.
func (x *exporter) start(rec event.Record, d event.RunStarted) {
	id := CleanLine(d.RunID)
	x.page.begin(x.words.transcript, id)
	rows := [][]string{{x.words.sumRun, id}}
	if x.cast.scripted {
		rows[0][1] += " " + x.script()
	}
	for _, row := range [][]string{
		{x.words.team, CleanLine(d.TeamName)},
		{x.words.started, rec.Time.In(x.opts.Location).Format("2006-01-02 15:04:05 -0700")},
		{x.words.program, CleanLine(d.Program)},
	} {
		if row[1] != "" {
			rows = append(rows, row)
		}
	}
	if d.Import != nil {
		rows = append(rows, []string{x.words.imported, CleanLine(d.Import.Format + " " + d.Import.File)})
	}
	x.page.table(rows)
	x.page.section(x.words.task, d.Task)
	x.page.heading(x.words.course)
}

// release writes the words of the leader that were not the answer.
func (x *exporter) release(rec event.Record) {
	if x.held == nil {
		return
	}
	switch d := rec.Data.(type) {
	case event.TurnEnded, event.AgentState:
		return
	case event.RunFinished:
		if held, ok := x.held.Data.(event.ModelReplied); ok && held.Text == d.Answer {
			x.held = nil
			return
		}
	default: // the run goes on
	}
	held := *x.held
	x.held = nil
	if reply, ok := held.Data.(event.ModelReplied); ok {
		held.Data = event.MessageSent{Kind: event.Progress, From: event.Leader, To: event.Person, Content: reply.Text}
		x.other(held, x.describe(held))
	}
}

// replied folds the reasoning, and keeps what the leader says to the person,
// which is no message of the log.
func (x *exporter) replied(rec event.Record, d event.ModelReplied, e entry) {
	if d.Reasoning != "" && x.shows(entry{weight: fact, agent: rec.Agent}) {
		x.page.fold(x.remark(rec, entry{agent: rec.Agent, purpose: x.words.phases[PhaseThinking], style: StyleDim}), []piece{{"", d.Reasoning}})
	}
	if rec.Agent == event.Leader && d.Text != "" && d.Purpose == "" {
		x.held = &rec
	}
	x.other(rec, e)
}

// created folds the prompt of a new agent.
func (x *exporter) created(rec event.Record, d event.AgentCreated, e entry) {
	if !x.shows(e) {
		return
	}
	var parts []piece
	if d.Prompt != "" {
		parts = append(parts, piece{x.words.prompt, d.Prompt})
	}
	if len(d.Tools) > 0 {
		parts = append(parts, piece{x.words.tools, strings.Join(d.Tools, "\n")})
	}
	if len(parts) == 0 {
		x.page.item(x.remark(rec, e))
		return
	}
	x.page.fold(x.remark(rec, e), parts)
}

// finished folds a call and its result.
func (x *exporter) finished(rec event.Record, d event.ToolFinished, e entry) {
	started := x.calls[d.CallID]
	delete(x.calls, d.CallID)
	if !x.shows(e) {
		return
	}
	parts := []piece{{x.words.result, d.Result}}
	if started.Arguments != "" {
		parts = slices.Insert(parts, 0, piece{x.words.arguments, started.Arguments})
	}
	x.page.fold(x.remark(rec, e), parts)
}

func (x *exporter) item(rec event.Record, e entry) {
	if x.shows(e) {
		x.page.item(x.remark(rec, e))
	}
}

// other writes a message or an item.
func (x *exporter) other(rec event.Record, e entry) {
	if e.weight != message {
		x.item(rec, e)
		return
	}
	if !x.shows(e) {
		return
	}
	b := bubble{at: x.clock(rec.Time), name: x.cast.name(e.agent), purpose: e.purpose, reference: x.reference(e), text: e.text}
	if x.cast.isScripted(e.agent) {
		b.script = x.script()
	}
	x.page.message(b)
}

func (x *exporter) remark(rec event.Record, e entry) remark {
	return remark{x.clock(rec.Time), short(e.agent), e.purpose, e.text, e.style}
}

// close writes what the log ends in the middle of: the last words of the
// leader and the calls without a result; then the costs and the answer.
func (x *exporter) close() {
	x.release(event.Record{})
	for _, id := range slices.Sorted(maps.Keys(x.calls)) {
		d := x.calls[id]
		x.page.fold(remark{purpose: x.words.noResult, text: callText(d.Name, d.Arguments), style: StyleWarn}, []piece{{x.words.arguments, d.Arguments}})
	}
	x.page.heading(x.words.sumCost)
	status, answer := x.outcome()
	total := x.status.Total()
	x.page.table([][]string{
		{x.words.sumStatus, status},
		{x.words.sumTime, clockTime(total.elapsed(x.last))},
		{x.words.sumTokens, x.usage(x.status.spent.usage)},
	})
	rows := [][]string{{x.words.agent, x.words.name, x.words.model, x.words.sumTokens, x.words.sumCost}}
	for _, a := range x.status.agents {
		rows = append(rows, []string{short(a.id), a.name, a.model, tokens(a.usage.Total(), a.usage.Estimated), x.cost(a.cost(), a.guessed, a.unpriced)})
	}
	paid, guessed := x.paid(total)
	rows = append(rows, []string{x.words.total, "", "", tokens(total.Tokens, total.Estimated), x.cost(paid, guessed, total.AtLeast)})
	x.page.table(rows)
	if answer != "" {
		x.page.section(x.words.answer, answer)
	}
	x.page.end()
}

// paid is what the run cost: the sum, or what its end says where there is none.
// guessed says that it is that of estimated tokens too.
func (x *exporter) paid(total Total) (cost *event.Cost, guessed bool) {
	if d, ok := x.ended.(event.RunFinished); ok && total.Cost == nil {
		return d.Cost, d.Usage.Estimated
	}
	return total.Cost, total.CostEstimated
}

// outcome is how the run ended, and the answer.
func (x *exporter) outcome() (status, answer string) {
	end := EndInterrupted
	reason := ""
	switch d := x.ended.(type) {
	case event.RunFinished:
		if end, answer = EndFinished, d.Answer; d.Partial {
			end, reason = EndPartial, d.Limit
		}
	case event.RunFailed:
		end, reason, answer = EndFailed, failureText(d.Failure), d.Answer
	case event.RunSuspended:
		end = EndSuspended
	default: // it has no end
	}
	return join("  ", lookUp(x.words.ends, end), CleanLine(reason)), answer
}
