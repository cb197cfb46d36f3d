package model

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Spec names a model and its settings, as a team file has them.
type Spec struct {
	// Provider and Model as [ParseRef] returns them.
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// BaseURL replaces the provider's address.
	BaseURL string `json:"base_url,omitempty"`
	// KeyEnv replaces the provider's variable of the key.
	KeyEnv string `json:"api_key_env,omitempty"`
	// Temperature, MaxOutputTokens, Timeout, Stall, Extra, Profile, Transport
	// and MaxConns are those of [Endpoint].
	Temperature     *float64          `json:"temperature,omitempty"`
	MaxOutputTokens int               `json:"max_output_tokens,omitempty"`
	Timeout         time.Duration     `json:"timeout,omitempty"`
	Stall           time.Duration     `json:"stall,omitempty"`
	Extra           map[string]any    `json:"extra,omitempty"`
	Profile         Profile           `json:"profile,omitzero"`
	Transport       http.RoundTripper `json:"-"`
	MaxConns        int               `json:"max_conns,omitempty"`
	// File is where the script of a scripted model is; empty means the file
	// that Model names.
	File string `json:"file,omitempty"`
}

// IsScriptFile reports whether the spec names a script that is read from a
// file.
func (s Spec) IsScriptFile() bool { return s.Provider == providerScripted && s.Model != surveyModel }

// Info says what a [Spec] resolved to.
type Info struct {
	// Ref is provider and model with a slash between.
	Ref string
	// BaseURL is the address, without user and password; empty for a script.
	BaseURL string
	// KeyEnv is the variable that the key came from; empty if there is none.
	KeyEnv string
	// Key is its value, for masking it in the log; it must not be shown.
	Key string
	// Local says that the server runs on a loopback address.
	Local bool
	// Scripted says that no real model answers.
	Scripted bool
}

// KeyError says that a model cannot be used because its key is missing.
type KeyError struct {
	// Ref is the model, provider and name.
	Ref string
	// Env is the variable that is not set or empty.
	Env string
}

// Error names the model, the variable, and the ways out.
func (e *KeyError) Error() string {
	return fmt.Sprintf("model: %s needs a key: %s is not set", e.Ref, e.Env)
}

// Hint says what a person can do.
func (e *KeyError) Hint() string {
	return fmt.Sprintf("set %s (in the environment, or in .env beside the team file), name another variable with api_key_env, "+
		"or use a local model, for example ollama/qwen3:8b", e.Env)
}

// Open returns a client for the model that spec names: one that learns what
// its endpoint refuses ([NewAdaptive]), or a player of its script. It makes no
// connection. Retries and limits are for the caller to add.
func Open(spec Spec, lookup func(string) (string, bool)) (Client, Info, error) {
	if spec.Provider == providerScripted {
		return openScript(spec)
	}
	e, info, err := Resolve(spec, lookup)
	if err != nil {
		return nil, Info{}, err
	}
	c, err := NewAdaptive(e)
	if err != nil {
		return nil, Info{}, err
	}
	return c, info, nil
}

func openScript(spec Spec) (Client, Info, error) {
	if spec.Model == surveyModel {
		return Survey(SurveyOptions{Pace: surveyPace}), Info{Ref: providerScripted + "/" + surveyModel, Scripted: true}, nil
	}
	text, err := os.ReadFile(cmp.Or(spec.File, spec.Model))
	if err != nil {
		return nil, Info{}, scriptError(spec.Model, err)
	}
	s, err := ParseScript(spec.Model, text)
	if err != nil {
		return nil, Info{}, err
	}
	return NewScripted(s), Info{Ref: providerScripted + "/" + spec.Model, Scripted: true}, nil
}

