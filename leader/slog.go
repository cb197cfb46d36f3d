package leader

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"

	"github.com/rs/zerolog"
)

// slogBridge makes a zerolog logger whose lines go to l.
func slogBridge(l *slog.Logger) zerolog.Logger {
	return zerolog.New(slogWriter{l}).Level(zerolog.DebugLevel)
}

// slogWriter turns zerolog's JSON lines into slog records.
type slogWriter struct{ logger *slog.Logger }

// Write is for a writer without levels; zerolog calls WriteLevel.
func (w slogWriter) Write(line []byte) (int, error) {
	return w.WriteLevel(zerolog.InfoLevel, line)
}

// WriteLevel hands one line over.
func (w slogWriter) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return 0, err
	}
	msg, _ := fields[zerolog.MessageFieldName].(string)
	delete(fields, zerolog.MessageFieldName)
	delete(fields, zerolog.LevelFieldName)
	attrs := make([]slog.Attr, 0, len(fields))
	for k, v := range fields {
		attrs = append(attrs, slog.Any(k, v))
	}
	w.logger.LogAttrs(context.WithoutCancel(context.TODO()), slogLevel(level), msg, attrs...)
	return len(line), nil
}

func slogLevel(l zerolog.Level) slog.Level {
	switch {
	case l <= zerolog.DebugLevel:
		return slog.LevelDebug
	case l == zerolog.InfoLevel:
		return slog.LevelInfo
	case l == zerolog.WarnLevel:
		return slog.LevelWarn
	}
	return slog.LevelError
}
