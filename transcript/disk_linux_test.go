package transcript_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// A disk that is really full: a file system of 64 KiB in memory.
func TestRealDiskFull(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("troupe-test", mount, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(mount, 0); err != nil {
			t.Error(err)
		}
	})
	dir := mount + "/run"
	l := create(t, dir, transcript.Options{})
	var want []event.Record
	for {
		rec, err := l.Append("uio_1", 1, event.ToolFinished{Result: strings.Repeat("x", 700)})
		if err != nil {
			if _, ok := errors.AsType[*transcript.WriteError](err); !ok || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("Append = %v, want a *WriteError for ENOSPC", err)
			}
			break
		}
		if want = append(want, rec); len(want) > 1000 {
			t.Fatal("the disk does not become full")
		}
	}
	same(t, "records", collect(t, l.Records(0)), want)
	l.Close()
	again := reopen(t, dir, transcript.Options{})
	same(t, "opened again", collect(t, again.Records(0)), want)
	if again.Dropped() != 0 {
		t.Errorf("Dropped() = %d, want 0: the rest of the line was taken off", again.Dropped())
	}
	again.Close()
}
