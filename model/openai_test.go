package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/freeport"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func say(text string) func(modeltest.ChatRequest) modeltest.Reply {
	return func(modeltest.ChatRequest) modeltest.Reply { return modeltest.Reply{Text: text} }
}

func newOpenAI(t testing.TB, e model.Endpoint) model.Client {
	t.Helper()
	c, err := model.NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(t testing.TB, c model.Client, messages ...model.Message) modeltest.Got {
	t.Helper()
	return modeltest.Collect(c.Stream(t.Context(), model.Request{Messages: messages}))
}

func asError(t testing.TB, err error) *model.Error {
	t.Helper()
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		t.Fatalf("error %v of type %T, want a *model.Error", err, err)
	}
	return e
}

func TestRequestAsTheEndpointSeesIt(t *testing.T) {
	s := modeltest.NewServer(t, say("ok"))
	e := s.Endpoint()
	zero := 0.0
	e.Temperature = &zero
	e.MaxOutputTokens = 99
	e.Extra = map[string]any{"enable_thinking": false, "chat_template_kwargs": map[string]any{"a": 1}}
	conversation := []model.Message{
		{Role: model.System, Content: "You <design> pages."},
		{Role: model.User, Content: "来自 User 的消息"},
		{Role: model.Assistant, Reasoning: "secret thoughts", Calls: []event.Call{{ID: "c1", Name: "list_dir", Arguments: `{"path":"."}`}, {ID: "c2", Name: "stat", Arguments: "{}"}}},
		{Role: model.ToolRole, CallID: "c1", ToolName: "list_dir", Content: ""},
		{Role: model.ToolRole, CallID: "c2", ToolName: "stat", Content: "no such file", IsError: true},
		{Role: model.Assistant, Content: ""},
		{Role: model.User, Content: "go on"},
	}
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	got := modeltest.Collect(newOpenAI(t, e).Stream(t.Context(), model.Request{
		Messages: conversation, Tools: []model.Tool{{Name: "list_dir", Description: "List.", Schema: schema}, {Name: "stat"}}, MaxOutputTokens: 7,
	}))
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	req := s.Exchanges()[0].Request
	conversation[2].Reasoning = ""
	for i := range conversation {
		conversation[i].ToolName, conversation[i].IsError = "", false
	}
	if diff := cmp.Diff(conversation, req.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	wantTools := []model.Tool{{Name: "list_dir", Description: "List.", Schema: schema}, {Name: "stat", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}}
	if diff := cmp.Diff(wantTools, req.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	for field, want := range map[string]string{
		"model": `"test-model"`, "stream": "true", "temperature": "0", "max_tokens": "7",
		"enable_thinking": "false", "chat_template_kwargs": `{"a":1}`, "stream_options": `{"include_usage":true}`,
	} {
		if text := string(req.Fields[field]); text != want {
			t.Errorf("field %s is %s, want %s", field, text, want)
		}
	}
	var raw struct{ Messages []map[string]json.RawMessage }
	if err := json.Unmarshal(req.Body, &raw); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]string{2: "null", 3: `""`, 5: `""`} {
		if text := string(raw.Messages[i]["content"]); text != want {
			t.Errorf("content of message %d is %s, want %s", i, text, want)
		}
	}
	if auth := req.Header.Get("Authorization"); auth != "Bearer "+modeltest.TestKey {
		t.Errorf("Authorization %q, want the key as bearer token", auth)
	}
}

func TestOutputLimitByProvider(t *testing.T) {
	tests := []struct{ provider, model, field string }{
		{"openai", "gpt-5-mini", "max_completion_tokens"},
		{"deepseek", "deepseek-chat", "max_tokens"},
		{"openai-compatible", "o3-clone", "max_tokens"},
	}
	for _, tt := range tests {
		s := modeltest.NewServer(t, say("ok"))
		e := s.Endpoint()
		e.Provider, e.Model, e.MaxOutputTokens = tt.provider, tt.model, 64
		if got := ask(t, newOpenAI(t, e)); got.Err != nil {
			t.Fatalf("%s: %v", tt.model, got.Err)
		}
		if text := string(s.Exchanges()[0].Request.Fields[tt.field]); text != "64" {
			t.Errorf("%s: field %s is %q, want 64", tt.model, tt.field, text)
		}
	}
}

func TestAzureAddresses(t *testing.T) {
	tests := []struct{ base, want string }{
		{"https://house.openai.azure.com", "https://house.openai.azure.com/openai/deployments/gpt-4.1/chat/completions?api-version=2024-10-21"},
		{"https://house.openai.azure.com/openai/v1/", "https://house.openai.azure.com/openai/v1/chat/completions"},
	}
	for _, tt := range tests {
		var seen *http.Request
		c := newOpenAI(t, model.Endpoint{
			Provider: "azure", Model: "gpt-4.1", BaseURL: tt.base, Key: "azure-key",
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				seen = r
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("data: [DONE]\n"))}, nil
			}),
		})
		ask(t, c)
		if got := seen.URL.String(); got != tt.want {
			t.Errorf("address %s, want %s", got, tt.want)
		}
		if seen.Header.Get("api-key") != "azure-key" || seen.Header.Get("Authorization") != "" {
			t.Errorf("headers %v, want the key in api-key only", seen.Header)
		}
	}
}

