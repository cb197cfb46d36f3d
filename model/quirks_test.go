package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// quirk is a body that is only nearly compatible, for a line of the list of
// quirks that are known; what is beside the list counts as line 41.
type quirk struct {
	line    int
	name    string
	profile model.Profile
	body    string
	want    want
}

// writeFile is the tool on offer beside list_agents, which takes nothing.
var writeFile = model.Tool{Name: "write_file", Schema: json.RawMessage(
	`{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"},"mode":{"enum":["new","add"]}},"required":["path"],"additionalProperties":false}`)}

// sse is a stream of the payloads, without an end mark.
func sse(payloads ...string) string {
	return "data: " + strings.Join(payloads, "\n\ndata: ") + "\n\n"
}

// choice is a chunk with a choice that has these fields.
func choice(fields string) string { return `{"choices":[{"index":0,` + fields + `}]}` }

// says is a chunk with text, as JSON between quotes.
func says(text string) string { return choice(`"delta":{"content":"` + text + `"}`) }

// called is a chunk with a piece of a call.
func called(piece string) string { return choice(`"delta":{"tool_calls":[` + piece + `]}`) }

// withArgs is a chunk with a whole call of write_file, given its arguments as
// JSON.
func withArgs(args string) string {
	return called(`{"index":0,"id":"c1","function":{"name":"write_file","arguments":` + args + `}}`)
}

const (
	stopped = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	forCall = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	done    = "[DONE]"
)

// text is a message without calls.
func text(s string) want { return want{Text: s, Finish: event.FinishStop} }

// calls is a message with calls alone.
func calls(list ...event.Call) want { return want{Calls: list, Finish: event.FinishToolCalls} }

// file is a call of write_file.
func file(id, args string) event.Call {
	return event.Call{ID: id, Name: "write_file", Arguments: args}
}

func quirks() []quirk {
	return append(framingQuirks(), append(fieldQuirks(), callQuirks()...)...)
}

