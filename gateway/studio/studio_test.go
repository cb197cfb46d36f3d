package studio_test

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/studio"
	"github.com/troupe-go/troupe/session"
)

func TestConversation(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		if got := r.ask("s1", "你好").answer(); got != "回答 你好" {
			r.Errorf("answered %q", got)
		}
		if got := r.ask("s1", "again").answer(); got != "回答 again" {
			r.Errorf("answered %q", got)
		}
		// The second prompt went on with the first one's session.
		var tasks []string
		for _, rec := range r.records("s1") {
			if d, ok := rec.Data.(event.MessageSent); ok && d.From == event.Person {
				tasks = append(tasks, d.Content)
			}
		}
		if !slices.Equal(tasks, []string{"你好", "again"}) {
			r.Errorf("the session has the prompts %q", tasks)
		}
		// Without an id each is a session of its own.
		c := r.open()
		c.say(studio.UserInput{APIKey: aliceToken, UserInput: "alone"})
		if got := c.answer(); got != "回答 alone" {
			r.Errorf("answered %q", got)
		}
	})
}

func TestStreams(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two three")
		began := time.Now()
		c.until(is(studio.TypeThinking, studio.EventDelta))
		if took := time.Since(began); took > time.Millisecond {
			r.Errorf("the thought came after %v", took)
		}
		c.until(is(studio.TypeChat, studio.EventDelta))
		c.until(is(studio.TypeChat, studio.EventDelta))
		if took := time.Since(began); took.Round(time.Second) != 2*time.Second {
			r.Errorf("the second word came after %v", took)
		}
		if messages, code := c.rest(); code != websocket.StatusNormalClosure || !strings.Contains(script(messages, studio.TypeChat), "three") {
			r.Errorf("close code %d, %v", code, messages)
		}
	})
}

func TestSettings(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.open()
		c.say(studio.UserInput{
			APIKey: aliceToken, SessionID: "s1", ProjectID: "2231", WorkDir: "/document", PreferredModel: "火山引擎:no such", UserInput: "hi",
		})
		messages, _ := c.rest()
		if got := script(messages, studio.TypeThinking); !strings.Contains(got, "火山引擎:no such") {
			r.Errorf("of the unknown model it is told %q", got)
		}
		records := r.records("s1")
		header, _ := records[0].Data.(event.RunStarted)
		if !strings.HasSuffix(header.WorkDir, "/document") || !strings.Contains(string(header.Meta), `"project":"2231"`) || strings.Contains(string(header.Meta), `"model"`) {
			r.Errorf("the team works in %s, with %s", header.WorkDir, header.Meta)
		}
		c = r.open()
		c.say(studio.UserInput{APIKey: aliceToken, SessionID: "s2", PreferredModel: "house:other", UserInput: "hi"})
		if messages, _ := c.rest(); script(messages, studio.TypeThinking) != "" {
			r.Errorf("a known model is told of: %v", messages)
		}
		if header, _ := r.records("s2")[0].Data.(event.RunStarted); !strings.Contains(string(header.Meta), `"model":"test/other"`) {
			r.Errorf("the session notes %s", header.Meta)
		}
	})
}

func TestSteering(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two three")
		first := c.until(is(studio.TypeChat, studio.EventDelta))
		c.say(studio.UserInput{APIKey: aliceToken, SessionID: "s1", UserInput: "in blue"})
		messages, code := c.rest()
		messages = append(first, messages...)
		got := said(messages)
		if code != websocket.StatusNormalClosure || len(got) == 0 || got[len(got)-1] != "回答 in blue" {
			r.Errorf("close code %d, said %q", code, got)
		}
		// What is wrong with an addition is told, and the response goes on.
		c = r.ask("s2", slowly+"one two three four")
		first = c.until(is(studio.TypeChat, studio.EventDelta))
		additions := []string{
			"{", `{"type":"ping"}`, `{"type":"user-input","apiKey":"` + bobToken + `","userInput":"x"}`, `{"type":"user-input","apiKey":"none","userInput":"x"}`,
			`{"type":"user-input","apiKey":"` + aliceToken + `","userInput":"x","sessionId":"s1"}`,
		}
		go func() {
			for _, text := range additions {
				c.write(text)
			}
		}()
		messages, code = c.rest()
		messages = append(first, messages...)
		if n := len(wrongs(messages)); n != len(additions) || code != websocket.StatusNormalClosure || faults(messages, false) != "" {
			r.Errorf("close code %d, %d errors: %q; %s", code, n, wrongs(messages), faults(messages, false))
		}
		if got := said(messages); !slices.Contains(got, "one two three four") {
			r.Errorf("said %q", got)
		}
	})
}

