package streams_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// rawWorker is a worker of the type "weather" that knows the protocol from its
// captures only: it uses Redis and JSON, and nothing of this package.
type rawWorker struct {
	t   testing.TB
	rdb *redis.Client

	mu      sync.Mutex // guards all below
	cancels map[string]context.CancelFunc
	tasks   []string // contents, as they came
}

const rawName = "raw-1"

// startRaw starts the worker; end of the test stops it.
func startRaw(t testing.TB, rdb *redis.Client) *rawWorker {
	t.Helper()
	w := &rawWorker{t: t, rdb: rdb, cancels: map[string]context.CancelFunc{}}
	ctx, cancel := context.WithCancel(context.Background())
	w.must(rdb.SAdd(ctx, "byai_gateway:registry:workers", rawName).Err())
	for _, stream := range []string{rawType, rawOwn} {
		w.must(rdb.XGroupCreateMkStream(ctx, stream, "agent_engines", "0").Err())
	}
	w.must(rdb.SAdd(ctx, "byai_gateway:registry:agent_type:workers:weather", rawName).Err())
	w.beat(ctx)
	var all sync.WaitGroup
	all.Go(func() { w.read(ctx, rawType, &all) })
	all.Go(func() { w.read(ctx, rawOwn, &all) })
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
	return w
}

const (
	rawType = "byai_gateway:ctrl:agent_type:weather"
	rawOwn  = "byai_gateway:ctrl:worker:" + rawName
)

func (w *rawWorker) must(err error) {
	if err != nil {
		w.t.Error("the raw worker: ", err)
	}
}

func (w *rawWorker) beat(ctx context.Context) {
	lease := fmt.Sprintf(`{"version":1,"token":"0123456789abcdef0123456789abcdef","last_seen":%d,"ip_address":"192.0.2.10"}`, time.Now().UnixMilli())
	w.must(w.rdb.Set(ctx, "byai_gateway:registry:worker:online:"+rawName, lease, 30*time.Second).Err())
}

type rawCommand struct {
	Action string         `json:"action_type"`
	Header map[string]any `json:"header"`
	Body   map[string]any `json:"body"`
}

func (w *rawWorker) read(ctx context.Context, stream string, all *sync.WaitGroup) {
	for ctx.Err() == nil {
		got, err := w.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
			Group: "agent_engines", Consumer: rawName, Streams: []string{stream, ">"}, Count: 1, Block: 100 * time.Millisecond,
		}).Result()
		if err != nil || len(got) == 0 {
			continue
		}
		for _, m := range got[0].Messages {
			var c rawCommand
			text, _ := m.Values["data"].(string)
			w.must(json.Unmarshal([]byte(text), &c))
			if c.Header["source_agent_type"] != "" {
				w.t.Errorf("the command %s comes from %v", text, c.Header["source_agent_type"])
			}
			if c.Action == "CANCEL_TASK" {
				w.cancel(fmt.Sprint(c.Body["target_message_id"]))
				w.must(w.rdb.XAck(ctx, stream, "agent_engines", m.ID).Err())
				continue
			}
			all.Go(func() {
				w.work(ctx, c)
				w.must(w.rdb.XAck(context.WithoutCancel(ctx), stream, "agent_engines", m.ID).Err())
			})
		}
	}
}

func (w *rawWorker) cancel(message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.cancels[message]; cancel != nil {
		cancel()
	}
}

// record writes fields into the record of a command.
func (w *rawWorker) record(ctx context.Context, c rawCommand, fields map[string]any) {
	key := fmt.Sprintf("byai_gateway:session:%v:registry", c.Header["session_id"])
	execution := w.rdb.HGet(ctx, key, fmt.Sprintf("msg_map:%v", c.Header["message_id"])).Val()
	var rec map[string]any
	w.must(json.Unmarshal([]byte(w.rdb.HGet(ctx, key, "exec:"+execution).Val()), &rec))
	timeline, _ := rec["timeline"].([]any)
	maps.Copy(rec, fields)
	rec["timeline"] = append(timeline, map[string]any{"status": fields["status"], "timestamp": time.Now().UnixMilli()})
	text, err := json.Marshal(rec)
	w.must(err)
	w.must(w.rdb.HSet(ctx, key, "exec:"+execution, string(text)).Err())
}

