package main

import (
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/transcript"
)

// operatorLog is the log for operators: JSON on stderr, with all secrets hidden.
func (a *app) operatorLog(level string, mask *transcript.Mask) (zerolog.Logger, error) {
	levels := map[string]zerolog.Level{
		"": zerolog.InfoLevel, "debug": zerolog.DebugLevel, "info": zerolog.InfoLevel, "warn": zerolog.WarnLevel,
		"error": zerolog.ErrorLevel, "off": zerolog.Disabled,
	}
	if err := a.oneOf("log-level", level); err != nil {
		return zerolog.Nop(), err
	}
	w := zerolog.SyncWriter(maskedWriter{a.Stderr, mask})
	return zerolog.New(w).Level(levels[level]).With().Timestamp().Logger(), nil
}