// TestTheTeamAsks has the next message answer what the team asked.
func TestTheTeamAsks(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		if got := r.ask("s1", askMe).answer(); got != "什么颜色？" {
			r.Errorf("asked %q", got)
		}
		if got := r.ask("s1", "蓝色").answer(); !strings.Contains(got, "听到") || !strings.Contains(got, "蓝色") {
			r.Errorf("answered %q", got)
		}
		closed := 0
		for _, rec := range r.records("s1") {
			if d, ok := rec.Data.(event.QuestionClosed); ok && d.Outcome == event.Answered && d.Text == "蓝色" {
				closed++
			}
		}
		if closed != 1 {
			r.Errorf("the question was answered %d times", closed)
		}
	})
}

func TestSubAgents(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		messages, _ := r.ask("s1", hire).rest()
		if got := said(messages); !slices.Contains(got, "**Aid_1** 任务完成汇报\n\n我做完了") {
			r.Errorf("said %q", got)
		}
		if fault := faults(messages, true); fault != "" {
			r.Error(fault)
		}
	})
}

func TestFailure(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		if got := r.ask("s1", fail).answer(); !strings.Contains(got, "error: ") || !strings.Contains(got, "the key is refused") {
			r.Errorf("told %q", got)
		}
	})
}

// TestStoppedFromElsewhere ends the streams when somebody stops the team.
func TestStoppedFromElsewhere(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two three")
		first := c.until(is(studio.TypeChat, studio.EventDelta))
		s, _, _ := r.sessions.Open(r.Context(), "alice", "s1")
		if err := r.sessions.Stop(r.Context(), s, "", event.StopNow); err != nil {
			r.Fatal(err)
		}
		messages, code := c.rest()
		messages = append(first, messages...)
		if fault := faults(messages, true); fault != "" || code != websocket.StatusNormalClosure {
			r.Errorf("close code %d, %s", code, fault)
		}
	})
}

// TestServerStops ends all streams, and goes on after a restart.
func TestServerStops(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two three four five six seven")
		first := c.until(is(studio.TypeChat, studio.EventDelta))
		silent := r.open()
		stopped := make(chan struct{})
		go func() { r.stop(); close(stopped) }()
		messages, code := c.rest()
		messages = append(first, messages...)
		if fault := faults(messages, true); fault != "" || code != websocket.StatusNormalClosure || len(wrongs(messages)) != 1 {
			r.Errorf("close code %d, %s, %q", code, fault, wrongs(messages))
		}
		if messages, code := silent.rest(); code != websocket.StatusPolicyViolation || len(wrongs(messages)) != 1 {
			r.Errorf("a silent client: close code %d, %v", code, messages)
		}
		<-stopped
		r.start(nil)
		// The session goes on by itself, and takes the next prompt.
		if got := r.ask("s1", "and now").answer(); !strings.Contains(got, "回答 and now") {
			r.Errorf("answered %q", got)
		}
	})
}

// TestDisconnect leaves the team at work, or stops it.
func TestDisconnect(t *testing.T) {
	for name, stop := range map[string]bool{"continue": false, "stop": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(o *studio.Options) { o.StopOnDisconnect = stop }, func(r *rig) {
				c := r.ask("s1", hire)
				c.until(is(studio.TypeToolCall, studio.EventStart))
				_ = c.ws.CloseNow()
				r.pass(time.Minute)
				records := r.records("s1")
				want := event.TypeRunFinished
				if stop {
					want = event.TypeRunSuspended
				}
				if got := records[len(records)-1].Type(); got != want {
					r.Errorf("the log ends with %s, want %s", got, want)
				}
				stopped := slices.ContainsFunc(r.audited(), func(e gateway.AuditEntry) bool { return strings.HasPrefix(e.Detail, "stopped") })
				if stopped != stop {
					r.Errorf("the audit is %+v", r.audited())
				}
				if got := r.ask("s1", "back").answer(); !strings.Contains(got, "回答 back") {
					r.Errorf("answered %q", got)
				}
			})
		})
	}
}

