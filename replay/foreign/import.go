package foreign

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Format is the form of a recorded run.
type Format string

// The formats.
const (
	FormatTroupe     Format = "troupe"      // our own log; package transcript reads it
	FormatOpenAI     Format = "openai"      // chat messages, see [Import]
	FormatClaudeCode Format = "claude-code" // a session of Claude Code, see [Import]
)

// MaxImport is the size in bytes of the largest transcript that is imported,
// all its files together.
const MaxImport = 256 << 20

// Errors that callers branch on.
var (
	// ErrFormat says that a file is no transcript of a known form.
	ErrFormat = errors.New("no transcript of a known form")
	// ErrTooLarge says that a transcript is larger than [MaxImport].
	ErrTooLarge = errors.New("the transcript is larger than 256 MiB")
)

// Source is one file of a transcript.
type Source struct {
	// Name is the base name of the file; names of records and warnings come
	// from it.
	Name string
	// Reader brings the text.
	Reader io.Reader
}

// ImportOptions tune an import. The zero value is good for most.
type ImportOptions struct {
	// Format is the form of the transcript; empty detects it.
	Format Format
	// Time is when the run began, for a transcript that does not tell; all its
	// records then have that time.
	Time time.Time
}

// Import reads a transcript of another system as the records of a run, numbered
// from 1, with a header that names where it came from. It reads
//
//   - chat messages in the form of OpenAI: an array of them, an object that has
//     one at any place ("messages", "traj", "history", …), or such values line
//     by line; roles that are names of speakers make several agents;
//   - sessions of Claude Code, line by line, as it keeps them or as it streams
//     them. Its sub-agents become agents; their own files are the sources
//     behind the first, with the files that describe them (".meta.json").
//
// Of chat messages there is one source. What has no place among the records is
// named by records of type warning. Import fails with [ErrFormat] when the
// first source is nothing of this, and with [ErrTooLarge].
func Import(o ImportOptions, sources ...Source) ([]event.Record, error) {
	return importUpTo(MaxImport, o, sources)
}

func importUpTo(most int64, o ImportOptions, sources []Source) ([]event.Record, error) {
	if len(sources) == 0 {
		return nil, fmt.Errorf("foreign: import: %w: there is no file", ErrFormat)
	}
	files, err := readSources(most, sources)
	if err != nil {
		return nil, err
	}
	main := files[0]
	format := cmp.Or(o.Format, Detect(main.text))
	b := newBuilder(o.Time)
	head := event.RunStarted{Import: &event.Import{Format: string(format), File: main.name}, ModelKind: event.ModelReal}
	switch format {
	case FormatOpenAI:
		err = importChat(b, main, &head)
	case FormatClaudeCode:
		err = importClaude(b, files, &head)
	case FormatTroupe:
		err = fmt.Errorf("%w: it is a log of Troupe, which needs no import", ErrFormat)
	default:
		err = ErrFormat
	}
	if err != nil {
		return nil, fmt.Errorf("foreign: import %s: %w", main.name, err)
	}
	return b.finish(head), nil
}

// file is one file of a transcript, read.
type file struct {
	name string
	text []byte
}

func readSources(left int64, sources []Source) ([]file, error) {
	var files []file
	for _, s := range sources {
		text, err := io.ReadAll(io.LimitReader(s.Reader, left+1))
		if err != nil {
			return nil, fmt.Errorf("foreign: import %s: %w", s.Name, err)
		}
		if left -= int64(len(text)); left < 0 {
			return nil, fmt.Errorf("foreign: import %s: %w", s.Name, ErrTooLarge)
		}
		files = append(files, file{s.Name, bytes.TrimPrefix(text, []byte("\ufeff"))})
	}
	return files, nil
}
