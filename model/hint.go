package model

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// hinted completes an error: a hint, and no key in the words.
func (a *adapter) hinted(e *Error) *Error {
	if e.Hint == "" {
		e.Hint = a.hint(e)
	}
	if key := a.endpoint.Key; key != "" {
		e.Message = strings.ReplaceAll(e.Message, key, "[key]")
	}
	return e
}

// hint says what a person can do about e.
func (a *adapter) hint(e *Error) string {
	switch e.like() {
	case ClassAuth:
		return a.keyHint(e.Status)
	case ClassNoModel:
		return a.modelHint(e)
	case ClassQuota:
		return "top up the account at the provider, or use another model"
	case ClassContextOverflow:
		return "the conversation is too long for this model; use one with a larger context window"
	case ClassContentFilter:
		return "the provider's content filter stopped it; word the task otherwise, or use another model"
	case ClassTransport:
		return a.transportHint(e.Err)
	case ClassStalled:
		return "raise the model's timeout, or use a faster model"
	}
	switch {
	case e.Status == http.StatusRequestEntityTooLarge:
		return "the request is too large for " + a.address.Host + " or a proxy before it; give the agents smaller pieces"
	case errors.Is(e.Err, errForeign):
		return "the base URL " + a.shown() + " may be wrong, or a proxy or a login page answers in its place"
	case errors.Is(e.Err, errLongReply), errors.Is(e.Err, repair.ErrTooLong):
		return "the model does not come to an end; set max_output_tokens, or use another model"
	case e.Class == ClassEmptyResponse:
		return a.address.Host + " answers without a word; troupe models probe asks it what works"
	case e.Retryable:
		return "try " + a.address.Host + " again later, or name a fallback for the model in the team file"
	}
	return a.address.Host + " refused the request; troupe models probe asks it what works"
}

// keyHint is about a key that is missing or refused.
func (a *adapter) keyHint(status int) string {
	env := a.endpoint.KeyEnv
	if p, ok := FindProvider(a.endpoint.Provider); ok && env == "" {
		env = p.KeyEnv
	}
	switch {
	case env == "":
		return "the endpoint wants another key; name its variable with api_key_env in the team file"
	case a.endpoint.Key == "":
		return "set " + env
	case status == http.StatusForbidden:
		return "the key in " + env + " may not use this model, or a proxy before " + a.address.Host + " refuses the request"
	}
	return "check the key in " + env
}

// modelHint is about a model that the endpoint does not have, or an address
// that is no endpoint.
func (a *adapter) modelHint(e *Error) string {
	name := a.endpoint.Model
	if e.Status/100 == 3 {
		return "check the base URL " + a.shown() + "; a login page or a proxy may stand before it"
	}
	if containsAny(strings.ToLower(e.Message), schemeWords) {
		return "the server speaks https; write https in the base URL " + a.shown()
	}
	if !saysNoModel(strings.ToLower(e.Message)) && !containsAny(strings.ToLower(e.Message), modelWords) {
		return fmt.Sprintf("check the base URL %s, which must end where /chat/completions begins, and the model name %q", a.shown(), name)
	}
	switch p, _ := FindProvider(a.endpoint.Provider); {
	case p.Name == providerOllama:
		return fmt.Sprintf("ollama pull %s, or take one that is there: troupe models list", name)
	case p.Local:
		return fmt.Sprintf("check the model name %q; troupe models list shows what the server has", name)
	}
	return fmt.Sprintf("check the model name %q at the provider; troupe models list shows keys, local servers and the team's models", name)
}

// shown is the address for people.
func (a *adapter) shown() string { return redacted(a.address) }

func (a *adapter) transportHint(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		if !isLoopback(a.address.Hostname()) {
			return "nothing listens at " + a.address.Host + "; check the base URL"
		}
		if p, ok := FindProvider(a.endpoint.Provider); ok && p.start != "" {
			return "start the server, e.g. " + p.start
		}
		return "start the server at " + a.address.Host
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "check the host name in the base URL " + a.shown() + ", and the network"
	}
	if isUntrusted(err) {
		return "the server's certificate is not trusted; a proxy between may have replaced it"
	}
	if isPlain(err) {
		return "the server does not speak https; try http in the base URL " + a.shown()
	}
	return "check the network and the base URL " + a.shown()
}

// isPlain reports whether a server that was to speak TLS does not.
func isPlain(err error) bool {
	_, ok := errors.AsType[tls.RecordHeaderError](err)
	return ok || errors.Is(err, http.ErrSchemeMismatch)
}

// isUntrusted reports whether the server's certificate is not good for it.
func isUntrusted(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
