package model

import (
	"maps"
	"slices"
	"strings"
)

// downgrade is a switch of a profile and its new value, as the key profile of
// a team file names them; or a field of [Endpoint.Extra] that is left out.
type downgrade struct {
	name  string
	value any
}

// rule is one thing that can be learned from a refusal.
type rule struct {
	name string // of the switch
	// change changes the endpoint and returns the new value of the switch, or
	// nil if the refusal is not about it.
	change func(e *Endpoint, req Request, w refusalWords) any
}

// rules are tried in this order; the first that fits is taken.
var rules = []rule{
	{"no_stream_usage", noStreamUsage},
	{"max_tokens_field", otherMaxTokens},
	{"no_temperature", noTemperature},
	{"no_parallel_tool_calls", noParallelToolCalls},
	{"no_required_tool_choice", noRequiredToolChoice},
	{"echo_reasoning", otherEcho},
	{"assistant_between_tool_and_user", assistantBetween},
	{"merge_same_role", mergeSameRole},
	{"single_system", singleSystem},
	{"single_call", singleCall},
	{"content_with_calls", otherContent},
	{"schema_dialect", otherDialect},
}

// switched are body fields that have a switch of their own.
var switched = []string{"tool_choice", "parallel_tool_calls", "stream_options"}

// findDowngrade changes e by the first rule that fits the refusal and whose
// switch has not been changed before. If none fits, a field of e.Extra that is
// named goes.
func findDowngrade(e *Endpoint, req Request, message string, changed map[string]bool) (downgrade, bool) {
	w := refusalWords(strings.ToLower(message))
	for _, r := range rules {
		if changed[r.name] {
			continue
		}
		if value := r.change(e, req, w); value != nil {
			return downgrade{r.name, value}, true
		}
	}
	for _, field := range slices.Sorted(maps.Keys(e.Extra)) {
		if !slices.Contains(switched, field) && w.names(field) && w.has(refusing) {
			delete(e.Extra, field)
			return downgrade{extraPrefix + field, "left out"}, true
		}
	}
	return downgrade{}, false
}

func noStreamUsage(e *Endpoint, _ Request, w refusalWords) any {
	if e.Profile.NoStreamUsage || !w.names("stream_options") && !w.names("include_usage") {
		return nil
	}
	e.Profile.NoStreamUsage = true
	return true
}

func otherMaxTokens(e *Endpoint, req Request, w refusalWords) any {
	now, other := "max_tokens", "max_completion_tokens"
	if e.Profile.MaxTokensField == other {
		now, other = other, now
	}
	if req.MaxOutputTokens+e.MaxOutputTokens == 0 || !w.names(now) || !w.has(refusing) || w.has(aboutSize) {
		return nil
	}
	e.Profile.MaxTokensField = other
	return other
}

func noTemperature(e *Endpoint, _ Request, w refusalWords) any {
	if e.Temperature == nil || e.Profile.NoTemperature || !w.names("temperature") || !w.has(refusing) || w.has(aboutSize) {
		return nil
	}
	e.Profile.NoTemperature = true
	return true
}

func noParallelToolCalls(e *Endpoint, _ Request, w refusalWords) any {
	if e.Extra["parallel_tool_calls"] == nil || e.Profile.NoParallelToolCalls || !w.names("parallel_tool_calls") {
		return nil
	}
	e.Profile.NoParallelToolCalls = true
	return true
}

func noRequiredToolChoice(e *Endpoint, _ Request, w refusalWords) any {
	if e.Extra["tool_choice"] != "required" || e.Profile.NoRequiredToolChoice || !w.names("tool_choice") && !w.has([]string{"tool choice"}) {
		return nil
	}
	e.Profile.NoRequiredToolChoice = true
	return true
}

// otherEcho sends more of the reasoning back where it is missed, and none
// where it is refused.
func otherEcho(e *Endpoint, _ Request, w refusalWords) any {
	was := e.Profile.EchoReasoning
	switch {
	case !w.names("reasoning_content") && !w.names("reasoning"):
		return nil
	case w.has(missing) && was == EchoNever:
		e.Profile.EchoReasoning = EchoToolLoop
	case w.has(missing) && was == EchoToolLoop:
		e.Profile.EchoReasoning = EchoAlways
	case w.has(missing) || was == EchoNever || !w.has(refusing):
		return nil
	default:
		e.Profile.EchoReasoning = EchoNever
		return "never"
	}
	return e.Profile.EchoReasoning
}

func assistantBetween(e *Endpoint, _ Request, w refusalWords) any {
	if e.Profile.AssistantBetweenToolAndUser || !w.has([]string{"'user' after role 'tool'", "user after tool"}) {
		return nil
	}
	e.Profile.AssistantBetweenToolAndUser = true
	return true
}

func mergeSameRole(e *Endpoint, _ Request, w refusalWords) any {
	if e.Profile.MergeSameRole || !w.has([]string{"must alternate", "should alternate"}) {
		return nil
	}
	e.Profile.MergeSameRole = true
	return true
}

func singleSystem(e *Endpoint, _ Request, w refusalWords) any {
	if e.Profile.SingleSystem || !w.has([]string{"system message must be", "only one system message", "single system message"}) {
		return nil
	}
	e.Profile.SingleSystem = true
	return true
}

func singleCall(e *Endpoint, _ Request, w refusalWords) any {
	if e.Profile.SingleCall || !w.has([]string{"single tool-call", "single tool call", "one tool call at a time", "only one tool call"}) {
		return nil
	}
	e.Profile.SingleCall = true
	return true
}

// otherContent says nothing in another way beside tool calls.
func otherContent(e *Endpoint, req Request, w refusalWords) any {
	silent := slices.ContainsFunc(req.Messages, func(m Message) bool { return m.Content == "" && len(m.Calls) > 0 })
	if !silent || !w.names("content") || !w.has([]string{"null", "none", "string", "missing", "empty", "required"}) {
		return nil
	}
	switch e.Profile.ContentWithCalls {
	case ContentNull:
		e.Profile.ContentWithCalls = ContentEmpty
	case ContentEmpty:
		e.Profile.ContentWithCalls = ContentOmit
	case ContentOmit:
		e.Profile.ContentWithCalls = ContentEmpty
	}
	return e.Profile.ContentWithCalls
}

// otherDialect writes tool schemas as strictly as the endpoint demands, or as
// plainly as it can read.
func otherDialect(e *Endpoint, req Request, w refusalWords) any {
	was := e.Profile.SchemaDialect
	named := slices.ContainsFunc(schemaWords, w.names) || was == DialectStrict && w.names("strict")
	switch {
	case len(req.Tools) == 0:
		return nil
	case was != DialectStrict && w.has(strictWords):
		e.Profile.SchemaDialect = DialectStrict
	case was != DialectBasic && named && (w.has(refusing) || w.has([]string{"schema"})):
		e.Profile.SchemaDialect = DialectBasic
	default:
		return nil
	}
	return e.Profile.SchemaDialect
}
