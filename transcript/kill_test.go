//go:build unix

package transcript_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// writerDir is the variable that makes the test binary a writer that goes on
// until it is killed.
const writerDir = "TRANSCRIPT_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		fmt.Fprintln(os.Stderr, writeForEver(dir))
		os.Exit(1)
	}
	if path := os.Getenv(readerPath); path != "" {
		if err := readToTheEnd(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeForEver appends from several goroutines and prints the number of each
// record that Append returned.
func writeForEver(dir string) error {
	l, err := transcript.Open(dir, transcript.Options{})
	if err != nil {
		return err
	}
	var mu sync.Mutex // guards standard output
	failed := make(chan error)
	for n := range 3 {
		go func() {
			for i := 0; ; i++ {
				var d event.Data = event.MessageSent{ID: fmt.Sprintf("msg_%d_%d", n, i), Content: strings.Repeat("世界", i%2000)}
				if i%3 > 0 {
					d = event.Warning{Text: strings.Repeat("x", i%9000)}
				}
				rec, err := l.Append("tl", i, d)
				if err != nil {
					failed <- err
					return
				}
				mu.Lock()
				_, err = fmt.Println(rec.Seq)
				mu.Unlock()
				if err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// A writer that is killed at any moment leaves a log with every record that
// Append had returned, and the lock is free.
func TestKilledWriter(t *testing.T) {
	dir := t.TempDir()
	create(t, dir, transcript.Options{}).Close()
	before := int64(0)
	for round := range 20 {
		acked := max(before, killWriter(t, dir, rand.IntN(150)))
		read := collect(t, transcript.ReadFile(t.Context(), filepath.Join(dir, transcript.FileName), transcript.ReadOptions{After: before}))
		l := reopen(t, dir, transcript.Options{})
		if l.Len() < acked || l.Len() != before+int64(len(read)) {
			t.Fatalf("round %d: %d records were returned, %d can be read, the log has %d", round, acked, before+int64(len(read)), l.Len())
		}
		for i, rec := range read {
			if rec.Seq != before+int64(i)+1 {
				t.Fatalf("round %d: record %d where %d belongs", round, rec.Seq, before+int64(i)+1)
			}
		}
		before = l.Len()
		l.Close()
	}
	if before == 0 {
		t.Error("no writer came to write anything")
	}
}

// killWriter starts a writer, kills it after so many records, and returns the
// largest number that it printed.
func killWriter(t *testing.T, dir string, after int) int64 {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), writerDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acked int64
	lines := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		seq, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		acked = max(acked, seq)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the writer ended by itself")
	}
	return acked
}

// While another process writes, a second writer is refused and told which
// process has the log; a reader gets what is there.
func TestLogOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	create(t, dir, transcript.Options{}).Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), writerDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, transcript.FileName)
	_, open := transcript.Open(dir, transcript.Options{})
	_, repair := transcript.Repair(dir)
	for what, err := range map[string]error{"Open": open, "Repair": repair, "Remove": transcript.Remove(dir)} {
		if !errors.Is(err, transcript.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("%s: the log is being written by process %d", path, cmd.Process.Pid)) {
			t.Errorf("%s = %v, want ErrLocked with the process %d", what, err, cmd.Process.Pid)
		}
	}
	if recs := collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{})); len(recs) == 0 {
		t.Error("nothing can be read")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	reopen(t, dir, transcript.Options{}).Close()
}