func TestMissingUsageIsEstimated(t *testing.T) {
	s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Text: "四个汉字", Reasoning: "hmmm", Wire: modeltest.Wire{NoUsage: true}}
	})
	got := ask(t, s.Client(), model.Message{Role: model.User, Content: "12345678"})
	want := event.Usage{Input: 6, Output: 5, Reasoning: 1, Estimated: true}
	if got.Usage == nil || *got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

func TestFinishReasons(t *testing.T) {
	tests := []struct {
		raw    string
		want   event.Finish
		kept   string
		failed string
	}{
		{"stop", event.FinishStop, "", ""},
		{"end_turn", event.FinishStop, "end_turn", ""},
		{"EOS", event.FinishStop, "EOS", ""},
		{"function_call", event.FinishToolCalls, "function_call", ""},
		{"max_tokens", event.FinishLength, "max_tokens", ""},
		{"sensitive", event.FinishContentFilter, "sensitive", ""},
		{"tired", event.FinishUnknown, "tired", ""},
		{"network_error", event.FinishError, "network_error", model.ClassProviderError},
		{"insufficient_system_resource", event.FinishError, "insufficient_system_resource", model.ClassOverloaded},
	}
	for _, tt := range tests {
		t.Run(tt.raw, func(t *testing.T) {
			s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
				return modeltest.Reply{Text: "hm", Wire: modeltest.Wire{RawFinish: tt.raw}}
			})
			got := ask(t, s.Client())
			if got.Finish != tt.want || got.RawFinish != tt.kept {
				t.Errorf("finish %q, raw %q, want %q and %q", got.Finish, got.RawFinish, tt.want, tt.kept)
			}
			if tt.failed == "" && got.Err != nil {
				t.Errorf("error %v, want none", got.Err)
			}
			if tt.failed != "" {
				if e := asError(t, got.Err); e.Class != tt.failed || e.Partial != "hm" {
					t.Errorf("error %+v, want class %s with the partial text", e, tt.failed)
				}
			}
		})
	}
}

