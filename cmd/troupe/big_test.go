//go:build linux

package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

var big = flag.Int64("big", 0, "show a log of so many `MiB`, and look at the memory that it takes")

// maxViewMemory is what a view of a log may take, in KiB.
const maxViewMemory = 64 << 10

// TestBigLogIsShown shows a log as large as the flag -big says; the memory
// stays bounded.
func TestBigLogIsShown(t *testing.T) {
	if *big == 0 {
		t.Skip("takes minutes and much disk; run with -big 1024")
	}
	p := newProcess(t)
	l, err := transcript.Create(filepath.Join(p.runsDir(), "01A"), transcript.Options{Sync: transcript.SyncOff})
	if err != nil {
		t.Fatal(err)
	}
	data := []event.Data{
		event.ToolStarted{CallID: "c", Name: "read_file", Arguments: `{"path":"main.go"}`},
		event.ToolFinished{CallID: "c", Name: "read_file", Result: strings.Repeat("a line of a file\n", 50)},
		event.MessageSent{ID: "out_uio_1_004", Kind: event.Progress, From: "uio_1", FromName: "UI Operator_1", To: "tl", Content: "第一页完成，接着写接口文档。"},
		event.ModelRequested{Model: "m"},
		event.ModelReplied{Text: "第一页完成", Usage: event.Usage{Input: 10, Output: 5}},
	}
	head := []event.Data{event.RunStarted{RunID: "01A", Task: "task"}, event.AgentCreated{Name: "UI Operator_1", Code: "uio", Model: "m"}}
	for n := 0; ; n++ {
		d := data[n%len(data)]
		if n < len(head) {
			d = head[n]
		}
		if _, err := l.Append("uio_1", 1, d); err != nil {
			t.Fatal(err)
		}
		if n%10_000 == 0 {
			if info, err := os.Stat(l.Path()); err != nil || info.Size() >= *big<<20 {
				break
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"replay 01A --json", "replay 01A --view lines -v", "replay 01A --view bubbles", "runs show 01A", "runs cost 01A"} {
		cmd := p.program(t.Context(), t, strings.Fields(args)...)
		cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
		began := time.Now()
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok || usage.Maxrss > maxViewMemory {
			t.Errorf("%s took %d KiB, want at most %d", args, usage.Maxrss, maxViewMemory)
		}
		t.Logf("%s: %v, %d KiB", args, time.Since(began), usage.Maxrss)
	}
}
