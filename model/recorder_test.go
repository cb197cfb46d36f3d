package model_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// reply is what a test's client says to one request.
type reply struct {
	Chunks []model.Chunk
	Err    error
}

// player plays the replies of each agent in order.
type player struct {
	mu      sync.Mutex // guards replies
	replies map[string][]reply
}

func (p *player) Stream(_ context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		p.mu.Lock()
		r := p.replies[req.Agent][0]
		p.replies[req.Agent] = p.replies[req.Agent][1:]
		p.mu.Unlock()
		for _, c := range r.Chunks {
			if !yield(c, nil) {
				return
			}
		}
		if r.Err != nil {
			yield(model.Chunk{}, r.Err)
		}
	}
}

// hear reads a reply, at most so many pieces of it.
func hear(c model.Client, req model.Request, most int) reply {
	var got reply
	for chunk, err := range c.Stream(context.Background(), req) {
		if err != nil {
			got.Err = err
			continue
		}
		if got.Chunks = append(got.Chunks, chunk); len(got.Chunks) == most {
			break
		}
	}
	return got
}

const everything = 1 << 20

// errorText compares errors by their words, and by what callers branch on.
var errorText = cmp.Transformer("error", func(err error) map[string]any {
	if err == nil {
		return nil
	}
	e, _ := errors.AsType[*model.Error](err)
	facts := map[string]any{
		"text": err.Error(), "canceled": errors.Is(err, context.Canceled), "deadline": errors.Is(err, context.DeadlineExceeded),
		"failure": model.AsFailure(err),
	}
	if e != nil {
		plain := *e
		plain.Err = nil
		facts["error"] = plain
	}
	return facts
})

// anyText draws a text; it need not be UTF-8.
func anyText(label string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "a", "<b>&\u2028", "你好", "你好"[:4], "\xff\x00", strings.Repeat("long ", 50)}).Draw(t, label)
	})
}

func drawChunk(t *rapid.T) model.Chunk {
	c := model.Chunk{
		Text: anyText("text").Draw(t, "text"), Reasoning: anyText("reasoning").Draw(t, "reasoning"), Extra: anyText("extra").Draw(t, "extra"),
		Finish: rapid.SampledFrom([]event.Finish{"", event.FinishStop}).Draw(t, "finish"), RawFinish: anyText("raw").Draw(t, "raw"), Model: anyText("model").Draw(t, "model"),
	}
	if rapid.Bool().Draw(t, "calls") {
		c.Calls = []event.Call{{ID: "1", Name: anyText("name").Draw(t, "name"), Arguments: anyText("args").Draw(t, "args"), Extra: anyText("x").Draw(t, "x")}, {ID: "2"}}
	}
	if rapid.Bool().Draw(t, "usage") {
		c.Usage = &event.Usage{Input: 3, CachedInput: 1, Output: 2, Estimated: true}
	}
	c.Notice = rapid.SampledFrom([]event.Data{
		nil,
		event.Warning{Code: "w", Text: "odd"},
		event.ModelRetried{Attempt: 1, WaitMS: 5, Failure: event.Failure{Code: "x", Message: "y"}},
		event.ModelProfile{Endpoint: "e", Switch: "s", Value: "v", Why: "w"},
	}).Draw(t, "notice")
	return c
}

func drawError(t *rapid.T) error {
	full := model.NewError(model.ClassRateLimited, "slow down")
	full.Status, full.Like, full.RetryAfter, full.Hint, full.Partial = 429, model.ClassOverloaded, 1500, "wait", "half"
	below := model.NewError(model.ClassTransport, "reset")
	below.Err = io.ErrUnexpectedEOF
	late := model.NewError(model.ClassStalled, "late")
	late.Err = context.DeadlineExceeded
	return rapid.SampledFrom([]error{
		nil, nil, full, below, late, errors.New("plain\xff"), fmt.Errorf("call ended: %w: by hand", context.Canceled), fmt.Errorf("around: %w", full),
	}).Draw(t, "error")
}

