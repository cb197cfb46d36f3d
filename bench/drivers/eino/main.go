// Command eino runs the team on github.com/cloudwego/eino's ADK: a ChatModelAgent
// leader whose workers are agent tools (adk.NewAgentTool), run in parallel by the
// tools node. The model is eino-ext's OpenAI chat model.
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

type echoArgs struct {
	Text string `json:"text" jsonschema:"required"`
}

func main() {
	r := kit.Start("eino", "github.com/cloudwego/eino")
	ctx := context.Background()
	cfg := &openai.ChatModelConfig{APIKey: "none", BaseURL: r.BaseURL, Model: "mock"}
	if hc := r.Client(); hc != nil {
		cfg.HTTPClient = hc
	}
	cm, err := openai.NewChatModel(ctx, cfg)
	kit.Check(err)
	echo, err := utils.InferTool("echo", kit.EchoDesc, func(_ context.Context, a echoArgs) (string, error) { return a.Text, nil })
	kit.Check(err)

	if r.Scenario != "team" {
		idle(ctx, r, cm, echo)
		return
	}
	count := 1
	if r.Mode == "distinct" {
		count = r.N
	}
	tools := make([]tool.BaseTool, count)
	for i := range tools {
		name := "worker"
		if r.Mode == "distinct" {
			name = fmt.Sprintf("worker_%d", i+1)
		}
		tools[i] = adk.NewAgentTool(ctx, newWorker(ctx, name, cm, echo))
	}
	lead, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "leader", Description: "leads the team", Instruction: kit.LeaderPrompt, Model: cm,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: tools}},
	})
	kit.Check(err)
	run := adk.NewRunner(ctx, adk.RunnerConfig{Agent: lead, EnableStreaming: r.Stream})
	r.Ready()
	msgs := drain(run.Query(ctx, kit.LeaderTask(r.N, r.K)))
	r.Done(msgs[len(msgs)-1].Content)
}

func newWorker(ctx context.Context, name string, cm model.ToolCallingChatModel, echo tool.BaseTool) *adk.ChatModelAgent {
	w, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: name, Description: kit.WorkerDesc, Instruction: kit.WorkerPrompt, Model: cm,
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{echo}}},
	})
	kit.Check(err)
	return w
}

func drain(it *adk.AsyncIterator[*adk.AgentEvent]) []*schema.Message {
	var out []*schema.Message
	for {
		ev, ok := it.Next()
		if !ok {
			return out
		}
		kit.Check(ev.Err)
		if ev.Output == nil || ev.Output.MessageOutput == nil {
			continue
		}
		mo := ev.Output.MessageOutput
		if !mo.IsStreaming {
			out = append(out, mo.Message)
			continue
		}
		var parts []*schema.Message
		for {
			m, err := mo.MessageStream.Recv()
			if err == io.EOF {
				break
			}
			kit.Check(err)
			parts = append(parts, m)
		}
		m, err := schema.ConcatMessages(parts)
		kit.Check(err)
		out = append(out, m)
	}
}

// worker is an idle member: eino's TurnLoop is its "waiting for messages" form;
// the conversation is the caller's to keep.
type worker struct {
	loop    *adk.TurnLoop[string, adk.Message]
	history []adk.Message
	done    chan struct{}
}

func idle(ctx context.Context, r *kit.Run, cm model.ToolCallingChatModel, echo tool.BaseTool) {
	fleet := make([]*worker, r.N)
	sem := make(chan struct{}, 64)
	for i := range fleet {
		w := &worker{done: make(chan struct{}, 1)}
		fleet[i] = w
		ag := newWorker(ctx, fmt.Sprintf("worker_%d", i+1), cm, echo)
		w.loop = adk.NewTurnLoop(adk.TurnLoopConfig[string, adk.Message]{
			GenInput: func(ctx context.Context, _ *adk.TurnLoop[string, adk.Message], items []string) (*adk.GenInputResult[string, adk.Message], error) {
				w.history = append(w.history, schema.UserMessage(items[0]))
				return &adk.GenInputResult[string, adk.Message]{
					Input:    &adk.AgentInput{Messages: w.history},
					Consumed: items[:1], Remaining: items[1:],
				}, nil
			},
			PrepareAgent: func(ctx context.Context, _ *adk.TurnLoop[string, adk.Message], _ []string) (adk.Agent, error) {
				return ag, nil
			},
			OnAgentEvents: func(ctx context.Context, _ *adk.TurnContext[string, adk.Message], it *adk.AsyncIterator[*adk.AgentEvent]) error {
				w.history = append(w.history, drain(it)...)
				w.done <- struct{}{}
				return nil
			},
		})
		w.loop.Run(ctx)
	}
	if r.Scenario == "idle_used" {
		all := make(chan struct{}, r.N)
		for i, w := range fleet {
			go func() {
				sem <- struct{}{}
				w.loop.Push(kit.WorkerTask(i+1, r.K))
				<-w.done
				<-sem
				all <- struct{}{}
			}()
		}
		for range fleet {
			<-all
		}
	}
	r.Idle(fleet)
}
