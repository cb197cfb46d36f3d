// Command floor makes the team's model calls with nothing but an HTTP client:
// a bare loop over net/http (FLOOR_CLIENT=nethttp) or over
// github.com/sashabaranov/go-openai (FLOOR_CLIENT=goopenai). It is the limit
// that a runtime built on that client can't go below.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	kit "github.com/troupe-go/troupe/bench/driverkit"
)

// conv is one agent's conversation in a client's own message type.
type conv struct {
	msgs any
	last turn
}

type turn struct {
	text  string
	calls []toolCall
}

type toolCall struct{ id, name, args string }

type client interface {
	newLeader(workers []string, args ...string) *conv
	newWorker() *conv
	user(c *conv, text string)
	result(c *conv, id, text string)
	chat(ctx context.Context, c *conv) error
}

func main() {
	which := os.Getenv("FLOOR_CLIENT")
	if which == "" {
		which = "nethttp"
	}
	mod := ""
	if which == "goopenai" {
		mod = "github.com/sashabaranov/go-openai"
	}
	r := kit.Start("floor-"+which, mod)
	var cl client
	switch which {
	case "nethttp":
		cl = newNetHTTP(r.Config)
	case "goopenai":
		cl = newGoOpenAI(r.Config)
	default:
		kit.Fail("FLOOR_CLIENT %q", which)
	}
	ctx := context.Background()
	if r.Scenario != "team" {
		idle(ctx, r, cl)
		return
	}
	if os.Getenv("FLOOR_TEAM") == "reports" {
		reports(ctx, r, cl)
		return
	}
	tools := []string{"worker"}
	if r.Mode == "distinct" {
		tools = make([]string, r.N)
		for i := range tools {
			tools[i] = fmt.Sprintf("worker_%d", i+1)
		}
	}
	lead := cl.newLeader(tools, "request")
	cl.user(lead, kit.LeaderTask(r.N, r.K))
	r.Ready()
	kit.Check(cl.chat(ctx, lead))
	calls := lead.last.calls
	out := make([]string, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() {
			w := cl.newWorker()
			cl.user(w, field(c.args, "request"))
			text, err := work(ctx, cl, w)
			kit.Check(err)
			out[i] = text
		})
	}
	wg.Wait()
	for i, c := range calls {
		cl.result(lead, c.id, out[i])
	}
	kit.Check(cl.chat(ctx, lead))
	r.Done(lead.last.text)
}

// reports is the team in the form of the product under plan: create_sub_agent
// returns at once, the workers run as goroutines, and each one's report reaches
// the leader as a user message; the leader is called again when reports are in,
// with all that have come by then.
func reports(ctx context.Context, r *kit.Run, cl client) {
	lead := cl.newLeader([]string{"create_sub_agent"}, "role", "task")
	cl.user(lead, kit.LeaderTask(r.N, r.K))
	r.Ready()
	kit.Check(cl.chat(ctx, lead))
	inbox := make(chan string, r.N)
	for i, c := range lead.last.calls {
		name := fmt.Sprintf("Worker_%d", i+1)
		cl.result(lead, c.id, name)
		go func() {
			w := cl.newWorker()
			cl.user(w, field(c.args, "task"))
			text, err := work(ctx, cl, w)
			kit.Check(err)
			inbox <- "来自 " + name + " 的任务完成汇报\n" + text
		}()
	}
	for {
		kit.Check(cl.chat(ctx, lead))
		if strings.HasPrefix(lead.last.text, "DONE") {
			break
		}
		cl.user(lead, <-inbox)
		for more := true; more; {
			select {
			case t := <-inbox:
				cl.user(lead, t)
			default:
				more = false
			}
		}
	}
	r.Done(lead.last.text)
}

func work(ctx context.Context, cl client, w *conv) (string, error) {
	for {
		if err := cl.chat(ctx, w); err != nil {
			return "", err
		}
		if len(w.last.calls) == 0 {
			return w.last.text, nil
		}
		for _, c := range w.last.calls {
			cl.result(w, c.id, field(c.args, "text"))
		}
	}
}

// idle keeps N workers alive, each a goroutine that waits on its inbox.
func idle(ctx context.Context, r *kit.Run, cl client) {
	type worker struct {
		inbox chan string
		c     *conv
	}
	fleet := make([]*worker, r.N)
	done := make(chan struct{}, r.N)
	sem := make(chan struct{}, 64)
	for i := range fleet {
		w := &worker{inbox: make(chan string), c: cl.newWorker()}
		fleet[i] = w
		go func() {
			for t := range w.inbox {
				sem <- struct{}{}
				cl.user(w.c, t)
				_, err := work(ctx, cl, w.c)
				kit.Check(err)
				<-sem
				done <- struct{}{}
			}
		}()
	}
	if r.Scenario == "idle_used" {
		for i, w := range fleet {
			w.inbox <- kit.WorkerTask(i+1, r.K)
		}
		for range fleet {
			<-done
		}
	}
	if c, ok := cl.(interface{ closeIdle() }); ok {
		c.closeIdle()
	}
	r.Idle(fleet)
}

// field reads one string field of a flat JSON object.
func field(js, name string) string {
	_, rest, ok := strings.Cut(js, `"`+name+`":"`)
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, `"`)
	return v
}
