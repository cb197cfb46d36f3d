package leader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestResumedAgentsKnowTheirFiles suspends a run whose leader has read one file
// and written others, and one of these is changed before it goes on: the leader
// may edit and overwrite what is as it was, and has to read the other again. In
// another folder it knows nothing.
func TestResumedAgentsKnowTheirFiles(t *testing.T) {
	file := func(tool, path string, more ...string) modeltest.Reply {
		in := map[string]any{"path": path}
		for i := 0; i < len(more); i += 2 {
			in[more[i]] = more[i+1]
		}
		return say("", modeltest.Call(tool, in))
	}
	p := players{"tl": sequence(
		file("read_file", "read.md"), file("write_file", "mine.md", "content", "old\n"), file("write_file", "shared.md", "content", "old\n"),
		say("", askUser("Go on?")),
		file("edit_file", "read.md", "old", "old", "new", "new"), file("edit_file", "mine.md", "old", "old", "new", "new"),
		file("write_file", "shared.md", "content", "new\n"), say("done"),
	)}
	team := leader.Team{Model: leader.Model{Client: p.client(), Name: "test/test"}}
	team.Leader.Tools = []string{"read_file", "write_file", "edit_file"}
	for _, moved := range []bool{false, true} {
		dir := t.TempDir()
		write := func(name, text string, at time.Time) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		write("read.md", "old\n", time.Now().Add(-time.Minute))
		l, err := leader.New(team, leader.WithAttendance(leader.Unattended), leader.WithRunDir(t.TempDir()), leader.WithWorkDir(dir))
		if err != nil {
			t.Fatal(err)
		}
		res, _ := l.Do(t.Context(), "write")
		if err := leader.Answer(res.Log, "ask_tl_001", "yes"); err != nil {
			t.Fatal(err)
		}
		write("shared.md", "the person's\n", time.Now().Add(time.Minute))
		want := map[string]string{"read.md": "new\n", "mine.md": "new\n", "shared.md": "the person's\n"}
		if moved {
			dir = t.TempDir()
			write("read.md", "old\n", time.Now().Add(-time.Minute))
			want = map[string]string{"read.md": "old\n", "shared.md": "new\n"}
		}
		run, err := leader.Resume(t.Context(), res.Log, leader.WithClient("test/test", team.Model), leader.WithWorkDir(dir))
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(); err != nil || res.Answer != "done" {
			t.Errorf("moved %t: answer %q, %v", moved, res.Answer, err)
		}
		for name, text := range want {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
				t.Errorf("moved %t: %s is %q, want %q (%v)", moved, name, got, strings.TrimSpace(text), err)
			}
		}
	}
}
