package leader_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// script stands in for a real model: the leader gives out two tasks and sums
// up what comes back.
var script = modeltest.ByAgent(map[string]model.Client{
	"tl": modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		if len(req.Messages) == 2 {
			return say("I hand out two tasks.", create("uio", "design the page"), create("fse", "design the interface"))
		}
		return say("The page has two fields, the interface one call.")
	}),
	"uio_1": modeltest.Sequence(say("two fields")),
	"fse_1": modeltest.Sequence(say("one call")),
})

func ExampleNew() {
	t, err := leader.New(leader.Team{Model: leader.Model{Client: script}, Roles: []leader.Role{
		{Name: "UI Operator", Does: "designs pages"},
		{Name: "Full-Stack Engineer", Does: "designs interfaces"},
	}})
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "Design a sign-up page and its interface")
	fmt.Println(res.Answer, res.Status, err)
	// Output: The page has two fields, the interface one call. finished <nil>
}

func ExampleLoad() {
	t, err := leader.Load("testdata/signup/team.yaml",
		leader.WithClient("deepseek/deepseek-chat", leader.Model{Client: script}), // without this line: the real model
		leader.WithLang("zh"))
	if err != nil {
		panic(err)
	}
	for _, r := range t.Team().Roles {
		fmt.Println(r.Code, r.Name, r.Tools)
	}
	// Output:
	// uio UI Operator [read_file write_file]
	// fse Full-Stack Engineer [read_file write_file]
}

func ExampleLeader_Start() {
	t, err := leader.New(leader.Team{Model: leader.Model{Client: script}})
	if err != nil {
		panic(err)
	}
	run, err := t.Start(context.Background(), "Design a sign-up page and its interface")
	if err != nil {
		panic(err)
	}
	for rec, err := range run.Events(context.Background()) {
		if err != nil {
			panic(err)
		}
		if d, ok := rec.Data.(event.MessageSent); ok && d.Kind == event.Task {
			fmt.Println(d.ID, "→", d.To+":", d.Content)
		}
	}
	res, err := run.Wait()
	fmt.Println(res.Answer, err)
	// Output:
	// task_001 → uio_1: design the page
	// task_002 → fse_1: design the interface
	// The page has two fields, the interface one call. <nil>
}

func ExampleResume() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t, err := leader.New(leader.Team{Model: leader.Model{Client: echo{}, Name: "own/echo"}}, leader.WithRunDir(dir))
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "hello")
	fmt.Println(res.Answer, err)

	// Later, also in another process: the log has the team and all that was said.
	run, err := leader.Resume(context.Background(), res.Log,
		leader.WithClient("own/echo", leader.Model{Client: echo{}, Name: "own/echo"}), // not for a provider's models
		leader.WithTask("hello again"))
	if err != nil {
		panic(err)
	}
	res, err = run.Wait()
	fmt.Println(res.Answer, err)
	// Output:
	// You said: hello <nil>
	// You said: hello again <nil>
}

func ExampleRun_Tell() {
	held := make(chan struct{})
	t, err := leader.New(leader.Team{Model: leader.Model{Client: modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		switch last := req.Messages[len(req.Messages)-1]; {
		case last.Origin.From == event.PersonName && len(req.Messages) > 2:
			return say("Understood: " + last.Origin.Content)
		case len(req.Messages) == 2:
			return say("I look around.", modeltest.Call("hold", map[string]any{}))
		}
		return say("Done.")
	})}, Leader: leader.Lead{Tools: []string{"hold"}}}, leader.WithTools(tools.Func("hold", "Wait.",
		func(context.Context, struct{}) (string, error) { <-held; return "ok", nil })))
	if err != nil {
		panic(err)
	}
	run, err := t.Start(context.Background(), "Design a page")
	if err != nil {
		panic(err)
	}
	for rec, err := range run.Events(context.Background()) {
		if err != nil {
			panic(err)
		}
		if rec.Type() == event.TypeToolStarted { // the leader works: this steers it
			fmt.Println(run.Agents()[0].Name, run.Tell("Team Leader", "no interface yet"))
			close(held)
			break
		}
	}
	res, err := run.Wait()
	fmt.Println(res.Answer, err)
	// Output:
	// Team Leader <nil>
	// Understood: no interface yet <nil>
}

