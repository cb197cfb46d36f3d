//go:build unix

package leader_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/freeport"
	"github.com/troupe-go/troupe/leader"
)

// mockLLM is a mock server of somebody else's, in the registry of npm.
const mockLLM = "@dwmkerr/mock-llm"

// mockLLMVersion is the version whose rules the test is written for.
const mockLLMVersion = "0.1.29"

// TestATeamAtMockLLM runs a team against a server that nobody here wrote. It
// streams texts alone, so that calls go over the wire as text.
func TestATeamAtMockLLM(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it installs a package of npm, which takes half a minute")
	}
	url := startMockLLM(t, installMockLLM(t), mockRules(t))
	text := "version: 1\nmodel: house\nroles:\n  uio: {name: UI Operator, does: designs pages}\n  res: {name: Researcher, does: looks around}\nmodels:\n" +
		"  house: {provider: openai-compatible, model: mock, base_url: \"${URL}\", profile: {tool_calls_as_text: true}}\n"
	l, err := leader.Load(teamFile(t, text), env("URL", url), leader.WithWorkDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run, err := l.Start(ctx, "Design a signup page.")
	if err != nil {
		t.Fatal(err)
	}
	var records []event.Record
	for rec, err := range run.Events(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	res, err := run.Wait()
	if err != nil || res.Status != leader.StatusFinished || res.Answer != allDone {
		t.Errorf("the run ended %s with %q, %v", res.Status, res.Answer, err)
	}
	closed := dataOf[event.QuestionClosed](records)
	if len(closed) != 1 || closed[0].Outcome != event.Answered || closed[0].Text != "blue" {
		t.Errorf("questions ended as %+v, want one with the answer blue", closed)
	}
	if got := len(dataOf[event.AgentCreated](records)); got != 3 {
		t.Errorf("%d agents were created, want 3", got)
	}
}

// mockRules writes the rules that play the team; the last one that matches is
// taken. What an agent says follows from its conversation.
func mockRules(t *testing.T) string {
	t.Helper()
	asText := func(name string, args object) string {
		text, err := json.Marshal(object{"name": name, "arguments": args})
		if err != nil {
			t.Fatal(err)
		}
		return "<tool_call>" + string(text) + "</tool_call>"
	}
	const (
		uio   = "starts_with(body.messages[0].content, 'You are UI Operator_1')"
		res   = "starts_with(body.messages[0].content, 'You are Researcher_1')"
		tl    = "!" + uio + " && !" + res
		heard = "join(' ', body.messages[?role=='user'].content)"
		first = "length(body.messages[?role=='assistant']) == `0`"
		asked = "contains(" + heard + ", 'Which colour?') && !contains(to_string(body.messages[].tool_calls), 'answer_sub_agent_question')"
	)
	var rules []object
	rule := func(match, content string) {
		message := object{"role": "assistant", "content": content}
		answer, err := json.Marshal(object{"id": "mock-1", "model": "mock", "choices": []any{object{"message": message, "finish_reason": "stop"}}})
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, object{"path": "/v1/chat/completions", "match": match, "response": object{"status": 200, "content": string(answer)}})
	}
	rule(tl, "I wait for the reports.")
	rule(tl+" && contains("+heard+", '"+reports["uio_1"]+"') && contains("+heard+", '"+reports["res_1"]+"')", allDone)
	rule(tl+" && "+asked, asText("answer_sub_agent_question", object{"question_id": "ask_uio_001", "answer": "blue"}))
	rule(tl+" && "+first, "I plan two parts.\n"+asText("create_sub_agent", object{"role": "uio", "task": "design the page"})+
		"\n"+asText("create_sub_agent", object{"role": "res", "task": "look at others"}))
	rule(uio, reports["uio_1"])
	rule(uio+" && "+first, asText("ask_master", object{"question": "Which colour?"}))
	rule(res, reports["res_1"])

	text, err := json.Marshal(object{"streaming": object{"chunkSize": 7, "chunkIntervalMs": 1}, "rules": rules}) // JSON is YAML too
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// installMockLLM installs the server and returns its program, or skips the
// test.
func installMockLLM(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skipf("no npm: %v", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	install := groupCommand(ctx, npm, "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", mockLLM+"@"+mockLLMVersion)
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install %s: %v, %v\n%s", mockLLM, err, ctx.Err(), out)
	}
	return filepath.Join(dir, "node_modules", mockLLM, "dist", "main.js")
}

// startMockLLM starts the server on a free port and returns its base URL. It
// stops, with all that it started, when the test ends.
func startMockLLM(t *testing.T, program, rules string) string {
	t.Helper()
	port := freeport.Port(t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	server := groupCommand(ctx, "node", program, "--config", rules)
	server.Env = append(os.Environ(), "HOST=127.0.0.1", "PORT="+port)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = server.Stdout
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	var said strings.Builder // read once ended is closed
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(out)
		for up := false; lines.Scan(); {
			said.WriteString(lines.Text() + "\n")
			if !up && strings.Contains(lines.Text(), "server running on") {
				up = true
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if err := server.Wait(); err == nil {
			t.Errorf("the server ended by itself")
		}
		if err := syscall.Kill(-server.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the server left processes behind: %v", err)
		}
		if t.Failed() {
			t.Logf("the server said:\n%s", said.String())
		}
	})
	select {
	case <-ready:
	case <-ended:
		t.Fatal("the server did not start")
	case <-time.After(30 * time.Second):
		t.Fatal("the server was not ready in time")
	}
	return "http://127.0.0.1:" + port + "/v1"
}

// groupCommand is a command with a process group of its own, all of which is
// killed when ctx ends.
func groupCommand(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
