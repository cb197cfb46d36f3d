// Command trpc runs the team on trpc.group/trpc-go/trpc-agent-go with its own
// OpenAI model. Mode shared: an LLMAgent whose one agent tool is called N times;
// mode distinct: team.New, a coordinator with N member agents. Tool calls run in
// parallel only because the driver asks for it (WithEnableParallelTools); the
// default is one after another.
package main

import (
	"context"
	"fmt"

	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/agent/llmagent"
	"trpc.group/trpc-go/trpc-agent-go/model"
	"trpc.group/trpc-go/trpc-agent-go/model/openai"
	"trpc.group/trpc-go/trpc-agent-go/runner"
	"trpc.group/trpc-go/trpc-agent-go/session"
	"trpc.group/trpc-go/trpc-agent-go/session/inmemory"
	"trpc.group/trpc-go/trpc-agent-go/team"
	"trpc.group/trpc-go/trpc-agent-go/tool"
	agenttool "trpc.group/trpc-go/trpc-agent-go/tool/agent"
	"trpc.group/trpc-go/trpc-agent-go/tool/function"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

type echoArgs struct {
	Text string `json:"text"`
}

func main() {
	r := kit.Start("trpc", "trpc.group/trpc-go/trpc-agent-go")
	opts := []openai.Option{openai.WithAPIKey("none"), openai.WithBaseURL(r.BaseURL)}
	if r.HTTP == "tuned" {
		opts = append(opts, openai.WithHTTPClientOptions(openai.WithHTTPClientTransport(r.Transport())))
	}
	m := openai.New("mock", opts...)
	gen := model.GenerationConfig{Stream: r.Stream}
	echo := function.NewFunctionTool(func(_ context.Context, a echoArgs) (string, error) { return a.Text, nil },
		function.WithName("echo"), function.WithDescription(kit.EchoDesc))
	worker := func(name string) agent.Agent {
		return llmagent.New(name, llmagent.WithModel(m), llmagent.WithGenerationConfig(gen),
			llmagent.WithDescription(kit.WorkerDesc), llmagent.WithInstruction(kit.WorkerPrompt),
			llmagent.WithTools([]tool.Tool{echo}))
	}
	if r.Scenario != "team" {
		idle(r, worker)
		return
	}
	leadOpts := []llmagent.Option{
		llmagent.WithModel(m), llmagent.WithGenerationConfig(gen),
		llmagent.WithDescription("leads the team"), llmagent.WithInstruction(kit.LeaderPrompt),
		llmagent.WithEnableParallelTools(true),
	}
	var root agent.Agent
	if r.Mode == "distinct" {
		members := make([]agent.Agent, r.N)
		for i := range members {
			members[i] = worker(fmt.Sprintf("worker_%d", i+1))
		}
		// By default every member is sent the leader's whole branch (O(N*N) bytes);
		// isolated members see their own task only, as in every other driver.
		t, err := team.New(llmagent.New("leader", leadOpts...), members,
			team.WithMemberToolConfig(team.MemberToolConfig{HistoryScope: team.HistoryScopeIsolated}))
		kit.Check(err)
		root = t
	} else {
		root = llmagent.New("leader", append(leadOpts,
			llmagent.WithTools([]tool.Tool{agenttool.NewTool(worker("worker"))}))...)
	}
	run := runner.NewRunner("bench", root) // its default: a private in-memory session service
	r.Ready()
	r.Done(ask(run, "session", kit.LeaderTask(r.N, r.K)))
}

func ask(run runner.Runner, sess, text string) string {
	evs, err := run.Run(context.Background(), "user", sess, model.NewUserMessage(text))
	kit.Check(err)
	final := ""
	for ev := range evs {
		if ev.Error != nil {
			kit.Fail("event: %s", ev.Error.Message)
		}
		if ev.Response == nil || ev.Response.IsPartial || len(ev.Response.Choices) == 0 {
			continue
		}
		if c := ev.Response.Choices[0].Message; c.Role == model.RoleAssistant && c.Content != "" && len(c.ToolCalls) == 0 {
			final = c.Content
		}
	}
	return final
}

// idle: a worker is an agent with its runner and its own session in one shared
// in-memory session service; nothing of it runs between two messages.
func idle(r *kit.Run, worker func(string) agent.Agent) {
	svc := inmemory.NewSessionService()
	fleet := make([]runner.Runner, r.N)
	for i := range fleet {
		name := fmt.Sprintf("worker_%d", i+1)
		fleet[i] = runner.NewRunner("bench", worker(name), runner.WithSessionService(svc))
		_, err := svc.CreateSession(context.Background(), session.Key{AppName: "bench", UserID: "user", SessionID: name}, nil)
		kit.Check(err)
	}
	if r.Scenario == "idle_used" {
		sem := make(chan struct{}, 64)
		all := make(chan struct{}, r.N)
		for i, run := range fleet {
			go func() {
				sem <- struct{}{}
				ask(run, fmt.Sprintf("worker_%d", i+1), kit.WorkerTask(i+1, r.K))
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
