package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// runsDir is the folder of the runs of p.
func (p *process) runsDir() string {
	return filepath.Join(p.vars["XDG_STATE_HOME"], "troupe", "runs")
}

// logged writes a run with these records, the newest as old as age.
func (p *process) logged(t *testing.T, id string, age time.Duration, data ...event.Data) *transcript.Log {
	t.Helper()
	at := time.Now().Add(-age)
	l, err := transcript.Create(filepath.Join(p.runsDir(), id), transcript.Options{
		Sync: transcript.SyncOff, MaxResult: 100, Now: func() time.Time { return at },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	agent := ""
	for _, d := range append([]event.Data{event.RunStarted{RunID: id, TeamName: "house", Task: "task of " + id}}, data...) {
		if c, ok := d.(event.AgentCreated); ok {
			agent = c.CallID
			d = event.AgentCreated{Name: c.Name, Model: c.Model}
		}
		if _, err := l.Append(agent, 0, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(l.Path(), time.Time{}, at); err != nil {
		t.Fatal(err)
	}
	return l
}

// member makes the agent that the records after it are of.
func member(id, name, model string) event.Data {
	return event.AgentCreated{CallID: id, Name: name, Model: model}
}

func yuan(amount float64) *event.Cost { return &event.Cost{Currency: "CNY", Amount: amount} }

// TestRunsCost adds up priced, unpriced and estimated calls of two runs.
func TestRunsCost(t *testing.T) {
	p := newProcess(t)
	p.logged(t, "01A", 0,
		member("tl", "Team Leader", "house/big"),
		event.ModelRequested{Model: "house/big"},
		event.ModelReplied{Usage: event.Usage{Input: 1000, CachedInput: 400, Output: 50}, Cost: yuan(0.25)},
		member("uio_1", "UI Operator_1", "house/small"),
		event.ModelReplied{Usage: event.Usage{Input: 10, Output: 5}},
		event.ModelFailed{Usage: event.Usage{Input: 7, Estimated: true}},
	).Close()
	p.logged(t, "01B", time.Hour,
		member("tl", "Team Leader", "house/big"),
		event.ModelReplied{Usage: event.Usage{Input: 500, Output: 20}, Cost: yuan(0.125)},
		event.ModelFailed{Usage: event.Usage{Input: 1}, Cost: &event.Cost{Currency: "USD", Amount: 1}},
		member("s_1", "Scripted", "scripted/x"),
		event.ModelReplied{},
	).Close()
	if code := p.call(t.Context(), "runs", "cost"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	want := `AGENT  NAME           CALLS  IN    CACHED  OUT  COST
tl     Team Leader    3      1501  400     70   0.3750 CNY + 1.0000 USD
uio_1  UI Operator_1  2      ~17   ~0      ~5   —
s_1    Scripted       1      —     —       —    —

MODEL        CALLS  IN    CACHED  OUT  COST
house/big    3      1501  400     70   0.3750 CNY + 1.0000 USD
house/small  2      ~17   ~0      ~5   —
scripted/x   1      —     —       —    —

TOTAL    CALLS  IN     CACHED  OUT  COST
runs: 2  6      ~1518  ~400    ~75  ~0.3750 CNY + ~1.0000 USD + —
`
	if got := p.stdout.String(); rows(got) != rows(want) {
		t.Errorf("runs cost shows\n%s\nwant\n%s", got, want)
	}
	if code := p.call(t.Context(), "runs", "cost", "01B", "last~1", "--json"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	var got bill
	if err := json.Unmarshal(p.stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Runs) != "[01B]" || got.Total.Calls != 3 || got.Total.Usage.Input != 501 || len(got.Total.Cost) != 2 || len(got.Agents) != 2 || got.Total.Unpriced != 0 {
		t.Errorf("runs cost --json prints %s", &p.stdout)
	}
	// A log that cannot be read to its end is told of, and the others count.
	if err := os.WriteFile(filepath.Join(p.runsDir(), "01B", transcript.FileName), []byte("damaged\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.call(t.Context(), "runs", "cost"); code != exitFailed || !strings.Contains(p.stderr.String(), "runs repair") || !strings.Contains(p.stdout.String(), "0.2500 CNY") {
		t.Errorf("exit code %d, stderr %s, stdout %s", code, &p.stderr, &p.stdout)
	}
}

// rows is a table without the number of blanks between its columns.
func rows(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return b.String()
}

// TestRunsRepair repairs a log with a flipped byte, which then replays.
func TestRunsRepair(t *testing.T) {
	p := newProcess(t)
	l := p.logged(t, "01A", 0, member("tl", "Team Leader", "m"), event.Warning{Text: "one"}, event.Warning{Text: "two"}, event.RunFinished{Answer: "all done"})
	if code := p.call(t.Context(), "runs", "repair", "01A"); code != exitFailed || !strings.Contains(p.stderr.String(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("a run under way: exit code %d, %s; want 1 and the process", code, &p.stderr)
	}
	l.Close()
	if code := p.call(t.Context(), "runs", "repair", "last"); code != exitOK || !strings.Contains(p.stderr.String(), "nothing to repair") || p.stdout.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &p.stderr)
	}
	text, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "one", "onf", 1))
	if err := os.WriteFile(l.Path(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.call(t.Context(), "replay", "last"); code != exitFailed || !strings.Contains(p.stderr.String(), "log.jsonl:3: the checksum") || !strings.Contains(p.stderr.String(), "troupe runs repair ") {
		t.Errorf("replay of the damaged log: exit code %d, %s", code, &p.stderr)
	}
	if code := p.call(t.Context(), "runs", "repair", "last"); code != exitOK || p.stdout.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &p.stderr)
	}
	for _, want := range []string{"line 3 dropped: ", "lost records: 3; ", "4 records kept", "log.jsonl.damaged"} {
		if !strings.Contains(p.stderr.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &p.stderr)
		}
	}
	if code := p.call(t.Context(), "replay", "last", "--view", "lines"); code != exitOK || !strings.Contains(p.stdout.String(), "record 3 was damaged") || !strings.Contains(p.stdout.String(), "all done") {
		t.Errorf("replay of the repaired log: exit code %d\n%s%s", code, &p.stdout, &p.stderr)
	}
	if code := p.call(t.Context(), "runs", "repair", l.Path()+".damaged", "--json"); code != exitUsage {
		t.Errorf("a file of another name: exit code %d, %s", code, &p.stderr)
	}
	if err := os.WriteFile(l.Path(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	var report repairReport
	if code := p.call(t.Context(), "runs", "repair", l.Path(), "--json"); code != exitOK || json.Unmarshal(p.stdout.Bytes(), &report) != nil || report.Kept != 4 ||
		len(report.Dropped) != 1 || report.Dropped[0].Line != 3 || !strings.HasSuffix(report.Damaged, ".damaged-2") {
		t.Errorf("exit code %d, report %+v, %s", code, report, &p.stdout)
	}
}

func TestNumbers(t *testing.T) {
	for want, list := range map[string][]int64{"": nil, "3": {3}, "3, 7-9, 11": {3, 7, 8, 9, 11}, "1-2": {1, 2}} {
		if got := numbers(list); got != want {
			t.Errorf("numbers(%v) = %q, want %q", list, got, want)
		}
	}
}

// left lists the runs that are there.
func (p *process) left(t *testing.T) string {
	t.Helper()
	runs, err := transcript.Runs(p.runsDir())
	if err != nil {
		t.Fatal(err)
	}
	return ids(runs)
}

const day = 24 * time.Hour

// several makes runs of every kind.
func (p *process) several(t *testing.T) {
	t.Helper()
	p.logged(t, "01A", 40*day, event.RunFinished{}).Close()
	p.logged(t, "01B", 40*day, event.RunSuspended{Cause: "question"}).Close()
	p.logged(t, "01C", 40*day, event.RunFailed{}).Close()
	p.logged(t, "01D", 40*day, event.Warning{}).Close() // interrupted
	p.logged(t, "01E", day, event.RunFinished{}).Close()
	p.logged(t, "01F", 40*day, event.Warning{}) // under way
}

// TestRunsRm removes nothing without leave, and never a run under way.
func TestRunsRm(t *testing.T) {
	p := newProcess(t)
	p.several(t)
	const all = "01E, 01F, 01D, 01C, 01B, 01A"
	for _, tt := range []struct {
		args string
		code int
		say  string
		left string
	}{
		{"runs rm", exitUsage, "missing", all},
		{"runs rm 01A", exitUsage, "nobody can be asked", all},
		{"runs rm 01A --no-input", exitUsage, "task of 01A", all},
		{"runs rm 01A nope --yes", exitUsage, "no such run", all},
		{"runs rm 01A 01F --yes", exitUsage, "run 01F is under way", all},
		{"runs rm 01A --older-than 30d --yes", exitUsage, "unexpected argument", all},
		{"runs rm --older-than soon --yes", exitUsage, "30d, 12h", all},
		{"runs rm --older-than 30d", exitUsage, "nobody can be asked", all},
		{"runs rm --older-than 30d --yes", exitOK, "go on or be repaired: 01D, 01B", "01E, 01F, 01D, 01B"},
		{"runs rm --older-than 30d --yes", exitOK, "nothing to remove", "01E, 01F, 01D, 01B"},
		{"runs rm 01B last 01B --yes", exitOK, "removed 01E", "01F, 01D"},
	} {
		code := p.call(t.Context(), strings.Fields(tt.args)...)
		if got := p.left(t); code != tt.code || !strings.Contains(p.stderr.String(), tt.say) || got != tt.left || p.stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, left %s; want %d, %s; and %q in\n%s", tt.args, code, got, tt.code, tt.left, tt.say, &p.stderr)
		}
	}
}

// TestRunsRmAsks asks a person, who has to say yes.
func TestRunsRmAsks(t *testing.T) {
	p := newProcess(t)
	p.several(t)
	p.IsTerminal = func(any) bool { return true }
	for answer, want := range map[string]string{"": "01A", "\n": "01A", "no\n": "01A", "x\n": "01A"} {
		p.Stdin = strings.NewReader(answer)
		if code := p.call(t.Context(), "runs", "rm", "01A"); code != exitOK || !strings.Contains(p.left(t), want) || !strings.Contains(p.stderr.String(), "nothing was removed") {
			t.Errorf("answer %q: exit code %d, left %s, %s", answer, code, p.left(t), &p.stderr)
		}
	}
	p.Stdin = strings.NewReader("y\n")
	if code := p.call(t.Context(), "runs", "rm", "01A"); code != exitOK || strings.Contains(p.left(t), "01A") {
		t.Errorf("answer y: exit code %d, left %s, %s", code, p.left(t), &p.stderr)
	}
}

// TestKeep removes what the team ended long ago when it starts to work, and
// says so in one line.
func TestKeep(t *testing.T) {
	p := newProcess(t)
	p.several(t)
	put(t, "ok.json", answering)
	put(t, "team.yaml", "version: 1\nname: other\nmodel: scripted/ok.json\ntranscript: {keep: 30d}\nroles: {a: {name: A, does: nothing}}\n")
	if code := p.call(t.Context(), "run", "task"); code != exitOK || strings.Contains(p.stderr.String(), "Removed") || !strings.HasSuffix(p.left(t), ", 01A") {
		t.Errorf("another team: exit code %d, left %s, %s", code, p.left(t), &p.stderr)
	}
	put(t, "team.yaml", "version: 1\nname: house\nmodel: scripted/ok.json\ntranscript: {keep: 30d}\nroles: {a: {name: A, does: nothing}}\n")
	code := p.call(t.Context(), "run", "task")
	first, _, _ := strings.Cut(p.stderr.String(), "\n")
	const want = "Removed, because they ended more than 30d ago: 01C, 01A  Kept, because they can go on or be repaired: 01D, 01B"
	if left := p.left(t); code != exitOK || first != want || strings.Count(left, ",") != 5 || !strings.HasSuffix(left, "01E, 01F, 01D, 01B") {
		t.Errorf("exit code %d, left %s, says\n%s\nwant\n%s", code, left, first, want)
	}
	if p.call(t.Context(), "run", "task", "--quiet"); p.stderr.Len() > 0 {
		t.Errorf("--quiet says %s", &p.stderr)
	}
}

// TestLongResultsAreNamed shows where a result is that was too long.
func TestLongResultsAreNamed(t *testing.T) {
	p := newProcess(t)
	l := p.logged(t, "01A", 0, member("uio_1", "UI Operator_1", "m"), event.ToolFinished{CallID: "c1", Name: "search", Result: strings.Repeat("x", 1000)})
	l.Close()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(l.Path()), transcript.FilesName, "*.txt"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	name := transcript.FilesName + "/" + filepath.Base(files[0])
	for _, args := range []string{"runs show 01A", "runs show 01A --json", "replay 01A --view lines", "replay 01A --view bubbles", "replay 01A --json"} {
		if code := p.call(t.Context(), strings.Fields(args)...); code != exitOK || !strings.Contains(p.stdout.String(), name) {
			t.Errorf("%s: exit code %d, no %s in\n%s%s", args, code, name, &p.stdout, &p.stderr)
		}
	}
}

// TestViewsAreMasked hides in every view what the model wrote into a call, and
// the keys that are set.
func TestViewsAreMasked(t *testing.T) {
	p := newProcess(t)
	p.vars["DEEPSEEK_API_KEY"] = "the-key-of-the-house"
	const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	p.logged(t, "01A", 0, member("uio_1", "UI Operator_1", "m"),
		event.ToolStarted{CallID: "c", Name: "run", Arguments: `{"command":"curl -H token:` + token + `"}`},
		event.Warning{Text: "the-key-of-the-house"}, event.ModelReplied{Text: "x", Calls: []event.Call{{ID: "c", Name: "run", Arguments: token}}},
		event.RunFinished{Answer: token}).Close()
	for _, args := range []string{"runs show 01A", "runs show 01A --json", "replay 01A --view lines -v", "replay 01A --view bubbles -v", "replay 01A --json"} {
		code := p.call(t.Context(), strings.Fields(args)...)
		if text := p.stdout.String() + p.stderr.String(); code != exitOK || strings.Contains(text, token) || strings.Contains(text, "the-key-of") {
			t.Errorf("%s: exit code %d, shows a secret:\n%s", args, code, text)
		}
	}
}
