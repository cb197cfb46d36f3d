package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// AuditEvent is what an entry of the audit is about.
type AuditEvent string

// What is audited.
const (
	AuditAuth       AuditEvent = "auth"        // somebody came in, or was refused
	AuditSession    AuditEvent = "session"     // a session was opened, stopped or closed
	AuditToolCall   AuditEvent = "tool.call"   // an agent called a tool
	AuditToolResult AuditEvent = "tool.result" // what came of it
	AuditApproval   AuditEvent = "approval"    // a person or the runtime decided about a call
	AuditLimit      AuditEvent = "limit"       // a limit refused or ended something
)

// AuditEntry is one line of the audit.
type AuditEntry struct {
	// Time is filled in when it is zero.
	Time  time.Time  `json:"ts"`
	Event AuditEvent `json:"event"`
	// OK says whether it was allowed, or went well.
	OK       bool   `json:"ok"`
	User     string `json:"user,omitempty"`
	Session  string `json:"session,omitempty"`
	TraceID  string `json:"trace_id,omitempty"`
	Protocol string `json:"protocol,omitempty"` // of the gateway: "client", "studio"
	Remote   string `json:"remote,omitempty"`   // address of the other side
	// Agent, Call and Tool are those of a tool call; Seq is the record of the
	// log that tells all of it.
	Agent string `json:"agent,omitempty"`
	Call  string `json:"call,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Seq   int64  `json:"seq,omitempty"`
	// Detail is in words, or the arguments or the result of a call; a long one is
	// cut.
	Detail string `json:"detail,omitempty"`
	// Count is how many more of the same came within a minute after a refusal
	// that has a line of its own.
	Count int `json:"count,omitempty"`
}

// maxDetail is how much of a detail an entry keeps, in bytes.
const maxDetail = 1 << 10

// Audit is the file in which stands who did what: one JSON object a line, apart
// from the logs of the sessions. It is safe for concurrent use.
type Audit struct {
	mask func(string) string
	now  func() time.Time

	mu      sync.Mutex // guards all below
	file    *os.File
	refused refusals
	fold    *time.Timer // ends the span of refused; nil when none is under way
	lost    error       // why lines of refusals could not be written
}

// AuditOptions tune an [Audit].
type AuditOptions struct {
	// Mask hides secrets in texts; required, because tools get and return them.
	Mask func(string) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// OpenAudit opens the file at path to write on it, and makes it if need be. Only
// its owner can read it.
func OpenAudit(path string, o AuditOptions) (*Audit, error) {
	if o.Mask == nil {
		return nil, errors.New("gateway: audit: it needs a mask")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("gateway: audit: %w", err)
	}
	if err := f.Chmod(0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("gateway: audit: %w", err), f.Close())
	}
	return &Audit{mask: o.Mask, now: o.Now, file: f}, nil
}

// Write adds an entry, with all its texts masked. What it returned without an
// error for has been handed to the operating system.
func (a *Audit) Write(e AuditEntry) error {
	e = a.filled(e)
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.line(e)
}

// WriteRefusal adds an entry about somebody who was refused. The first one is a line
// at once; those that follow within a minute from the same user, or the same address
// of nobody in particular, for the same reason are counted, and told in one more
// line then, or when the audit is closed. So are those of too many users, addresses
// and reasons.
func (a *Audit) WriteRefusal(e AuditEntry) error {
	e = a.filled(e)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fold == nil {
		a.fold = time.AfterFunc(foldFor, a.settle)
	}
	lost := a.lost
	a.lost = nil
	if !a.refused.add(e) {
		return lost
	}
	return errors.Join(lost, a.line(e))
}

// settle ends a span of refusals.
func (a *Audit) settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = errors.Join(a.lost, a.tellRefused())
}

// tellRefused writes how many were refused since the span began; the caller holds a.mu.
func (a *Audit) tellRefused() (err error) {
	if a.fold == nil {
		return nil
	}
	a.fold.Stop()
	for _, e := range a.refused.counted() {
		err = errors.Join(err, a.line(e))
	}
	a.refused, a.fold = refusals{}, nil
	return err
}

// filled is an entry as it is written: with its time, and its texts masked and cut.
func (a *Audit) filled(e AuditEntry) AuditEntry {
	if e.Time.IsZero() {
		e.Time = a.now()
	}
	e.Time = e.Time.UTC()
	for _, text := range []*string{
		&e.User, &e.Session, &e.TraceID, &e.Protocol, &e.Remote, &e.Agent, &e.Call, &e.Tool, &e.Detail,
	} {
		*text = short(a.mask(*text))
	}
	return e
}

// line writes an entry; the caller holds a.mu.
func (a *Audit) line(e AuditEntry) error {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = a.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("gateway: audit: %w", err)
	}
	return nil
}

// short cuts a text between two characters. It is masked before, or half of a
// secret could stay.
func short(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	n := maxDetail
	for n > maxDetail-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Close forces the file to the disk and closes it.
func (a *Audit) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	lost := errors.Join(a.lost, a.tellRefused())
	if err := errors.Join(a.file.Sync(), a.file.Close()); err != nil {
		return errors.Join(lost, fmt.Errorf("gateway: audit: %w", err))
	}
	return lost
}

// AuditOf is the entry that a record of a session calls for; ok is false for those
// that call for none. User, session and trace are the caller's to fill in.
func AuditOf(rec event.Record) (e AuditEntry, ok bool) {
	e = AuditEntry{Time: rec.Time, Agent: rec.Agent, Seq: rec.Seq, OK: true}
	switch d := rec.Data.(type) {
	case event.ToolStarted:
		e.Event, e.Call, e.Tool, e.Detail = AuditToolCall, d.CallID, d.Name, d.Arguments
	case event.ToolFinished:
		e.Event, e.Call, e.Tool, e.OK, e.Detail = AuditToolResult, d.CallID, d.Name, !d.IsError, d.Result
	case event.ApprovalDecided:
		e.Event, e.Call, e.OK = AuditApproval, d.ID, d.Decision == event.DecisionAllow
		e.Detail = strings.TrimSpace(d.Decision + " by " + d.By + " " + d.Reason)
	case event.LimitReached:
		e.Event, e.OK, e.Detail = AuditLimit, false, d.Limit
	default:
		return AuditEntry{}, false
	}
	return e, true
}
