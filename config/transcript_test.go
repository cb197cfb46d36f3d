package config_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/config"
)

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"30d": 30 * day, "12h": 12 * time.Hour, "1d12h": 36 * time.Hour, "2d0.5h": 2*day + 30*time.Minute, "90s": 90 * time.Second,
		"36500d": 36500 * day,
		"":       0, "d": 0, "0d": 0, "0s": 0, "30": 0, "30 d": 0, "-1d": 0, "1d-30h": 0, "+1d": 0, "1d1d": 0, "1.5d": 0, "36501d": 0, "99999999999999d": 0, "1w": 0,
	} {
		got, ok := config.ParseAge(text)
		if ok != (want > 0) || ok && got != want {
			t.Errorf("ParseAge(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
}
