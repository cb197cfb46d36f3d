package leader_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// fetch is a tool that the person's client executes.
func fetch() leader.ClientTool {
	return leader.ClientTool{Name: "fetch", Description: "fetch a thing", Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
}

// fetching calls the tool with some arguments, then says what it heard.
func fetching(arguments any) model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == model.ToolRole {
			return modeltest.Reply{Text: "heard " + last.Content}
		}
		return modeltest.Reply{Calls: []event.Call{modeltest.Call("fetch", arguments)}}
	})
}

// handed counts the calls that a run handed over.
func handed(t *testing.T, run *leader.Run) (n int) {
	t.Helper()
	for rec, err := range run.Records(0) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type() == event.TypeToolHanded {
			n++
		}
	}
	return n
}

// A call that the rules ask about is handed over with leave, and not without.
func TestClientToolNeedsLeave(t *testing.T) {
	for _, allow := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l, err := leader.New(leader.Team{
				Model:       leader.Model{Client: fetching(map[string]string{"name": "x"}), Name: "test/test"},
				Permissions: leader.Permissions{Ask: []string{"fetch"}},
			}, leader.WithClientTools(fetch()))
			if err != nil {
				t.Fatal(err)
			}
			run, err := l.Start(t.Context(), "go")
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			pending := run.Pending()
			if n := handed(t, run); n != 0 || len(pending) != 1 {
				t.Fatalf("%d calls were handed over, %d wait for leave", n, len(pending))
			}
			if err := run.Approve(pending[0].ID, leader.Decision{Allow: allow}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			err = run.ToolResult(event.Leader, event.ToolReturned{CallID: callOf(t, run), Result: "rain"})
			if allow != (err == nil) || err != nil && !errors.Is(err, leader.ErrNoCall) && !errors.Is(err, leader.ErrEnded) {
				t.Errorf("allowed %t: %v", allow, err)
			}
			res, err := run.Wait()
			if err != nil || allow != (res.Answer == "heard rain") {
				t.Errorf("allowed %t: %q, %v", allow, res.Answer, err)
			}
		})
	}
}

// Arguments that are no object never reach the client, a stop takes a call back,
// and a schema that endpoints refuse is refused at once.
func TestClientToolRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := leader.New(leader.Team{Model: leader.Model{Client: fetching("[1]"), Name: "test/test"}}, leader.WithClientTools(fetch()))
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.Do(t.Context(), "go")
		if err != nil || !strings.Contains(res.Answer, "JSON object") {
			t.Errorf("the answer is %q, %v", res.Answer, err)
		}
	})
	for _, tool := range []leader.ClientTool{{Name: "a b"}, {Name: "ask_user"}, {Name: "x", Parameters: json.RawMessage(`{"type":"string"}`)}} {
		l, err := leader.New(leader.Team{Model: leader.Model{Client: fetching(nil), Name: "test/test"}}, leader.WithClientTools(tool))
		if err == nil {
			_, err = l.Do(t.Context(), "go")
		}
		if err == nil {
			t.Errorf("the tool %q was taken", tool.Name)
		}
	}
}

// Rules name a tool of the client before a client brings it, and whether one does.
func TestRulesNameToolsOfTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := leader.Team{
			Model:       leader.Model{Client: fetching(map[string]string{"name": "x"}), Name: "test/test"},
			Permissions: leader.Permissions{ClientTools: []string{"fetch", "draw"}, Deny: []string{"fetch"}, Ask: []string{"draw"}},
		}
		if _, err := leader.New(team); err != nil {
			t.Errorf("without a client: %v", err)
		}
		l, err := leader.New(team, leader.WithClientTools(fetch()))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait()
		if n := handed(t, run); err != nil || n != 0 || !strings.Contains(res.Answer, "fetch") {
			t.Errorf("%d calls of a tool that is denied were handed over, and the answer is %q, %v", n, res.Answer, err)
		}
		team.Permissions.Ask = []string{"draws"}
		if _, err := leader.New(team, leader.WithClientTools(fetch())); err == nil || !strings.Contains(err.Error(), `"draws"`) || !strings.Contains(err.Error(), "draw\"") {
			t.Errorf("a rule about a tool that nobody knows: %v", err)
		}
	})
	file := teamFile(t, "version: 1\nmodel: ollama/x\npermissions: {client_tools: [draw, fetch], ask: [draw, fetch]}\nroles: {uio: {does: designs, tools: [fetch]}}\n")
	if l, err := leader.Load(file, env(), leader.WithClientTools(fetch())); err != nil || len(l.Team().Permissions.ClientTools) != 2 {
		t.Errorf("a team file with the program's client tool: %v", err)
	}
	if _, err := leader.Load(file, env()); err == nil || !strings.Contains(err.Error(), "roles.uio.tools[0]") {
		t.Errorf("a team file that names a tool which is not there: %v", err)
	}
}

// A deadline that ends the run takes the call back, so that the client knows.
func TestClientToolIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := leader.New(leader.Team{
			Model: leader.Model{Client: fetching(nil), Name: "test/test"}, Limits: leader.Limits{Deadline: time.Minute},
		}, leader.WithClientTools(fetch()))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "go")
		if err != nil {
			t.Fatal(err)
		}
		var returned []event.ToolReturned
		for rec, err := range run.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := rec.Data.(event.ToolReturned); ok {
				returned = append(returned, d)
			}
		}
		if len(returned) != 1 || !returned[0].IsError || returned[0].By != event.Runtime {
			t.Errorf("the call returned as %+v", returned)
		}
	})
}

// callOf is the id of the call that a run began last.
func callOf(t *testing.T, run *leader.Run) (id string) {
	t.Helper()
	for rec, err := range run.Records(0) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := rec.Data.(event.ToolStarted); ok {
			id = d.CallID
		}
	}
	return id
}
