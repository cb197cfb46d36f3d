package studio_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/gateway/studio"
)

// TestExamples are the messages that the document of the protocol shows, in its
// order. The one of a client is taken as it is. Those of an agent, many of which
// have a comma too many, are read; a client that sends such JSON is refused.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	schema := resolvedSchema(t)
	var kinds []string
	for example := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if strings.Contains(example, `"user-input"`) {
			in, err := studio.ParseInput([]byte(example))
			want := studio.UserInput{
				Type: "user-input", APIKey: "your WDS API key", ProjectID: "2231", WorkDir: "/document", SessionID: "d271487972e2221eb3aa98bc1a7ae6fc",
				UserInput: "你好", PreferredModel: "火山引擎:doubao-seed-1-6-lite-251015",
			}
			if diff := cmp.Diff(want, in); diff != "" || err != nil {
				t.Errorf("%v, (-want +got):\n%s", err, diff)
			}
			valid(t, schema, example)
			kinds = append(kinds, in.Type)
			continue
		}
		m, err := studio.Read([]byte(example))
		if err != nil {
			t.Errorf("%s: %v", example, err)
			continue
		}
		kinds = append(kinds, m.Type+" "+m.Event)
		if m.ID == "" || m.Type == studio.TypeToolCall && (m.Func != "WriteFile" || !strings.Contains(string(m.Args), "/markdown/test.md")) {
			t.Errorf("%s is read as %+v", example, m)
		}
		valid(t, schema, studio.Text(m))
		if _, err := studio.ParseInput([]byte(example)); err == nil {
			t.Errorf("%s: a client may send it", example)
		}
	}
	want := []string{
		"user-input", "response-state start", "response-state end", "iteration-state start", "iteration-state end",
		"model-invocation-state start", "model-invocation-state end",
		"think-output start", "think-output delta", "think-output delta", "think-output delta", "think-output end",
		"chat-output start", "chat-output delta", "chat-output delta", "chat-output delta", "chat-output end",
		"tool-call start", "tool-call end", "error error",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
}

func TestRelaxed(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,}`: `{"a":1}`, `{"a":[1,2, ],` + "\n }": `{"a":[1,2 ]` + "\n }", `{"a":1},`: `{"a":1}`, "{\"a\":1} , \n": `{"a":1}`,
		`{"a":",}","b\",":"\\",}`: `{"a":",}","b\",":"\\"}`, `{"a":{"b":[{},],},}`: `{"a":{"b":[{}]}}`, ``: ``, `{,}`: `{}`,
		`{"a":1,,}`: `{"a":1,}`, `"\`: `"\`, `[1,2]`: `[1,2]`,
	} {
		if got := string(studio.Relaxed([]byte(text))); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