func framingQuirks() []quirk {
	plain := model.Profile{}
	failed := func(class, says, partial string, retryable bool) want {
		return want{Class: class, Says: []string{says}, Partial: partial, Retryable: retryable}
	}
	return []quirk{
		{1, "blank padding before JSON", plain, "\n\n \n" + `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}`, text("ok")},
		{1, "comments before, between and after", plain, ": wait\n: wait\n" + sse(says("o")) + ": PROCESSING\n\n" + sse(says("k"), stopped, done) + ": bye\n", text("ok")},
		{2, "keep-alives as data", plain, sse("", ": ping", "ping", "null", says("ok"), "{}", stopped, done), text("ok")},
		{3, "three hundred empty lines", plain, strings.Repeat("\n", 300) + sse(says("ok")) + strings.Repeat("\r\n", 600) + sse(stopped, done), text("ok")},
		{3, "last line without its end", plain, strings.TrimRight(sse(says("ok"), stopped), "\n"), text("ok")},
		{4, "bare CR", plain, strings.ReplaceAll(sse(says("ok"), stopped, done), "\n", "\r"), text("ok")},
		{4, "mixed line ends", plain, "data:" + says("o") + "\r\n\r\ndata:" + says("k") + "\r\rdata:" + stopped + "\n\ndata:[DONE]\r\n", text("ok")},
		{4, "byte-order mark", plain, "\uFEFF" + sse(says("ok"), stopped, done), text("ok")},
		{4, "no blank lines between events", plain, "data: " + says("o") + "\ndata: " + says("k") + "\ndata: " + stopped + "\ndata: [DONE]\n", text("ok")},
		{4, "several data lines, then events without blank lines", plain, "data: {\ndata: \"choices\":[{\"delta\":{\"content\":\"ok\"}}]\ndata: }\n\ndata: " + stopped + "\ndata: [DONE]\n", text("ok")},
		{5, "a line of two megabytes that needs rewriting", plain, sse(choice(`"delta":{"reasoning":"`+strings.Repeat("汉字ab", 200_000)+`","content":"ok"}`), stopped, done), want{Text: "ok", Reasoning: strings.Repeat("汉字ab", 200_000), Finish: event.FinishStop}},
		{6, "JSON with the end mark glued to it", plain, `{"choices":[{"message":{"content":"ok"},"finish_reason":"stop"}]}data: [DONE]`, text("ok")},
		{6, "JSON with a call", plain, `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"a\"}"}},{"function":{"name":"list_agents","arguments":{}}}]},"finish_reason":"tool_calls"}]}`, calls(file("c1", `{"path":"a"}`), event.Call{Name: "list_agents", Arguments: "{}"})},
		{6, "chunks as lines of JSON", plain, says("o") + "\n" + says("k") + "\n" + stopped + "\n", text("ok")},
		{6, "JSON error with status 200", plain, `{"error":{"message":"model is loading","code":503}}`, failed(model.ClassProviderError, "model is loading", "", true)},
		{6, "a page of HTML with status 200", plain, "<!doctype html><html><head><title>Welcome to the gateway</title></head></html>", failed(model.ClassServerError, "Welcome to the gateway", "", true)},
		{6, "JSON that is no reply", plain, `{"message":"maximum context length is 8192 tokens"}`, failed(model.ClassContextOverflow, "8192", "", false)},
		{6, "words of a proxy with status 200", plain, "upstream connect error or disconnect/reset before headers", failed(model.ClassServerError, "upstream connect error", "", true)},
		{7, "cut inside a call", plain, sse(says("so"), called(`{"index":0,"id":"c1","function":{"name":"write_file","arguments":"{\"path\":\"a\""}}`)), failed(model.ClassTruncatedStream, "half-way", "so", true)},
		{8, "end without end mark after a call", plain, sse(withArgs(`"{\"path\":\"a\"}"`), forCall), calls(file("c1", `{"path":"a"}`))},
		{9, "end mark without finish reason after a call", plain, sse(withArgs(`"{\"path\":\"a\"}"`), done), want{Calls: []event.Call{file("c1", `{"path":"a"}`)}, Finish: event.FinishUnknown, Warnings: []string{"no_finish_reason"}}},
		{9, "end mark after reasoning alone", plain, sse(choice(`"delta":{"reasoning_content":"hm"}`), done), failed(model.ClassTruncatedStream, "half-way", "", true)},
		{9, "end mark alone", plain, sse(done), failed(model.ClassEmptyResponse, "before anything came", "", true)},
		{11, "an error as text", plain, sse(says("so"), `{"error":"the engine died"}`, done), failed(model.ClassProviderError, "the engine died", "so", true)},
		{11, "an error field", plain, sse(says("so")) + "error: {\"code\":500,\"message\":\"slot unavailable\"}\n\n", failed(model.ClassProviderError, "slot unavailable", "so", true)},
		{11, "an event called error", plain, sse(says("so")) + "event: error\ndata: {\"message\":\"try again\",\ndata: \"code\":429}\n\n", want{Class: model.ClassProviderError, Like: model.ClassRateLimited, Says: []string{"try again"}, Partial: "so", Retryable: true}},
		{11, "an error without the form of an event", plain, sse(says("so")) + "{\n  \"error\": {\n    \"message\": \"boom\",\n    \"code\": 500\n  }\n}\n", failed(model.ClassProviderError, "boom", "so", true)},
		{11, "an error in a list", plain, sse(`[{"error":{"code":400,"message":"bad part","status":"INVALID_ARGUMENT"}}]`), failed(model.ClassProviderError, "bad part", "", false)},
		{11, "an error in the choice", plain, sse(says("so"), choice(`"error":{"code":502,"message":"upstream gone"},"finish_reason":"error"`), done), failed(model.ClassProviderError, "upstream gone", "so", true)},
		{11, "an error code and a message at the top", plain, sse(`{"code":"DataInspectionFailed","message":"Output data may contain inappropriate content.","request_id":"r"}`), failed(model.ClassContentFilter, "inappropriate", "", false)},
		{11, "an error of a base response", plain, sse(`{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`), want{Class: model.ClassProviderError, Like: model.ClassQuota, Says: []string{"insufficient balance"}}},
		{11, "words with an error", plain, sse(says("so"), "Internal error: out of memory"), failed(model.ClassProviderError, "out of memory", "so", true)},
		{11, "a broken piece in the middle", plain, sse(says("so"), `{"choices":[{"delta":{"content":"lo`, says("st"), stopped, done), failed(model.ClassProviderError, "unreadable piece", "so", true)},
	}
}

