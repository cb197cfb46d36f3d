package model_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func newAdaptive(t *testing.T, e model.Endpoint) *model.Adaptive {
	t.Helper()
	c, err := model.NewAdaptive(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// toolLoop is a conversation with a call without text.
func toolLoop() model.Request {
	return model.Request{
		Messages: []model.Message{
			{Role: model.User, Content: "go"},
			{Role: model.Assistant, Reasoning: "I look.", Calls: []event.Call{{ID: "c1", Name: "look", Arguments: "{}"}}},
			{Role: model.ToolRole, CallID: "c1", ToolName: "look", Content: "nothing"},
		},
		Tools:           []model.Tool{{Name: "look", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}},
		MaxOutputTokens: 100,
	}
}

// TestDowngrades has refusals as providers word them, and what is learned.
func TestDowngrades(t *testing.T) {
	temperature := 0.2
	tests := []struct {
		name     string
		endpoint model.Endpoint
		says     string
		name1    string // the switch; empty if nothing is learned
		value    string
		want     func(model.Profile) bool
	}{
		{"stream options", model.Endpoint{}, `[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]`, "no_stream_usage", "true", func(p model.Profile) bool { return p.NoStreamUsage }},
		{"max tokens", model.Endpoint{}, `Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.`, "max_tokens_field", "max_completion_tokens", func(p model.Profile) bool { return p.MaxTokensField == "max_completion_tokens" }},
		{"max completion tokens", model.Endpoint{Provider: "openai"}, `Unrecognized request argument supplied: max_completion_tokens`, "max_tokens_field", "max_tokens", func(p model.Profile) bool { return p.MaxTokensField == "max_tokens" }},
		{"too many tokens", model.Endpoint{}, `max_tokens is too large: 100. This model supports at most 50 completion tokens`, "", "", nil},
		{"temperature", model.Endpoint{Temperature: &temperature}, `Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.`, "no_temperature", "true", func(p model.Profile) bool { return p.NoTemperature }},
		{"temperature of kimi", model.Endpoint{Temperature: &temperature}, `invalid temperature: only 1 is allowed for this model`, "no_temperature", "true", func(p model.Profile) bool { return p.NoTemperature }},
		{"temperature that was not sent", model.Endpoint{}, `temperature is not supported`, "", "", nil},
		{"temperature out of range", model.Endpoint{Temperature: &temperature}, `temperature must be between 0 and 0.1 only`, "", "", nil},
		{"parallel calls", model.Endpoint{Extra: map[string]any{"parallel_tool_calls": false}}, `Invalid JSON payload received. Unknown name "parallel_tool_calls": Cannot find field.`, "no_parallel_tool_calls", "true", func(p model.Profile) bool { return p.NoParallelToolCalls }},
		{"required choice", model.Endpoint{Extra: map[string]any{"tool_choice": "required"}}, `The tool_choice parameter does not support being set to required or object in thinking mode`, "no_required_tool_choice", "true", func(p model.Profile) bool { return p.NoRequiredToolChoice }},
		{"reasoning is missed", model.Endpoint{}, "Missing `reasoning_content` field in the assistant message at message index 1", "echo_reasoning", "tool_loop", func(p model.Profile) bool { return p.EchoReasoning == model.EchoToolLoop }},
		{"more reasoning is missed", model.Endpoint{Provider: "moonshot"}, "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", "echo_reasoning", "always", func(p model.Profile) bool { return p.EchoReasoning == model.EchoAlways }},
		{"reasoning is refused", model.Endpoint{Provider: "deepseek"}, "Unknown field reasoning_content in messages[1]", "echo_reasoning", "never", func(p model.Profile) bool { return p.EchoReasoning == model.EchoNever }},
		{"thinking switch", model.Endpoint{Extra: map[string]any{"enable_thinking": true, "seed": 1}}, "The value of the enable_thinking parameter is restricted to True.", "extra.enable_thinking", "left out", func(model.Profile) bool { return true }},
		{"schema keywords", model.Endpoint{}, `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.`, "schema_dialect", "basic", func(p model.Profile) bool { return p.SchemaDialect == model.DialectBasic }},
		{"strict schema", model.Endpoint{}, `Invalid schema for function 'look': In context=(), 'additionalProperties' is required to be supplied and to be false.`, "schema_dialect", "strict", func(p model.Profile) bool { return p.SchemaDialect == model.DialectStrict }},
		{"null content", model.Endpoint{}, `Invalid value for 'content': expected a string, got null.`, "content_with_calls", "empty", func(p model.Profile) bool { return p.ContentWithCalls == model.ContentEmpty }},
		{"alternating roles", model.Endpoint{}, `Conversation roles must alternate user/assistant/user/assistant/...`, "merge_same_role", "true", func(p model.Profile) bool { return p.MergeSameRole }},
		{"user after tool", model.Endpoint{}, `Unexpected role 'user' after role 'tool'`, "assistant_between_tool_and_user", "true", func(p model.Profile) bool { return p.AssistantBetweenToolAndUser }},
		{"one system message", model.Endpoint{}, `System message must be at the beginning.`, "single_system", "true", func(p model.Profile) bool { return p.SingleSystem }},
		{"one call at a time", model.Endpoint{}, `This model only supports single tool-calls at once!`, "single_call", "true", func(p model.Profile) bool { return p.SingleCall }},
		{"something else", model.Endpoint{Extra: map[string]any{"seed": 1}}, "the seed is fine, the model is not", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply {
				if req.Number == 1 {
					body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": tt.says}})
					return modeltest.Reply{Wire: modeltest.Wire{Status: 400, Body: string(body)}}
				}
				return modeltest.Reply{Text: "ok"}
			})
			e := s.Endpoint()
			e.Provider, e.Temperature, e.Extra = tt.endpoint.Provider, tt.endpoint.Temperature, tt.endpoint.Extra
			c := newAdaptive(t, e)
			before := c.Profile()
			got := modeltest.Collect(c.Stream(t.Context(), toolLoop()))
			if tt.name1 == "" {
				if asError(t, got.Err).Status != 400 || len(got.Notices) != 0 || len(s.Exchanges()) != 1 || c.Profile() != before {
					t.Errorf("got %+v after %d requests, want the refusal after one", got, len(s.Exchanges()))
				}
				return
			}
			if got.Err != nil || got.Text != "ok" || len(s.Exchanges()) != 2 {
				t.Fatalf("got %+v after %d requests, want an answer to the second one", got, len(s.Exchanges()))
			}
			want := []event.Data{event.ModelProfile{Endpoint: family(e.Provider) + "/test-model", Switch: tt.name1, Value: tt.value, Why: tt.says}}
			if diff := cmp.Diff(want, got.Notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if !tt.want(c.Profile()) {
				t.Errorf("profile %+v after %s", c.Profile(), tt.name1)
			}
			if got := modeltest.Collect(c.Stream(t.Context(), toolLoop())); got.Err != nil || len(got.Notices) != 0 || len(s.Exchanges()) != 3 {
				t.Errorf("got %+v, want that it is remembered", got)
			}
			if field, ok := strings.CutPrefix(tt.name1, "extra."); ok {
				fields := s.Exchanges()[1].Request.Fields
				if _, there := fields[field]; there || string(fields["seed"]) != "1" {
					t.Errorf("fields %v, want all but %s", fields, field)
				}
			}
		})
	}
}

func family(provider string) string {
	if provider == "" {
		return "openai-compatible"
	}
	return provider
}

// TestDowngradesEnd: an endpoint that refuses whatever is asked is asked
// once more for each thing that can be learned, never without end.
func TestDowngradesEnd(t *testing.T) {
	const all = `Unknown stream_options, max_tokens, max_completion_tokens, parallel_tool_calls, tool_choice, reasoning_content is missing,
		seed is unsupported, temperature, must alternate, 'user' after role 'tool', system message must be first, content null, additionalProperties`
	s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Wire: modeltest.Wire{Status: 422, Body: all}}
	})
	e := s.Endpoint()
	zero := 0.0
	e.Temperature = &zero
	e.Extra = map[string]any{"seed": 1, "tool_choice": "required", "parallel_tool_calls": true}
	c := newAdaptive(t, e)
	got := modeltest.Collect(c.Stream(t.Context(), toolLoop()))
	if asError(t, got.Err).Class != model.ClassBadRequest || len(got.Notices) != 12 || len(s.Exchanges()) != 13 {
		t.Errorf("got %+v after %d requests, want one more for each of 12 things", got, len(s.Exchanges()))
	}
	seen := map[string]bool{}
	for _, n := range got.Notices {
		p := n.(event.ModelProfile)
		if seen[p.Switch] {
			t.Errorf("%s changed twice", p.Switch)
		}
		seen[p.Switch] = true
	}
	if got := modeltest.Collect(c.Stream(t.Context(), toolLoop())); got.Err == nil || len(got.Notices) != 0 {
		t.Errorf("got %+v, want the refusal at once", got)
	}
}

