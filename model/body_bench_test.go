package model_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// BenchmarkCall is the client's own part of a call, without a network: a
// conversation with tool calls, fifteen tools, a short streamed reply.
func BenchmarkCall(b *testing.B) {
	reply := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"},\"finish_reason\":null}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	c := newOpenAI(b, model.Endpoint{
		Model: "m", BaseURL: "http://bench.test", Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			_, err := io.Copy(io.Discard, r.Body)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(reply))}, err
		}),
	})
	req := model.Request{Messages: []model.Message{
		{Role: model.System, Content: strings.Repeat("You are a worker of the team. ", 60)},
		{Role: model.User, Content: "请实现登录页，然后汇报。"},
	}}
	for _, id := range []string{"a", "b", "c"} {
		req.Messages = append(
			req.Messages,
			model.Message{Role: model.Assistant, Calls: []event.Call{{ID: id, Name: "read_file", Arguments: `{"path":"a.txt"}`}}},
			model.Message{Role: model.ToolRole, CallID: id, Content: strings.Repeat("line of a file\n", 20)},
		)
	}
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"` + strings.Repeat("text ", 50) + `"}},"required":["path"]}`)
	for i := range 15 {
		req.Tools = append(req.Tools, model.Tool{Name: "tool_" + string(rune('a'+i)), Description: strings.Repeat("What it does. ", 15), Schema: schema})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
