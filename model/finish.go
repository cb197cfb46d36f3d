package model

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// finishWords maps what providers say to the closed set.
var finishWords = map[string]event.Finish{
	"stop":          event.FinishStop,
	"end_turn":      event.FinishStop,
	"eos":           event.FinishStop,
	"eos_token":     event.FinishStop,
	"stop_sequence": event.FinishStop,

	"tool_calls":    event.FinishToolCalls,
	"tool_use":      event.FinishToolCalls,
	"function_call": event.FinishToolCalls,

	"length":       event.FinishLength,
	"max_tokens":   event.FinishLength,
	"model_length": event.FinishLength,

	"content_filter": event.FinishContentFilter,
	"safety":         event.FinishContentFilter,
	"sensitive":      event.FinishContentFilter,

	"error":                        event.FinishError,
	"network_error":                event.FinishError,
	"insufficient_system_resource": event.FinishError,
}

// finishOf maps the provider's finish reason; kept is the provider's word when
// it is another than ours.
func finishOf(raw string) (f event.Finish, kept string) {
	f, ok := finishWords[strings.ToLower(raw)]
	if !ok {
		f = event.FinishUnknown
	}
	if raw == string(f) {
		return f, ""
	}
	return f, raw
}
