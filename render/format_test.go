package render_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

func TestTimes(t *testing.T) {
	for _, tt := range []struct {
		d            time.Duration
		clock, short string
	}{
		{0, "00:00", "0ms"},
		{-time.Minute, "00:00", "0ms"},
		{12 * time.Millisecond, "00:00", "12ms"},
		{1340 * time.Millisecond, "00:01", "1.3s"},
		{8 * time.Second, "00:08", "8s"},
		{41*time.Second + 900*time.Millisecond, "00:41", "41s"},
		{80 * time.Second, "01:20", "1m20s"},
		{30 * time.Minute, "30:00", "30m0s"},
		{time.Hour + 2*time.Minute + 3*time.Second, "1:02:03", "1h2m"},
		{100 * time.Hour, "100:00:00", "100h0m"},
	} {
		if got := render.ClockTime(tt.d); got != tt.clock {
			t.Errorf("clock time of %v = %s, want %s", tt.d, got, tt.clock)
		}
		if got := render.ShortTime(tt.d); got != tt.short {
			t.Errorf("short time of %v = %s, want %s", tt.d, got, tt.short)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1.0k", 3149: "3.1k", 18000: "18.0k", 999_949: "999.9k", 999_950: "1.0M", 2_000_000: "2.0M",
	} {
		if got := render.Tokens(n, false); got != want {
			t.Errorf("tokens(%d) = %s, want %s", n, got, want)
		}
		if got := render.Tokens(n, true); got != "~"+want {
			t.Errorf("estimated tokens(%d) = %s, want ~%s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 5120: "5.0 KiB", 3 << 20: "3.0 MiB"} {
		if got := render.Size(n); got != want {
			t.Errorf("size(%d) = %s, want %s", n, got, want)
		}
	}
	for f, want := range map[float64]string{20: "20", 1.6e6: "1600000", 4.0049: "4.005", 0.5: "0.5"} {
		if got := render.Number(f); got != want {
			t.Errorf("number(%v) = %s, want %s", f, got, want)
		}
	}
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		currency string
		amount   float64
		marks    string // e: estimated, u: parts are unknown
		want     string
	}{
		{"CNY", 0.004, "", "¥0.004"},
		{"CNY", 5, "", "¥5.00"},
		{"USD", 0.25, "", "$0.250"},
		{"EUR", 1234.5, "", "€1234.50"},
		{"JPY", 3, "", "JPY 3.00"},
		{"\x1b[1mX", 3, "", "X 3.00"},
		{"CNY", 0, "", "¥0.000"},
		{"CNY", 0.0001, "", "<¥0.001"},
		{"CNY", 1.5, "u", ">¥1.50"},
		{"CNY", 1.5, "e", "~¥1.50"},
		{"JPY", 0.25, "e", "~JPY 0.250"},
		{"CNY", 1.5, "eu", ">~¥1.50"},
		{"CNY", 0.0001, "e", "<~¥0.001"},
		{"", 5, "e", "—"},
		{"CNY", math.NaN(), "", "—"},
		{"CNY", math.Inf(1), "", "—"},
		{"", 0, "", "—"},
		{"", 5, "u", "—"},
	} {
		got := render.Cost(&event.Cost{Currency: tt.currency, Amount: tt.amount}, strings.Contains(tt.marks, "e"), strings.Contains(tt.marks, "u"))
		if got != tt.want {
			t.Errorf("cost of %q %v with the marks %q = %s, want %s", tt.currency, tt.amount, tt.marks, got, tt.want)
		}
	}
	if got := render.Cost(nil, true, false); got != "—" {
		t.Errorf("unknown cost = %s, want —", got)
	}
}

// TestEstimatedMoneyIsMarked shows a run whose tokens are estimated, and so what it
// cost, in every form.
func TestEstimatedMoneyIsMarked(t *testing.T) {
	s := &storyteller{}
	usage, cost := event.Usage{Input: 3000, Output: 120, Estimated: true}, &event.Cost{Currency: "CNY", Amount: 1.5}
	s.add(0, "", 0, event.RunStarted{RunID: "r", Task: "x", ModelKind: event.ModelReal})
	s.add(0, "tl", 0, event.AgentCreated{Name: "Team Leader", Role: "tl", Code: "tl", Model: "house/m"})
	s.add(1, "tl", 1, event.ModelReplied{Step: 1, Text: "done", Finish: event.FinishStop, Usage: usage, Cost: cost})
	s.add(2, "", 0, event.RunFinished{Answer: "done", Usage: usage, Cost: cost})
	o := render.Options{Lang: "en", Width: 100, Verbose: true, Location: time.UTC}
	lines, status := "", render.NewStatus()
	printer := render.NewPrinter(o)
	for _, rec := range s.records {
		lines += printer.Record(rec)
		status.Apply(rec)
	}
	var markdown, html strings.Builder
	if err := errors.Join(render.Markdown(sequence(s.records, nil), &markdown, o), render.HTML(sequence(s.records, nil), &html, o)); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{
		"lines": lines, "rows": strings.Join(render.Rows(status.Rows(clock(3)), status.Total(), clock(3), o, 0), "\n"), "Markdown": markdown.String(), "HTML": html.String(),
		"summary": render.Summary(render.End{Usage: usage, Cost: cost}, o),
	} {
		text = strings.ReplaceAll(text, `\~`, "~")
		if n := strings.Count(text, "¥1.50"); n == 0 || n != strings.Count(text, "~¥1.50") {
			t.Errorf("%s have money without a mark, or none:\n%s", form, text)
		}
	}
}

func TestCallText(t *testing.T) {
	for _, tt := range []struct{ name, arguments, want string }{
		{"write_file", `{"content":"x","path":"api.md"}`, "write_file api.md"},
		{"run_command", `{"command":"go test\n./..."}`, "run_command go test ./..."},
		{"price", `{"limit":3,"nested":{"path":"no"},"item":"tea","shop":"a"}`, "price tea"},
		{"list_dir", `{"path":""}`, "list_dir"},
		{"wait", `{}`, "wait"},
		{"broken", `{"path":`, "broken"},
		{"list", `["a"]`, "list"},
		{"nothing", ``, "nothing"},
		{"null", `null`, "null"},
		{"unsafe\x1b[2J", `{"path":"\u001b[2Jx"}`, "unsafe x"},
		{"long", `{"path":"` + strings.Repeat("接", 1000) + `"}`, "long " + strings.Repeat("接", 170)},
	} {
		if got := render.CallText(tt.name, tt.arguments); got != tt.want {
			t.Errorf("call text of %s %s = %q, want %q", tt.name, tt.arguments, got, tt.want)
		}
	}
}