// drawLife draws the requests of an agent, mostly a conversation that grows,
// and the replies.
func drawLife(t *rapid.T, agent string) (requests []model.Request, replies []reply) {
	var messages []model.Message
	tools := []model.Tool{{Name: "read_file", Description: "reads <it>", Schema: []byte(`{"type": "object"}`)}}
	for range rapid.IntRange(1, 5).Draw(t, "calls") {
		if rapid.IntRange(0, 4).Draw(t, "compacted") == 0 {
			messages = nil
		}
		for range rapid.IntRange(0, 3).Draw(t, "new") {
			messages = append(messages, model.Message{
				Role: rapid.SampledFrom([]model.Role{model.User, model.Assistant, model.ToolRole}).Draw(t, "role"), Content: anyText("content").Draw(t, "content"),
				Calls: []event.Call{{ID: "1", Name: "n", Arguments: "{}"}}, Origin: model.Origin{Kind: event.Note, From: "User", ID: "msg_user_001", Content: "bare"},
			})
		}
		req := model.Request{Agent: agent, AgentRole: "uio", Messages: append([]model.Message{}, messages...), MaxOutputTokens: 7}
		if rapid.Bool().Draw(t, "tools") {
			req.Tools = tools
		}
		requests = append(requests, req)
		replies = append(replies, reply{rapid.SliceOfN(rapid.Custom(drawChunk), 0, 3).Draw(t, "chunks"), drawError(t)})
	}
	return requests, replies
}

// TestAReplayIsWhatWasRecorded has several agents at once.
func TestAReplayIsWhatWasRecorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &player{replies: map[string][]reply{}}
		lives := map[string][]model.Request{}
		for _, agent := range []string{"tl", "uio_1", "fse_1"} {
			lives[agent], p.replies[agent] = drawLife(t, agent)
		}
		most := rapid.SampledFrom([]int{1, 2, everything}).Draw(t, "most")
		var tape bytes.Buffer
		rec := model.NewRecorder(p, &tape)
		want := perform(rec, lives, most)
		if err := rec.Err(); err != nil {
			t.Fatal(err)
		}
		replayer, err := model.NewReplayer(&tape)
		if err != nil {
			t.Fatal(err)
		}
		got := perform(replayer, lives, most)
		if diff := cmp.Diff(want, got, errorText); diff != "" {
			t.Errorf("replayed (-recorded +replayed):\n%s", diff)
		}
		if left := replayer.Left(); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

// perform lets all agents ask at once, each its requests in order.
func perform(c model.Client, lives map[string][]model.Request, most int) map[string][]reply {
	var mu sync.Mutex // guards all
	all := map[string][]reply{}
	var wg sync.WaitGroup
	for agent, requests := range lives {
		wg.Go(func() {
			var list []reply
			for _, req := range requests {
				list = append(list, hear(c, req, most))
			}
			mu.Lock()
			defer mu.Unlock()
			all[agent] = list
		})
	}
	wg.Wait()
	return all
}

// record has "uio_1" say a conversation of two calls, and returns the requests
// and the recording.
func record(t *testing.T) (requests []model.Request, recording string) {
	t.Helper()
	first := model.Request{
		Agent: "uio_1", AgentRole: "uio", MaxOutputTokens: 9,
		Messages: []model.Message{{Role: model.System, Content: "You draw."}, {Role: model.User, Content: "a page"}},
		Tools:    []model.Tool{{Name: "read_file", Schema: []byte(`{}`)}, {Name: "write_file", Schema: []byte(`{}`)}},
	}
	second := first
	second.Messages = append(append([]model.Message{}, first.Messages...),
		model.Message{Role: model.Assistant, Content: "which colour?"}, model.Message{Role: model.User, Content: strings.Repeat("very ", 100) + "blue, " + strings.Repeat("very ", 100)})
	var tape bytes.Buffer
	p := &player{replies: map[string][]reply{"uio_1": {{Chunks: []model.Chunk{{Text: "which "}, {Text: "colour?"}}}, {Chunks: []model.Chunk{{Text: "done"}}}}}}
	r := model.NewRecorder(p, &tape)
	hear(r, first, everything)
	hear(r, second, everything)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return []model.Request{first, second}, tape.String()
}

