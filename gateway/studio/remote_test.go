package studio_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/studio"
)

// remote is an agent at a URL that the rig serves.
func (r *rig) remote(token string) *studio.Remote {
	r.Helper()
	remote, err := studio.NewRemote(studio.RemoteOptions{
		URL: "ws://studio.test/studio", Token: token,
		HTTPClient: &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return r.pipes.dial(ctx) },
		}},
	})
	if err != nil {
		r.Fatal(err)
	}
	return remote
}

// step is a task of an agent.
func step(id, text string) event.RemoteStep {
	return event.RemoteStep{
		RemoteAgent: event.RemoteAgent{Run: "01RUN", Agent: "weather_1"}, ID: id, Task: id, Text: text, Metadata: map[string]string{"project": "2231"},
	}
}

// take takes a step and returns what the agent said, and the error.
func take(ctx context.Context, remote *studio.Remote, s event.RemoteStep) (said []event.Data, err error) {
	for d, err := range remote.Step(ctx, s) {
		if err != nil {
			return said, err
		}
		said = append(said, d)
	}
	return said, nil
}

// failureOf is what an error tells.
func failureOf(err error) event.Failure {
	if e, ok := errors.AsType[*studio.RemoteError](err); ok {
		return e.Failure()
	}
	return event.Failure{}
}

func TestRemote(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		remote := r.remote(aliceToken)
		got, err := take(r.Context(), remote, step("step_1", slowly+"one two"))
		want := []event.Data{
			event.ModelThinking{Step: 1, Text: "想一想"},
			event.ModelDelta{Step: 1, Text: "one "},
			event.ModelDelta{Step: 1, Offset: 4, Text: "two"},
			event.ModelReplied{Step: 1, Text: "one two", Reasoning: "想一想", Finish: event.FinishStop},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			r.Errorf("%v, (-want +got):\n%s", err, diff)
		}
		// The next task of the same agent goes on with its session. What agents over
		// there say to each other is no part of the answer.
		got, err = take(r.Context(), remote, step("step_2", hire))
		if d, ok := got[len(got)-1].(event.ModelReplied); !ok || err != nil || strings.Contains(d.Text, "Aid_1**") || !strings.HasPrefix(d.Text, "我找人\n\n回答") {
			r.Errorf("%v, said %+v", err, got[len(got)-1])
		}
		records := r.records("01RUN-weather_1")
		if header, _ := records[0].Data.(event.RunStarted); !strings.Contains(string(header.Meta), `"project":"2231"`) {
			r.Errorf("the session notes %s", header.Meta)
		}
	})
}

func TestRemoteFails(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		_, err := take(r.Context(), r.remote("none"), step("step_1", "hi"))
		if f := failureOf(err); f.Code != "refused" || f.Retryable || !strings.Contains(f.Message, "token") {
			r.Errorf("a bad token: %+v, %v", f, err)
		}
		_, err = take(r.Context(), r.remote(aliceToken), step("step_2", fail))
		if f := failureOf(err); f.Code != "failed" || !strings.Contains(f.Message, "the key is refused") {
			r.Errorf("a failed turn: %+v, %v", f, err)
		}
		remote := r.remote(aliceToken)
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		cause := errors.New("enough")
		for d, err := range remote.Step(ctx, step("step_3", slowly+"one two three")) {
			if _, ok := d.(event.ModelDelta); ok {
				cancel(cause)
			}
			if err != nil && !errors.Is(err, cause) {
				r.Errorf("the context ended: %v", err)
			}
		}
		synctest.Wait()                                                                        // until the server sees that nobody listens
		for d, err := range remote.Step(r.Context(), step("step_4", slowly+"one two three")) { // who listens may go
			if _, ok := d.(event.ModelDelta); ok {
				break
			}
			if err != nil {
				r.Error(err)
			}
		}
		synctest.Wait()
		var ended error
		for d, err := range remote.Step(r.Context(), step("step_5", slowly+"one two three")) {
			if _, ok := d.(event.ModelThinking); ok {
				if err := remote.Cancel(r.Context(), step("step_5", ""), "not needed"); err != nil {
					r.Error(err)
				}
			}
			ended = err
		}
		if f := failureOf(ended); f.Code != event.CodeCancelled || f.Message != "not needed" {
			r.Errorf("a cancelled task: %+v, %v", f, ended)
		}
		if err := remote.Cancel(r.Context(), step("step_5", ""), "again"); err != nil {
			r.Error(err)
		}
		r.stop()
		_, err = take(r.Context(), remote, step("step_6", "hi"))
		if f := failureOf(err); f.Code != "network" || !f.Retryable {
			r.Errorf("nobody there: %+v, %v", f, err)
		}
	})
	if _, err := studio.NewRemote(studio.RemoteOptions{URL: "http://studio.test"}); err == nil {
		t.Error("an address that is none is taken")
	}
}

