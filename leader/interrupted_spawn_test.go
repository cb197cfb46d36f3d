package leader_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestInterruptedCreation stops a run gently while the leader decides to create
// a sub-agent: nobody is created any more, and the result, which the leader
// reads when the run goes on, says what to do then.
func TestInterruptedCreation(t *testing.T) {
	for lang, want := range map[string]string{"en": "create it again", "zh": "请重新创建"} {
		synctest.Test(t, func(t *testing.T) {
			p := players{"tl": sequence(modeltest.Reply{Calls: []event.Call{create("uio", "design")}, Delay: 2 * time.Second})}
			d := open(t, p, nil, leader.WithLang(lang))
			time.Sleep(time.Second)
			d.run.Pause("a test")
			_, records, _ := d.end()
			results := dataOf[event.ToolFinished](records)
			if len(results) != 1 || !results[0].IsError || !strings.Contains(results[0].Result, want) {
				t.Errorf("%s: the results are %+v, want one with %q", lang, results, want)
			}
			if n := len(dataOf[event.AgentCreated](records)); n != 1 {
				t.Errorf("%s: %d agents, want the leader alone", lang, n)
			}
		})
	}
}
