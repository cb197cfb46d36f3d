package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// line records one line of a session.
func (r *claude) line(l *claudeLine) {
	r.b.at(l.at)
	if l.uuid != "" {
		if r.seen[l.uuid] {
			r.b.notes.add("a line that is there twice", l.place)
			return
		}
		r.seen[l.uuid] = true
	}
	before := r.b.made()
	switch l.kind {
	case "user", "assistant":
		c := r.chain(l)
		if l.kind == "assistant" {
			r.reply(l, c)
		} else {
			r.user(l, c)
		}
		c.last = l.at
	case "system":
		r.system(l)
	case "summary", "ai-title", "custom-title":
		if title := l.rest.text("summary", "aiTitle", "customTitle", "title"); title != "" {
			r.b.warn(warnSource, "title: "+title)
		}
	case "result":
		r.streamEnd(l)
	}
	if r.b.made() == before && !l.merged {
		r.b.notes.add(l.describe(), l.place)
	}
}

// describe names the kind of a line that has no place among the records.
func (l *claudeLine) describe() string {
	kind := cmp.Or(l.kind, "no type")
	for _, name := range []string{"subtype", "operation", "attachment", "data"} {
		sub, ok := asText(l.rest[name])
		if !ok {
			sub, ok = asText(object(l.rest[name])["type"])
		}
		if ok && sub != "" {
			const most = 80
			return "a line of type " + kind + " " + strings.ToValidUTF8(sub[:min(len(sub), most)], "")
		}
	}
	return "a line of type " + kind
}

// user records a line of the person, of the program that ran the session, or
// the results of calls, all of which have the type user.
func (r *claude) user(l *claudeLine, c *chain) {
	a := c.agent
	var texts []string
	for i, block := range l.blocks {
		kind, _ := asText(block["type"])
		if kind == "tool_result" {
			r.result(a, block, fmt.Sprintf("%s block %d", l.place, i+1))
			continue
		}
		raw, err := json.Marshal(block)
		if err == nil {
			texts = append(texts, partText(&r.b.notes, raw, l.place))
		}
	}
	text := paragraphs(append(texts, l.text)...)
	switch {
	case text == "":
		return
	case string(l.rest["isCompactSummary"]) == "true":
		dropped := a.heard
		r.b.begin(a)
		a.heard = 0
		r.b.add(a.id, a.turn, event.HistoryCompacted{ID: r.b.id(event.Note, event.Runtime), Summary: text, Dropped: dropped})
		return
	case strings.HasPrefix(text, "[Request interrupted by user"):
		r.b.send(event.MessageSent{Kind: event.Note, From: event.Person, To: a.id, Content: text})
		a.unanswered = false
		r.b.end(a, event.EndStopped)
		return
	}
	if c.asked[l.parent] && l.parent != "" && len(texts)+len(l.text) > 0 {
		r.b.warn(warnSource, "the person went back to an earlier point of the conversation, at "+l.place)
	}
	c.asked[l.parent] = true
	r.b.send(r.said(l, a, text))
}

// said is the message that a text for an agent is: of the one that started it,
// of the program, or of the person.
func (r *claude) said(l *claudeLine, a *agent, text string) event.MessageSent {
	m := event.MessageSent{Kind: event.Note, From: event.Person, To: a.id, Content: text}
	switch {
	case a.parent != "" && a.turn == 0 && len(a.inbox) == 0:
		m.Kind, m.From = event.Task, a.parent
		m.CallID = a.call
	case string(l.rest["isMeta"]) == "true", a.parent != "",
		strings.HasPrefix(text, "<task-notification>"), strings.HasPrefix(text, "<system-reminder>"):
		m.From, m.FromName = event.Runtime, "Claude Code"
	}
	return m
}

// result records the result of a call.
func (r *claude) result(a *agent, block members, place string) {
	id := block.text("tool_use_id")
	d := event.ToolFinished{Result: plainText(&r.b.notes, block.take("content"), place)}
	d.IsError = string(block["is_error"]) == "true"
	r.b.result(a, id, d, place)
}

