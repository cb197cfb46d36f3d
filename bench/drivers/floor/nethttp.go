package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

type netHTTP struct {
	hc     *http.Client
	url    string
	stream bool
	work   json.RawMessage
}

type nhMsg struct {
	Role       string   `json:"role"`
	Content    string   `json:"content"`
	ToolCalls  []nhCall `json:"tool_calls,omitempty"`
	ToolCallID string   `json:"tool_call_id,omitempty"`
}

type nhCall struct {
	Index    int    `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type nhConv struct {
	Model    string          `json:"model"`
	Messages []nhMsg         `json:"messages"`
	Tools    json.RawMessage `json:"tools"`
	Stream   bool            `json:"stream,omitempty"`
}

func newNetHTTP(c kit.Config) *netHTTP {
	hc := c.Client()
	if hc == nil {
		hc = &http.Client{}
	}
	return &netHTTP{hc: hc, url: c.BaseURL + "/chat/completions", stream: c.Stream, work: toolsJSON([]string{"echo"}, kit.EchoDesc, "text")}
}

func toolsJSON(names []string, desc string, args ...string) json.RawMessage {
	props, req := map[string]any{}, []string{}
	for _, a := range args {
		props[a] = map[string]string{"type": "string"}
		req = append(req, a)
	}
	params, _ := json.Marshal(map[string]any{"type": "object", "properties": props, "required": req})
	var b bytes.Buffer
	b.WriteByte('[')
	for i, n := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"function","function":{"name":%q,"description":%q,"parameters":%s}}`, n, desc, params)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func (c *netHTTP) newLeader(workers []string, args ...string) *conv {
	return &conv{msgs: &nhConv{
		Model: "mock", Stream: c.stream, Tools: toolsJSON(workers, kit.WorkerDesc, args...),
		Messages: []nhMsg{{Role: "system", Content: kit.LeaderPrompt}},
	}}
}

func (c *netHTTP) newWorker() *conv {
	return &conv{msgs: &nhConv{
		Model: "mock", Stream: c.stream, Tools: c.work,
		Messages: []nhMsg{{Role: "system", Content: kit.WorkerPrompt}},
	}}
}

func (c *netHTTP) user(cv *conv, text string) {
	m := cv.msgs.(*nhConv)
	m.Messages = append(m.Messages, nhMsg{Role: "user", Content: text})
}

func (c *netHTTP) result(cv *conv, id, text string) {
	m := cv.msgs.(*nhConv)
	m.Messages = append(m.Messages, nhMsg{Role: "tool", Content: text, ToolCallID: id})
}

func (c *netHTTP) closeIdle() { c.hc.CloseIdleConnections() }

func (c *netHTTP) chat(ctx context.Context, cv *conv) error {
	m := cv.msgs.(*nhConv)
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer none")
	resp, err := c.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		b, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s: %s", resp.Status, b)
	}
	var msg nhMsg
	if c.stream {
		err = readStream(resp.Body, &msg)
	} else {
		var out struct {
			Choices []struct {
				Message nhMsg `json:"message"`
			} `json:"choices"`
		}
		var b []byte
		if b, err = io.ReadAll(resp.Body); err == nil {
			if err = json.Unmarshal(b, &out); err == nil && len(out.Choices) == 1 {
				msg = out.Choices[0].Message
			}
		}
	}
	if err != nil {
		return err
	}
	msg.Role = "assistant"
	m.Messages = append(m.Messages, msg)
	cv.last = turn{text: msg.Content}
	for _, tc := range msg.ToolCalls {
		cv.last.calls = append(cv.last.calls, toolCall{tc.ID, tc.Function.Name, tc.Function.Arguments})
	}
	return nil
}

func readStream(r io.Reader, msg *nhMsg) error {
	br := bufio.NewReader(r)
	var text []byte
	for {
		line, err := br.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
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
				Delta nhMsg `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(data, &ch); err != nil {
			return err
		}
		for _, c := range ch.Choices {
			text = append(text, c.Delta.Content...)
			for _, tc := range c.Delta.ToolCalls {
				for len(msg.ToolCalls) <= tc.Index {
					msg.ToolCalls = append(msg.ToolCalls, nhCall{Type: "function"})
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
	return nil
}
