// Command adk runs the team on google.golang.org/adk/v2: an llmagent leader whose
// workers are agent tools; the flow runs the calls of one turn in parallel.
//
// ADK's own OpenAI client speaks only the Responses API. ADK_CLIENT=responses
// uses it (mockllm serves that form too); ADK_CLIENT=chat, the default, is a small
// Chat Completions client of our own over net/http, so that the framework is
// measured on the same wire format as the others.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"google.golang.org/genai"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/model/openaimodel"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/functiontool"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

type echoArgs struct {
	Text string `json:"text"`
}

type echoResult struct {
	Text string `json:"text"`
}

func main() {
	name := "adk"
	if os.Getenv("ADK_CLIENT") == "responses" {
		name = "adk-responses"
	}
	r := kit.Start(name, "google.golang.org/adk/v2")
	ctx := context.Background()
	var llm model.LLM
	if name == "adk-responses" {
		m, err := openaimodel.NewModel(ctx, "mock", &openaimodel.ClientConfig{APIKey: "none", BaseURL: r.BaseURL, HTTPClient: r.Client()})
		kit.Check(err)
		llm = m
	} else {
		llm = newChatModel(r.Config)
	}
	echo, err := functiontool.New(functiontool.Config{Name: "echo", Description: kit.EchoDesc},
		func(_ agent.Context, a echoArgs) (echoResult, error) { return echoResult{a.Text}, nil })
	kit.Check(err)
	worker := func(name string) agent.Agent {
		a, err := llmagent.New(llmagent.Config{
			Name: name, Description: kit.WorkerDesc, Instruction: kit.WorkerPrompt,
			Model: llm, Tools: []tool.Tool{echo},
		})
		kit.Check(err)
		return a
	}
	rc := agent.RunConfig{StreamingMode: agent.StreamingModeNone}
	if r.Stream {
		rc.StreamingMode = agent.StreamingModeSSE
	}
	if r.Scenario != "team" {
		idle(ctx, r, worker, rc)
		return
	}
	var tools []tool.Tool
	if r.Mode == "distinct" {
		for i := range r.N {
			tools = append(tools, agenttool.New(worker(fmt.Sprintf("worker_%d", i+1)), nil))
		}
	} else {
		tools = []tool.Tool{agenttool.New(worker("worker"), nil)}
	}
	lead, err := llmagent.New(llmagent.Config{
		Name: "leader", Description: "leads the team", Instruction: kit.LeaderPrompt,
		Model: llm, Tools: tools,
	})
	kit.Check(err)
	run, err := runner.New(runner.Config{AppName: "bench", Agent: lead, SessionService: session.InMemoryService(), AutoCreateSession: true})
	kit.Check(err)
	r.Ready()
	r.Done(ask(ctx, run, "session", kit.LeaderTask(r.N, r.K), rc))
}

func ask(ctx context.Context, run *runner.Runner, sess, text string, rc agent.RunConfig) string {
	final := ""
	for ev, err := range run.Run(ctx, "user", sess, genai.NewContentFromText(text, genai.RoleUser), rc) {
		kit.Check(err)
		if ev.ErrorCode != "" {
			kit.Fail("event: %s %s", ev.ErrorCode, ev.ErrorMessage)
		}
		if ev.Partial || ev.Content == nil {
			continue
		}
		var sb strings.Builder
		for _, p := range ev.Content.Parts {
			sb.WriteString(p.Text)
		}
		if sb.Len() > 0 {
			final = sb.String()
		}
	}
	return final
}

// idle: a worker is an agent with its runner and its own session in one shared
// in-memory session service; nothing of it runs between two messages.
func idle(ctx context.Context, r *kit.Run, worker func(string) agent.Agent, rc agent.RunConfig) {
	svc := session.InMemoryService()
	fleet := make([]*runner.Runner, r.N)
	for i := range fleet {
		name := fmt.Sprintf("worker_%d", i+1)
		run, err := runner.New(runner.Config{AppName: "bench", Agent: worker(name), SessionService: svc})
		kit.Check(err)
		_, err = svc.Create(ctx, &session.CreateRequest{AppName: "bench", UserID: "user", SessionID: name})
		kit.Check(err)
		fleet[i] = run
	}
	if r.Scenario == "idle_used" {
		sem := make(chan struct{}, 64)
		all := make(chan struct{}, r.N)
		for i, run := range fleet {
			go func() {
				sem <- struct{}{}
				ask(ctx, run, fmt.Sprintf("worker_%d", i+1), kit.WorkerTask(i+1, r.K), rc)
				<-sem
				all <- struct{}{}
			}()
		}
		for range fleet {
			<-all
		}
	}
	r.Idle([]any{fleet, svc})
}