func TestBrokenConnection(t *testing.T) {
	s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Text: "half of the text", Wire: modeltest.Wire{Chunk: 4, CutAfter: 700}}
	})
	got := ask(t, s.Client())
	e := asError(t, got.Err)
	if e.Class != model.ClassTruncatedStream || e.Partial == "" || e.Partial != got.Text || !e.Retryable {
		t.Errorf("error %+v after text %q, want truncated_stream with the text", e, got.Text)
	}
	if got.Usage == nil || !got.Usage.Estimated {
		t.Errorf("usage %+v, want an estimate of what the broken reply cost", got.Usage)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		class  string
		says   string
		hint   string
	}{
		{"bad key", 401, `{"error":{"message":"Incorrect API key provided: sk-test-0123456789"}}`, model.ClassAuth, "[key]", "check the key in HOUSE_KEY"},
		{"no right", 403, `{"message":"model not allowed"}`, model.ClassAuth, "model not allowed", "HOUSE_KEY"},
		{"no money", 402, `{"error":{"message":"Insufficient Balance"}}`, model.ClassQuota, "Insufficient Balance", "top up"},
		{"quota as 429", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, model.ClassQuota, "quota", "top up"},
		{"rate", 429, `{"error":"slow down"}`, model.ClassRateLimited, "slow down", ""},
		{"overloaded as 429", 429, `{"error":{"message":"busy","type":"engine_overloaded_error"}}`, model.ClassOverloaded, "busy", ""},
		{"overloaded", 529, `{"detail":"try later"}`, model.ClassOverloaded, "try later", ""},
		{"unavailable", 503, ``, model.ClassOverloaded, "Service Unavailable", ""},
		{"gateway page", 502, `<html><head><title>502 Bad Gateway</title></head></html>`, model.ClassServerError, "502 Bad Gateway", ""},
		{"context", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens"}}`, model.ClassContextOverflow, "8192", "larger context"},
		{"context as 500", 500, `{"error":{"message":"input is too long"}}`, model.ClassContextOverflow, "too long", "larger context"},
		{"filter", 400, `{"error":{"code":"data_inspection_failed","message":"inappropriate content"}}`, model.ClassContentFilter, "inappropriate", ""},
		{"no model", 404, `{"error":{"message":"no such model"}}`, model.ClassNoModel, "no such model", `"test-model"`},
		{"bad", 422, `{"error":{"message":["a","b"]}}`, model.ClassBadRequest, `["a","b"]`, ""},
		{"moved", 302, ``, model.ClassNoModel, "redirects to http://elsewhere.test/", "check the base URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
				return modeltest.Reply{Wire: modeltest.Wire{Status: tt.status, Body: tt.body, Header: http.Header{"Location": {"http://elsewhere.test/"}}}}
			})
			endpoint := s.Endpoint()
			endpoint.KeyEnv = "HOUSE_KEY"
			e := asError(t, ask(t, newOpenAI(t, endpoint)).Err)
			if e.Class != tt.class || e.Status != tt.status {
				t.Errorf("class %s with status %d, want %s with %d", e.Class, e.Status, tt.class, tt.status)
			}
			if !strings.Contains(e.Message, tt.says) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("message %q, hint %q, want %q and %q in them", e.Message, e.Hint, tt.says, tt.hint)
			}
			if strings.Contains(e.Error(), modeltest.TestKey) {
				t.Errorf("error %q holds the key", e.Error())
			}
			if f := e.Failure(); f.Code != e.Class || f.Message != e.Message || f.Retryable != e.Retryable || f.Who == "" {
				t.Errorf("failure %+v does not say what the error %+v says", f, e)
			}
		})
	}
}

func TestRetryAfterHeader(t *testing.T) {
	tests := []struct {
		header, value string
		min, max      time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second, 2 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond, 500 * time.Millisecond},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"Retry-After", "-3", 0, 0},
		{"Retry-After", "soon", 0, 0},
		{"Retry-After", "NaN", 0, 0},
		{"Retry-After", "1e300", 365 * 24 * time.Hour, 365 * 24 * time.Hour},
		{"Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 59 * time.Minute, time.Hour},
		{"Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0, 0},
	}
	for _, tt := range tests {
		got := askRecorded(t, 429, map[string]string{tt.header: tt.value}, strings.NewReader("slow down"))
		if e := asError(t, got.Err); e.RetryAfter < tt.min || e.RetryAfter > tt.max {
			t.Errorf("%s %s: wait %s, want %s to %s", tt.header, tt.value, e.RetryAfter, tt.min, tt.max)
		}
	}
}

