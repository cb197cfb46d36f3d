package model

import (
	"net/http"
	"slices"
	"strings"
)

// classOf finds the class by the words first, because providers use few
// statuses for many things, then by the status.
func classOf(status int, words, codes string) string {
	said := strings.ToLower(codes + " " + words)
	switch {
	case status == http.StatusUnauthorized:
		return ClassAuth
	case containsAny(said, modelWords), containsAny(said, schemeWords), saysNoModel(said):
		return ClassNoModel
	case status == http.StatusPaymentRequired, containsAny(said, quotaWords):
		return ClassQuota
	case containsAny(said, keyWords):
		return ClassAuth
	case containsAny(said, overloadWords):
		return ClassOverloaded
	case status == http.StatusTooManyRequests:
		return ClassRateLimited
	case containsAny(said, contextWords):
		return ClassContextOverflow
	case containsAny(said, filterWords):
		return ClassContentFilter
	}
	return classOfStatus(status)
}

func classOfStatus(status int) string {
	switch {
	case status == http.StatusForbidden:
		return ClassAuth
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusGone, status/100 == 3:
		return ClassNoModel
	case status == http.StatusServiceUnavailable, status == statusOverloaded:
		return ClassOverloaded
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return ClassServerError
	case status == 0:
		return ClassProviderError
	default:
		return ClassBadRequest
	}
}

// Words in which providers say what their status does not.
var (
	quotaWords    = []string{"insufficient_quota", "insufficient balance", "exceeded_current_quota", "exceeded your current quota", "arrearage", "accountoverdue", "billing_hard_limit"}
	keyWords      = []string{"invalid_api_key", "incorrect api key", "invalid api key", "api_key_invalid", "api key not valid", "authentication_error"}
	overloadWords = []string{"overloaded", "engine_overloaded", "server is busy", "insufficient_system_resource"}
	contextWords  = []string{
		"context_length_exceeded", "context length", "context window", "context size", "exceed_context_size",
		"maximum context", "prompt is too long", "input is too long", "range of input length", "reduce the length of the messages",
	}
	filterWords = []string{"content_filter", "content management policy", "data_inspection_failed", "datainspectionfailed", "sensitivecontent", "content_policy", "content exists risk"}
)

// modelWords are how providers say that they have no such model, beside those
// of saysNoModel.
var modelWords = []string{
	"model_not_found", "modelnotfound", "not found the model", "not a valid model", "invalid model identifier", "no endpoints found for",
	"deploymentnotfound", "deployment for this resource does not exist", "invalidendpointormodel", "modelnotopen",
	"not activated the model", "does not have access to model", "try pulling it first", "模型不存在",
}

// schemeWords are how servers that speak TLS answer those who do not.
var schemeWords = []string{"http request to an https server", "http request was sent to https port"}

// saysNoModel finds what most say: that a model, with or without its name, does
// not exist. said is in small letters.
func saysNoModel(said string) bool {
	for {
		_, rest, ok := strings.Cut(said, "model")
		if !ok {
			return false
		}
		said = rest
		rest = strings.TrimPrefix(rest, " or endpoint")
		_, behind, _ := strings.Cut(strings.TrimLeft(rest, " :"), " ")
		for _, text := range []string{rest, behind} {
			text = strings.TrimLeft(text, " ")
			for _, phrase := range []string{"does not exist", "not exist", "not found", "is not found", "was not found"} {
				if strings.HasPrefix(text, phrase) {
					return true
				}
			}
		}
	}
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
