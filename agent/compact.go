package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
)

// Codes of the warnings about a conversation that is too long.
const (
	warnTruncated = "prompt_truncated" // the provider reads less than it is sent
	warnSummary   = "summary_failed"   // no model wrote the summary
)

// request asks the model for the reply of the step. A conversation that is too
// long for the model is compacted, once a step, before the request or when the
// provider refuses it; a second refusal ends the turn. An error that ends the
// turn is a [*LimitError] or a failureError.
func (a *Agent) request(ctx context.Context) error {
	if a.t.failure == nil {
		if err := a.compactEarly(ctx); err != nil {
			return err
		}
		err := a.ask(ctx)
		if a.t.failure == nil || a.t.failure.Code != model.ClassContextOverflow || ctx.Err() != nil {
			return err
		}
	}
	refused := &failureError{*a.t.failure}
	compacted, err := a.compact(ctx, a.cut())
	if err != nil {
		return err
	}
	if !compacted {
		return refused
	}
	return a.ask(ctx)
}

// compactEarly compacts before a request when the conversation fills its share
// of the context window, or, once a turn, when the provider seems to cut it.
// It does so only if much of the conversation goes, and if it has grown since
// the last time.
func (a *Agent) compactEarly(ctx context.Context) error {
	cutShort := a.gauge.short && !a.t.cutShort
	if !cutShort && !a.full() || a.t.wrapUp != "" || !a.history.grown() {
		return nil
	}
	c := a.cut()
	if !c.large() {
		return nil
	}
	_, err := a.compact(ctx, c)
	return err
}

// full reports whether the next request passes the share of the context window
// from which on the conversation is compacted.
func (a *Agent) full() bool {
	most := a.cfg.CompactAt * float64(a.cfg.ContextWindow)
	return most > 0 && float64(a.gauge.tokens(a.promptTokens(false))) > most
}

// cut plans what a compaction takes out now: all but the newest messages and
// the questions of this turn that are still open.
func (a *Agent) cut() cut {
	open := map[string]bool{}
	for _, q := range a.cfg.Desk.OpenTo(a.cfg.ID) {
		if _, ok := a.read[q.ID]; ok {
			open[q.ID] = true
		}
	}
	return a.history.cut(open)
}

// compact folds older steps into a summary and reports whether it did: once a
// step, and only if there is something to fold.
func (a *Agent) compact(ctx context.Context, c cut) (bool, error) {
	if a.t.compacted == a.t.step || c.empty() {
		return false, nil
	}
	text, err := a.summary(ctx, c)
	if err != nil {
		return false, err
	}
	brief := ""
	if a.cfg.Brief != nil {
		brief = a.cfg.Brief(a.cfg.ID)
	}
	err = a.append(event.HistoryCompacted{
		ID: a.cfg.Post.Mint(), Summary: strings.ToValidUTF8(a.cfg.Words.Summary(text, brief), "\uFFFD"),
		Kept: c.kept, Dropped: len(c.dropped), Pinned: c.pinned,
	})
	return err == nil, err
}

// summary tells what is cut out: in the words of the model, or, when it gives
// none, by the first lines of the messages.
func (a *Agent) summary(ctx context.Context, c cut) (string, error) {
	text, why := "", "the turn has only its last reply left"
	if a.t.wrapUp == "" {
		var err error
		if text, why, err = a.askSummary(ctx, c); err != nil {
			return "", err
		}
	}
	if text != "" {
		return clip(text, c.summaryBytes()), nil
	}
	err := a.append(event.Warning{Code: warnSummary, Text: "no model summed up the older steps: " + why})
	return a.cfg.Words.Extract(extract(c)), err
}

// askSummary lets the model sum up what is cut out, in a request of its own.
// Without a text, why says what went wrong; an error ends the turn.
func (a *Agent) askSummary(ctx context.Context, c cut) (text, why string, err error) {
	talk := newHistory(a.cfg.Words.SummaryPrompt())
	talk.add(model.Message{
		Role: model.User, Content: a.cfg.Words.SummaryRequest(retell(c.dropped, a.summaryRoom())),
		Origin: model.Origin{Kind: event.Note, From: event.RuntimeName, FromID: event.Runtime},
	})
	q := query{purpose: event.PurposeSummary, talk: &talk, offer: &Offer{}}
	q.need = a.cost(Need{Agent: a.cfg.ID, Input: talk.tokens})
	near, err := a.cfg.Budget.Reserve(q.need)
	if limit, reached := errors.AsType[*LimitError](err); reached {
		return "", limit.Error(), nil
	}
	if err != nil {
		return "", "", err
	}
	for _, w := range near {
		if err := a.warnLimit(w); err != nil {
			return "", "", err
		}
	}
	got, err := a.exchange(ctx, q)
	if failed, ok := errors.AsType[*failureError](err); ok && ctx.Err() == nil {
		return "", failed.String(), nil
	}
	if err != nil {
		return "", "", err
	}
	got.Calls, got.Extra = nil, "" // none was offered, and nothing of it goes back
	rec, err := a.cfg.Log.Append(a.cfg.ID, a.turn, got)
	if err != nil {
		return "", "", err
	}
	got, _ = rec.Data.(event.ModelReplied) // with what was masked
	if got.Finish == event.FinishContentFilter {
		return "", "the provider's content filter stopped the reply", nil
	}
	return strings.TrimSpace(got.Text), "the reply has no text", a.apply(rec)
}

// summaryRoom is how many tokens the older messages may take in the request
// for their summary: half of what the model can read, or of what it refused.
func (a *Agent) summaryRoom() int {
	if a.cfg.ContextWindow > 0 {
		return a.cfg.ContextWindow / 2
	}
	return a.history.tokens / 2
}

// checkPrompt tells, once, that the provider reads less than it is sent.
func (a *Agent) checkPrompt() error {
	if !a.gauge.short || a.gauge.told {
		return nil
	}
	return a.append(event.Warning{Code: warnTruncated, Text: fmt.Sprintf(
		"the conversation grew to about %d tokens and the provider counts only %d: it seems to leave out the beginning; give it a larger context (profile.num_ctx)",
		a.gauge.last.estimate, a.gauge.last.count)})
}

// applySummary puts a summary in the place of what it sums up.
func (a *Agent) applySummary(d event.HistoryCompacted) error {
	text, err := mailbox.Format(mailbox.Message{ID: d.ID, Kind: event.Note, From: event.RuntimeName, Content: d.Summary})
	if err != nil {
		return err
	}
	a.gauge.forget()
	return a.history.compact(a.cfg.Prompt.String(), model.Message{Role: model.User, Content: text, Origin: model.Origin{
		Kind: event.Note, From: event.RuntimeName, FromID: event.Runtime, ID: d.ID, Content: d.Summary,
	}}, d.Kept, d.Pinned)
}
