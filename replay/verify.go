package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/tools"
)

// VerifyOptions configure [Verify]. The zero value is fine.
type VerifyOptions struct {
	// Tools are the run's own tools beside those of Troupe. What their
	// descriptions say is part of every request, so the requests of an agent
	// with a tool that is missing here cannot be compared.
	Tools []tools.Tool

	change func(*agent.Config) // a change of the program that a test plants
}

// Verification is what [Verify] found.
type Verification struct {
	RunID   string          `json:"run_id"`
	Records int             `json:"records"` // of the whole log
	Agents  []VerifiedAgent `json:"agents"`  // in the order of their creation
	// Violations are the rules between agents that the log breaks.
	Violations []Violation `json:"violations,omitempty"`
}

// OK reports whether all that could be compared is the same and no rule is
// broken.
func (v Verification) OK() bool { return v.First() == nil && len(v.Violations) == 0 }

// First is the first mismatch in the order of the log; nil if there is none.
func (v Verification) First() *Mismatch {
	var first *Mismatch
	for _, a := range v.Agents {
		if m := a.Mismatch; m != nil && (first == nil || m.Seq < first.Seq) {
			first = m
		}
	}
	return first
}

// VerifiedAgent is how far one agent did again what the recording says.
type VerifiedAgent struct {
	Agent    string `json:"agent"`
	Name     string `json:"name"`
	Records  int    `json:"records"`  // that it made again and that are the same
	Requests int    `json:"requests"` // model requests among them with the same digest
	// MissingTools are its tools that this program does not have. If there are
	// any, its prompt and what its requests hold could not be compared.
	MissingTools []string `json:"missing_tools,omitempty"`
	// Mismatch is the first record that it did not make again; nil if there is
	// none.
	Mismatch *Mismatch `json:"mismatch,omitempty"`
}

// Mismatch is a place where an agent did something else than the recording
// says.
type Mismatch struct {
	Agent string     `json:"agent"`
	Seq   int64      `json:"seq"`  // of the recorded record, or of the last one before
	Turn  int        `json:"turn"` // the agent's
	Type  event.Type `json:"type"` // of that record
	// Path is the JSON path of the first field that differs; "type" when the
	// record is another one altogether.
	Path string `json:"path"`
	// Recorded and Replayed are the field's values as JSON; empty for none.
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
	// Request is the seq of the first recorded request at this place or after
	// it; 0 if no more came.
	Request int64 `json:"request,omitempty"`
	// Note says in words what the values do not; may be empty.
	Note MismatchNote `json:"note,omitempty"`
	// Since is the seq of the last request before that was the same, for
	// [NoteUnseen]; 0 if there is none.
	Since int64 `json:"since,omitempty"`
	// Diff shows the difference line by line, as a unified diff; of a request
	// that differs it compares the conversation with that of the nearest
	// recorded request.
	Diff string `json:"diff,omitempty"`
}

// MismatchNote says what is special about a mismatch.
type MismatchNote string

// The notes.
const (
	// NoteUnseen: the conversation is as recorded and its digest is not. What
	// differs is no part of a log: the recording was changed after it was made,
	// or the descriptions of the tools differ.
	NoteUnseen MismatchNote = "unseen"
	// NoteMissing: the agent ended before it made this record.
	NoteMissing MismatchNote = "missing"
	// NoteExtra: the agent made a record after its last recorded one.
	NoteExtra MismatchNote = "extra"
)

// ErrNoTeam is in the error of [Verify] for a log whose header does not have
// the team: its agents cannot be made again.
var ErrNoTeam = errors.New("replay: the header does not have the team")

// Verify runs every agent of a recorded run again, each alone, and holds the
// whole log to the rules of [Check]. What came to an agent from outside is
// taken from the recording at its place among the agent's own records:
// messages, the model's replies, results of tools, stops, limits. What the
// agent does is compared and never carried out. An open turn at the end of the
// log is compared as far as it goes.
//
// The error says why the log cannot be read or verified; a difference is no
// error.
func Verify(ctx context.Context, records iter.Seq2[event.Record, error], o VerifyOptions) (Verification, error) {
	var v Verification
	var list []event.Record
	for rec, err := range records {
		if err != nil {
			return v, err
		}
		list = append(list, rec)
	}
	if len(list) == 0 {
		return v, errors.New("replay: the log is empty")
	}
	header, ok := list[0].Data.(event.RunStarted)
	if !ok {
		return v, errors.New("replay: the log does not begin with run.started")
	}
	v.RunID, v.Records = header.RunID, len(list)
	if len(header.Team) == 0 {
		return v, fmt.Errorf("%w: run %s", ErrNoTeam, header.RunID)
	}
	teams, err := rebuild(list, header, o.Tools)
	if err != nil {
		return v, err
	}
	s := stage{teams: teams, recording: newRecording(list), options: o}
	defer func() { _ = s.close() }()
	for i, rec := range list {
		if d, ok := rec.Data.(event.AgentCreated); ok {
			a, err := s.verify(ctx, i, d)
			if err != nil {
				return v, err
			}
			v.Agents = append(v.Agents, a)
		}
	}
	v.Violations = checkAll(list)
	return v, nil
}