// TestDowngradeOfATeam: many learn the same at the same time, and it is told
// once.
func TestDowngradeOfATeam(t *testing.T) {
	const callers = 8
	var all sync.WaitGroup
	all.Add(callers)
	s := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply {
		if req.Fields["seed"] != nil {
			all.Done()
			all.Wait() // all are refused together
			return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusBadRequest, Body: `{"error": {"message": "unknown field", "param": "seed"}}`}}
		}
		return modeltest.Reply{Text: "ok"}
	})
	e := s.Endpoint()
	e.Extra = map[string]any{"seed": 1}
	c := newAdaptive(t, e)
	var wg sync.WaitGroup
	told := make([]int, callers)
	for i := range callers {
		wg.Go(func() {
			got := ask(t, c, model.Message{Role: model.User, Content: "go"})
			if got.Err != nil || got.Text != "ok" {
				t.Errorf("got %+v, want the answer", got)
			}
			told[i] = len(got.Notices)
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range told {
		sum += n
	}
	if sum != 1 {
		t.Errorf("told %d times, want once", sum)
	}
}

func TestAdaptiveClient(t *testing.T) {
	modeltest.TestClient(t, func(t *testing.T, replies ...modeltest.Reply) model.Client {
		s := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply { return replies[req.Reply()-1] })
		return newAdaptive(t, s.Endpoint())
	})
}

func TestFamilyProfiles(t *testing.T) {
	for _, p := range model.Providers() {
		if model.FamilyProfile(p.Name) == (model.Profile{}) {
			t.Errorf("%s has the zero profile, which stands for none", p.Name)
		}
	}
	if model.FamilyProfile("unheard of") != model.FamilyProfile("openai-compatible") {
		t.Error("an unknown provider is not treated as openai-compatible")
	}
}

func TestRetryAfterInTheBody(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"Rate limit reached for gpt-4. Please try again in 1m2.5s. Visit…"}}`:                       "1m2.5s",
		`{"error":{"message":"Please try again in 6ms."}}`:                                                               "6ms",
		`{"error":{"message":"Please retry after 26 seconds."}}`:                                                         "26s",
		`{"error":{"code":429,"details":[{"@type":"RetryInfo","retryDelay":"17s"}],"message":"Resource has been used"}}`: "17s",
		`{"retry_after":12,"error":"slow down"}`:                                                                         "12s",
		`{"error":{"retry_after_ms":"1500"}}`:                                                                            "1.5s",
		`{"detail":"retry after 3 more requests"}`:                                                                       "0s",
		`{"detail":"try again later"}`:                                                                                   "0s",
		`Too many requests, please wait 2 minutes.`:                                                                      "2m0s",
		`{"error":{"message":"retry with 5 models"}}`:                                                                    "0s",
		`{"retry_after":-5}`: "0s",
	} {
		got := askRecorded(t, 429, nil, strings.NewReader(body))
		if e := asError(t, got.Err); e.RetryAfter.String() != want {
			t.Errorf("%s: wait %s, want %s", body, e.RetryAfter, want)
		}
	}
	got := askRecorded(t, 429, map[string]string{"Retry-After": "2"}, strings.NewReader(`{"retry_after": 9}`))
	if e := asError(t, got.Err); e.RetryAfter.String() != "2s" {
		t.Errorf("wait %s, want that of the header", e.RetryAfter)
	}
}
