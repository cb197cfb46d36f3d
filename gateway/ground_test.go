package gateway_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/gateway"
)

func TestGround(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	audit, err := gateway.OpenAudit(path, gateway.AuditOptions{Mask: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	g := gateway.Ground{Logger: zerolog.New(&log)}
	if g.Check() == nil {
		t.Error("a ground without sessions is taken")
	}
	g.Note(gateway.AuditEntry{Event: gateway.AuditAuth}) // nobody keeps it
	if _, ok := g.ModelOf("any"); ok {
		t.Error("there is a model that nobody knows")
	}
	g.Audit = audit
	g.Note(gateway.AuditEntry{Event: gateway.AuditAuth, User: "alice"})
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "alice") || log.Len() > 0 {
		t.Errorf("the audit is %q, %v; the log %q", text, err, &log)
	}
	g.Note(gateway.AuditEntry{Event: gateway.AuditAuth}) // the file is closed
	if !strings.Contains(log.String(), "the audit cannot be written") {
		t.Errorf("the log does not tell that the audit failed: %q", &log)
	}
}
