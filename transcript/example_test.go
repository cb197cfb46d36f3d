package transcript_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// A reader follows the log with a cursor of its own; it gets what was there,
// then what comes, until the log is closed.
func ExampleLog_Follow() {
	log := transcript.NewMemory(transcript.Options{Mask: transcript.NewMask("sk-live-0123456789")})
	if _, err := log.Append("", 0, event.RunStarted{RunID: "01JNRZ7Q9W", Task: "say hello"}); err != nil {
		fmt.Println(err)
		return
	}

	for rec, err := range log.Follow(context.Background(), 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d := rec.Data.(type) {
		case event.RunStarted:
			fmt.Println(rec.Seq, "task:", d.Task)
			if _, err := log.Append("tl", 1, event.ToolFinished{Name: "env", Result: "KEY=sk-live-0123456789"}); err != nil {
				fmt.Println(err)
				return
			}
		case event.ToolFinished:
			fmt.Println(rec.Seq, "tool:", d.Result)
			log.Close()
		default:
		}
	}
	// Output:
	// 1 task: say hello
	// 2 tool: KEY=[masked]
}
