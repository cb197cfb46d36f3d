package leader

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
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

// Plain is the place without what may be secret in its URLs: passwords, and
// parameters whose names say so.
func (p Place) Plain() Place {
	p.Address, _ = parted(p.Address)
	p.Via, _ = parted(p.Via)
	return p
}

// secrets are what Plain leaves out, and the token.
func (p Place) secrets(env func(string) (string, bool)) []string {
	_, list := parted(p.Address)
	_, more := parted(p.Via)
	list = append(list, more...)
	if token, ok := env(p.TokenEnv); ok && p.TokenEnv != "" && token != "" {
		list = append(list, token)
	}
	return list
}

// parted is a URL without what may be secret in it, and that.
func parted(text string) (plain string, secrets []string) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text, nil
	}
	if password, has := u.User.Password(); has {
		u.User = url.User(u.User.Username())
		secrets = append(secrets, password)
	}
	query := u.Query()
	for name, values := range query {
		if namesSecret(name) {
			query.Del(name)
			secrets = append(secrets, values...)
		}
	}
	u.RawQuery = query.Encode()
	return u.String(), slices.DeleteFunc(secrets, func(s string) bool { return s == "" })
}

// namesSecret reports whether the name of a parameter says that its value is one.
func namesSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"token", "key", "secret", "pass", "auth", "sign", "cred"}, func(word string) bool {
		return strings.Contains(name, word)
	})
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