func ExampleRun_Stop() {
	t, err := leader.New(leader.Team{Model: leader.Model{Client: modeltest.ByAgent(map[string]model.Client{
		"tl": modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
			last := req.Messages[len(req.Messages)-1]
			switch {
			case len(req.Messages) == 2:
				return say("", create("uio", "think for ever"))
			case last.Origin.Kind == event.Completion:
				return say("It was stopped.")
			}
			return say("I wait.")
		}),
		"uio_1": modeltest.Func(func(ctx context.Context, _ model.Request) modeltest.Reply { <-ctx.Done(); return say("") }),
	})}})
	if err != nil {
		panic(err)
	}
	run, err := t.Start(context.Background(), "Design a page")
	if err != nil {
		panic(err)
	}
	for rec, err := range run.Events(context.Background()) {
		if err != nil {
			panic(err)
		}
		if rec.Agent == "uio_1" && rec.Type() == event.TypeModelRequested {
			fmt.Println(run.Stop("uio_1", leader.Now))
			break
		}
	}
	res, err := run.Wait()
	fmt.Println(res.Answer, err)
	// Output:
	// <nil>
	// It was stopped. <nil>
}

func ExampleRun_Reply() {
	t, err := leader.New(leader.Team{Model: leader.Model{Client: script}})
	if err != nil {
		panic(err)
	}
	run, err := t.Start(context.Background(), "Design a sign-up page")
	if err != nil {
		panic(err)
	}
	err = run.Reply("ask_tl_001", "blue") // nobody asked
	failed, _ := errors.AsType[*leader.Error](err)
	fmt.Println(failed.Code, failed.Who)
	_, _ = run.Wait()
	// Output: refused client
}

func ExampleError() {
	refused := modeltest.Sequence(modeltest.Reply{Err: model.NewError(model.ClassAuth, "the key was refused")})
	t, err := leader.New(leader.Team{Model: leader.Model{Client: refused}})
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "Design a page")
	if failed, ok := errors.AsType[*leader.Error](err); ok {
		fmt.Println(res.Status, failed.Code, failed.Who, failed.Retryable, failed.Agent, failed.Message)
	}
	// Output: failed auth client false tl the key was refused
}

func ExampleWithTools() {
	type args struct {
		Thing string `json:"thing" jsonschema:"what to look up"`
	}
	price := tools.Func("price", "Look up the price of a thing.", func(_ context.Context, in args) (string, error) {
		return "a " + in.Thing + " costs 5", nil
	})
	asks := modeltest.Sequence(say("", modeltest.Call("price", map[string]any{"thing": "pen"})), say("It costs 5."))
	t, err := leader.New(leader.Team{Model: leader.Model{Client: asks}, Leader: leader.Lead{Tools: []string{"price"}}}, leader.WithTools(price))
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "What does a pen cost?")
	fmt.Println(res.Answer, err)
	// Output: It costs 5. <nil>
}

// echo is a model of one's own: one method.
type echo struct{}

func (echo) Stream(_ context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{Text: "You said: " + req.Messages[len(req.Messages)-1].Origin.Content}, nil)
	}
}

func ExampleModel() {
	t, err := leader.New(leader.Team{Model: leader.Model{Client: echo{}, Name: "own/echo"}})
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "hello")
	fmt.Println(res.Answer, err)
	// Output: You said: hello <nil>
}

func ExampleWithSlog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "session" {
			return slog.Attr{}
		}
		return a
	}}))
	t, err := leader.New(leader.Team{Model: leader.Model{Client: echo{}, Name: "own/echo"}}, leader.WithSlog(logger))
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "hello")
	fmt.Println(res.Answer, err)
	// Output:
	// level=INFO msg="run started"
	// level=INFO msg="run ended"
	// You said: hello <nil>
}

// TestExamplesStayShort counts the lines that a newcomer has to write: lead
// and two workers in at most 10 lines of Go and 15 of YAML, a tool of one's
// own in 6.
func TestExamplesStayShort(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	between := func(from, to string) int {
		_, rest, ok := strings.Cut(string(source), from)
		body, _, ok2 := strings.Cut(rest, to)
		if !ok || !ok2 {
			t.Fatalf("no %q … %q in the examples", from, to)
		}
		return strings.Count(strings.TrimSpace(body), "\n") + 1
	}
	if n := between("func ExampleNew() {\n", "	fmt.Println"); n > 10 {
		t.Errorf("lead and two workers take %d lines of Go, want at most 10", n)
	}
	if n := between("type args struct", "\n	asks"); n > 6 {
		t.Errorf("a tool takes %d lines, want at most 6", n)
	}
	file, err := os.ReadFile(filepath.Join("testdata", "signup", "team.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.TrimSpace(string(file)), "\n") + 1; n > 15 {
		t.Errorf("lead and two workers take %d lines of YAML, want at most 15", n)
	}
}