// foreign is an agent of somebody else: play gets the connection with the message
// that came.
func foreign(t *testing.T, play func(ctx context.Context, ws *websocket.Conn, in string)) *studio.Remote {
	t.Helper()
	p := newPipes()
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		ctx := context.WithoutCancel(r.Context())
		_, text, err := ws.Read(ctx)
		if err == nil {
			play(ctx, ws, string(text))
		}
	})}
	done := make(chan struct{})
	go func() { _ = srv.Serve(p); close(done) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	remote, err := studio.NewRemote(studio.RemoteOptions{URL: "ws://agent.test/", HTTPClient: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return p.dial(ctx) },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return remote
}

// TestRemoteOfOthers reads what the document of the protocol writes, with its commas, and
// streams that overlap.
func TestRemoteOfOthers(t *testing.T) {
	remote := foreign(t, func(ctx context.Context, ws *websocket.Conn, _ string) {
		for _, text := range []string{
			`{"id":"r","type":"response-state","event":"start",}`,
			`{"id":"a","type":"chat-output","event":"start"}`, `{"id":"a","type":"chat-output","event":"delta","content":"one",},`,
			`{"id":"b","type":"chat-output","event":"start"}`, `{"id":"b","type":"chat-output","event":"delta","content":"three"}`,
			`{"id":"t","type":"tool-call","event":"start","func":"f","args":{},}`, `{"id":"x","type":"something-new","event":"start"}`,
			`{"id":"a","type":"chat-output","event":"delta","content":" two"}`, `{"id":"a","type":"chat-output","event":"end"}`,
			`{"id":"b","type":"chat-output","event":"delta","content":" four"}`, // without an end
			`{"id":"r","type":"response-state","event":"end",}`,
		} {
			_ = ws.Write(ctx, websocket.MessageText, []byte(text))
		}
		_ = ws.Close(websocket.StatusNormalClosure, "")
	})
	got, err := take(t.Context(), remote, step("step_1", "hi"))
	if d, ok := got[len(got)-1].(event.ModelReplied); !ok || err != nil || d.Text != "one two\n\nthree four" {
		t.Errorf("%v, said %+v", err, got)
	}
}

// TestRemoteTakenAgain says so when the connection was lost before the end.
func TestRemoteTakenAgain(t *testing.T) {
	var heard []string
	remote := foreign(t, func(ctx context.Context, ws *websocket.Conn, in string) {
		heard = append(heard, in)
		if len(heard) == 1 {
			_ = ws.Write(ctx, websocket.MessageText, []byte(`{"id":"a","type":"chat-output","event":"delta","content":"one"}`))
			return
		}
		_ = ws.Write(ctx, websocket.MessageText, []byte(`{"id":"r","type":"response-state","event":"end"}`))
		_, _, _ = ws.Read(ctx)
	})
	_, err := take(t.Context(), remote, step("step_1", "hi"))
	if f := failureOf(err); f.Code != "network" || !f.Retryable {
		t.Errorf("a lost connection: %+v, %v", f, err)
	}
	again := step("step_1", "hi")
	again.Again = true
	if _, err := take(t.Context(), remote, again); err != nil {
		t.Error(err)
	}
	if _, err := take(t.Context(), remote, step("step_2", "hi")); err != nil {
		t.Error(err)
	}
	for i, again := range []bool{false, true, false} {
		if got := strings.Contains(heard[i], "was lost after this was said before"); got != again {
			t.Errorf("message %d is %s", i, heard[i])
		}
	}
}

// TestRemoteIsSilent hangs up on a server that answers no ping.
func TestRemoteIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		remote := foreign(t, func(context.Context, *websocket.Conn, string) { <-hold })
		began := time.Now()
		_, err := take(t.Context(), remote, step("step_1", "hi"))
		if f := failureOf(err); f.Code != "network" || time.Since(began) > 40*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		close(hold)
	})
}

// TestRemoteEndless gives up an agent that never stops to talk, in one text, in ever
// new ones or in thoughts.
func TestRemoteEndless(t *testing.T) {
	for name, say := range map[string]func(i int) studio.Message{
		"one text": func(int) studio.Message {
			return studio.Message{ID: "a", Type: studio.TypeChat, Event: studio.EventDelta}
		},
		"many texts": func(i int) studio.Message {
			return studio.Message{ID: fmt.Sprint(i), Type: studio.TypeChat, Event: studio.EventDelta}
		},
		"many thoughts": func(int) studio.Message {
			return studio.Message{ID: "t", Type: studio.TypeThinking, Event: studio.EventDelta}
		},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ws, err := websocket.Accept(w, r, nil)
				if err != nil {
					return
				}
				defer func() { _ = ws.CloseNow() }()
				for i := range 64 {
					m := say(i)
					m.Content = strings.Repeat("x", 1<<20)
					if ws.Write(r.Context(), websocket.MessageText, []byte(studio.Text(m))) != nil {
						return
					}
				}
			}))
			defer srv.Close()
			remote, err := studio.NewRemote(studio.RemoteOptions{URL: "ws" + strings.TrimPrefix(srv.URL, "http")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := take(t.Context(), remote, step("step_1", "talk")); failureOf(err).Code != "protocol" || !strings.Contains(err.Error(), "more than 16777216 bytes") {
				t.Errorf("got %v", err)
			}
		})
	}
}
