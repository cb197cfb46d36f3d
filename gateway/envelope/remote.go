package envelope

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/appendjson"
	"github.com/troupe-go/troupe/prompts"
)

// RemoteOptions say where a [Remote] is and how to speak there.
type RemoteOptions struct {
	// URL is the address that takes messages; required. In its query, dialect=NAME
	// is the dialect that is spoken there, as for a [Door].
	URL string
	// Token is sent as a bearer token; empty for none.
	Token string
	// Sender and Receiver are the names in the messages. Empty ones are asked of the
	// other end, if it is a [Door]; else the sender is "troupe" and the receiver the
	// role of the agent that works there.
	Sender, Receiver string
	// Dialects are those of mapping files, beside the built-in ones.
	Dialects []Dialect
	// Wait is how long a request asks the other end to wait for the result; 0 means
	// 30 seconds.
	Wait time.Duration
	// Patience is how long the other end may be out of reach; 0 means 5 minutes.
	Patience time.Duration
	// Words speak to agents.
	Words prompts.Words
	// Now is the clock; nil means time.Now.
	Now    func() time.Time
	Logger zerolog.Logger
}

// Remote is an agent that is reached by envelopes over HTTP, at a [Door] or at a
// server of another framework. It keeps nothing that a restart could lose, and is
// safe for concurrent use.
type Remote struct {
	opts    RemoteOptions
	url     *url.URL
	dialect Dialect
	client  *http.Client

	mu    sync.Mutex // guards about
	about *description
}

// NewRemote checks the options. Nothing is asked of the other end yet.
func NewRemote(o RemoteOptions) (*Remote, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("envelope: remote: the address is no URL such as https://host/envelope")
	}
	o.Wait, o.Patience = cmp.Or(o.Wait, 30*time.Second), cmp.Or(o.Patience, 5*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Remote{opts: o, url: u, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a message is for one address
	}}
	builtIn, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	all, name := slices.Concat(builtIn, o.Dialects), cmp.Or(u.Query().Get("dialect"), Native)
	i := slices.IndexFunc(all, func(d Dialect) bool { return d.name == name })
	if i < 0 {
		return nil, fmt.Errorf("envelope: remote: there is no dialect %q", name)
	}
	r.dialect = all[i]
	return r, nil
}

// Step tells the agent something and yields one [event.ModelReplied], with what it
// says at the end, or with a call of ask_master for what it asks. When ctx ends it
// only listens no more.
func (r *Remote) Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		began := r.opts.Now()
		replied, err := r.step(ctx, s)
		if err != nil {
			yield(nil, err)
			return
		}
		replied.DurationMS = r.opts.Now().Sub(began).Milliseconds()
		yield(replied, nil)
	}
}

