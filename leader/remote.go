package leader

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// Remote is somewhere else where the workers of a role run, behind a protocol
// that knows tasks, questions and results. Its methods are safe for concurrent
// use.
type Remote interface {
	// Step tells an agent something and yields what it says; see
	// [event.RemoteStep]. Errors have the method Failure() event.Failure where
	// there is more to tell than words. When ctx ends, Step only listens no more;
	// the agent works on, and a step with the same ID hears it again.
	Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error]
	// Cancel ends the task of a step, with the reason for people. A task that has
	// ended, or that nobody knows, is no error.
	Cancel(ctx context.Context, s event.RemoteStep, reason string) error
}

// Place says where the workers of a role run. The log's header has it without
// passwords; see [Place.Plain].
type Place struct {
	// Kind is the protocol: "streams", "studio" or "envelope"; "code" for a
	// Remote that a program made.
	Kind string `json:"kind"`
	// Address is an agent type or a URL.
	Address string `json:"address"`
	// Via is the URL of the server in between; empty for the usual one or for
	// none.
	Via string `json:"via,omitempty"`
	// TokenEnv is the name of the variable that holds the token; may be empty.
	TokenEnv string `json:"token_env,omitempty"`
}

// String is the place as views show it: "streams/weather_agent".
func (p Place) String() string { return p.Kind + "/" + p.Address }

// Plain is the place without what may be secret in its URLs: passwords, and all
// behind a question mark.
func (p Place) Plain() Place {
	p.Address, p.Via = plainURL(p.Address), plainURL(p.Via)
	return p
}

func plainURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	if _, has := u.User.Password(); has {
		u.User = url.User(u.User.Username())
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// secrets are the passwords in the place's URLs, and its token.
func (p Place) secrets(env func(string) (string, bool)) []string {
	var list []string
	if token, ok := env(p.TokenEnv); ok && p.TokenEnv != "" && token != "" {
		list = append(list, token)
	}
	for _, text := range []string{p.Address, p.Via} {
		if u, err := url.Parse(text); err == nil && u.User != nil {
			if password, has := u.User.Password(); has && password != "" {
				list = append(list, password)
			}
		}
	}
	return list
}

// inCode is the kind of a place that only the program knows.
const inCode = "code"

// WithRemotes says how roles with a [Place] and without a [Remote] reach it:
// those of a team file, and those of a run that is resumed, whose places are
// [Place.Plain]. open must not wait for the other side.
func WithRemotes(open func(Place) (Remote, error)) Option {
	return func(o *options) { o.remotes = open }
}

// elsewhere reports whether the workers of the role run elsewhere.
func (r Role) elsewhere() bool { return r.Place.Kind != "" || r.Remote != nil }

// reach opens the places of roles that have none open. What is secret of them
// stays with the remotes.
func (t *Team) reach(o *options) error {
	var errs []error
	for i := range t.Roles {
		r := &t.Roles[i]
		if !r.elsewhere() {
			continue
		}
		err := r.reach(o)
		o.secrets = append(o.secrets, r.Place.secrets(o.env)...)
		r.Place = r.Place.Plain()
		if err != nil {
			errs = append(errs, fmt.Errorf("leader: role %s works elsewhere (%s): %w", r.ID, r.Place, err))
		}
	}
	return errors.Join(errs...)
}

func (r *Role) reach(o *options) (err error) {
	switch {
	case r.Remote != nil:
		return nil
	case o.remotes != nil:
		r.Remote, err = o.remotes(r.Place)
	case r.Place.Kind == inCode:
		return fmt.Errorf("%w: pass it with WithRemotes", ErrInCode)
	}
	if err == nil && r.Remote == nil {
		err = errors.New("this program does not reach it; see WithRemotes")
	}
	return err
}

// unfit names what a role lists that an agent elsewhere cannot have from here.
func (r *Role) unfit() string {
	if !r.elsewhere() {
		return ""
	}
	var list []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"tools", r.Tools != nil},
		{"a prompt", r.Prompt != ""},
		{"a working folder", r.WorkDir != ""},
		{"a model", r.Model.Client != nil || r.Model.Name != ""},
	} {
		if f.set {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, ", ")
}
