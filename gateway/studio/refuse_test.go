package studio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/studio"
)

// TestRefusals are all that is refused before a response begins: one message, of
// type error, then close code 1008, and a line of the audit. Nothing tells of a
// token, and no session begins.
func TestRefusals(t *testing.T) {
	input := func(in studio.UserInput) string {
		in.Type = studio.TypeUserInput
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	ok := studio.UserInput{APIKey: aliceToken, SessionID: "s1", UserInput: "hi"}
	with := func(change func(*studio.UserInput)) string { in := ok; change(&in); return input(in) }
	for name, c := range map[string]struct {
		text  string
		want  string
		event gateway.AuditEvent
	}{
		"no JSON":           {"hello", "no JSON", gateway.AuditSession},
		"a trailing comma":  {strings.TrimSuffix(input(ok), "}") + ",}", "no comma behind the last field", gateway.AuditSession},
		"two objects":       {input(ok) + input(ok), "more than one", gateway.AuditSession},
		"a list":            {"[]", "no JSON object", gateway.AuditSession},
		"a number":          {`{"type":"user-input","apiKey":"` + aliceToken + `","projectId":2231,"userInput":"hi"}`, "projectId is not a text", gateway.AuditSession},
		"no UTF-8":          {"{\"type\":\"\xff\"}", "not valid UTF-8", gateway.AuditSession},
		"no token":          {with(func(in *studio.UserInput) { in.APIKey = "" }), "no token", gateway.AuditAuth},
		"a wrong token":     {with(func(in *studio.UserInput) { in.APIKey = aliceToken[:20] + "0" }), "not known", gateway.AuditAuth},
		"only a token":      {`{"apiKey":"` + aliceToken + `"}`, "is not user-input", gateway.AuditSession},
		"another type":      {strings.Replace(input(ok), "user-input", "ping", 1), "is not user-input", gateway.AuditSession},
		"no words":          {with(func(in *studio.UserInput) { in.UserInput = " \n" }), "userInput is empty", gateway.AuditSession},
		"a folder outside":  {with(func(in *studio.UserInput) { in.WorkDir = "/../outside" }), "outside the workspace", gateway.AuditSession},
		"a link outside":    {with(func(in *studio.UserInput) { in.WorkDir = "/link" }), "outside the workspace", gateway.AuditSession},
		"a link in a path":  {with(func(in *studio.UserInput) { in.WorkDir = "link/etc" }), "outside the workspace", gateway.AuditSession},
		"no such folder":    {with(func(in *studio.UserInput) { in.WorkDir = "/none" }), "no folder", gateway.AuditSession},
		"a file":            {with(func(in *studio.UserInput) { in.WorkDir = "/file" }), "no folder", gateway.AuditSession},
		"a NUL":             {with(func(in *studio.UserInput) { in.WorkDir = "/a\x00b" }), "no path", gateway.AuditSession},
		"a long session":    {with(func(in *studio.UserInput) { in.SessionID = strings.Repeat("s", 257) }), "at most 256", gateway.AuditSession},
		"a strange session": {with(func(in *studio.UserInput) { in.SessionID = "a\nb" }), "no name has", gateway.AuditSession},
		"a large message":   {with(func(in *studio.UserInput) { in.UserInput = strings.Repeat("x", studio.MaxMessage) }), "larger than", gateway.AuditSession},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(r *rig) {
				if err := os.Symlink(r.TempDir(), filepath.Join(r.work, "link")); err != nil {
					r.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(r.work, "file"), nil, 0o600); err != nil {
					r.Fatal(err)
				}
				cl := r.open()
				cl.write(c.text)
				r.refused(cl, c.want, c.event)
			})
		})
	}
	t.Run("a binary message", func(t *testing.T) {
		bubble(t, nil, func(r *rig) {
			c := r.open()
			if err := c.ws.Write(c.Context(), websocket.MessageBinary, []byte(input(ok))); err != nil {
				r.Fatal(err)
			}
			r.refused(c, "binary", gateway.AuditSession)
		})
	})
}

// TestEndlessFrame cuts off who sends a frame without end, and says so in the audit.
func TestEndlessFrame(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.open()
		_ = c.ws.Write(c.Context(), websocket.MessageText, []byte(strings.Repeat("x", 4<<20+2))) // all of it is read, or it would wait
		if _, code := c.rest(); code != websocket.StatusMessageTooBig {
			r.Errorf("closed with %d", code)
		}
		r.stop()
		if audit := r.audited(); len(audit) != 1 || audit[0].OK || !strings.Contains(audit[0].Detail, "larger than") {
			r.Errorf("the audit says %+v", audit)
		}
	})
}

// refused reads what a client is told that is refused, and the audit of it.
func (r *rig) refused(c *client, want string, event gateway.AuditEvent) {
	r.Helper()
	messages, code := c.rest()
	if code != websocket.StatusPolicyViolation || len(messages) != 1 || messages[0].Type != studio.TypeError || !strings.Contains(messages[0].Content, want) {
		r.Errorf("close code %d, %v, want an error with %q", code, messages, want)
	}
	for _, m := range messages {
		valid(r.T, resolvedSchema(r.T), studio.Text(m))
	}
	r.stop()
	audit := r.audited()
	last := audit[len(audit)-1]
	if last.OK || last.Event != event || last.Protocol != studio.Protocol || last.Remote == "" || !strings.Contains(last.Detail, want) {
		r.Errorf("the audit says %+v, want a refusal about %s with %q", last, event, want)
	}
	r.noSecrets()
	if runs, err := os.ReadDir(r.runs); err != nil || len(runs) > 0 {
		r.Errorf("a session began: %v, %v", runs, err)
	}
}