// TestComingBack streams the rest to a client that comes back while the team
// works.
func TestComingBack(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two three four")
		c.until(is(studio.TypeChat, studio.EventDelta))
		_ = c.ws.CloseNow()
		r.pass(time.Second)
		got := r.ask("s1", "and in blue").answer()
		if !strings.Contains(got, "one two three four") || !strings.Contains(got, "回答 and in blue") {
			r.Errorf("answered %q", got)
		}
	})
}

func TestBusy(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two three")
		c.until(is(studio.TypeChat, studio.EventDelta))
		second := r.ask("s1", "me too")
		if messages, code := second.rest(); code != websocket.StatusPolicyViolation || len(messages) != 1 || !strings.Contains(messages[0].Content, "busy") {
			r.Errorf("close code %d, %v", code, messages)
		}
		other := r.open() // the session of the same name of somebody else is another one
		other.say(studio.UserInput{APIKey: bobToken, SessionID: "s1", UserInput: "hi"})
		if got := other.answer(); got != "回答 hi" {
			r.Errorf("bob is answered %q", got)
		}
		messages, _ := c.rest()
		// As soon as the end has come the session is free.
		if last := messages[len(messages)-1]; last.Type != studio.TypeResponse {
			r.Errorf("the last message is %v", last)
		}
		if got := r.ask("s1", "me now").answer(); got != "回答 me now" {
			r.Errorf("answered %q", got)
		}
	})
}

// panicking is sessions of which one has a fault.
type panicking struct {
	gateway.Sessions
	after event.Type
}

func (p panicking) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range p.Sessions.Follow(ctx, session, after) {
			if rec.Type() == p.after {
				panic("a fault of the server, with a secret")
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

func TestPanic(t *testing.T) {
	bubble(t, func(o *studio.Options) { o.Sessions = panicking{o.Sessions, event.TypeTurnEnded} }, func(r *rig) {
		messages, code := r.ask("s1", "hi").rest()
		if fault := faults(messages, true); fault != "" || code != websocket.StatusNormalClosure {
			r.Errorf("close code %d, %s", code, fault)
		}
		if got := wrongs(messages); len(got) != 1 || strings.Contains(got[0], "secret") {
			r.Errorf("told %q", got)
		}
		if got := r.ask("s1", "again"); got == nil {
			r.Error("the session stays busy")
		}
	})
}

// unreadable is sessions whose logs are gone.
type unreadable struct{ *session.Manager }

func (unreadable) Records(context.Context, string, int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) { yield(event.Record{}, context.DeadlineExceeded) }
}

func TestUnreadableLog(t *testing.T) {
	bubble(t, func(o *studio.Options) {
		m, _ := o.Sessions.(*session.Manager)
		o.Sessions = unreadable{m}
	}, func(r *rig) {
		messages, code := r.ask("s1", "hi").rest()
		if len(messages) != 1 || code != websocket.StatusPolicyViolation || messages[0].Content != "the server could not do it" {
			r.Errorf("close code %d, %v", code, messages)
		}
	})
}

// full is sessions of which too many work.
type full struct{ gateway.Sessions }

func (full) Submit(context.Context, string, string, string, map[string]string) error {
	return gateway.NewError(gateway.StatusUnavailable, "as many sessions work as may")
}

func TestFull(t *testing.T) {
	bubble(t, func(o *studio.Options) { o.Sessions = full{o.Sessions} }, func(r *rig) {
		messages, code := r.ask("s1", "hi").rest()
		if len(messages) != 1 || code != websocket.StatusPolicyViolation || messages[0].Content != "as many sessions work as may" {
			r.Errorf("close code %d, %v", code, messages)
		}
	})
}

func TestPlainRequest(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		near, err := r.pipes.dial(r.Context())
		if err != nil {
			r.Fatal(err)
		}
		defer near.Close()
		req, _ := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://studio.test/studio", http.NoBody)
		go func() { _ = req.Write(near) }()
		head := make([]byte, 512)
		n, _ := near.Read(head)
		if !strings.Contains(string(head[:n]), "426 Upgrade Required") {
			r.Errorf("answered %q", head[:n])
		}
	})
}
