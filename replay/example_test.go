package replay_test

import (
	"context"
	"fmt"
	"os"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/replay"
)

// parrot stands in for a model: it says what it heard last.
var parrot = leader.Model{Name: "own/parrot", Client: modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
	return modeltest.Reply{Text: "You said: " + req.Messages[len(req.Messages)-1].Origin.Content}
})}

func ExampleFork() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t, err := leader.New(leader.Team{Model: parrot}, leader.WithRunDir(dir))
	if err != nil {
		panic(err)
	}
	res, err := t.Do(context.Background(), "paint it blue")
	if err != nil {
		panic(err)
	}

	// The same run with another task: its first two records, the header and the
	// leader's creation, are copied, and the task in the header is replaced.
	forked, err := replay.Fork(context.Background(), res.Log, replay.ForkOptions{
		From: 2, Edits: []replay.Edit{{Seq: 1, Text: "paint it red"}},
	})
	if err != nil {
		panic(err)
	}
	run, err := leader.Resume(context.Background(), forked.Dir, leader.WithClient(parrot.Name, parrot))
	if err != nil {
		panic(err)
	}
	for rec, err := range run.Events(context.Background()) {
		if d, ok := rec.Data.(event.RunStarted); ok && err == nil {
			fmt.Println(d.Fork.RunID == res.RunID, d.Fork.Seq, d.Fork.Edited)
		}
	}
	again, err := run.Wait()
	fmt.Println(res.Answer, "/", again.Answer, err)
	// Output:
	// true 2 [1]
	// You said: paint it blue / You said: paint it red <nil>
}
