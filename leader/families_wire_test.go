package leader_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// object is a piece of JSON.
type object = map[string]any

// sse writes chunks as a stream with its end.
func sse(chunks ...object) string {
	var b strings.Builder
	for _, c := range chunks {
		text, err := json.Marshal(c)
		if err != nil {
			panic(err) // all is made of texts and numbers
		}
		fmt.Fprintf(&b, "data: %s\n\n", text)
	}
	return b.String() + "data: [DONE]\n\n"
}

// delta is a chunk with one choice; an empty finish is null.
func delta(d object, finish string) object {
	choice := object{"index": 0, "delta": d, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	return object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "test-model", "choices": []any{choice}}
}

// finish is the reason that keeps to the protocol.
func finish(r modeltest.Reply) string {
	if len(r.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

// callParts are the calls as most endpoints send them: a head with id and
// name, then the arguments in two pieces.
func callParts(r modeltest.Reply, id func(i int) string) []object {
	var out []object
	for i, c := range r.Calls {
		half := len(c.Arguments) / 2
		for at, piece := range []string{"", c.Arguments[:half], c.Arguments[half:]} {
			part := object{"index": i, "function": object{"arguments": piece}}
			if at == 0 {
				part = object{"index": i, "id": id(i), "type": "function", "function": object{"name": c.Name, "arguments": ""}}
			}
			out = append(out, delta(object{"tool_calls": []any{part}}, ""))
		}
	}
	return out
}

func usage() object {
	return object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
}

// missesReasoning refuses a tool loop without the reasoning of its calls.
func missesReasoning(req modeltest.ChatRequest) string {
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(req.Fields["messages"], &messages); err != nil {
		return err.Error()
	}
	from := 0
	for i, m := range req.Messages {
		if m.Role == model.User {
			from = i
		}
	}
	for i, m := range req.Messages {
		if i > from && len(m.Calls) > 0 && (messages[i]["reasoning_content"] == nil || m.Reasoning != thought) {
			return "The `reasoning_content` in the thinking mode must be passed back to the API."
		}
	}
	return ""
}

const thought = "First things first."

func deepseekBody(req modeltest.ChatRequest, r modeltest.Reply) string {
	chunks := []object{delta(object{"role": "assistant", "content": nil, "reasoning_content": ""}, "")}
	for _, piece := range strings.SplitAfter(thought, " ") {
		chunks = append(chunks, delta(object{"content": nil, "reasoning_content": piece}, ""))
	}
	chunks = append(chunks, delta(object{"content": r.Text, "reasoning_content": nil}, ""))
	chunks = append(chunks, callParts(r, func(i int) string { return fmt.Sprintf("call_%02d_%d", i, req.Number) })...)
	last := delta(object{"content": "", "reasoning_content": nil}, finish(r))
	last["usage"] = usage()
	return ": keep-alive\n\n" + sse(append(chunks, last)...)
}

// notAlternating refuses two user messages in a row.
func notAlternating(req modeltest.ChatRequest) string {
	for i, m := range req.Messages[1:] {
		if m.Role == model.User && req.Messages[i].Role == model.User {
			return "Invalid request: conversation roles must alternate user/assistant/user/assistant"
		}
	}
	return ""
}

// moonshotBody names calls by tool and place, so that ids come again in every
// turn, and has the usage inside the last choice.
func moonshotBody(_ modeltest.ChatRequest, r modeltest.Reply) string {
	chunks := []object{delta(object{"role": "assistant", "content": ""}, ""), delta(object{"content": r.Text}, "")}
	chunks = append(chunks, callParts(r, func(i int) string { return fmt.Sprintf("%s:%d", r.Calls[i].Name, i) })...)
	last := delta(object{}, finish(r))
	last["choices"].([]any)[0].(object)["usage"] = usage()
	return sse(append(chunks, last)...)
}

// nullContent refuses a null, which templates of local models cannot print.
func nullContent(req modeltest.ChatRequest) string {
	var messages []map[string]json.RawMessage
	if err := json.Unmarshal(req.Fields["messages"], &messages); err != nil {
		return err.Error()
	}
	for _, m := range messages {
		if string(m["content"]) == "null" {
			return "invalid message content type: <nil>"
		}
	}
	return ""
}

// ollamaBody sends whole calls, all with index 0, without ids or with empty
// ones after the first, ends with stop, and counts nothing.
func ollamaBody(req modeltest.ChatRequest, r modeltest.Reply) string {
	chunks := []object{delta(object{"role": "assistant", "content": r.Text}, "")}
	for i, c := range r.Calls {
		call := object{"index": 0, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}}
		if req.Number%2 == 0 {
			call["id"] = ""
			if i == 0 {
				call["id"] = fmt.Sprintf("call_%d", req.Number)
			}
		}
		chunks = append(chunks, delta(object{"role": "assistant", "content": "", "tool_calls": []any{call}}, ""))
	}
	return sse(append(chunks, delta(object{"role": "assistant", "content": ""}, "stop"))...)
}

// oldAzure wants its own header for the key and does not know stream_options.
func oldAzure(req modeltest.ChatRequest) string {
	switch {
	case req.Header.Get("Api-Key") != modeltest.TestKey:
		return "Access denied due to invalid subscription key."
	case req.Fields["stream_options"] != nil:
		return "Unrecognized request argument supplied: stream_options"
	}
	return ""
}

// azureBody begins with what the filter says of the prompt and has what it
// says of the text in every chunk and in chunks of its own.
func azureBody(req modeltest.ChatRequest, r modeltest.Reply) string {
	safe := object{"hate": object{"filtered": false, "severity": "safe"}, "violence": object{"filtered": false, "severity": "safe"}}
	chunks := []object{
		{"choices": []any{}, "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": []any{object{"prompt_index": 0, "content_filter_results": safe}}},
		delta(object{"role": "assistant", "content": nil, "refusal": nil}, ""),
		delta(object{"content": r.Text}, ""),
	}
	chunks = append(chunks, callParts(r, func(i int) string { return fmt.Sprintf("call_%d_%d", req.Number, i) })...)
	chunks = append(chunks, delta(object{}, finish(r)))
	for _, c := range chunks[1:] {
		c["choices"].([]any)[0].(object)["content_filter_results"] = safe
	}
	offsets := object{"index": 0, "finish_reason": nil, "content_filter_results": safe, "content_filter_offsets": object{"check_offset": 1, "start_offset": 1, "end_offset": 2}}
	return sse(append(chunks, object{"id": "", "object": "", "model": "", "choices": []any{offsets}})...)
}

func vllmBody(req modeltest.ChatRequest, r modeltest.Reply) string {
	chunks := []object{delta(object{"role": "assistant", "content": ""}, "")}
	for _, piece := range strings.SplitAfter(thought, " ") {
		chunks = append(chunks, delta(object{"reasoning": piece}, ""))
	}
	if r.Text != "" {
		chunks = append(chunks, delta(object{"content": r.Text}, ""))
	}
	chunks = append(chunks, callParts(r, func(i int) string { return fmt.Sprintf("chatcmpl-tool-%d-%d", req.Number, i) })...)
	last := delta(object{"content": ""}, finish(r))
	last["choices"].([]any)[0].(object)["stop_reason"] = nil
	return sse(append(chunks, last, object{"choices": []any{}, "usage": usage()})...)
}

// breaksOnce puts an error into the stream of the second reply, which is good
// when it is asked for again.
func breaksOnce(body func(modeltest.ChatRequest, modeltest.Reply) string) func(modeltest.ChatRequest, modeltest.Reply) string {
	var broke atomic.Bool
	return func(req modeltest.ChatRequest, r modeltest.Reply) string {
		if req.Reply() > 1 && broke.CompareAndSwap(false, true) {
			failure := object{"object": "error", "message": "EngineCore encountered an issue.", "type": "InternalServerError", "code": 500}
			return sse(delta(object{"role": "assistant", "content": ""}, ""), object{"error": failure})
		}
		return body(req, r)
	}
}
