package render

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/troupe-go/troupe/event"
)

// clockTime is a duration as on a clock: 00:41, 1:02:03. Negative ones are 0.
func clockTime(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// shortTime is a duration in words of at most two units: 12ms, 6s, 1m20s, 1h2m.
func shortTime(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second && d%time.Second >= 100*time.Millisecond:
		return strconv.FormatFloat(d.Truncate(100*time.Millisecond).Seconds(), 'f', 1, 64) + "s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d/time.Second%60)
	}
	return fmt.Sprintf("%dh%dm", d/time.Hour, d/time.Minute%60)
}

// seconds is shortTime without fractions of a second.
func seconds(d time.Duration) string {
	if d < time.Second {
		return "0s"
	}
	return shortTime(d.Truncate(time.Second))
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// tokens is a count of tokens: 812, 3.1k, 1.2M; estimates begin with "~".
func tokens(n int, estimated bool) string {
	s := strconv.Itoa(n)
	switch {
	case n >= 999_950:
		s = strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
	case n >= 1000:
		s = strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + "k"
	}
	if estimated {
		return "~" + s
	}
	return s
}

// size is a number of bytes: 812 B, 3.1 KiB, 1.2 MiB.
func size(n int64) string {
	switch {
	case n >= 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	case n >= 1<<10:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}

// number is a count or an amount without needless digits.
func number(f float64) string {
	return strconv.FormatFloat(math.Round(f*1000)/1000, 'f', -1, 64)
}

// cost is an amount of money, or the dash when it is unknown. A "~" marks what is
// made of estimated tokens, a ">" a sum of which some parts are unknown.
func (g glyphs) cost(c *event.Cost, estimated, atLeast bool) string {
	if c == nil || c.Currency == "" || math.IsNaN(c.Amount) || math.IsInf(c.Amount, 0) {
		return g.none
	}
	sign := CleanLine(c.Currency) + " "
	switch c.Currency {
	case "USD":
		sign = "$"
	case "CNY":
		sign = g.yuan
	case "EUR":
		sign = g.euro
	}
	if estimated {
		sign = "~" + sign
	}
	if atLeast {
		sign = ">" + sign
	}
	switch {
	case c.Amount > 0 && c.Amount < 0.0005 && !atLeast:
		return "<" + sign + "0.001"
	case c.Amount < 1:
		return sign + strconv.FormatFloat(c.Amount, 'f', 3, 64)
	}
	return sign + strconv.FormatFloat(c.Amount, 'f', 2, 64)
}