func TestErrorInsideTheStream(t *testing.T) {
	const begin = "data: {\"choices\":[{\"delta\":{\"content\":\"so far\"}}]}\n\n"
	const inside = model.ClassProviderError
	tests := []struct {
		frame, class, like string
		retryable          bool
	}{
		{`{"error":{"message":"the engine died","type":"server_error","code":500}}`, inside, model.ClassServerError, true},
		{`{"error":{"message":"the engine died"}}`, inside, inside, true},
		{`{"error":{"message":"Rate limit reached","code":429}}`, inside, model.ClassRateLimited, true},
		{`{"error":{"message":"overloaded","type":"overloaded_error"}}`, inside, model.ClassOverloaded, true},
		{`{"error":{"message":"later","code":"503"}}`, inside, model.ClassOverloaded, true},
		{`{"error":{"message":"no such key","code":401}}`, inside, model.ClassAuth, false},
		{`{"error":"429 Too Many Requests"}`, inside, model.ClassRateLimited, true},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"maximum context length is 4096"}}}`, model.ClassContextOverflow, model.ClassContextOverflow, false},
		{`{"error":{"message":"DataInspectionFailed"}}`, model.ClassContentFilter, model.ClassContentFilter, false},
		{`{"choices":"what"}`, inside, "", true},
	}
	for _, tt := range tests {
		got := askRecorded(t, 200, nil, strings.NewReader(begin+"data: "+tt.frame+"\n\ndata: [DONE]\n\n"))
		if e := asError(t, got.Err); e.Class != tt.class || e.Like != tt.like || e.Retryable != tt.retryable || e.Partial != "so far" {
			t.Errorf("%s: error %+v, want class %s like %q with the partial text", tt.frame, e, tt.class, tt.like)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	address := freeport.Address(t)
	for provider, hint := range map[string]string{"ollama": "ollama serve", "": "start the server at " + address} {
		c := newOpenAI(t, model.Endpoint{Provider: provider, Model: "qwen3:8b", BaseURL: "http://user:pass@" + address + "/v1"})
		e := asError(t, ask(t, c).Err)
		if e.Class != model.ClassTransport || !e.Retryable || !strings.Contains(e.Hint, hint) {
			t.Errorf("error %+v, want class transport with %q in the hint", e, hint)
		}
		if strings.Contains(e.Error(), "pass@") {
			t.Errorf("error %q holds the password of the address", e.Error())
		}
	}
}

func TestKeyStaysOnItsHost(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {other.URL}}}}
	})
	if got := ask(t, s.Client()); asError(t, got.Err).Class != model.ClassNoModel || elsewhere != 0 {
		t.Errorf("error %v and %d requests elsewhere, want no_model and none", got.Err, elsewhere)
	}
}

// TestTimeouts uses a transport without sockets, so that the clock is the
// bubble's.
func TestTimeouts(t *testing.T) {
	hang := roundTrip(func(r *http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		context.AfterFunc(r.Context(), func() { pw.CloseWithError(r.Context().Err()) })
		first := strings.NewReader("data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\n")
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(io.MultiReader(first, pr))}, nil
	})
	endpoint := model.Endpoint{Model: "m", BaseURL: "http://models.test", Transport: hang, Timeout: 10 * time.Second}

	t.Run("endpoint", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got := ask(t, newOpenAI(t, endpoint))
			if e := asError(t, got.Err); e.Class != model.ClassStalled || e.Partial != "one" || !e.Retryable {
				t.Errorf("error %+v, want stalled with the partial text", e)
			}
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("took %s, want 10s", took)
			}
		})
	})
	t.Run("caller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			cause := errors.New("the run was stopped")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(3*time.Second, func() { cancel(cause) })
			began := time.Now()
			got := modeltest.Collect(newOpenAI(t, endpoint).Stream(ctx, model.Request{}))
			if !errors.Is(got.Err, context.Canceled) || !errors.Is(got.Err, cause) {
				t.Errorf("error %v, want one that is context.Canceled and its cause", got.Err)
			}
			if took := time.Since(began); took != 3*time.Second {
				t.Errorf("took %s, want 3s", took)
			}
		})
	})
}

func TestEndpointsRefused(t *testing.T) {
	tests := []struct {
		name string
		e    model.Endpoint
		want string
	}{
		{"no model", model.Endpoint{BaseURL: "http://x"}, "without a model"},
		{"no address", model.Endpoint{Model: "m"}, "without a base URL"},
		{"no scheme", model.Endpoint{Model: "m", BaseURL: "api.example.com/v1"}, "https://"},
		{"other scheme", model.Endpoint{Model: "m", BaseURL: "ftp://x"}, "https://"},
		{"timeout", model.Endpoint{Model: "m", BaseURL: "http://x", Timeout: -1}, "negative"},
		{"key", model.Endpoint{Model: "m", BaseURL: "http://x", Key: "sk-secret\nX: y"}, "control character"},
		{"extra", model.Endpoint{Model: "m", BaseURL: "http://x", Extra: map[string]any{"f": func() {}}}, "body field f"},
	}
	for _, tt := range tests {
		_, err := model.NewOpenAI(tt.e)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "model: ") {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.want)
		}
	}
	if _, err := model.NewOpenAI(model.Endpoint{Provider: "deepseek", Model: "deepseek-chat"}); err != nil {
		t.Errorf("a provider's own address: %v", err)
	}
	s := modeltest.NewServer(t, say("ok"))
	e := s.Endpoint()
	e.BaseURL += "/chat/completions"
	if got := ask(t, newOpenAI(t, e)); got.Text != "ok" {
		t.Errorf("address with the path of the call: %v", got.Err)
	}
}
