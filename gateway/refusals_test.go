package gateway_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/gateway"
)

// TestRefusalsAreFolded refuses some again and again: the first time is a line at once,
// what follows within a minute is one more line then.
func TestRefusalsAreFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		a := openAudit(t, path)
		refuse := func(user, remote, why string) {
			e := gateway.AuditEntry{Event: gateway.AuditAuth, Protocol: "client", User: user, Remote: remote, Session: "s", TraceID: "4bf9", Detail: why}
			if err := a.WriteRefusal(e); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now().UTC()
		for port := range 1000 {
			refuse("", fmt.Sprintf("10.0.0.1:%d", port), "wrong hunter2")
			refuse("", fmt.Sprintf("[2001:db8::%d:1]:9", port), "wrong hunter2")
			refuse("", fmt.Sprintf("[::ffff:10.0.0.2]:%d", port), "no token")
			refuse("ann", fmt.Sprintf("10.0.0.3:%d", port), "no token")
			time.Sleep(10 * time.Millisecond)
		}
		refuse("", "10.0.0.1:1", "another reason")
		firsts := []gateway.AuditEntry{
			{Remote: "10.0.0.1:0", Detail: "wrong [masked]"},
			{Remote: "[2001:db8::0:1]:9", Detail: "wrong [masked]"},
			{Remote: "[::ffff:10.0.0.2]:0", Detail: "no token"},
			{User: "ann", Remote: "10.0.0.3:0", Detail: "no token"},
			{Remote: "10.0.0.1:1", Detail: "another reason"},
		}
		for i := range firsts {
			e := &firsts[i]
			e.Time, e.Event, e.Protocol, e.Session, e.TraceID = begin, gateway.AuditAuth, "client", "s", "4bf9"
		}
		firsts[4].Time = begin.Add(10 * time.Second)
		if diff := cmp.Diff(firsts, auditLines(t, path)); diff != "" {
			t.Errorf("at once (-want +got):\n%s", diff)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, e := range []gateway.AuditEntry{
			{Remote: "10.0.0.1", Detail: "wrong [masked]"},
			{Remote: "2001:db8::/64", Detail: "wrong [masked]"},
			{Remote: "10.0.0.2", Detail: "no token"},
			{User: "ann", Remote: "10.0.0.3", Detail: "no token"},
		} {
			e.Time, e.Event, e.Protocol, e.Count = begin.Add(9990*time.Millisecond), gateway.AuditAuth, "client", 999
			firsts = append(firsts, e)
		}
		if diff := cmp.Diff(firsts, auditLines(t, path)); diff != "" {
			t.Errorf("after a minute (-want +got):\n%s", diff)
		}
		refuse("", "10.0.0.1:1", "wrong hunter2") // it is a line again
		refuse("", "10.0.0.1:1", "wrong hunter2")
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		lines := auditLines(t, path)
		if rest := lines[len(firsts):]; len(rest) != 2 || rest[0].Count != 0 || rest[1].Count != 1 {
			t.Errorf("in the next minute: %+v", rest)
		}
	})
}

// TestRefusalsCannotFillTheDisk refuses as somebody may who wants that: each time for
// another reason, from another address. All are counted, and nothing else is lost.
func TestRefusalsCannotFillTheDisk(t *testing.T) {
	for _, users := range []int{1, 3, 1000} {
		for _, reasons := range []int{1, 8, 30, 1000} {
			t.Run(fmt.Sprintf("%d users, %d reasons", users, reasons), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { refuseMany(t, users, reasons) })
			})
		}
	}
}

func refuseMany(t *testing.T, users, reasons int) {
	t.Helper()
	const minutes, most, refusals = 3, 250, 6000 // most is of lines in a minute
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a := openAudit(t, path)
	others := 0
	for i := range refusals {
		e := gateway.AuditEntry{Event: gateway.AuditAuth, Remote: fmt.Sprintf("10.0.%d.%d:1", i%users/250, i%users%250), Detail: fmt.Sprint("no ", i*7%reasons)}
		if i%2 == 1 {
			e.Event, e.User = gateway.AuditLimit, fmt.Sprint("u", i%users)
		}
		if err := a.WriteRefusal(e); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			if err := a.Write(gateway.AuditEntry{Event: gateway.AuditToolCall, Call: fmt.Sprint("call", i), OK: true}); err != nil {
				t.Fatal(err)
			}
			others++
		}
		time.Sleep(minutes * time.Minute / refusals)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	lines, told := 0, 0
	for _, e := range auditLines(t, path) {
		switch {
		case strings.HasPrefix(e.Call, "call"):
			others--
		default:
			lines, told = lines+1, told+max(e.Count, 1)
		}
	}
	if told != refusals || others != 0 {
		t.Errorf("%d of %d refusals are told, %d other entries are lost", told, refusals, others)
	}
	if bound := (minutes + 1) * 2 * most; lines > bound {
		t.Errorf("%d lines, want at most %d", lines, bound)
	}
}

// TestRefusalsThatCannotBeWritten are told of by the next one.
func TestRefusalsThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := openAudit(t, filepath.Join(t.TempDir(), "audit.jsonl"))
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		e := gateway.AuditEntry{Event: gateway.AuditAuth, Remote: "10.0.0.1:1", Detail: "no"}
		if a.WriteRefusal(e) == nil {
			t.Error("a closed audit was written")
		}
		if err := a.WriteRefusal(e); err != nil {
			t.Errorf("counting needs no file: %v", err)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if a.WriteRefusal(e) == nil {
			t.Error("nobody is told that a line is lost")
		}
	})
}
