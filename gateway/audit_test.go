package gateway_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

func hush(s string) string { return strings.ReplaceAll(s, "hunter2", "[masked]") }

func openAudit(t *testing.T, path string) *gateway.Audit {
	t.Helper()
	a, err := gateway.OpenAudit(path, gateway.AuditOptions{Mask: hush})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func auditLines(t *testing.T, path string) (list []gateway.AuditEntry) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e gateway.AuditEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		list = append(list, e)
	}
	return list
}

// TestAudit writes over a restart, with texts that would forge a line.
func TestAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		if err := os.WriteFile(path, nil, 0o644); err != nil { // readable by all, until the audit has it
			t.Fatal(err)
		}
		now := time.Now().UTC()
		want := []gateway.AuditEntry{
			{Event: gateway.AuditAuth, User: "ann", Remote: "127.0.0.1:1", Detail: "x\n{\"event\":\"auth\",\"ok\":true}"},
			{Event: gateway.AuditSession, OK: true, User: "ann", Session: "hunter2", TraceID: "4bf9"},
		}
		for _, e := range want {
			a := openAudit(t, path)
			if err := a.Write(e); err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if err := a.Write(e); err == nil {
				t.Error("a closed audit was written")
			}
		}
		want[0].Time, want[1].Time, want[1].Session = now, now, "[masked]"
		if diff := cmp.Diff(want, auditLines(t, path)); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the mode is %v, %v", info.Mode(), err)
		}
	})
}

// TestAuditCutsAfterMasking has a secret where a long text is cut.
func TestAuditCutsAfterMasking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a := openAudit(t, path)
	defer a.Close()
	for _, n := range []int{1018, 1019, 1020, 1021, 1022, 1023} {
		if err := a.Write(gateway.AuditEntry{Event: gateway.AuditToolCall, Detail: strings.Repeat("密", n/3) + strings.Repeat(".", n%3) + "hunter2" + strings.Repeat("码", 400)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range auditLines(t, path) {
		if strings.Contains(e.Detail, "hunt") || len(e.Detail) > 1024+len("…") || !utf8.ValidString(e.Detail) || strings.ContainsRune(e.Detail, utf8.RuneError) {
			t.Errorf("the detail has %d bytes and ends with %q", len(e.Detail), e.Detail[len(e.Detail)-20:])
		}
	}
}

func TestAuditByMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a := openAudit(t, path)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if err := a.Write(gateway.AuditEntry{Event: gateway.AuditLimit, User: "ann", Detail: strings.Repeat("x", 500)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(auditLines(t, path)); got != 800 {
		t.Errorf("%d lines, want 800", got)
	}
}

func TestOpenAuditRefuses(t *testing.T) {
	if _, err := gateway.OpenAudit(filepath.Join(t.TempDir(), "a"), gateway.AuditOptions{}); err == nil {
		t.Error("an audit without a mask was opened")
	}
	if _, err := gateway.OpenAudit(t.TempDir(), gateway.AuditOptions{Mask: hush}); err == nil {
		t.Error("a folder was opened as an audit")
	}
}

func TestAuditOfRecords(t *testing.T) {
	at := time.Unix(5, 0).UTC()
	for _, tt := range []struct {
		data event.Data
		want gateway.AuditEntry
	}{
		{event.ToolStarted{CallID: "c1", Name: "touch", Arguments: `{"name":"a"}`}, gateway.AuditEntry{Event: gateway.AuditToolCall, OK: true, Call: "c1", Tool: "touch", Detail: `{"name":"a"}`}},
		{event.ToolFinished{CallID: "c1", Name: "touch", Result: "done"}, gateway.AuditEntry{Event: gateway.AuditToolResult, OK: true, Call: "c1", Tool: "touch", Detail: "done"}},
		{event.ToolFinished{CallID: "c1", Name: "touch", Result: "no", IsError: true}, gateway.AuditEntry{Event: gateway.AuditToolResult, Call: "c1", Tool: "touch", Detail: "no"}},
		{event.ApprovalDecided{ID: "apr_001", Decision: event.DecisionAllow, By: "user"}, gateway.AuditEntry{Event: gateway.AuditApproval, OK: true, Call: "apr_001", Detail: "allow by user"}},
		{event.ApprovalDecided{ID: "apr_001", Decision: event.DecisionDeny, By: "sys", Reason: "nobody"}, gateway.AuditEntry{Event: gateway.AuditApproval, Call: "apr_001", Detail: "deny by sys nobody"}},
		{event.LimitReached{Limit: "tokens"}, gateway.AuditEntry{Event: gateway.AuditLimit, Detail: "tokens"}},
	} {
		got, ok := gateway.AuditOf(event.Record{Seq: 7, Time: at, Agent: "uio_1", Data: tt.data})
		tt.want.Time, tt.want.Seq, tt.want.Agent = at, 7, "uio_1"
		if diff := cmp.Diff(tt.want, got); diff != "" || !ok {
			t.Errorf("%s (-want +got):\n%s", tt.data.Type(), diff)
		}
	}
	if _, ok := gateway.AuditOf(event.Record{Data: event.ModelReplied{Text: "x"}}); ok {
		t.Error("a reply is audited")
	}
}
