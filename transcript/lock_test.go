package transcript_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/transcript"
)

// Within one process as well, a log has one writer at a time.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{})
	fill(t, l, 1)
	_, err := transcript.Open(dir, transcript.Options{})
	if !errors.Is(err, transcript.ErrLocked) {
		t.Fatalf("Open = %v, want ErrLocked", err)
	}
	for _, part := range []string{l.Path(), fmt.Sprintf("process %d", os.Getpid())} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not tell %q", err, part)
		}
	}
	fill(t, l, 1) // the one who has it is not disturbed
	l.Close()
	fill(t, reopen(t, dir, transcript.Options{}), 1)
}

// Of many who want the log at once, one gets it; looking at it disturbs none.
func TestRaceForTheLog(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir+"/run", transcript.Options{})
	add(t, l, started)
	l.Close()
	for range 20 {
		var wg sync.WaitGroup
		logs := make(chan *transcript.Log, 8)
		for range cap(logs) {
			wg.Go(func() {
				l, err := transcript.Open(dir+"/run", transcript.Options{})
				if err == nil {
					logs <- l
				} else if !errors.Is(err, transcript.ErrLocked) {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if _, err := transcript.Find(dir, "last"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		close(logs)
		if len(logs) != 1 {
			t.Fatalf("%d writers have the log", len(logs))
		}
		for l := range logs {
			l.Close()
		}
	}
}
