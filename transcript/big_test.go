//go:build unix

package transcript_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

var big = flag.Int64("big", 0, "write and read a log of so many `MiB`, and look at the memory that reading takes")

// readerPath is the variable that makes the test binary a reader of a log.
const readerPath = "TRANSCRIPT_TEST_READER"

// maxReaderMemory is what a process that reads a log may take, in KiB.
const maxReaderMemory = 64 << 10

// readToTheEnd reads a log and prints the number of its records.
func readToTheEnd(path string) error {
	n := 0
	for _, err := range transcript.ReadFile(context.Background(), path, transcript.ReadOptions{}) {
		if err != nil {
			return err
		}
		n++
	}
	_, err := fmt.Println(n)
	return err
}

// TestBigLog reads a log as large as the flag -big says in a process of its
// own, whose memory stays bounded.
func TestBigLog(t *testing.T) {
	if *big == 0 {
		t.Skip("takes a minute and much disk; run with -big 1024")
	}
	l := create(t, t.TempDir(), transcript.Options{Sync: transcript.SyncOff})
	result := event.ToolFinished{CallID: "c", Name: "read_file", Result: strings.Repeat("a line of a file\n", 4<<10)}
	began := time.Now()
	var size int64
	for n := 0; size < *big<<20; n++ {
		var d event.Data = ordinary
		if n%1000 == 0 {
			d = result
			info, err := os.Stat(l.Path())
			if err != nil {
				t.Fatal(err)
			}
			size = info.Size()
		}
		if _, err := l.Append("uio_1", 3, d); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("wrote %d records, %d MiB in %v", l.Len(), size>>20, time.Since(began))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), readerPath+"="+l.Path())
	began = time.Now()
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(l.Len()) {
		t.Fatalf("the reader: %v, %s records; want %d", err, out, l.Len())
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok || usage.Maxrss > maxReaderMemory {
		t.Errorf("the reader took %d KiB, want at most %d", usage.Maxrss, maxReaderMemory)
	}
	t.Logf("read in %v with %d KiB", time.Since(began), usage.Maxrss)
}
