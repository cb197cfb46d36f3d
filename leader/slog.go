package leader

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"

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
	attrs := make([]any, 0, len(fields))
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		attrs = append(attrs, slog.Any(k, fields[k]))
	}
	switch {
	case level <= zerolog.DebugLevel:
		w.logger.Debug(msg, attrs...)
	case level == zerolog.InfoLevel:
		w.logger.Info(msg, attrs...)
	case level == zerolog.WarnLevel:
		w.logger.Warn(msg, attrs...)
	default:
		w.logger.Error(msg, attrs...)
	}
	return len(line), nil
}
