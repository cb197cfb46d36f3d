package main

import (
	"context"
	"errors"
	"io"

	openai "github.com/sashabaranov/go-openai"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

type goOpenAI struct {
	c      *openai.Client
	stream bool
	work   []openai.Tool
	close  func()
}

func newGoOpenAI(c kit.Config) *goOpenAI {
	cfg := openai.DefaultConfig("none")
	cfg.BaseURL = c.BaseURL
	closeIdle := func() {}
	if hc := c.Client(); hc != nil {
		cfg.HTTPClient = hc
		closeIdle = hc.CloseIdleConnections
	}
	return &goOpenAI{c: openai.NewClientWithConfig(cfg), stream: c.Stream, work: goTools([]string{"echo"}, kit.EchoDesc, "text"), close: closeIdle}
}

func goTools(names []string, desc string, args ...string) []openai.Tool {
	props := map[string]any{}
	for _, a := range args {
		props[a] = map[string]any{"type": "string"}
	}
	out := make([]openai.Tool, len(names))
	for i, n := range names {
		out[i] = openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: n, Description: desc,
			Parameters: map[string]any{"type": "object", "properties": props, "required": args},
		}}
	}
	return out
}

func (c *goOpenAI) conv(prompt string, tools []openai.Tool) *conv {
	return &conv{msgs: &openai.ChatCompletionRequest{
		Model: "mock", Tools: tools,
		Messages: []openai.ChatCompletionMessage{{Role: "system", Content: prompt}},
	}}
}

func (c *goOpenAI) newLeader(workers []string, args ...string) *conv {
	return c.conv(kit.LeaderPrompt, goTools(workers, kit.WorkerDesc, args...))
}

func (c *goOpenAI) newWorker() *conv { return c.conv(kit.WorkerPrompt, c.work) }

func (c *goOpenAI) user(cv *conv, text string) {
	m := cv.msgs.(*openai.ChatCompletionRequest)
	m.Messages = append(m.Messages, openai.ChatCompletionMessage{Role: "user", Content: text})
}

func (c *goOpenAI) result(cv *conv, id, text string) {
	m := cv.msgs.(*openai.ChatCompletionRequest)
	m.Messages = append(m.Messages, openai.ChatCompletionMessage{Role: "tool", Content: text, ToolCallID: id})
}

func (c *goOpenAI) closeIdle() { c.close() }

func (c *goOpenAI) chat(ctx context.Context, cv *conv) error {
	m := cv.msgs.(*openai.ChatCompletionRequest)
	var msg openai.ChatCompletionMessage
	if !c.stream {
		resp, err := c.c.CreateChatCompletion(ctx, *m)
		if err != nil {
			return err
		}
		msg = resp.Choices[0].Message
	} else {
		st, err := c.c.CreateChatCompletionStream(ctx, *m)
		if err != nil {
			return err
		}
		defer st.Close()
		var text []byte
		for {
			ch, err := st.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			for _, c := range ch.Choices {
				text = append(text, c.Delta.Content...)
				for _, tc := range c.Delta.ToolCalls {
					for len(msg.ToolCalls) <= *tc.Index {
						msg.ToolCalls = append(msg.ToolCalls, openai.ToolCall{Type: openai.ToolTypeFunction})
					}
					t := &msg.ToolCalls[*tc.Index]
					if tc.ID != "" {
						t.ID = tc.ID
					}
					t.Function.Name += tc.Function.Name
					t.Function.Arguments += tc.Function.Arguments
				}
			}
		}
		msg.Content = string(text)
		msg.Role = "assistant"
	}
	m.Messages = append(m.Messages, msg)
	cv.last = turn{text: msg.Content}
	for _, tc := range msg.ToolCalls {
		cv.last.calls = append(cv.last.calls, toolCall{tc.ID, tc.Function.Name, tc.Function.Arguments})
	}
	return nil
}
