package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// happening is a record to be written.
type happening struct {
	agent string
	turn  int
	data  event.Data
}

// writeRun writes a log into the folder name, a second a record.
func writeRun(t *testing.T, name string, list []happening) {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	log, err := transcript.Create(name, transcript.Options{Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		if _, err := log.Append(h.agent, h.turn, h.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

// drawn is a run of a leader and one or two workers, in which uio_1 says
// colour; hostile words of a model are among it.
func drawn(id, prompt, colour string, spare bool) []happening {
	const names = "名字、邮箱和密码三个字段，均为必填；邮箱需要验证，密码至少八位，其中一位是数字。按钮在右下角，"
	cost := &event.Cost{Currency: "CNY", Amount: 0.01}
	team, _ := json.Marshal(map[string]any{"roles": []map[string]any{{"id": "uio", "prompt": prompt}}})
	step := func(agent string, n int, reply event.ModelReplied) []happening {
		reply.Step, reply.Usage, reply.Cost, reply.DurationMS = n, event.Usage{Input: 1000, Output: 20}, cost, 900
		return []happening{{agent, 1, event.ModelRequested{Step: n, Model: "test/one"}}, {agent, 1, reply}}
	}
	message := func(id string, kind event.Kind, from, to, text string) []happening {
		return []happening{
			{from, 1, event.MessageSent{ID: id, Kind: kind, From: from, FromName: from, To: to, Content: text}},
			{to, 1, event.MessageDelivered{ID: id, Step: 1}},
		}
	}
	run := []happening{
		{"", 0, event.RunStarted{RunID: id, TeamName: "页面", Task: "设计注册页", Team: team, ModelKind: event.ModelReal}},
		{"tl", 0, event.AgentCreated{Name: "Team Leader", Role: "tl", Code: "tl", Model: "test/one"}},
	}
	run = append(run, message("msg_user_001", event.Note, "user", "tl", "设计注册页")...)
	run = append(run, step("tl", 1, event.ModelReplied{Text: "开始", Finish: event.FinishToolCalls})...)
	run = append(run, happening{"uio_1", 0, event.AgentCreated{Name: "UI Operator_1", Role: "uio", Code: "uio", Parent: "tl", Model: "test/one"}})
	run = append(run, message("task_001", event.Task, "tl", "uio_1", "设计配色")...)
	run = append(run, step("uio_1", 1, event.ModelReplied{Text: "配色方案\n" + names + colour + "\x1b[31m\u202e\n完", Finish: event.FinishStop})...)
	if spare {
		run = append(run, happening{"fse_1", 0, event.AgentCreated{Name: "Engineer_1", Role: "fse", Code: "fse", Parent: "tl", Model: "test/one"}})
	}
	run = append(run, message("out_uio_001", event.Completion, "uio_1", "tl", "完成："+colour)...)
	run = append(run, step("tl", 2, event.ModelReplied{Text: "结果是" + colour, Finish: event.FinishStop})...)
	return append(run, happening{"", 0, event.RunFinished{Answer: "结果是" + colour}})
}

// TestDiffIsShown compares what people and programs see with golden files.
func TestDiffIsShown(t *testing.T) {
	golds := goldenFolder(t)
	p := newProcess(t)
	p.vars["COLUMNS"] = "100"
	writeRun(t, "a", drawn("01A", "画", "蓝色", false))
	writeRun(t, "b", drawn("01B", "画", "绿色", true))
	writeRun(t, "c", drawn("01C", "画得好", "蓝色", false)[:12])
	for _, tt := range []struct {
		gold, args string
		code       int
	}{
		{"zh.txt", "a b --lang zh", 1},
		{"en.txt", "a b", 1},
		{"colour.txt", "a b --color always --only uio --context 0", 1},
		{"team.txt", "a c", 1},
		{"unknown.txt", "a b --only nobody", 2},
		{"same.txt", "a a --lang zh", 0},
		{"out.json", "a b --json", 1},
	} {
		t.Run(tt.gold, func(t *testing.T) {
			args := strings.Fields("diff ./" + strings.Replace(tt.args, " ", " ./", 1))
			if code := p.call(t.Context(), args...); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			golden.Equal(t, filepath.Join(golds, tt.gold), []byte(p.stdout.String()+"--- stderr ---\n"+p.stderr.String()))
			if out := p.stdout.String(); strings.HasSuffix(tt.gold, ".txt") && strings.ContainsRune(out, '\u202e') {
				t.Errorf("a character that reorders text reached stdout: %q", out)
			}
		})
	}
}

// goldenFolder is the absolute path of the golden files of diff.
func goldenFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/diff")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDiffOfDamage compares as much as can be read.
func TestDiffOfDamage(t *testing.T) {
	p := newProcess(t)
	list := drawn("01A", "画", "蓝色", false)
	writeRun(t, "a", list)
	for _, tt := range []struct{ name, tail, want string }{
		{"torn", `{"v":1,"seq":`, "B has no end yet (interrupted); it is compared up to record 10"},
		{"damaged", "no record\n{}\n", "B is damaged behind record 10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeRun(t, tt.name, list[:10])
			path := filepath.Join(tt.name, transcript.FileName)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, path, string(text)+tt.tail)
			if code := p.call(t.Context(), "diff", "./a", "./"+tt.name, "--json"); code != exitFailed {
				t.Errorf("exit code %d", code)
			}
			if !strings.Contains(p.stderr.String(), tt.want) {
				t.Errorf("stderr is %q, want %q in it", &p.stderr, tt.want)
			}
			var d replay.Difference
			if err := json.Unmarshal(p.stdout.Bytes(), &d); err != nil || d.B.Records != 10 {
				t.Errorf("%v in %s", err, &p.stdout)
			}
		})
	}
}

// TestDiffMasks looks for a key that is set now and that a log has.
func TestDiffMasks(t *testing.T) {
	const key = "provider-key-0123456789"
	p := newProcess(t)
	p.vars["OPENAI_API_KEY"] = key
	writeRun(t, "a", drawn("01A", "画", "蓝色", false))
	writeRun(t, "b", drawn("01B", "画", "红色 "+key, false))
	for _, form := range [][]string{nil, {"--json"}} {
		if code := p.call(t.Context(), append([]string{"diff", "./a", "./b"}, form...)...); code != exitFailed {
			t.Fatalf("exit code %d: %s", code, &p.stderr)
		}
		if out := p.stdout.String(); strings.Contains(out, key) || !strings.Contains(out, "红色 [masked]") {
			t.Errorf("%v: the key is in it, or nothing is masked:\n%s", form, out)
		}
	}
}

// TestDiffCompletesBothRuns completes the second argument too, and no third.
func TestDiffCompletesBothRuns(t *testing.T) {
	p := newProcess(t)
	writeRun(t, filepath.Join(p.vars["XDG_STATE_HOME"], "troupe", "runs", "01A"), drawn("01A", "画", "蓝色", false))
	for args, want := range map[string]bool{"": true, "last": true, "last last": false} {
		call := append([]string{"__complete", "diff"}, strings.Fields(args)...)
		p.call(t.Context(), append(call, "")...)
		if got := strings.Contains(p.stdout.String(), "01A\t设计注册页"); got != want {
			t.Errorf("after %q: %q", args, &p.stdout)
		}
	}
}
