package render_test

import (
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
		atLeast  bool
		want     string
	}{
		{"CNY", 0.004, false, "¥0.004"},
		{"CNY", 5, false, "¥5.00"},
		{"USD", 0.25, false, "$0.250"},
		{"EUR", 1234.5, false, "€1234.50"},
		{"JPY", 3, false, "JPY 3.00"},
		{"\x1b[1mX", 3, false, "X 3.00"},
		{"CNY", 0, false, "¥0.000"},
		{"CNY", 0.0001, false, "<¥0.001"},
		{"CNY", 1.5, true, ">¥1.50"},
		{"CNY", math.NaN(), false, "—"},
		{"CNY", math.Inf(1), false, "—"},
		{"", 0, false, "—"},
		{"", 5, true, "—"},
	} {
		if got := render.Cost(&event.Cost{Currency: tt.currency, Amount: tt.amount}, tt.atLeast); got != tt.want {
			t.Errorf("cost of %q %v, at least %t = %s, want %s", tt.currency, tt.amount, tt.atLeast, got, tt.want)
		}
	}
	if got := render.Cost(nil, false); got != "—" {
		t.Errorf("unknown cost = %s, want —", got)
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
