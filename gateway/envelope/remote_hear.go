package envelope

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// hear waits for the result of a step whose message was taken.
func (r *Remote) hear(ctx context.Context, w parties, s event.RemoteStep, got answered) (event.ModelReplied, error) {
	for got.status == http.StatusAccepted {
		p := got.pending()
		if p.Waits != nil && !p.Waits.Approval {
			return asks(p.Waits.Text)
		}
		at, err := r.location(w, s, got.header.Get("Location"))
		if err != nil {
			return event.ModelReplied{}, err
		}
		pause := firstPause
		if p.Status != "working" { // it does not wait for the result itself
			pause = max(pause, after(got.header))
		}
		if err := sleep(ctx, pause); err != nil {
			return event.ModelReplied{}, err
		}
		if got, err = r.ask(ctx, query{method: http.MethodGet, url: at, wait: r.opts.Wait, repeats: true}); err != nil {
			return event.ModelReplied{}, err
		}
	}
	return r.report(w, s, got)
}

// asks is a reply that asks whoever gave the task.
func asks(question string) (event.ModelReplied, error) {
	args, err := json.Marshal(map[string]string{"question": question})
	if err != nil {
		return event.ModelReplied{}, err
	}
	return event.ModelReplied{Calls: []event.Call{{Name: "ask_master", Arguments: string(args)}}, Finish: event.FinishToolCalls}, nil
}

// location is where the result will be: what the other end says, as long as it is at
// the same place, which alone is told the token.
func (r *Remote) location(w parties, s event.RemoteStep, said string) (string, error) {
	if said == "" {
		if w.isDoor {
			return r.at(w.ticket(s)), nil
		}
		return "", failed("bad_reply", event.Failure{Who: "server", Message: "the other end takes the task and does not say where the result will be"})
	}
	u, err := r.url.Parse(said)
	if err != nil || u.Scheme != r.url.Scheme || u.Host != r.url.Host {
		return "", failed("bad_reply", event.Failure{Who: "server", Message: "the other end says that the result will be somewhere else: " + plain(u, said)})
	}
	return u.String(), nil
}

// plain is an address without what may be secret in it.
func plain(u *url.URL, said string) string {
	if u == nil {
		return fmt.Sprintf("%.40q", said)
	}
	return u.Scheme + "://" + u.Host
}

// report is what the agent says at the end of its task.
func (r *Remote) report(w parties, s event.RemoteStep, got answered) (event.ModelReplied, error) {
	fill := Fill{Now: r.opts.Now, Sender: w.receiver, MsgID: func() string { return s.ID }}
	f := r.dialect.Read(got.body, fill, Options{MaxBytes: maxReply})
	switch {
	case f.Verdict == Down:
		return said(Text(f, got.body, r.opts.Words)), nil
	case f.Verdict.Refused():
		return event.ModelReplied{}, failed("bad_reply", event.Failure{
			Who: "server", Message: "the other end does not answer with an envelope: " + strings.TrimPrefix((&Error{f.Verdict, f.Faults}).Error(), "envelope: "),
			Hint: "if its fields have other names, name its dialect: …?dialect=NAME",
		})
	}
	e := f.Envelope
	if id := e.RequestID(); e.Type == Result && id != "" && id != s.ID && id != s.Task {
		return event.ModelReplied{}, failed("bad_reply", event.Failure{Who: "server", Message: fmt.Sprintf("the other end answers another request: %.40q", id)})
	}
	return r.outcome(s, e)
}

// outcome says what a result says: in the words of a door, or as it is.
func (r *Remote) outcome(s event.RemoteStep, e Envelope) (event.ModelReplied, error) {
	p := parse(e.Payload)
	text := textOf(p["text"])
	switch string(p["ok"]) {
	case "false":
		return event.ModelReplied{}, failed(cmp.Or(textOf(p["code"]), "failed"), event.Failure{
			Who: "server", Retryable: string(p["retryable"]) == "true",
			Message: cmp.Or(words(p["error"]), "the other end failed and does not say why"),
		})
	case "true":
		if !p.ofDoor() {
			break
		}
		if limit := textOf(p["limit"]); limit != "" {
			return said(r.opts.Words.LimitReport(s.Name, limit, text)), nil
		}
		return said(text), nil
	}
	return said(e.Text()), nil
}

// words are a text, or what stands in its place; empty for nothing.
func words(raw json.RawMessage) string {
	if text := textOf(raw); text != "" || len(raw) == 0 || raw[0] == '"' || raw[0] == 'n' {
		return text
	}
	return string(raw)
}

// ofDoor reports whether the payload of a result that went well says no more than a
// door does. What else another server says may be the result itself.
func (f fields) ofDoor() bool {
	for name, value := range f {
		switch name {
		case "ok", "request_id":
		case "text", "limit":
			if value[0] != '"' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// said is a reply that reports.
func said(text string) event.ModelReplied {
	return event.ModelReplied{Text: text, Finish: event.FinishStop}
}
