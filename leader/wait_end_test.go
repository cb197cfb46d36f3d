package leader_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestAWaitSeesWhatCameBefore lets a sub-agent report before the leader waits
// for any: the report is read at once and not when another one ends.
func TestAWaitSeesWhatCameBefore(t *testing.T) {
	for name, args := range map[string]map[string]any{"any": {}, "named": {"agents": []string{"uio_1", "fse_1"}}} {
		t.Run(name, func(t *testing.T) {
			slow := say("", modeltest.Call("wait_sub_agent_output", args))
			slow.Delay = time.Minute // uio_1 reports meanwhile
			p := players{
				"tl":    sequence(say("", create("uio", "short"), create("fse", "long")), slow, say("done")),
				"uio_1": func(model.Request, int) modeltest.Reply { return modeltest.Reply{Delay: time.Second, Text: "short"} },
				"fse_1": func(model.Request, int) modeltest.Reply {
					return modeltest.Reply{Text: "long", Delay: 10 * time.Minute}
				},
			}
			_, records, _ := do(t, p)
			waits := 0
			for _, rec := range records {
				if d, ok := rec.Data.(event.ToolFinished); ok && d.Name == "wait_sub_agent_output" {
					waits++
					if d.DurationMS > 1000 || !strings.Contains(d.Result, "out_uio_001") {
						t.Errorf("the wait took %d ms and ended with %q", d.DurationMS, d.Result)
					}
				}
			}
			if waits != 1 {
				t.Errorf("%d waits, want 1", waits)
			}
		})
	}
}

// TestAWaitNamesNobodyTwice lets one sub-agent fail or complete while another
// goes on: who has reported is not among those still at work, though it may not
// have come to rest yet.
func TestAWaitNamesNobodyTwice(t *testing.T) {
	for name, bad := range map[string]bool{"failed": true, "completed": false} {
		for n := range 50 {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				p := players{
					"tl": sequence(
						say("", create("uio", "short"), create("fse", "long")),
						say("", modeltest.Call("wait_sub_agent_output", map[string]any{})), say("done"),
					),
					"uio_1": func(model.Request, int) modeltest.Reply {
						if bad {
							return modeltest.Reply{Delay: time.Second, Err: model.NewError(model.ClassBadRequest, "no")}
						}
						return modeltest.Reply{Delay: time.Second, Text: "short"}
					},
					"fse_1": func(model.Request, int) modeltest.Reply {
						return modeltest.Reply{Text: "long", Delay: time.Hour}
					},
				}
				_, records, _ := do(t, p)
				for _, rec := range records {
					d, ok := rec.Data.(event.ToolFinished)
					if ok && d.Name == "wait_sub_agent_output" && (strings.Contains(d.Result, "UI Operator_1") || !strings.Contains(d.Result, "out_uio_001")) {
						t.Errorf("the wait ended with %q", d.Result)
					}
				}
			})
		}
	}
}
