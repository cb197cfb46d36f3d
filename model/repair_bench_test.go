package model_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"github.com/troupe-go/troupe/model"
)

// benchStreams are streams of two hundred chunks: such as go-openai reads
// well, and such as must be rewritten.
func benchStreams() map[string][]string {
	chunk := func(delta string) string {
		return `data: {"id":"chatcmpl-t1","object":"chat.completion.chunk","created":1790000000,"model":"test-model","system_fingerprint":"fp_1",` +
			`"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
	}
	all := map[string][]string{}
	for range 200 {
		all["clean"] = append(all["clean"], chunk(`{"content":"一些文字 and so on"}`))
		all["rewritten"] = append(all["rewritten"], chunk(`{"content":null,"reasoning":"一些文字 and so on","reasoning_details":[{"type":"reasoning.text","text":"一些文字 and so on","index":0}]}`))
	}
	for name := range all {
		all[name] = append(all[name], "data: "+stopped+"\n\n", "data: [DONE]\n\n")
	}
	return all
}

// BenchmarkStream compares a streamed call with the same call of go-openai
// alone: of the same server, and without a network, where nothing else costs
// anything.
func BenchmarkStream(b *testing.B) {
	for name, events := range benchStreams() {
		body := strings.Join(events, "")
		memory := roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
		})
		b.Run(name+"/memory/bare", func(b *testing.B) { benchBare(b, "http://models.test/v1", memory) })
		b.Run(name+"/memory/troupe", func(b *testing.B) { benchTroupe(b, "http://models.test/v1", memory) })

		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for _, e := range events {
				_, _ = io.WriteString(w, e)
				w.(http.Flusher).Flush()
			}
		}))
		network := model.NewTransport(1)
		b.Run(name+"/server/bare", func(b *testing.B) { benchBare(b, s.URL+"/v1", network) })
		b.Run(name+"/server/troupe", func(b *testing.B) { benchTroupe(b, s.URL+"/v1", network) })
		network.CloseIdleConnections()
		s.Close()
	}
}

func benchBare(b *testing.B, url string, transport http.RoundTripper) {
	b.Helper()
	config := openai.DefaultConfig("sk-bench")
	config.BaseURL, config.HTTPClient = url, &http.Client{Transport: transport}
	c := openai.NewClientWithConfig(config)
	req := openai.ChatCompletionRequest{
		Model: "m", Stream: true, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "go on"}},
	}
	b.ReportAllocs()
	for b.Loop() {
		stream, err := c.CreateChatCompletionStream(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = stream.Recv()
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
		_ = stream.Close()
	}
}

func benchTroupe(b *testing.B, url string, transport http.RoundTripper) {
	b.Helper()
	c := newOpenAI(b, model.Endpoint{Model: "m", BaseURL: url, Key: "sk-bench", Transport: transport})
	req := model.Request{Messages: []model.Message{{Role: model.User, Content: "go on"}}}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(fmt.Errorf("stream: %w", err))
			}
		}
	}
}
