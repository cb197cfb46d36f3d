package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"

	"google.golang.org/genai"

	"google.golang.org/adk/v2/model"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

// chatModel is ADK's model interface over Chat Completions, stream and non-stream.
type chatModel struct {
	hc  *http.Client
	url string
}

func newChatModel(c kit.Config) *chatModel {
	hc := c.Client()
	if hc == nil {
		hc = &http.Client{}
	}
	return &chatModel{hc: hc, url: c.BaseURL + "/chat/completions"}
}

func (m *chatModel) Name() string { return "mock" }

type wireMsg struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	Index    int    `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  any    `json:"parameters,omitempty"`
	} `json:"function"`
}

type wireReq struct {
	Model    string     `json:"model"`
	Messages []wireMsg  `json:"messages"`
	Tools    []wireTool `json:"tools,omitempty"`
	Stream   bool       `json:"stream,omitempty"`
}

func (m *chatModel) GenerateContent(ctx context.Context, req *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		body, err := json.Marshal(toWire(req, stream))
		if err != nil {
			yield(nil, err)
			return
		}
		hr, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
		if err != nil {
			yield(nil, err)
			return
		}
		hr.Header.Set("Content-Type", "application/json")
		hr.Header.Set("Authorization", "Bearer none")
		resp, err := m.hc.Do(hr)
		if err != nil {
			yield(nil, err)
			return
		}
		defer resp.Body.Close()
		if resp.StatusCode != 200 {
			b, _ := io.ReadAll(resp.Body)
			yield(nil, fmt.Errorf("%s: %s", resp.Status, b))
			return
		}
		var msg wireMsg
		if stream {
			ok, err := readStream(resp.Body, &msg, func(text string) bool {
				return yield(&model.LLMResponse{
					Partial: true,
					Content: genai.NewContentFromText(text, genai.RoleModel),
				}, nil)
			})
			if err != nil {
				yield(nil, err)
				return
			}
			if !ok {
				return
			}
		} else {
			var out struct {
				Choices []struct {
					Message wireMsg `json:"message"`
				} `json:"choices"`
			}
			b, err := io.ReadAll(resp.Body)
			if err == nil {
				err = json.Unmarshal(b, &out)
			}
			if err == nil && len(out.Choices) != 1 {
				err = fmt.Errorf("%d choices", len(out.Choices))
			}
			if err != nil {
				yield(nil, err)
				return
			}
			msg = out.Choices[0].Message
		}
		c := &genai.Content{Role: genai.RoleModel}
		if msg.Content != "" {
			c.Parts = append(c.Parts, &genai.Part{Text: msg.Content})
		}
		for _, tc := range msg.ToolCalls {
			var args map[string]any
			if err := json.Unmarshal([]byte(tc.Function.Arguments), &args); err != nil {
				yield(nil, err)
				return
			}
			c.Parts = append(c.Parts, &genai.Part{FunctionCall: &genai.FunctionCall{ID: tc.ID, Name: tc.Function.Name, Args: args}})
		}
		yield(&model.LLMResponse{Content: c, TurnComplete: true, FinishReason: genai.FinishReasonStop}, nil)
	}
}

func toWire(req *model.LLMRequest, stream bool) *wireReq {
	w := &wireReq{Model: "mock", Stream: stream}
	if cfg := req.Config; cfg != nil {
		if s := cfg.SystemInstruction; s != nil {
			text := ""
			for _, p := range s.Parts {
				text += p.Text
			}
			w.Messages = append(w.Messages, wireMsg{Role: "system", Content: text})
		}
		for _, t := range cfg.Tools {
			for _, d := range t.FunctionDeclarations {
				wt := wireTool{Type: "function"}
				wt.Function.Name, wt.Function.Description = d.Name, d.Description
				if d.ParametersJsonSchema != nil {
					wt.Function.Parameters = d.ParametersJsonSchema
				} else if d.Parameters != nil {
					wt.Function.Parameters = d.Parameters
				}
				w.Tools = append(w.Tools, wt)
			}
		}
	}
	for _, c := range req.Contents {
		role := "user"
		if c.Role == genai.RoleModel {
			role = "assistant"
		}
		msg := wireMsg{Role: role}
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				args, _ := json.Marshal(p.FunctionCall.Args)
				tc := wireCall{ID: p.FunctionCall.ID, Type: "function"}
				tc.Function.Name, tc.Function.Arguments = p.FunctionCall.Name, string(args)
				msg.ToolCalls = append(msg.ToolCalls, tc)
			case p.FunctionResponse != nil:
				res, _ := json.Marshal(p.FunctionResponse.Response)
				w.Messages = append(w.Messages, wireMsg{Role: "tool", ToolCallID: p.FunctionResponse.ID, Content: string(res)})
			default:
				msg.Content += p.Text
			}
		}
		if msg.Content != "" || len(msg.ToolCalls) > 0 {
			w.Messages = append(w.Messages, msg)
		}
	}
	return w
}

func readStream(r io.Reader, msg *wireMsg, partial func(string) bool) (bool, error) {
	br := bufio.NewReader(r)
	var text []byte
	for {
		line, err := br.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return true, err
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			_, _ = io.Copy(io.Discard, br)
			break
		}
		var ch struct {
			Choices []struct {
				Delta wireMsg `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(data, &ch); err != nil {
			return true, err
		}
		for _, c := range ch.Choices {
			if c.Delta.Content != "" {
				text = append(text, c.Delta.Content...)
				if !partial(c.Delta.Content) {
					return false, nil
				}
			}
			for _, tc := range c.Delta.ToolCalls {
				for len(msg.ToolCalls) <= tc.Index {
					msg.ToolCalls = append(msg.ToolCalls, wireCall{Type: "function"})
				}
				t := &msg.ToolCalls[tc.Index]
				if tc.ID != "" {
					t.ID = tc.ID
				}
				t.Function.Name += tc.Function.Name
				t.Function.Arguments += tc.Function.Arguments
			}
		}
	}
	msg.Content = string(text)
	return true, nil
}
