package leader_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// TestToolsAreToldForWhomTheRunWorks notes more of a run than a tool or an agent
// elsewhere may hear of, and asks both, also when the run goes on from its log.
func TestToolsAreToldForWhomTheRunWorks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var heard []map[string]string
	note := tools.FuncCall("note", "notes", func(_ context.Context, call tools.Call, _ struct{}) (string, error) {
		heard = append(heard, call.Metadata)
		return "noted", nil
	})
	o := weather()
	client := leader.Model{Name: "test/test", Client: players{event.Leader: sequence(
		say("", modeltest.Call("note", map[string]any{}), create("weather", "how is it?")), say("done"), say("done"), say("done"),
		say("", modeltest.Call("note", map[string]any{})), say("done"),
	)}.client()}
	team := leader.Team{Model: client, Leader: leader.Lead{Tools: []string{"note"}}}
	withRemote(o)(&team)
	first := perform(t, dir, team, nil, leader.WithRunDir(dir), leader.WithTools(note), leader.WithMeta(map[string]string{
		event.NoteUser: "ann", event.NoteProject: "p1", "work_dir": "/home/ann", "tools": "[]",
	}))
	if first.err != nil {
		t.Fatal(first.err)
	}
	run, err := leader.Resume(t.Context(), first.Log, leader.WithTools(note), leader.WithClient(client.Name, client), leader.WithTask("again"),
		leader.WithRemotes(func(leader.Place) (leader.Remote, error) { return o, nil }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{event.NoteUser: "ann", event.NoteProject: "p1"}
	if diff := cmp.Diff([]map[string]string{want, want}, heard); diff != "" {
		t.Errorf("the tool was told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, o.begun[o.order[0]].Metadata); diff != "" {
		t.Errorf("the agent elsewhere was told (-want +got):\n%s", diff)
	}
}