func fieldQuirks() []quirk {
	plain := model.Profile{}
	thought := func(s string) want { return want{Text: "ok", Reasoning: s, Finish: event.FinishStop} }
	counted := func(in, out int) want { return want{Text: "ok", Finish: event.FinishStop, Usage: []int{in, out}} }
	tags := model.Profile{ReasoningTags: model.TagsPaired}
	open := model.Profile{ReasoningTags: model.TagsOpen}
	return []quirk{
		{12, "choices null, and choices without delta", plain, sse(`{"choices":null}`, `{"choices":[{"index":0}]}`, says("ok"), choice(`"delta":null,"finish_reason":"stop"`), done), text("ok")},
		{13, "usage in every chunk", plain, sse(`{"choices":[{"delta":{"content":"o"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`, `{"choices":[{"delta":{"content":"k"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, done), counted(9, 2)},
		{13, "usage as zero, then real, in floats and other names", plain, sse(`{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, says("ok"), stopped, `{"choices":[],"x_groq":{"usage":{"prompt_tokens":7.0,"output_tokens":"3"}}}`, done), counted(7, 3)},
		{13, "usage in the delta", plain, sse(says("ok"), choice(`"delta":{"usage":{"prompt_tokens":4,"completion_tokens":2}},"finish_reason":"stop"`), done), counted(4, 2)},
		{14, "reasoning_details alone", plain, sse(choice(`"delta":{"reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]}`), choice(`"delta":{"reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]}`), says("ok"), stopped, done), thought("hm")},
		{14, "the same reasoning in two fields", plain, sse(choice(`"delta":{"reasoning":"hm","reasoning_content":"hm","content":null}`), says("ok"), stopped, done), thought("hm")},
		{14, "content in parts", plain, sse(choice(`"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`), choice(`"delta":{"content":[{"type":"text","text":"o"},{"type":"text","text":"k"}]}`), stopped, done), thought("hm")},
		{14, "content in parts of other kinds", plain, sse(choice(`"delta":{"content":[{"type":"text","text":"see "},{"type":"image_url","image_url":{"url":"https://pics.test/a.png"}}]}`),
			choice(`"delta":{"content":[" and ",{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"output_text","text":{"value":"!"}},{"type":"text"}]}`), stopped, done), text("see [image_url: https://pics.test/a.png] and [image_url]!")},
		{14, "content in one part", plain, sse(choice(`"delta":{"content":{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}}`), stopped, done), text("[input_audio]")},
		{14, "a refusal among the parts", plain, sse(choice(`"delta":{"content":[{"type":"refusal","refusal":"I may not."}]}`), stopped, done), text("I may not.")},
		{14, "content in parts, not streamed", plain, `{"choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"see "},{"type":"image_url","image_url":"http://pics.test/b.png"},{"type":"refusal","refusal":" no more"}]},"finish_reason":"stop"}]}`, text("see [image_url: http://pics.test/b.png] no more")},
		{14, "images beside the content", plain, `{"choices":[{"index":0,"message":{"content":"here: ","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},"finish_reason":"stop"}]}`, text("here: [image_url]")},
		{14, "a refusal beside null content, not streamed", plain, `{"choices":[{"index":0,"message":{"content":null,"refusal":"I may not."},"finish_reason":"stop"}]}`, text("I may not.")},
		{16, "reasoning in tags", tags, sse(says(`<thi`), says(`nk>\nhm, 1 < 2 </`), says(`think>\n\no`), says(`k`), stopped, done), thought("hm, 1 < 2")},
		{16, "reasoning in tags, never closed", tags, sse(says(`<think>hm </thin`), stopped, done), want{Reasoning: "hm </thin", Finish: event.FinishStop}},
		{16, "text that is no tag", tags, sse(says(`<`), says(`b>ok`), stopped, done), text("<b>ok")},
		{16, "a tag inside the text", tags, sse(says(`see <think>x</think>`), stopped, done), text("see <think>x</think>")},
		{16, "held text at an end without finish reason", tags, sse(says(`<thin`), done), want{Text: "<thin", Finish: event.FinishUnknown}},
		{16, "reasoning without its opening tag", open, sse(says(`h`), says(`m\n</think>`), says(`\n\nok`), stopped, done), thought("hm")},
		{16, "tags beside a reasoning field", tags, sse(choice(`"delta":{"reasoning_content":"hm"}`), says(`<think>ok`), stopped, done), want{Text: "<think>ok", Reasoning: "hm", Finish: event.FinishStop}},
		{32, "a finish reason that is no text", plain, sse(says("ok"), choice(`"delta":{},"finish_reason":7`), done), want{Text: "ok", Finish: event.FinishUnknown}},
		{33, "a filtered reply without end mark", plain, sse(says("so"), choice(`"delta":{},"finish_reason":"content_filter"`)), want{Text: "so", Finish: event.FinishContentFilter}},
		{34, "an empty turn", plain, sse(stopped, done), text("")},
		{41, "fields of the reply that lie or are missing", plain, sse(`{"id":"a","object":"text_completion","created":-1,"model":"another","choices":[{"index":0,"delta":{"content":"o"}}]}`,
			`{"id":"b","object":7,"created":"now","choices":[{"index":0,"delta":{"content":"k"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, done), text("ok")},
		{34, "numbers and nulls where text belongs", plain, sse(`{"id":7,"created":1.5e9,"model":null,"choices":[{"index":0,"delta":{"content":"ok","role":null},"logprobs":{"content":[]},"finish_reason":"stop"}]}`, done), text("ok")},
		{34, "the whole message once more at the end", plain, sse(says("o"), says("k"), `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`, done), text("ok")},
		{34, "calls only in the whole message at the end", plain, sse(says("ok"), `{"choices":[{"message":{"content":"ok","tool_calls":[{"id":"c1","function":{"name":"list_agents","arguments":"{}"}}]},"finish_reason":"stop"}]}`, done), want{Text: "ok", Calls: []event.Call{{ID: "c1", Name: "list_agents", Arguments: "{}"}}, Finish: event.FinishStop}},
		{34, "raw bytes of one character in two chunks", plain, sse(says("\xe6\xb1"), says("\x89"), stopped, done), text("汉")},
		{34, "half a character at the end", plain, sse(says(`ok\ud83d`), stopped, done), text("ok\uFFFD")},
	}
}

func callQuirks() []quirk {
	plain := model.Profile{}
	asText := model.Profile{ToolCallsAsText: true}
	repaired := func(args string) want {
		w := calls(file("c1", args))
		w.Warnings = []string{"arguments_repaired"}
		return w
	}
	fromText := func(left string, list ...event.Call) want {
		return want{Text: left, Calls: list, Finish: event.FinishStop, Warnings: []string{"calls_from_text"}}
	}
	args := func(written string) string { return sse(withArgs(written), forCall, done) }
	return []quirk{
		{19, "two calls on one index with ids", plain, sse(called(`{"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"path\":\"a\"}"}}`), called(`{"index":0,"id":"b","function":{"name":"write_file","arguments":"{\"path\":\"b\"}"}}`), forCall, done), calls(file("a", `{"path":"a"}`), file("b", `{"path":"b"}`))},
		{19, "an index as text", plain, sse(called(`{"index":"1","id":"b","function":{"name":"write_file","arguments":""}}`), called(`{"index":"1","function":{"arguments":"{\"path\":\"b\"}"}}`), forCall, done), calls(file("b", `{"path":"b"}`))},
		{20, "a second name on an open call", plain, sse(called(`{"index":0,"function":{"name":"list_agents","arguments":""}}`), called(`{"index":0,"function":{"name":"write_file","arguments":"{\"path\":\"b\"}"}}`), forCall, done), calls(event.Call{Name: "list_agents", Arguments: "{}"}, file("", `{"path":"b"}`))},
		{21, "an id of null for the second call", plain, sse(called(`{"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"path\":\"a\"}"}}`), called(`{"index":1,"id":null,"function":{"name":"write_file","arguments":"{\"path\":"}}`), called(`{"index":1,"id":"","function":{"arguments":"\"b\"}"}}`), forCall, done), calls(file("a", `{"path":"a"}`), file("", `{"path":"b"}`))},
		{22, "one id for two calls", plain, sse(called(`{"index":0,"id":"x","function":{"name":"write_file","arguments":"{\"path\":\"a\"}"}},{"index":1,"id":"x","function":{"name":"write_file","arguments":"{\"path\":\"b\"}"}}`), forCall, done), calls(file("x", `{"path":"a"}`), file("x", `{"path":"b"}`))},
		{24, "a finish reason for calls, and no call", plain, sse(says("ok"), forCall, done), want{Text: "ok", Finish: event.FinishToolCalls, Warnings: []string{"no_calls"}}},
		{25, "arguments as an object", plain, args(`{"path":"<a>", "lines":3}`), calls(file("c1", `{"path":"<a>", "lines":3}`))},
		{25, "arguments encoded twice", plain, args(`"\"{\\\"path\\\":\\\"a\\\"}\""`), repaired(`{"path":"a"}`)},
		{25, "arguments encoded twice that do not fit", plain, args(`"\"{\\\"way\\\":\\\"a\\\"}\""`), calls(file("c1", `"{\"way\":\"a\"}"`))},
		{25, "an empty object before the real one", plain, args(`"{}{\"path\":\"a\"}"`), repaired(`{"path":"a"}`)},
		{25, "two objects that differ", plain, args(`"{\"path\":\"a\"}{\"path\":\"b\"}"`), calls(file("c1", `{"path":"a"}{"path":"b"}`))},
		{25, "a trailing comma", plain, args(`"{\"path\":\"a,}\",}"`), repaired(`{"path":"a,}"}`)},
		{25, "a trailing comma, and a value that does not fit", plain, args(`"{\"path\":\"a\",\"mode\":\"old\",}"`), calls(file("c1", `{"path":"a","mode":"old",}`))},
		{25, "a fence", plain, args("\"```json\\n{\\\"path\\\":\\\"a\\\"}\\n```\""), repaired(`{"path":"a"}`)},
		{25, "nothing for a tool that requires something", plain, args(`""`), calls(file("c1", ""))},
		{25, "a character damaged inside", plain, args("\"{\\\"path\\\":\\\"a\xff\\\"}\""), calls(file("c1", "{\"path\":\"a\uFFFD\"} (damaged: not UTF-8)"))},
		{25, "a character in two pieces", plain, sse(withArgs(`"{\"path\":\"\ud83d"`), called(`{"index":0,"function":{"arguments":"\ude00\"}"}}`), forCall, done), calls(file("c1", `{"path":"😀"}`))},
		{26, "cut by the length limit", plain, sse(withArgs(`"{\"path\":\"a\",}"`), choice(`"delta":{},"finish_reason":"length"`), done), want{Calls: []event.Call{file("c1", `{"path":"a",}`)}, Finish: event.FinishLength}},
		{27, "a call as text, not looked for", plain, sse(says(`<tool_call>{\"name\":\"write_file\",\"arguments\":{\"path\":\"a\"}}</tool_call>`), stopped, done), text(`<tool_call>{"name":"write_file","arguments":{"path":"a"}}</tool_call>`)},
		{27, "a call in tags", asText, sse(says(`I write. <tool`), says(`_call>{\"name\":\"write_file\",\"arguments\":{\"path\":\"a\"}}</tool_call>`), stopped, done), fromText("I write. ", file("", `{"path":"a"}`))},
		{27, "a call as XML", asText, sse(says(`<tool_call>\n<function=write_file>\n<parameter=path>\n1\n</parameter>\n<parameter=lines>\n3\n</parameter>\n</function>\n</tool_call>`), stopped, done), fromText("", file("", `{"path":"1","lines":3}`))},
		{27, "a call in a dialect of tags", asText, sse(says(`<｜DSML｜function_calls><｜DSML｜invoke name=\"write_file\"><｜DSML｜parameter name=\"path\" string=\"true\">a</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>`), stopped, done), fromText("", file("", `{"path":"a"}`))},
		{27, "a call in a fence", asText, sse(says("```json\\n{\\\"name\\\":\\\"write_file\\\",\\\"parameters\\\":{\\\"path\\\":\\\"a\\\"}}\\n```"), stopped, done), fromText("", file("", `{"path":"a"}`))},
		{27, "a call inside reasoning", asText, sse(choice(`"delta":{"reasoning_content":"<tool_call>{\"name\":\"list_agents\",\"arguments\":{}}</tool_call>"}`), stopped, done), want{Reasoning: `<tool_call>{"name":"list_agents","arguments":{}}</tool_call>`, Calls: []event.Call{{Name: "list_agents", Arguments: "{}"}}, Finish: event.FinishStop}},
		{27, "a call of a tool that is not on offer", asText, sse(says(`<tool_call>{\"name\":\"rm\",\"arguments\":{}}</tool_call>`), stopped, done), text(`<tool_call>{"name":"rm","arguments":{}}</tool_call>`)},
		{27, "a call that was cut", asText, sse(says(`<tool_call>{\"name\":\"list_agents\",\"arg`)), want{Class: model.ClassTruncatedStream, Retryable: true, Partial: `<tool_call>{"name":"list_agents","arg`}},
		{28, "several calls in one", plain, sse(called(`{"index":0,"id":"c1","function":{"name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[{\"recipient_name\":\"functions.write_file\",\"parameters\":{\"path\":\"a\"}},{\"recipient_name\":\"functions.list_agents\",\"parameters\":{}}]}"}}`), forCall, done), calls(file("c1", `{"path":"a"}`), event.Call{Name: "list_agents", Arguments: "{}"})},
		{28, "several calls in one, one of no tool", plain, sse(called(`{"index":0,"id":"c1","function":{"name":"multi_tool_use.parallel","arguments":"{\"tool_uses\":[{\"recipient_name\":\"functions.rm\",\"parameters\":{}}]}"}}`), forCall, done), calls(event.Call{ID: "c1", Name: "multi_tool_use.parallel", Arguments: `{"tool_uses":[{"recipient_name":"functions.rm","parameters":{}}]}`})},
		{32, "the old form of a call", plain, sse(choice(`"delta":{"function_call":{"name":"write_file","arguments":"{\"path\":"}}`), choice(`"delta":{"function_call":{"arguments":"\"a\"}"}}`), choice(`"delta":{},"finish_reason":"function_call"`), done), calls(file("", `{"path":"a"}`))},
		{37, "a prompt that was cut", model.Profile{NumCtx: 8}, sse(says("ok"), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, done), want{Text: "ok", Finish: event.FinishStop, Usage: []int{1, 1}, Warnings: []string{"prompt_cut"}}},
		{39, "nulls for optional properties", model.Profile{SchemaDialect: model.DialectStrict}, args(`"{\"path\":\"a\",\"lines\":null}"`), calls(file("c1", `{"path":"a"}`))},
	}
}