// noSecrets looks for tokens in all that was written.
func (r *rig) noSecrets() {
	r.Helper()
	texts := map[string]string{"log": r.log.String()}
	_ = filepath.Walk(r.runs, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			text, _ := os.ReadFile(path)
			texts[path] = string(text)
		}
		return nil
	})
	text, _ := os.ReadFile(r.auditFile)
	texts["audit"] = string(text)
	for where, text := range texts {
		for _, token := range []string{aliceToken, bobToken, aliceToken[:12]} {
			if strings.Contains(text, token) {
				r.Errorf("%s has the token: %s", where, text)
			}
		}
	}
}

// TestNoSecretAnywhere looks at all that a good conversation leaves.
func TestNoSecretAnywhere(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		c := r.ask("s1", slowly+"one two")
		c.until(is(studio.TypeChat, studio.EventDelta))
		c.say(studio.UserInput{APIKey: aliceToken, UserInput: "more"})
		if messages, _ := c.rest(); strings.Contains(fmt.Sprint(messages), aliceToken) {
			r.Error("a message has the token")
		}
		r.stop()
		r.noSecrets()
	})
}

func TestOrigins(t *testing.T) {
	bubble(t, func(o *studio.Options) {
		o.Origins = gateway.Origins{Allowed: []string{"https://studio.example.com"}, Hosts: []string{"studio.test"}}
	}, func(r *rig) {
		for origin, want := range map[string]int{
			"https://studio.example.com": http.StatusSwitchingProtocols, "http://studio.test": http.StatusSwitchingProtocols, "": http.StatusSwitchingProtocols,
			"https://evil.example.com": http.StatusForbidden, "null": http.StatusForbidden,
		} {
			header := http.Header{}
			if origin != "" {
				header.Set("Origin", origin)
			}
			c, resp, err := r.connect(header) //nolint:bodyclose // the library closes it
			if resp == nil || resp.StatusCode != want {
				r.Errorf("a page of %q: %v, %v, want %d", origin, resp, err, want)
			}
			if c != nil {
				_ = c.ws.CloseNow()
			}
		}
		synctest.Wait()
		refused := 0
		for _, e := range r.audited() {
			if !e.OK && strings.Contains(e.Detail, "may not use this server") {
				refused++
			}
		}
		if refused != 2 {
			r.Errorf("the audit tells of %d refused pages: %+v", refused, r.audited())
		}
	})
}

func TestRates(t *testing.T) {
	slow := func(o *studio.Options) {
		o.Limits = gateway.NewLimits(gateway.LimitOptions{Messages: 0.1, MessageBurst: 2, Patience: 3, ConnectionsPerUser: 2})
	}
	t.Run("messages", func(t *testing.T) {
		bubble(t, slow, func(r *rig) {
			r.ask("s1", "one").answer()
			r.ask("s1", "two").answer()
			c := r.ask("s1", "three")
			messages, code := c.rest()
			if code != websocket.StatusPolicyViolation || len(messages) != 1 || !strings.Contains(messages[0].Content, "try again in 11s") {
				r.Errorf("close code %d, %v", code, messages)
			}
			r.pass(10_000_000_000)
			if got := r.ask("s1", "four").answer(); got != "回答 four" {
				r.Errorf("answered %q", got)
			}
			limited := 0
			for _, e := range r.audited() {
				if e.Event == gateway.AuditLimit && !e.OK && e.User == "alice" {
					limited++
				}
			}
			if limited != 1 {
				r.Errorf("the audit tells of %d refusals by a limit: %+v", limited, r.audited())
			}
		})
	})
	t.Run("additions", func(t *testing.T) {
		bubble(t, slow, func(r *rig) {
			c := r.ask("s1", slowly+"one two three four five six")
			first := c.until(is(studio.TypeChat, studio.EventDelta))
			go func() {
				for range 4 { // one is taken, three are refused, and that is enough
					c.say(studio.UserInput{APIKey: aliceToken, UserInput: "more"})
				}
			}()
			messages, code := c.rest()
			messages = append(first, messages...)
			if code != websocket.StatusPolicyViolation || len(wrongs(messages)) != 4 || faults(messages, false) != "" {
				r.Errorf("close code %d, %q, %s", code, wrongs(messages), faults(messages, false))
			}
		})
	})
	t.Run("connections", func(t *testing.T) {
		bubble(t, func(o *studio.Options) {
			o.Limits = gateway.NewLimits(gateway.LimitOptions{ConnectionsPerUser: 1})
		}, func(r *rig) {
			c := r.ask("s1", slowly+"one two three")
			c.until(is(studio.TypeChat, studio.EventDelta))
			messages, code := r.ask("s2", "me too").rest()
			if code != websocket.StatusPolicyViolation || len(messages) != 1 || !strings.Contains(messages[0].Content, "connections") {
				r.Errorf("close code %d, %v", code, messages)
			}
			c.rest()
			if got := r.ask("s2", "me now").answer(); got != "回答 me now" {
				r.Errorf("answered %q", got)
			}
		})
	})
}
