package leader_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// TestSecretsAreMaskedWhereTheyEnter brings secrets by the task, a message, a
// tool and a report. No model reads one and none is in a text of the log; only
// the call in which a model wrote one stays as it was.
func TestSecretsAreMaskedWhereTheyEnter(t *testing.T) {
	secrets := []string{"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abc123def456ghi789", "falcon-7"}
	all := "use " + secrets[0] + ", Authorization: Bearer " + secrets[1] + " and " + secrets[2]
	var mu sync.Mutex // guards read
	var read strings.Builder
	reading := func(replies ...modeltest.Reply) func(model.Request, int) modeltest.Reply {
		next := sequence(replies...)
		return func(req model.Request, n int) modeltest.Reply {
			mu.Lock()
			defer mu.Unlock()
			for _, m := range req.Messages {
				read.WriteString(m.Content + m.Origin.Content + "\n")
			}
			return next(req, n)
		}
	}
	p := players{
		"tl":   reading(say("", create("aa", all)), say("waiting "+all), say("done "+all)),
		"aa_1": reading(say("", modeltest.Call("look", map[string]any{})), say("found "+all)),
	}
	l, err := leader.New(leader.Team{
		Model: leader.Model{Client: p.client(), Name: "test/test"}, Roles: []leader.Role{{ID: "aa", Name: "A", Does: "looks"}},
	}, leader.WithRunDir(t.TempDir()), leader.WithWorkDir(t.TempDir()), leader.WithRedact(`falcon-\d`),
		leader.WithTools(tools.Func("look", "Looks", func(context.Context, struct{}) (string, error) { return all, nil })))
	if err != nil {
		t.Fatal(err)
	}
	res, err := l.Do(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(res.Log)
	if err != nil {
		t.Fatal(err)
	}
	var other strings.Builder
	for rec, err := range transcript.ReadFile(t.Context(), res.Log, transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := rec.Data.(type) {
		case event.ToolStarted:
		case event.ModelReplied:
			other.WriteString(d.Text)
		default:
			line, err := rec.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			other.Write(line)
		}
	}
	for _, s := range secrets {
		switch {
		case strings.Contains(read.String(), s), strings.Contains(other.String(), s), strings.Contains(res.Answer, s):
			t.Errorf("%s was not masked; the models read:\n%s\nthe log:\n%s", s, &read, text)
		case !strings.Contains(string(text), s):
			t.Errorf("%s is not in the call either, which must stay as it was", s)
		}
	}
	for _, want := range []string{"[masked: GitHub token]", "[masked: bearer token]", "[masked: redact]"} {
		if strings.Count(read.String(), want) < 4 { // task, message, result, report
			t.Errorf("the models read %q only %d times:\n%s", want, strings.Count(read.String(), want), &read)
		}
	}
}

// An expression that is none is refused before anything runs.
func TestRedactIsChecked(t *testing.T) {
	_, err := leader.New(leader.Team{Model: leader.Model{Client: modeltest.Sequence(), Name: "t/t"}}, leader.WithRedact("("))
	if err == nil || !strings.Contains(err.Error(), "leader: redact: ") {
		t.Errorf("New = %v, want an error about redact", err)
	}
}
