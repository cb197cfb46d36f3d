package model_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// obedient is an endpoint that does what a probe asks for.
func obedient(req modeltest.ChatRequest) modeltest.Reply {
	switch {
	case len(req.Tools) == 0:
		return modeltest.Reply{Text: "ready", Wire: modeltest.Wire{Chunk: 1}}
	case req.Reply() == 1:
		return modeltest.Reply{Calls: []event.Call{modeltest.Call("note", map[string]string{"word": "ready"})}}
	default:
		return modeltest.Reply{Text: "done"}
	}
}

// works lists the checks, those that do not work with a !.
func works(r model.ProbeReport) string {
	var names []string
	for _, c := range r.Checks {
		if !c.OK {
			c.Name = "!" + c.Name
		}
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func TestProbe(t *testing.T) {
	refused := func(words string, when func(modeltest.ChatRequest) bool, other func(modeltest.ChatRequest) modeltest.Reply) func(modeltest.ChatRequest) modeltest.Reply {
		return func(req modeltest.ChatRequest) modeltest.Reply {
			if when(req) {
				return modeltest.Reply{Wire: modeltest.Wire{Status: 400, Body: `{"error":{"message":"` + words + `"}}`}}
			}
			return other(req)
		}
	}
	tests := []struct {
		name    string
		reply   func(modeltest.ChatRequest) modeltest.Reply
		works   string
		class   string // of the error; empty for none
		profile string // what differs from the family
	}{
		{"all works", obedient, "plain stream usage tool_call tool_result", "", "{}"},
		{"no usage", func(req modeltest.ChatRequest) modeltest.Reply {
			reply := obedient(req)
			reply.Wire.NoUsage = true
			return reply
		}, "plain stream !usage tool_call tool_result", "", "{}"},
		{"other name of the limit, no stream options", refused("Unsupported parameter: max_tokens", func(req modeltest.ChatRequest) bool { return req.Fields["max_tokens"] != nil },
			refused("stream_options is unknown", func(req modeltest.ChatRequest) bool { return req.IncludeUsage }, func(req modeltest.ChatRequest) modeltest.Reply {
				reply := obedient(req)
				reply.Wire.NoUsage = !req.IncludeUsage
				return reply
			})), "plain stream !usage tool_call tool_result", "", "{max_tokens_field: max_completion_tokens, no_stream_usage: true}"},
		{"no tools", refused("no tools here", func(req modeltest.ChatRequest) bool { return len(req.Tools) > 0 }, obedient), "plain stream usage !tool_call", "", "{}"},
		{"talks only", func(modeltest.ChatRequest) modeltest.Reply { return modeltest.Reply{Text: "I would rather talk."} }, "plain stream usage !tool_call", "", "{}"},
		{"bad call", func(req modeltest.ChatRequest) modeltest.Reply {
			if len(req.Tools) > 0 {
				return modeltest.Reply{Calls: []event.Call{modeltest.Call("note", `{"word": `)}}
			}
			return obedient(req)
		}, "plain stream usage !tool_call", "", "{}"},
		{"plain only", refused("streams are not supported", func(req modeltest.ChatRequest) bool { return req.Stream }, obedient), "plain !stream", model.ClassBadRequest, "{}"},
		{"stream only", refused("only streams", func(req modeltest.ChatRequest) bool { return !req.Stream }, obedient), "!plain stream usage tool_call tool_result", "", "{}"},
		{"refused key", func(modeltest.ChatRequest) modeltest.Reply {
			return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusUnauthorized}}
		}, "!plain", model.ClassAuth, "{}"},
		{"no such model", func(modeltest.ChatRequest) modeltest.Reply {
			return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusNotFound}}
		}, "!plain", model.ClassNoModel, "{}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.NewServer(t, tt.reply)
			got, err := model.Probe(t.Context(), s.Endpoint())
			if w := works(got); w != tt.works {
				t.Errorf("works: %s, want %s; %+v", w, tt.works, got.Checks)
			}
			if tt.class == "" && err != nil || tt.class != "" && asError(t, err).Class != tt.class {
				t.Errorf("error %v, want class %q", err, tt.class)
			}
			base := model.Profile{}
			if p := got.Found.String(); p != tt.profile || got.Family.Over(base) != nil {
				t.Errorf("profile %s on %s, want %s", p, got.Family, tt.profile)
			}
			if len(got.Learned) != len(got.Found.Over(got.Family)) {
				t.Errorf("learned %+v, want what is in %s", got.Learned, got.Found)
			}
		})
	}
	gone := modeltest.NewServer(t, obedient)
	gone.Close()
	got, err := model.Probe(t.Context(), gone.Endpoint())
	if asError(t, err).Class != model.ClassTransport || works(got) != "!plain" {
		t.Errorf("%s, error %v, want that nothing listens", works(got), err)
	}
	if _, err := model.Probe(t.Context(), model.Endpoint{}); err == nil {
		t.Error("no error for an endpoint without a model")
	}
}

// TestSwitches: every field of a profile is a switch with a name.
func TestSwitches(t *testing.T) {
	full := model.Profile{
		EchoReasoning: model.EchoAlways, ReasoningTags: model.TagsOpen, ToolCallsAsText: true, MaxTokensField: "max_completion_tokens",
		NoTemperature: true, NoStreamUsage: true, NoParallelToolCalls: true, ContentWithCalls: model.ContentOmit, MergeSameRole: true,
		AssistantBetweenToolAndUser: true, SingleSystem: true, SingleCall: true, SchemaDialect: model.DialectStrict, NoRequiredToolChoice: true, NumCtx: 7,
	}
	if got, want := len(full.Over(model.Profile{})), 15; got != want {
		t.Errorf("%d switches differ, want all %d: %s", got, want, full)
	}
	want := "{reasoning_tags: paired, content_with_calls: empty, no_required_tool_choice: true}"
	if diff := cmp.Diff(want, model.FamilyProfile("ollama").String()); diff != "" {
		t.Errorf("profile of ollama (-want +got):\n%s", diff)
	}
}