// say adds an event to the stream of the session.
func (w *rawWorker) say(ctx context.Context, c rawCommand, kind, code, content string) {
	text, err := json.Marshal(map[string]any{
		"trace_id": c.Header["trace_id"], "session_id": c.Header["session_id"], "event_type": kind, "source_agent_type": "weather",
		"message_id": c.Header["message_id"], "parent_message_id": "", "timestamp": time.Now().UnixMilli(),
		"data": map[string]any{
			"id": fmt.Sprintf("%032X", time.Now().UnixNano()), "created": time.Now().Unix(), "model": "", "object": "", "contentType": code,
			"agentId": "weather", "orderId": c.Header["message_id"], "parentOrderId": "", "objectType": nil, "status": nil,
			"choices": []any{map[string]any{"index": 0, "finish_reason": "", "delta": map[string]any{"role": "assistant", "content": content}}},
		},
		"state_msg": "", "artifact_url": "", "metadata": map[string]any{},
	})
	w.must(err)
	w.must(w.rdb.XAdd(ctx, &redis.XAddArgs{
		Stream: fmt.Sprintf("byai_gateway:session:%v:data_stream", c.Header["session_id"]), Values: []any{"data", string(text)},
	}).Err())
}

// work does what the words of a task say.
func (w *rawWorker) work(life context.Context, c rawCommand) {
	ctx, cancel := context.WithCancel(life)
	defer cancel()
	said := context.WithoutCancel(life) // what it writes, it writes
	content := fmt.Sprint(c.Body["content"])
	w.mu.Lock()
	w.cancels[fmt.Sprint(c.Header["message_id"])] = cancel
	w.tasks = append(w.tasks, c.Action+" "+content)
	w.mu.Unlock()
	w.record(said, c, map[string]any{"status": "RUNNING", "worker_id": rawName, "started_at": time.Now().UnixMilli()})
	end := func(status, final string) {
		if final != "" {
			w.say(said, c, "finalAnswer", "1002", final)
		}
		w.say(said, c, "appStreamResponse", "1002", "")
		<-time.After(20 * time.Millisecond) // as the SDK, which writes the state later
		w.record(said, c, map[string]any{"status": status, "finished_at": time.Now().UnixMilli()})
	}
	switch {
	case c.Action == "RESUME":
		w.say(said, c, "answerDelta", "1002", "in ")
		w.say(said, c, "answerDelta", "1002", content)
		end("COMPLETED", "in "+content+" it rains")
	case content == "ask":
		w.say(said, c, "reasoningLogDelta", "1002", "thinking")
		w.say(said, c, "answerDelta", "1002", "I look ")
		w.say(said, c, "answerDelta", "1002", "at the sky")
		w.say(said, c, "reasoningLogDelta", "3003", "looking")
		w.say(said, c, "reasoningLogDelta", "3013", `{"formStatus": 0, "pluginMachineFields": [{"formType": "textarea", "fieldName": "user_input", "fieldCode": "user_input", "description": "Which city?", "required": true}]}`)
		<-time.After(20 * time.Millisecond)
		w.record(said, c, map[string]any{"status": "WAITING_USER"})
	case content == "fail":
		w.say(said, c, "appStreamResponse", "1002", "")
		w.record(said, c, map[string]any{"status": "FAILED", "error_message": "the sky fell down", "error_type": "ValueError", "failed_stage": "process_command"})
	case content == "slow":
		w.say(said, c, "answerDelta", "1002", "started")
		<-ctx.Done()
		if life.Err() == nil {
			end("CANCELLED", "")
		}
	default:
		w.say(said, c, "answerDelta", "1002", "echo: "+content)
		end("COMPLETED", "echo: "+content)
	}
}
