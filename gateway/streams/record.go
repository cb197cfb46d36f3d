package streams

import (
	"slices"
	"time"
)

// Status is the state of an execution as it stands in its record.
type Status string

// The states that records have. A worker may write any other text.
const (
	Queued          Status = "QUEUED"
	Running         Status = "RUNNING"
	WaitingUser     Status = "WAITING_USER"
	WaitingAgent    Status = "WAITING_AGENT"
	WaitingForGroup Status = "QUEUED: waiting_for_group"
	GroupQueued     Status = "GROUP_QUEUED"
	Cancelling      Status = "CANCELLING"
	Cancelled       Status = "CANCELLED"
	Completed       Status = "COMPLETED"
	Failed          Status = "FAILED"
)

// Terminal reports whether an execution in that state has ended.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// Step is one entry of a record's timeline.
type Step struct {
	Status    Status `json:"status"`
	Timestamp int64  `json:"timestamp"` // milliseconds since 1970
}

// Record is what is known of one execution; it stands in the hash of its
// session. Times are milliseconds since 1970, 0 for not yet.
type Record struct {
	ExecutionID     string
	MessageID       string
	SessionID       string
	TraceID         string
	ParentMessageID string
	SourceAgentType string // "client", or the caller's type when it wants a reply
	TargetAgentType string
	StreamName      string
	Status          Status

	RoutePolicy           string
	RouteStatus           string
	SelectedAgentType     string
	AvailabilityErrorCode string
	AvailabilityError     string

	CreatedAt  int64
	UpdatedAt  int64
	StartedAt  int64
	FinishedAt int64
	Timeline   []Step

	WorkerID        string
	RedisMessageID  string // only in records that a worker made
	CancelRequested bool
	CancelReason    string

	ErrorType    string
	ErrorMessage string
	ErrorCode    string
	FailedStage  string
	Retryable    bool

	// Troupe is what workers of Troupe note for each other; nil in records that
	// none of them had.
	Troupe *Progress

	raw object
}

func (r *Record) fields() []field {
	return []field{
		{name: "execution_id", to: &r.ExecutionID, keyed: true, always: true},
		{name: "message_id", to: &r.MessageID, keyed: true, always: true},
		{name: "session_id", to: &r.SessionID, keyed: true, always: true},
		{name: "trace_id", to: &r.TraceID, always: true},
		{name: "parent_message_id", to: &r.ParentMessageID, always: true},
		{name: "source_agent_type", to: &r.SourceAgentType, always: true},
		{name: "target_agent_type", to: &r.TargetAgentType, always: true},
		{name: "stream_name", to: &r.StreamName, always: true},
		{name: "status", to: &r.Status, keyed: true, always: true},
		{name: "route_policy", to: &r.RoutePolicy},
		{name: "route_status", to: &r.RouteStatus},
		{name: "selected_agent_type", to: &r.SelectedAgentType, always: r.RoutePolicy != ""},
		{name: "availability_error_code", to: &r.AvailabilityErrorCode, always: r.RoutePolicy != ""},
		{name: "availability_error", to: &r.AvailabilityError, always: r.RoutePolicy != ""},
		{name: "created_at", to: &r.CreatedAt, always: true},
		{name: "updated_at", to: &r.UpdatedAt, always: true},
		{name: "started_at", to: &r.StartedAt, always: true},
		{name: "finished_at", to: &r.FinishedAt, always: true},
		{name: "timeline", to: &r.Timeline, always: true},
		{name: "worker_id", to: &r.WorkerID},
		{name: "redis_message_id", to: &r.RedisMessageID},
		{name: "cancel_requested", to: &r.CancelRequested},
		{name: "cancel_reason", to: &r.CancelReason},
		{name: "error_type", to: &r.ErrorType},
		{name: "error_message", to: &r.ErrorMessage},
		{name: "error_code", to: &r.ErrorCode},
		{name: "failed_stage", to: &r.FailedStage},
		{name: "retryable", to: &r.Retryable},
		{name: "troupe", to: &r.Troupe},
	}
}

// DecodeRecord reads the text of a record. Unknown fields are kept. The error
// is a [WireError].
func DecodeRecord(text []byte) (Record, error) {
	o, err := parseObject(text)
	if err != nil {
		return Record{}, fault("record", "", err)
	}
	r := Record{raw: o}
	return r, o.read("record", r.fields())
}

// Encode writes the record with what it was read with beside its fields. The
// error is a [WireError].
func (r Record) Encode() ([]byte, error) { return r.raw.marshal("record", r.fields()) }

// set writes a state with its time.
func (r *Record) set(s Status, at time.Time) {
	ms := at.UnixMilli()
	r.Status = s
	r.UpdatedAt = ms
	if s == Running && r.StartedAt == 0 {
		r.StartedAt = ms
	}
	if s.Terminal() {
		r.FinishedAt = ms
	}
	r.Timeline = append(slices.Clip(r.Timeline), Step{Status: s, Timestamp: ms})
}