// Cancel stops the work on a task, at a [Door]; others have no word for that. A
// task that has ended, or that nobody knows, is no error.
func (r *Remote) Cancel(ctx context.Context, s event.RemoteStep, _ string) error {
	w, err := r.who(ctx, s)
	if err != nil {
		return err
	}
	if !w.isDoor {
		return failed("unsupported", event.Failure{Who: "client", Message: "the agent works on: envelopes have no word to stop it"})
	}
	_, err = r.ask(ctx, query{method: http.MethodDelete, url: r.at(w.ticket(s)), repeats: true})
	if isStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// parties are who speaks to whom.
type parties struct {
	sender, receiver string
	isDoor           bool
}

// who finds the names for the messages of a step.
func (r *Remote) who(ctx context.Context, s event.RemoteStep) (parties, error) {
	about, err := r.learn(ctx)
	if err != nil {
		return parties{}, err
	}
	return parties{
		sender:   cmp.Or(r.opts.Sender, about.You, "troupe"),
		receiver: cmp.Or(r.opts.Receiver, about.Team, s.Role, "team"),
		isDoor:   about.Proto != "",
	}, nil
}

// learn asks the other end once what it is; one that does not say is no door.
func (r *Remote) learn(ctx context.Context) (description, error) {
	r.mu.Lock()
	known := r.about
	r.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	var about description
	got, err := r.ask(ctx, query{method: http.MethodGet, url: r.url.String(), repeats: true})
	if refused, ok := errors.AsType[*remoteError](err); err != nil && (!ok || !refused.foreign()) {
		return about, err
	}
	if err != nil || json.Unmarshal(got.body, &about) != nil || about.Team == "" {
		about = description{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.about = &about
	return about, nil
}

// thread is the conversation with an agent.
func thread(s event.RemoteStep) string { return s.Run + "/" + s.Agent }

// ticket names the task of a step at a door.
func (w parties) ticket(s event.RemoteStep) ticket {
	return ticket{Sender: w.sender, Receiver: w.receiver, MsgID: s.Task, Session: thread(s)}
}

// at is the address of a ticket.
func (r *Remote) at(t ticket) string { return r.url.JoinPath(t.String()).String() }

// step hands over what the agent is told and waits for what it says.
func (r *Remote) step(ctx context.Context, s event.RemoteStep) (event.ModelReplied, error) {
	w, err := r.who(ctx, s)
	if err != nil {
		return event.ModelReplied{}, err
	}
	var got answered
	if s.Answers() && w.isDoor {
		got, err = r.answer(ctx, w, s)
	} else {
		got, err = r.post(ctx, w, s, "")
	}
	if err != nil {
		return event.ModelReplied{}, err
	}
	return r.hear(ctx, w, s, got)
}

// answer brings the answer to the question that the task waits for. One that waits
// for none has had it, before a restart.
func (r *Remote) answer(ctx context.Context, w parties, s event.RemoteStep) (answered, error) {
	ticket := query{method: http.MethodGet, url: r.at(w.ticket(s)), repeats: true}
	got, err := r.ask(ctx, ticket)
	if err != nil {
		return got, err
	}
	asked := got.pending().Waits
	if asked == nil || asked.Approval {
		return got, nil
	}
	got, err = r.post(ctx, w, s, asked.ID)
	if isStatus(err, http.StatusConflict) {
		return r.ask(ctx, ticket) // somebody was faster
	}
	return got, err
}

// post sends the message of a step.
func (r *Remote) post(ctx context.Context, w parties, s event.RemoteStep, question string) (answered, error) {
	text, _, err := r.dialect.Write(r.message(w, s, question))
	if err != nil {
		return answered{}, failed("dialect", event.Failure{Who: "client", Message: fmt.Sprintf("the dialect %s has no form for a task: %v", r.dialect.name, err)})
	}
	return r.ask(ctx, query{
		method: http.MethodPost, url: r.url.String(), body: text, id: s.ID, wait: r.opts.Wait,
		repeats: w.isDoor || r.dialect.name == Native || r.dialect.maps(fieldMsgID),
	})
}

// message is the envelope of a step. A dialect gets the text alone, and no metadata
// but what it has a place for: others may not bear what they do not know.
func (r *Remote) message(w parties, s event.RemoteStep, question string) Envelope {
	e := Envelope{
		MsgID: s.ID, Sender: w.sender, Receiver: w.receiver, Type: Task, TS: Stamp(r.opts.Now()), Payload: appendjson.String(nil, s.Text),
		Metadata: map[string]json.RawMessage{},
	}
	meta := maps.Clone(s.Metadata)
	if meta == nil {
		meta = map[string]string{}
	}
	meta[metaSession] = thread(s)
	if question != "" {
		meta[metaQuestion] = question
	}
	if s.TraceID != "" {
		meta["trace_id"] = s.TraceID
	}
	if r.dialect.name == Native || !r.dialect.maps(fieldPayload) || r.dialect.within(fieldPayload) {
		e.Payload = object(fields{taskID: appendjson.String(nil, s.Task), "detail": appendjson.String(nil, s.Text)})
	}
	for name, text := range meta {
		if r.dialect.name == Native || w.isDoor || r.dialect.has(fieldMetadata, name) {
			e.Metadata[name] = appendjson.String(nil, text)
		}
	}
	return e
}
