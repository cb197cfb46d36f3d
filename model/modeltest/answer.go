package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// created is the time in all answers; nobody relies on it.
const created = 1790000000

// write sends the reply as its Wire says.
func (r Reply) write(ctx context.Context, w http.ResponseWriter, req ChatRequest) {
	maps.Copy(w.Header(), r.Wire.Header)
	status := r.Wire.Status
	if r.Err != nil {
		status = r.refuse(w)
	}
	switch {
	case r.Err != nil:
		writeError(w, status, words(r.Err))
	case r.Wire.Body != "":
		r.stream(ctx, w, []string{r.Wire.Body}, status)
	case status >= http.StatusMultipleChoices:
		writeError(w, status, http.StatusText(status))
	case !req.Stream:
		writeJSON(w, http.StatusOK, r.plain(req))
	default:
		r.stream(ctx, w, r.lines(req), status)
	}
}

// refuse sets the headers for Err and returns its status.
func (r Reply) refuse(w http.ResponseWriter) int {
	e, ok := errors.AsType[*model.Error](r.Err)
	if !ok || e.Status < http.StatusBadRequest {
		return http.StatusInternalServerError
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatFloat(e.RetryAfter.Seconds(), 'f', -1, 64))
	}
	return e.Status
}

func words(err error) string {
	if e, ok := errors.AsType[*model.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// stream sends the parts of a body one by one, and breaks the connection where
// the reply says so.
func (r Reply) stream(ctx context.Context, w http.ResponseWriter, parts []string, status int) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	if status != 0 {
		w.WriteHeader(status)
	}
	flush := http.NewResponseController(w)
	left := r.Wire.CutAfter
	for i, part := range parts {
		if i > 0 && wait(ctx, r.Wire.Pace) != nil {
			return
		}
		cut := r.Wire.CutAfter > 0 && len(part) >= left
		if cut {
			part = part[:left]
		}
		left -= len(part)
		if _, err := w.Write([]byte(part)); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
		if cut {
			panic(http.ErrAbortHandler) // breaks the connection without an end
		}
	}
}

// lines are the events of the streamed reply.
func (r Reply) lines(req ChatRequest) []string {
	var out []string
	add := func(a answerJSON) {
		a.ID, a.Object, a.Created, a.Model = "chatcmpl-"+strconv.Itoa(req.Number), "chat.completion.chunk", created, req.Model
		out = append(out, "data: "+encode(a)+"\n\n")
	}
	delta := func(m messageJSON) { add(answerJSON{Choices: []choiceJSON{{Delta: &m}}}) }

	delta(messageJSON{Role: model.Assistant, Content: json.RawMessage(`""`)})
	for _, piece := range pieces(r.Reasoning, r.Wire.Chunk) {
		delta(messageJSON{ReasoningContent: piece})
	}
	for _, piece := range pieces(r.Text, r.Wire.Chunk) {
		delta(messageJSON{Content: json.RawMessage(encode(piece))})
	}
	for i, c := range r.calls(strconv.Itoa(req.Number)) {
		delta(messageJSON{ToolCalls: []callJSON{{Index: &i, ID: c.ID, Type: "function", Function: functionJSON{Name: c.Name}}}})
		for _, piece := range pieces(c.Arguments, r.Wire.Chunk) {
			delta(messageJSON{ToolCalls: []callJSON{{Index: &i, Function: functionJSON{Arguments: piece}}}})
		}
	}
	if !r.Wire.NoFinish {
		finish := r.rawFinish()
		add(answerJSON{Choices: []choiceJSON{{Delta: &messageJSON{}, FinishReason: &finish}}})
	}
	if req.IncludeUsage && !r.Wire.NoUsage {
		add(answerJSON{Choices: []choiceJSON{}, Usage: r.usage(req)})
	}
	if !r.Wire.NoDone {
		out = append(out, "data: [DONE]\n\n")
	}
	return out
}

// plain is the reply to a request that wants no stream.
func (r Reply) plain(req ChatRequest) answerJSON {
	m := messageJSON{Role: model.Assistant, Content: json.RawMessage(encode(r.Text)), ReasoningContent: r.Reasoning}
	for _, c := range r.calls(strconv.Itoa(req.Number)) {
		m.ToolCalls = append(m.ToolCalls, callJSON{ID: c.ID, Type: "function", Function: functionJSON{Name: c.Name, Arguments: c.Arguments}})
	}
	finish := r.rawFinish()
	return answerJSON{
		ID: "chatcmpl-" + strconv.Itoa(req.Number), Object: "chat.completion", Created: created, Model: req.Model,
		Choices: []choiceJSON{{Message: &m, FinishReason: &finish}}, Usage: r.usage(req),
	}
}

func (r Reply) rawFinish() string {
	if r.Wire.RawFinish != "" {
		return r.Wire.RawFinish
	}
	return string(r.finish())
}

// usage is what the reply says it cost, or an estimate.
func (r Reply) usage(req ChatRequest) *usageJSON {
	u := r.Usage
	if u == (event.Usage{}) {
		u.Input = model.EstimateTokens(model.Request{Messages: req.Messages, Tools: req.Tools})
		u.Output = 1 + model.EstimateText(r.Text) + model.EstimateText(r.Reasoning)
	}
	out := &usageJSON{PromptTokens: u.Input, CompletionTokens: u.Output, TotalTokens: u.Total()}
	out.PromptDetails.CachedTokens = u.CachedInput
	out.CompletionDetails.ReasoningTokens = u.Reasoning
	return out
}

// pieces cuts text into pieces of n characters; n below 1 means all at once.
func pieces(text string, n int) []string {
	if text == "" {
		return nil
	}
	if n < 1 {
		return []string{text}
	}
	var out []string
	var b strings.Builder
	count := 0
	for _, r := range text {
		b.WriteRune(r)
		if count++; count%n == 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("modeltest: encoding an answer: %v", err)) // the types are ours
	}
	return string(text)
}
