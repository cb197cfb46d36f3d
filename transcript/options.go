package transcript

import (
	"fmt"
	"math"
	"time"

	"github.com/troupe-go/troupe/event"
)

// FileName is the name of the log inside the folder of a run.
const FileName = "log.jsonl"

// SyncMode says when a log in a file is forced to the disk (fsync), so that it
// survives a loss of power. Every record is handed to the operating system at
// once in each mode, so that it survives the death of the process.
type SyncMode string

// The sync modes.
const (
	// SyncNormal forces what cannot be had again: messages, questions, tool
	// results, approvals, and the records of the run itself. It is the default.
	SyncNormal SyncMode = "normal"
	// SyncAlways forces every record.
	SyncAlways SyncMode = "always"
	// SyncOff forces the file once, when the log is closed.
	SyncOff SyncMode = "off"
)

// Options tune a log. The zero value is good for most.
type Options struct {
	// Sync says when the file is forced to the disk; empty means SyncNormal.
	// A log in memory ignores it.
	Sync SyncMode
	// Mask hides secrets in texts as they enter; nil hides none.
	Mask *Mask
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// MaxResult is the length in bytes from which on a tool's result is put into
	// a file beside a log in a file, in the folder [FilesName]; 0 means
	// [DefaultMaxResult], and no length is too long when it is negative. The
	// record names the file and keeps so many bytes of the result: three
	// quarters of them from its beginning, the rest from its end.
	MaxResult int
	// Omitted makes the note that stands between the two, from the number of
	// bytes that are left out and the file's path from the folder of the log;
	// nil is one in English.
	Omitted func(bytes int, file string) string
	// TailRecords is about how many of the newest records of a log in a file
	// stay in memory, 1024 when it is not positive; fewer do when they are
	// large. Older ones are read back from the file.
	TailRecords int

	// wrap lets tests stand between the log and its file.
	wrap func(file) file
}

const defaultTailRecords = 1024

// withDefaults returns o with every unset field filled in.
func (o Options) withDefaults() (Options, error) {
	switch o.Sync {
	case "":
		o.Sync = SyncNormal
	case SyncNormal, SyncAlways, SyncOff:
	default:
		return o, fmt.Errorf("transcript: sync mode %q; it is normal, always or off", o.Sync)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.MaxResult == 0:
		o.MaxResult = DefaultMaxResult
	case o.MaxResult < 0:
		o.MaxResult = math.MaxInt
	}
	if o.Omitted == nil {
		o.Omitted = omitted
	}
	if o.TailRecords <= 0 {
		o.TailRecords = defaultTailRecords
	}
	return o, nil
}

// forces reports whether a record of type t must be on the disk before Append
// returns.
func (m SyncMode) forces(t event.Type) bool {
	return m == SyncAlways || m == SyncNormal && precious(t)
}

// precious reports whether a record of type t says what cannot be had again.
func precious(t event.Type) bool {
	switch t {
	case event.TypeRunStarted, event.TypeRunSuspended, event.TypeRunResumed,
		event.TypeRunFinished, event.TypeRunFailed,
		event.TypeMessageSent, event.TypeMessageDelivered, event.TypeMessageReturned,
		event.TypeQuestionOpened, event.TypeQuestionClosed,
		event.TypeToolFinished, event.TypeToolReturned,
		event.TypeApprovalRequested, event.TypeApprovalDecided:
		return true
	default:
		return false
	}
}