func quirkTools() []model.Tool { return []model.Tool{{Name: "list_agents"}, writeFile} }

func TestQuirks(t *testing.T) {
	for _, q := range quirks() {
		for how, deliver := range deliveries {
			if how == "abrupt-close" || len(q.body) > 1<<20 && how != "whole" && how != "split-1021" {
				continue
			}
			t.Run(fmt.Sprintf("%d %s/%s", q.line, q.name, how), func(t *testing.T) {
				got := askBody(t, q.profile, quirkTools(), 200, nil, deliver([]byte(q.body)))
				q.want.check(t, fmt.Sprintf("line %d: %s", q.line, q.name), got)
			})
		}
	}
}

// TestQuirksCutAnywhere is TestStreamCutAnywhere for these bodies. Calls and
// tags in the text are text when they are cut, so their text is another.
func TestQuirksCutAnywhere(t *testing.T) {
	for _, q := range quirks() {
		if len(q.body) > 1<<20 || q.profile != (model.Profile{}) {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", q.line, q.name), func(t *testing.T) {
			ask := func(body, how string) modeltest.Got {
				return askBody(t, q.profile, quirkTools(), 200, nil, deliveries[how]([]byte(body)))
			}
			whole := ask(q.body, "whole")
			for cut := range len(q.body) {
				how := []string{"whole", "abrupt-close"}[cut%2]
				checkCut(t, cut, whole, ask(q.body[:cut], how))
			}
		})
	}
}
