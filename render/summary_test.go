package render_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

func TestSummary(t *testing.T) {
	full := render.End{
		Status: render.EndFinished, RunID: "r_7k3m", Duration: 41 * time.Second,
		Usage:     event.Usage{Input: 15200, CachedInput: 3000, Output: 2800},
		Cost:      &event.Cost{Currency: "CNY", Amount: 0.025},
		Artifacts: []string{"design.md", "two  spaces.md"}, Log: "/runs/r_7k3m/log.jsonl",
		Next: []string{"troupe replay r_7k3m", "troupe resume r_7k3m"},
	}
	for _, tt := range []struct {
		name string
		end  render.End
		o    render.Options
		want string
	}{
		{"all, zh", full, render.Options{Lang: "zh"}, `状态   完成
运行   r_7k3m
用时   00:41
token  输入 15.2k（缓存 3.0k）  输出 2.8k
费用   ¥0.025
产物   design.md
       two  spaces.md
日志   /runs/r_7k3m/log.jsonl
接着   troupe replay r_7k3m
       troupe resume r_7k3m
`},
		{"all, en, ASCII", full, render.Options{ASCII: true}, `status  finished
run     r_7k3m
time    00:41
tokens  in 15.2k (cached 3.0k)  out 2.8k
cost    CNY 0.025
files   design.md
        two  spaces.md
log     /runs/r_7k3m/log.jsonl
next    troupe replay r_7k3m
        troupe resume r_7k3m
`},
		{"nothing known", render.End{Status: render.EndFailed, Reason: "no\x1b[2J key"}, render.Options{}, `status  failed  no key
run     —
time    00:00
tokens  —
cost    —
files   —
log     —
next    —
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, render.Summary(tt.end, tt.o)); diff != "" {
				t.Errorf("Summary (-want +got):\n%s", diff)
			}
		})
	}
}