// reply records what the model said.
func (r *claude) reply(l *claudeLine, c *chain) {
	if l.merged {
		return
	}
	d := event.ModelReplied{Text: l.text}
	for i, block := range l.blocks {
		r.block(&d, block, fmt.Sprintf("%s block %d", l.place, i+1))
	}
	model := l.message.text("model")
	if string(l.rest["isApiErrorMessage"]) == "true" || model == "<synthetic>" && len(d.Calls) == 0 {
		r.failed(c.agent, d.Text)
		return
	}
	d.Model = r.b.model(c.agent, model)
	if d.Text == "" && d.Reasoning == "" && len(d.Calls) == 0 {
		return
	}
	d.Usage = claudeUsage(l.message.take("usage"))
	stop := l.message.text("stop_reason")
	d.Finish, d.RawFinish = finishOf(stop), rawFinish(stop)
	if usd := l.rest.take("costUSD"); usd != nil {
		d.Cost = dollars(usd)
	}
	if !c.last.IsZero() {
		d.DurationMS = l.at.Sub(c.last).Milliseconds()
	}
	r.b.reply(c.agent, d)
}

// block adds a block of a reply to it.
func (r *claude) block(d *event.ModelReplied, block members, place string) {
	switch kind := block.text("type"); kind {
	case "text":
		d.Text = paragraphs(d.Text, block.text("text"))
	case "thinking":
		d.Reasoning = paragraphs(d.Reasoning, block.text("thinking"))
	case "redacted_thinking":
		d.Reasoning = paragraphs(d.Reasoning, placeholder("redacted thinking", ""))
	case "tool_use", "mcp_tool_use":
		d.Calls = append(d.Calls, event.Call{
			ID: block.text("id"), Name: cmp.Or(block.text("name"), "unknown"), Arguments: compactJSON(block.take("input")),
		})
	case "server_tool_use":
		d.Text = paragraphs(d.Text, placeholder("call on the server", block.text("name")+" "+compactJSON(block.take("input"))))
	default:
		d.Text = paragraphs(d.Text, placeholder(cmp.Or(kind, "no type"), ""))
		r.b.notes.add(fmt.Sprintf("a block of type %q", kind), place)
	}
}

// failed records a reply that the program made up because the model failed.
func (r *claude) failed(a *agent, text string) {
	r.b.begin(a)
	a.step++
	a.unanswered = false
	f := event.Failure{Code: "api_error", Who: "server", Message: text}
	r.b.add(a.id, a.turn, event.ModelFailed{Step: a.step, Failure: f})
	a.last = text
	r.b.end(a, event.EndFailed)
}

// system records what the program told the person. The boundary of a summary
// and the like have no text of their own.
func (r *claude) system(l *claudeLine) {
	text := plainText(&r.b.notes, l.rest.take("content"), l.place)
	if m := object(l.rest["error"]); text == "" && m != nil {
		text = compactJSON(l.rest.take("error"))
	}
	if text == "" {
		return
	}
	sub := l.rest.text("subtype")
	r.b.warn(warnSource, strings.TrimSpace(sub+": "+text))
}

// streamEnd reads the last line of a session that was streamed.
func (r *claude) streamEnd(l *claudeLine) {
	if usd := l.rest.take("total_cost_usd"); usd != nil {
		r.b.cost = dollars(usd)
	}
	text := l.rest.text("subtype")
	if string(l.rest["is_error"]) == "true" {
		text += ": " + l.rest.text("result")
	}
	r.b.warn(warnSource, "result: "+text)
}

// dollars reads an amount; nil for none.
func dollars(raw json.RawMessage) *event.Cost {
	var usd float64
	if json.Unmarshal(raw, &usd) != nil || usd < 0 {
		return nil
	}
	return &event.Cost{Currency: "USD", Amount: usd}
}

// claudeUsage reads the tokens of a reply. Those that went into the cache or
// came from it are not among the input there.
func claudeUsage(raw json.RawMessage) event.Usage {
	var u struct {
		Input    int `json:"input_tokens"`
		Output   int `json:"output_tokens"`
		Cached   int `json:"cache_read_input_tokens"`
		IntoIt   int `json:"cache_creation_input_tokens"`
		Thinking int `json:"thinking_tokens"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return event.Usage{}
	}
	return event.Usage{
		Input:       max(0, u.Input) + max(0, u.Cached) + max(0, u.IntoIt),
		CachedInput: max(0, u.Cached), Output: max(0, u.Output), Reasoning: max(0, u.Thinking),
	}
}
