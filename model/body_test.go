package model_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestEveryTextReachesTheEndpoint sends texts with all that JSON escapes.
func TestEveryTextReachesTheEndpoint(t *testing.T) {
	s := modeltest.NewServer(t, say("ok"))
	c := newOpenAI(t, s.Endpoint())
	texts := map[string]string{
		"plain": "plain", "quotes": `"a" \ /`, "markup": "<b>&amp;</b>", "chinese": "来自 User 的消息", "emoji": "🎭",
		"separators": "\u2028\u2029", "control": "\x00\x01\x1f\x7f\b\f\n\r\t", "replacement": "\uFFFD",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"a": text})
			if err != nil {
				t.Fatal(err)
			}
			sent := []model.Message{
				{Role: model.System, Content: text},
				{Role: model.User, Content: "from " + text + " on"},
				{Role: model.Assistant, Content: text, Calls: []event.Call{{ID: text, Name: text, Arguments: string(args)}}},
				{Role: model.ToolRole, CallID: text, Content: text},
			}
			if got := ask(t, c, sent...); got.Err != nil {
				t.Fatal(got.Err)
			}
			all := s.Exchanges()
			if diff := cmp.Diff(sent, all[len(all)-1].Request.Messages); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBytesThatAreNoTextAreReplaced(t *testing.T) {
	s := modeltest.NewServer(t, say("ok"))
	if got := ask(t, newOpenAI(t, s.Endpoint()), model.Message{Role: model.User, Content: "a\xffb\xe6\x9d"}); got.Err != nil {
		t.Fatal(got.Err)
	}
	if got, want := s.Exchanges()[0].Request.Messages[0].Content, "a\uFFFDb\uFFFD\uFFFD"; got != want {
		t.Errorf("the endpoint read %q, want %q", got, want)
	}
}

// TestFieldsGoBeforeEverything sets fields that the body has anyway.
func TestFieldsGoBeforeEverything(t *testing.T) {
	s := modeltest.NewServer(t, say("ok"))
	e := s.Endpoint()
	e.Extra = map[string]any{"model": "another", "stream_options": nil, "seed": 7}
	if got := ask(t, newOpenAI(t, e), model.Message{Role: model.User, Content: "hi"}); got.Err != nil {
		t.Fatal(got.Err)
	}
	req := s.Exchanges()[0].Request
	want := `{"messages":[{"role":"user","content":"hi"}],"stream":true,"model":"another","seed":7,"stream_options":null}`
	if got := string(req.Body); got != want {
		t.Errorf("the body is\n%s, want\n%s", got, want)
	}
}

// TestToolsAreThoseOfTheRequest changes the tools from request to request, also
// in place, and offers more lists than a client remembers.
func TestToolsAreThoseOfTheRequest(t *testing.T) {
	s := modeltest.NewServer(t, say("ok"))
	c := newOpenAI(t, s.Endpoint())
	hi := []model.Message{{Role: model.User, Content: "hi"}}
	schema := []byte(`{"type":"object","properties":{"a":{}}}`)
	for i := range 100 {
		schema[len(`{"type":"object","properties":{"`)] = byte('a' + i%26)
		tools := []model.Tool{
			{Name: fmt.Sprintf("tool_%d", i%40), Description: "Does <it>.", Schema: schema},
			{Name: "other", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		}
		if got := modeltest.Collect(c.Stream(t.Context(), model.Request{Messages: hi, Tools: tools})); got.Err != nil {
			t.Fatal(got.Err)
		}
		all := s.Exchanges()
		if diff := cmp.Diff(tools, all[len(all)-1].Request.Tools); diff != "" {
			t.Fatalf("tools of request %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestSchemaThatIsNoJSON(t *testing.T) {
	s := modeltest.NewServer(t, say("ok"))
	got := modeltest.Collect(newOpenAI(t, s.Endpoint()).Stream(t.Context(), model.Request{
		Messages: []model.Message{{Role: model.User, Content: "hi"}}, Tools: []model.Tool{{Name: "bad", Schema: json.RawMessage("{")}},
	}))
	if got.Err == nil || len(s.Exchanges()) > 0 {
		t.Errorf("got %+v and %d requests, want an error and none", got, len(s.Exchanges()))
	}
}