// Resolve finds address and key of the model that spec names. lookup reads the
// environment, as [os.LookupEnv] does. A missing key is a [*KeyError].
func Resolve(spec Spec, lookup func(string) (string, bool)) (Endpoint, Info, error) {
	p, ok := FindProvider(spec.Provider)
	switch {
	case !ok:
		return Endpoint{}, Info{}, unknownProvider(spec.Provider)
	case spec.Model == "":
		return Endpoint{}, Info{}, fmt.Errorf("model: provider %s without a model; write %s/MODEL", p.Name, p.Name)
	case p.Name == providerScripted:
		return Endpoint{}, Info{}, errors.New("model: a scripted model has no endpoint")
	}
	ref := p.Name + "/" + spec.Model
	base := baseURL(p, spec.BaseURL, lookup)
	if base == "" {
		return Endpoint{}, Info{}, fmt.Errorf("model: %s needs an address; set base_url%s", ref, orVariable(p.urlEnv))
	}
	address, err := parseBaseURL(base)
	if err != nil {
		return Endpoint{}, Info{}, fmt.Errorf("%w (for %s)", err, ref)
	}
	info := Info{Ref: ref, BaseURL: redacted(address), Local: isLoopback(address.Hostname())}
	keyEnv := p.KeyEnv
	if spec.KeyEnv != "" {
		keyEnv = spec.KeyEnv
	}
	if keyEnv != "" {
		info.Key = get(lookup, keyEnv)
		if info.Key == "" {
			return Endpoint{}, Info{}, &KeyError{Ref: ref, Env: keyEnv}
		}
		info.KeyEnv = keyEnv
	} else if p.Name == providerCompatible && spec.BaseURL == "" { // the address is OPENAI_BASE_URL, and this is its key
		if info.Key = get(lookup, openAIKey); info.Key != "" {
			info.KeyEnv = openAIKey
		}
	}
	return Endpoint{
		Provider: p.Name, Model: spec.Model, BaseURL: base, Key: info.Key, KeyEnv: info.KeyEnv,
		Temperature: spec.Temperature, MaxOutputTokens: spec.MaxOutputTokens, Timeout: spec.Timeout,
		Stall: spec.Stall, Extra: spec.Extra, Profile: spec.Profile, Transport: spec.Transport, MaxConns: spec.MaxConns,
	}, info, nil
}

// openAIKey is the variable of the key that goes with OPENAI_BASE_URL.
const openAIKey = "OPENAI_API_KEY"

func orVariable(name string) string {
	if name == "" {
		return ""
	}
	return " or " + name
}

func redacted(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery = nil, ""
	return shown.String()
}

func get(lookup func(string) (string, bool), name string) string {
	value, _ := lookup(name)
	return strings.TrimSpace(value)
}

// baseURL is the address from the settings, the environment or the provider,
// in this order.
func baseURL(p Provider, set string, lookup func(string) (string, bool)) string {
	if set != "" {
		return set
	}
	if p.Name == providerOllama {
		if host := get(lookup, "OLLAMA_HOST"); host != "" {
			return ollamaURL(host)
		}
	}
	if p.urlEnv != "" {
		if value := get(lookup, p.urlEnv); value != "" {
			return value
		}
	}
	return p.BaseURL
}

// ollamaURL reads OLLAMA_HOST as Ollama does: a host, a port, both, or an
// address. A server's listening address of all interfaces is reached on the
// loopback one.
func ollamaURL(host string) string {
	scheme, rest, ok := strings.Cut(host, "://")
	port := "11434"
	switch {
	case !ok:
		scheme, rest = "http", host
	case scheme == "https":
		port = "443"
	case scheme == "http":
		port = "80"
	}
	rest, path, _ := strings.Cut(strings.TrimRight(rest, "/"), "/")
	name, p, err := net.SplitHostPort(rest)
	if err != nil {
		name = strings.Trim(rest, "[]")
	} else if p != "" {
		port = p
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	if path != "" {
		path = "/" + path
	}
	return scheme + "://" + net.JoinHostPort(name, port) + path + "/v1"
}