func TestAReplayRefusesAnotherRequest(t *testing.T) {
	requests, recording := record(t)
	for _, tt := range []struct {
		name   string
		change func(*model.Request)
		part   string
		diff   []string
	}{
		{"role", func(r *model.Request) { r.AgentRole = "fse" }, "the role", []string{"- uio\n+ fse"}},
		{"bound", func(r *model.Request) { r.MaxOutputTokens = 10 }, "the bound on the reply", []string{"- 9\n+ 10"}},
		{"content", func(r *model.Request) {
			r.Messages[3].Content = strings.Replace(r.Messages[3].Content, "blue", "black", 1)
		}, "message 3 (user)", []string{"- …", "very blue, very", "+ …", "very black, very"}},
		{"two of them", func(r *model.Request) { r.Messages[0].Content, r.Messages[2].Content = "x", "y" }, "message 0 (system)", []string{`"content":"You draw."`, `"content":"x"`}},
		{"one less", func(r *model.Request) { r.Messages = r.Messages[:3] }, "message 3 (user)", []string{"- {\"role\":\"user\"", "+ nothing"}},
		{"one more", func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.ToolRole, Content: "ok"})
		}, "message 4 (tool)", []string{"- nothing", "+ {\"role\":\"tool\""}},
		{"tool", func(r *model.Request) { r.Tools = r.Tools[:1] }, "tool 1", []string{"write_file", "+ nothing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := model.NewReplayer(strings.NewReader(recording))
			if err != nil {
				t.Fatal(err)
			}
			hear(p, requests[0], everything)
			req := requests[1]
			req.Messages = append([]model.Message{}, req.Messages...)
			tt.change(&req)
			got := hear(p, req, everything)
			m, ok := errors.AsType[*model.MismatchError](got.Err)
			if !ok || len(got.Chunks) > 0 {
				t.Fatalf("got %+v, want a mismatch", got)
			}
			if m.Agent != "uio_1" || m.Call != 2 || m.Part != tt.part {
				t.Errorf("call %d of %s, %s; want call 2 of uio_1, %s", m.Call, m.Agent, m.Part, tt.part)
			}
			for _, want := range tt.diff {
				if !strings.Contains(m.Diff, want) {
					t.Errorf("the difference has no %q:\n%s", want, m.Diff)
				}
			}
			if len(m.Diff) > 500 {
				t.Errorf("a difference of %d bytes", len(m.Diff))
			}
			if e, ok := errors.AsType[*model.Error](got.Err); !ok || e.Retryable || e.Class != model.ClassBadRequest {
				t.Errorf("error %v, want one that is not tried again", got.Err)
			}
			if got := hear(p, requests[1], everything); got.Err != nil || len(got.Chunks) != 1 {
				t.Errorf("the recorded request then gets %+v", got)
			}
		})
	}
}

func TestAReplayHasNoMoreThanTheRecording(t *testing.T) {
	requests, recording := record(t)
	p, err := model.NewReplayer(strings.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	stranger := requests[0]
	stranger.Agent = "fse_1"
	if m, ok := errors.AsType[*model.MismatchError](hear(p, stranger, everything).Err); !ok || m.Agent != "fse_1" || m.Call != 1 || m.Part != "the number of calls" {
		t.Errorf("a stranger gets %+v", m)
	}
	if diff := cmp.Diff(map[string]int{"uio_1": 2}, p.Left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	for _, req := range requests {
		if got := hear(p, req, everything); got.Err != nil {
			t.Error(got.Err)
		}
	}
	if m, ok := errors.AsType[*model.MismatchError](hear(p, requests[1], everything).Err); !ok || m.Call != 3 {
		t.Errorf("the third call gets %+v", m)
	}
	if len(p.Left()) > 0 {
		t.Errorf("left %v", p.Left())
	}
}

// TestATornRecording plays what is there, and names a line that is damaged.
func TestATornRecording(t *testing.T) {
	requests, recording := record(t)
	lines := strings.SplitAfter(recording, "\n")
	p, err := model.NewReplayer(strings.NewReader(lines[0] + lines[1] + lines[2][:20]))
	if err != nil {
		t.Fatal(err)
	}
	got := hear(p, requests[0], everything)
	if e, ok := errors.AsType[*model.Error](got.Err); !ok || e.Class != model.ClassTruncatedStream || e.Retryable || len(got.Chunks) != 1 {
		t.Errorf("got %+v, want the piece and truncated_stream", got)
	}
	for name, text := range map[string]string{
		"line 2":                lines[0] + "no JSON\n",
		"has no request":        lines[1],
		"where call 1 is due":   lines[4],
		"goes on after its end": lines[0] + lines[1] + lines[2] + lines[3] + lines[2],
	} {
		if _, err := model.NewReplayer(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error with %q", err, name)
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestCallsGoOnWithoutARecording(t *testing.T) {
	r := model.NewRecorder(&player{replies: map[string][]reply{"a": {{Chunks: []model.Chunk{{Text: "x"}}}}}}, full{})
	if got := hear(r, model.Request{Agent: "a"}, everything); got.Err != nil || len(got.Chunks) != 1 {
		t.Errorf("got %+v", got)
	}
	if err := r.Err(); !errors.Is(err, io.ErrShortWrite) || !strings.Contains(err.Error(), "call 1 of a") {
		t.Errorf("error %v", err)
	}
}

// TestAReplayEndsWithItsContext is like every client.
func TestAReplayEndsWithItsContext(t *testing.T) {
	requests, recording := record(t)
	p, err := model.NewReplayer(strings.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pieces := 0
	for _, err := range p.Stream(ctx, requests[0]) {
		if err == nil {
			pieces++
			cancel()
		} else if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if pieces != 1 {
		t.Errorf("%d pieces, want 1", pieces)
	}
}
