package model

import (
	"cmp"
	"fmt"
	"strings"
)

// Switch is one switch of a [Profile] by the name and the value that it has in
// a team file, under the key profile of a model.
type Switch struct {
	Name  string
	Value any // a string, a bool or an int
}

// Switches lists all switches of the profile, always in the same order.
func (p Profile) Switches() []Switch {
	return []Switch{
		{"echo_reasoning", cmp.Or(string(p.EchoReasoning), "never")},
		{"reasoning_tags", cmp.Or(string(p.ReasoningTags), "off")},
		{"tool_calls_as_text", p.ToolCallsAsText},
		{"max_tokens_field", cmp.Or(p.MaxTokensField, "max_tokens")},
		{"no_temperature", p.NoTemperature},
		{"no_stream_usage", p.NoStreamUsage},
		{"no_parallel_tool_calls", p.NoParallelToolCalls},
		{"content_with_calls", cmp.Or(string(p.ContentWithCalls), "none")},
		{"merge_same_role", p.MergeSameRole},
		{"assistant_between_tool_and_user", p.AssistantBetweenToolAndUser},
		{"single_system", p.SingleSystem},
		{"single_call", p.SingleCall},
		{"schema_dialect", cmp.Or(string(p.SchemaDialect), "full")},
		{"no_required_tool_choice", p.NoRequiredToolChoice},
		{"num_ctx", p.NumCtx},
	}
}

// Over returns the switches of p that differ from those of base: what a team
// file must say to make base p.
func (p Profile) Over(base Profile) []Switch {
	var out []Switch
	was := base.Switches()
	for i, s := range p.Switches() {
		if s != was[i] {
			out = append(out, s)
		}
	}
	return out
}

// Text returns the switches of p that differ from those of base as a team file
// has them: {echo_reasoning: always}.
func (p Profile) Text(base Profile) string {
	var parts []string
	for _, s := range p.Over(base) {
		parts = append(parts, fmt.Sprintf("%s: %v", s.Name, s.Value))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// String returns the switches that are not those of an endpoint that keeps to
// the protocol, as [Profile.Text] does.
func (p Profile) String() string { return p.Text(Profile{}) }
