package leader_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// TestLeaveIsForOneCall asks with ids of calls that come again, as those of some
// endpoints do.
func TestLeaveIsForOneCall(t *testing.T) {
	a := leader.NewApprovals(transcript.NewMemory(transcript.Options{}))
	ask := func(agent, arguments, tool string) string {
		id, err := a.Request(tools.Call{Agent: agent, ID: "call_0", Arguments: json.RawMessage(arguments)}, tool)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := ask("uio_1", `{"x":1}`, "deploy")
	for what, id := range map[string]string{
		"other arguments": ask("uio_1", `{"x":2}`, "deploy"), "another tool": ask("uio_1", `{"x":1}`, "remove"), "another agent": ask("fse_1", `{"x":1}`, "deploy"),
	} {
		if id == first {
			t.Errorf("%s go on with the same approval", what)
		}
	}
	again := ask("uio_2", `{"x":1}`, "deploy")
	if id := ask("uio_2", `{"x":1}`, "deploy"); id != again {
		t.Errorf("the same call was asked for twice: %s, %s", again, id)
	}
	if err := a.Settle(t.Context(), again, leader.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if id := ask("uio_2", `{"x":1}`, "deploy"); id == again {
		t.Error("leave that was taken serves another call of the same id")
	}
}

// TestAPathThatMovesNeedsNewLeave puts another folder behind a link while its
// call waits for leave.
func TestAPathThatMovesNeedsNewLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"mine", "yours"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		link := filepath.Join(dir, "link")
		if err := os.Symlink("mine", link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		write := modeltest.Call("write_file", map[string]any{"path": "link/a.md", "content": "x"})
		d := open(t, players{"tl": sequence(say("", write), say("done"))}, func(team *leader.Team) {
			team.Leader.Tools = []string{"write_file"}
			team.Permissions.Ask = []string{"write_file"}
		}, leader.WithWorkDir(dir))
		if got := d.run.Pending()[0].Rule; got != "write_file(mine/a.md)" {
			t.Errorf("always would allow %s", got)
		}
		if err := errors.Join(os.Remove(link), os.Symlink("yours", link)); err != nil {
			t.Fatal(err)
		}
		d.approve("apr_001", leader.Decision{Allow: true})
		_, records, err := d.end()
		if got := toolResults(records, event.Leader); err != nil || len(got) != 1 || !strings.Contains(got[0], "changed while it waited") {
			t.Errorf("the result is %q, %v", got, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "yours", "a.md")); err == nil {
			t.Error("the file was written")
		}
	})
}

// TestACallWithAResultWaitsForNobody reads the log of a program that died after
// a stop had cut a call, and before the approval was closed.
func TestACallWithAResultWaitsForNobody(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	log, err := transcript.Create(dir, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []event.Data{
		event.RunStarted{RunID: "01A", Task: "x"},
		event.AgentCreated{Name: "A_1"},
		event.ToolStarted{CallID: "c", Name: "deploy"},
		event.ApprovalRequested{ID: "apr_001", CallID: "c", Name: "deploy"},
		event.ToolFinished{CallID: "c", Name: "deploy"},
	} {
		if _, err := log.Append("a_1", 1, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := leader.PendingIn(t.Context(), dir); err != nil || len(got) != 0 {
		t.Errorf("pending %+v, %v", got, err)
	}
}

// TestACallThatHadLeaveMayHaveRun dies a second time, after the program that
// went on with the decision began.
func TestACallThatHadLeaveMayHaveRun(t *testing.T) {
	p := players{"tl": sequence(say("", touch("a")), say("done"))}
	x := &touched{}
	dir, _ := suspended(t, p, x)
	if err := leader.Decide(dir, "apr_001", leader.Decision{Allow: true}); err != nil {
		t.Fatal(err)
	}
	res, records := goOn(t, dir, p, x, nil)
	at := slices.IndexFunc(records, func(r event.Record) bool { return r.Type() == event.TypeRunResumed })
	text, err := os.ReadFile(res.Log)
	if err != nil || at < 0 || !slices.Equal(x.all(), []string{"a"}) {
		t.Fatalf("touched %q, %v", x.all(), err)
	}
	_, records = goOn(t, cutLog(t, text, at+1), p, x, nil)
	if got := toolResults(records, event.Leader); !slices.Equal(x.all(), []string{"a"}) || len(got) != 1 || strings.Contains(got[0], "touched") {
		t.Errorf("touched %q, results %q", x.all(), got)
	}
}
