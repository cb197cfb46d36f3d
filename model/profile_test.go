package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// sentBody asks an endpoint that is changed by change, and returns the body
// that it got.
func sentBody(t *testing.T, change func(*model.Endpoint), req model.Request) map[string]json.RawMessage {
	t.Helper()
	// the server of modeltest refuses what some profiles send
	var body []byte
	e := model.Endpoint{Model: "m", BaseURL: "http://models.test/v1", Transport: answering(&body)}
	change(&e)
	if got := modeltest.Collect(newOpenAI(t, e).Stream(t.Context(), req)); got.Err != nil {
		t.Fatal(got.Err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return fields
}

func TestProfileFields(t *testing.T) {
	warm := 0.5
	tools := []model.Tool{{Name: "stat"}}
	tests := []struct {
		name    string
		profile model.Profile
		extra   map[string]any
		tools   []model.Tool
		want    map[string]string // empty means absent
	}{
		{"usual", model.Profile{}, nil, nil, map[string]string{"temperature": "0.5", "max_tokens": "9", "stream_options": `{"include_usage":true}`, "options": ""}},
		{"limit", model.Profile{MaxTokensField: "max_output"}, nil, nil, map[string]string{"max_output": "9", "max_tokens": ""}},
		{"temperature", model.Profile{NoTemperature: true}, map[string]any{"temperature": 1}, nil, map[string]string{"temperature": ""}},
		{"usage", model.Profile{NoStreamUsage: true}, nil, nil, map[string]string{"stream_options": ""}},
		{"context size", model.Profile{NumCtx: 8192}, nil, nil, map[string]string{"options": `{"num_ctx":8192}`}},
		{"parallel", model.Profile{}, map[string]any{"parallel_tool_calls": false}, tools, map[string]string{"parallel_tool_calls": "false"}},
		{"parallel without tools", model.Profile{}, map[string]any{"parallel_tool_calls": false}, nil, map[string]string{"parallel_tool_calls": ""}},
		{"no parallel", model.Profile{NoParallelToolCalls: true}, map[string]any{"parallel_tool_calls": false}, tools, map[string]string{"parallel_tool_calls": ""}},
		{"required", model.Profile{}, map[string]any{"tool_choice": "required"}, tools, map[string]string{"tool_choice": `"required"`, "messages": `[{"role":"user","content":"hi"}]`}},
		{"required without tools", model.Profile{}, map[string]any{"tool_choice": "required"}, nil, map[string]string{"tool_choice": ""}},
		{
			"not required",
			model.Profile{NoRequiredToolChoice: true},
			map[string]any{"tool_choice": "required"},
			tools,
			map[string]string{"tool_choice": `"auto"`, "messages": `[{"role":"system","content":"Answer this request by calling one of the tools."},{"role":"user","content":"hi"}]`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sentBody(t, func(e *model.Endpoint) {
				e.Profile, e.Extra, e.Temperature, e.MaxOutputTokens = tt.profile, tt.extra, &warm, 9
			}, model.Request{Messages: []model.Message{{Role: model.User, Content: "hi"}}, Tools: tt.tools})
			for name, want := range tt.want {
				if text := string(got[name]); text != want {
					t.Errorf("field %s is %s, want %s", name, text, want)
				}
			}
		})
	}
}

func TestProfileConversation(t *testing.T) {
	call := event.Call{ID: "c", Name: "stat", Arguments: `{"a":1,`}
	conversation := []model.Message{
		{Role: model.System, Content: "s1"},
		{Role: model.User, Content: "u1"},
		{Role: model.User, Content: "u2"},
		{Role: model.Assistant, Reasoning: "r1", Calls: []event.Call{call}},
		{Role: model.ToolRole, CallID: "c", Content: "t"},
		{Role: model.User, Content: "u3"},
		{Role: model.Assistant, Reasoning: "r2", Calls: []event.Call{{ID: "d", Name: "stat"}}},
		{Role: model.ToolRole, CallID: "d", Content: "t"},
		{Role: model.System, Content: "s2"},
	}
	const (
		first   = `"tool_calls":[{"id":"c","type":"function","function":{"name":"stat","arguments":"{\"invalid_arguments\":\"{\\\"a\\\":1,\"}"}}]`
		second  = `"tool_calls":[{"id":"d","type":"function","function":{"name":"stat","arguments":"{}"}}]`
		results = `{"role":"tool","content":"t","tool_call_id":"c"}`
		tail    = `{"role":"tool","content":"t","tool_call_id":"d"},{"role":"system","content":"s2"}]`
		head    = `[{"role":"system","content":"s1"},{"role":"user","content":"u1"},{"role":"user","content":"u2"},`
	)
	tests := []struct {
		name    string
		profile model.Profile
		want    string
	}{
		{"usual", model.Profile{}, head + `{"role":"assistant","content":null,` + first + `},` + results + `,{"role":"user","content":"u3"},{"role":"assistant","content":null,` + second + `},` + tail},
		{"empty content", model.Profile{ContentWithCalls: model.ContentEmpty}, head + `{"role":"assistant","content":"",` + first + `},` + results + `,{"role":"user","content":"u3"},{"role":"assistant","content":"",` + second + `},` + tail},
		{"no content", model.Profile{ContentWithCalls: model.ContentOmit}, head + `{"role":"assistant",` + first + `},` + results + `,{"role":"user","content":"u3"},{"role":"assistant",` + second + `},` + tail},
		{"reasoning in the loop", model.Profile{EchoReasoning: model.EchoToolLoop}, head + `{"role":"assistant","content":null,` + first + `},` + results + `,{"role":"user","content":"u3"},{"role":"assistant","content":null,` + second + `,"reasoning_content":"r2"},` + tail},
		{"reasoning always", model.Profile{EchoReasoning: model.EchoAlways}, head + `{"role":"assistant","content":null,` + first + `,"reasoning_content":"r1"},` + results + `,{"role":"user","content":"u3"},{"role":"assistant","content":null,` + second + `,"reasoning_content":"r2"},` + tail},
		{"one system", model.Profile{SingleSystem: true, MergeSameRole: true}, `[{"role":"system","content":"s1\n\ns2"},{"role":"user","content":"u1\n\nu2"},{"role":"assistant","content":null,` + first + `},` + results + `,{"role":"user","content":"u3"},{"role":"assistant","content":null,` + second + `},{"role":"tool","content":"t","tool_call_id":"d"}]`},
		{"between", model.Profile{AssistantBetweenToolAndUser: true}, head + `{"role":"assistant","content":null,` + first + `},` + results + `,{"role":"assistant","content":"…"},{"role":"user","content":"u3"},{"role":"assistant","content":null,` + second + `},` + tail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sentBody(t, func(e *model.Endpoint) { e.Profile = tt.profile }, model.Request{Messages: conversation})
			if diff := cmp.Diff(tt.want, string(got["messages"])); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
	if conversation[0].Content != "s1" || conversation[1].Content != "u1" {
		t.Error("the conversation of the caller was changed")
	}
}

// TestOneCallAtATime: an endpoint that takes one call in a message gets several
// as a sequence, each with its result, and nothing is lost of them.
func TestOneCallAtATime(t *testing.T) {
	conversation := []model.Message{
		{Role: model.User, Content: "u"},
		{Role: model.Assistant, Content: "both", Calls: []event.Call{{ID: "a", Name: "x", Arguments: "{}"}, {ID: "b", Name: "y", Arguments: "{}"}}},
		{Role: model.ToolRole, CallID: "a", Content: "1"},
		{Role: model.ToolRole, CallID: "b", Content: "2"},
		{Role: model.User, Content: "v"},
		{Role: model.Assistant, Calls: []event.Call{{ID: "c", Name: "x", Arguments: "{}"}}},
		{Role: model.ToolRole, CallID: "c", Content: "3"},
	}
	call := func(content, id, name string) string {
		return `{"role":"assistant","content":` + content + `,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":"{}"}}]}`
	}
	result := func(id, content string) string {
		return `{"role":"tool","content":"` + content + `","tool_call_id":"` + id + `"}`
	}
	want := `[{"role":"user","content":"u"},` + call(`"both"`, "a", "x") + "," + result("a", "1") + "," + call("null", "b", "y") + "," + result("b", "2") +
		`,{"role":"user","content":"v"},` + call("null", "c", "x") + "," + result("c", "3") + "]"
	got := sentBody(t, func(e *model.Endpoint) { e.Profile = model.Profile{SingleCall: true} }, model.Request{Messages: conversation})
	if diff := cmp.Diff(want, string(got["messages"])); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if len(conversation[1].Calls) != 2 {
		t.Error("the conversation of the caller was changed")
	}
}

func TestSchemaDialects(t *testing.T) {
	const schema = `{"$schema":"x","type":"object","properties":{"a":{"$ref":"#/$defs/name","description":"d"},"b":{"type":"integer","exclusiveMinimum":0},"c":{"const":1},"l":{"type":"array","items":{"type":"string","format":"uri"}}},"required":["a"],"additionalProperties":false,"$defs":{"name":{"type":"string","enum":["x"]}}}`
	tests := []struct {
		dialect     model.Dialect
		given, want string
	}{
		{model.DialectFull, schema, schema},
		{model.DialectFull, ``, `{"type":"object","properties":{}}`},
		{model.DialectFull, `{"type":"object"}`, `{"properties":{},"type":"object"}`},
		{model.DialectFull, `{}`, `{"properties":{},"type":"object"}`},
		{
			model.DialectBasic, schema,
			`{"properties":{"a":{"description":"d","enum":["x"],"type":"string"},"b":{"type":"integer"},"c":{"enum":[1]},"l":{"items":{"type":"string"},"type":"array"}},"required":["a"],"type":"object"}`,
		},
		{
			model.DialectStrict, schema,
			`{"additionalProperties":false,"properties":{"a":{"description":"d","enum":["x"],"type":"string"},"b":{"type":["integer","null"]},"c":{"anyOf":[{"enum":[1]},{"type":"null"}]},"l":{"items":{"type":"string"},"type":["array","null"]}},"required":["a","b","c","l"],"type":"object"}`,
		},
		{model.DialectBasic, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"properties":{"a":{"type":"object"}},"type":"object"}`},
	}
	for _, tt := range tests {
		got := sentBody(t, func(e *model.Endpoint) { e.Profile.SchemaDialect = tt.dialect }, model.Request{
			Messages: []model.Message{{Role: model.User, Content: "hi"}}, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(tt.given)}},
		})
		want := `[{"function":{"name":"f","parameters":` + tt.want + `},"type":"function"}]`
		if diff := cmp.Diff(want, string(got["tools"])); diff != "" {
			t.Errorf("dialect %q of %s (-want +got):\n%s", tt.dialect, tt.given, diff)
		}
	}
}

// TestWhatComesBackGoesOutAgain keeps a reply as an agent does and sends it to
// the endpoint that made it, and to another.
func TestWhatComesBackGoesOutAgain(t *testing.T) {
	stream := sse(
		choice(`"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":0}],"extra_content":{"google":{"thought_signature":"m"}}}`),
		called(`{"id":"c1","extra_content":{"google":{"thought_signature":"<s>"}},"function":{"name":"list_agents","arguments":"{}"}}`), forCall, done)
	p := model.Profile{EchoReasoning: model.EchoAlways}
	got := askBody(t, p, quirkTools(), 200, nil, deliveries["whole"]([]byte(stream)))
	if got.Err != nil || got.Extra == "" || len(got.Calls) != 1 {
		t.Fatalf("got %+v, want one call and an extra", got)
	}
	conversation := []model.Message{
		{Role: model.User, Content: "go on"},
		{Role: model.Assistant, Reasoning: got.Reasoning, Calls: got.Calls, Extra: got.Extra},
		{Role: model.ToolRole, CallID: "c1", Content: "none"},
	}
	const own = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"},"extra_content":{"google":{"thought_signature":"<s>"}}}],` +
		`"reasoning":"hm","reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":0}],"extra_content":{"google":{"thought_signature":"m"}}}`
	const other = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"list_agents","arguments":"{}"}}],"reasoning_content":"hm"}`
	for name, want := range map[string]string{"m": own, "another": other} {
		sent := sentBody(t, func(e *model.Endpoint) { e.Model, e.Profile = name, p }, model.Request{Messages: conversation})
		var messages []json.RawMessage
		if err := json.Unmarshal(sent["messages"], &messages); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(messages[1])); diff != "" {
			t.Errorf("message to model %s (-want +got):\n%s", name, diff)
		}
	}
}
