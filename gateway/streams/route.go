package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Why a command was not sent. Nothing is on a stream then.
var (
	ErrUnavailable = errors.New("streams: no worker of the agent type is online")
	ErrCircuitOpen = errors.New("streams: the agent type is out of service")
	ErrQuota       = errors.New("streams: the user's quota is used up")
)

// Policy says what happens when no worker of an agent type is online.
type Policy string

// The policies.
const (
	FailFast   Policy = "FAIL_FAST"   // refused; the zero value is the same
	SendAnyway Policy = "SEND_ANYWAY" // sent without a look
)

// Request is a task for an agent type.
type Request struct {
	AgentType string
	SessionID string
	Content   Content
	MessageID string // "" for a new one; one that is known is not sent again
	TraceID   string // "" for a new one
	UserCode  string
	UserName  string
	Metadata  Values
	Extra     Values
	Policy    Policy
}

// Sent is what became of a request.
type Sent struct {
	MessageID   string
	ExecutionID string
	TraceID     string
	AgentType   string // the one that got it, which may be a fallback
	EntryID     string // "" when the task was known and needed nothing
	// Known says that there was a record for the message before.
	Known bool
}

// origin says who sends a request.
type origin struct {
	source    string // in the record
	header    string // in the header: the caller's type when it wants a reply
	parent    string
	group     string
	requested bool // wait_for_reply
}

// clientOrigin is the origin of a client.
var clientOrigin = origin{source: "client"}

// inGroup reports whether the request is one of a group: those have no
// look at availability, and no route in the record.
func (o origin) inGroup() bool { return o.group != "" }

// send writes the record of a request and then its command, in that order. A
// refusal leaves a record that has failed, and nothing on a stream.
func (s *store) send(ctx context.Context, r Request, from origin) (Sent, error) {
	if err := r.check(s.schema); err != nil {
		return Sent{}, err
	}
	known, err := s.sentBefore(ctx, r)
	if err != nil || known.Known && known.EntryID == "" {
		return known, err
	}
	if err := s.fillIDs(&r); err != nil {
		return Sent{}, err
	}
	target, refusal := r.AgentType, error(nil)
	if !from.inGroup() {
		target, refusal = s.route(ctx, r)
	}
	code := refusalCode(refusal)
	if refusal != nil && code == "" {
		return Sent{}, refusal // not a refusal, but a fault
	}
	sent := Sent{MessageID: r.MessageID, TraceID: r.TraceID, AgentType: target, ExecutionID: known.ExecutionID, Known: known.Known}
	if !known.Known {
		rec, err := s.recordOf(r, from, target, code, refusal)
		if err != nil {
			return Sent{}, err
		}
		if err := s.create(ctx, rec); err != nil {
			return Sent{}, err
		}
		sent.ExecutionID = rec.ExecutionID
	}
	if refusal != nil {
		return Sent{}, refusal
	}
	sent.EntryID, err = s.post(ctx, s.schema.TypeStream(target), r.command(from, target))
	return sent, err
}

func (r Request) check(schema Schema) error {
	switch {
	case r.AgentType == "":
		return errors.New("streams: a request needs an agent type")
	case r.SessionID == "":
		return errors.New("streams: a request needs a session")
	case !schema.holds(r.SessionID):
		return fmt.Errorf("streams: session %q begins with }, which key schema %s cannot hold; name it otherwise", r.SessionID, schema)
	case r.Content.blank():
		return errors.New("streams: a request needs content")
	case r.Policy != "" && r.Policy != FailFast && r.Policy != SendAnyway:
		return fmt.Errorf("streams: no route policy %q", r.Policy)
	default:
		return nil
	}
}

// stageAvailability is where a task failed whose route was refused.
const stageAvailability = "availability"

// resend marks a known request whose command may never have been written.
const resend = "again"

// sentBefore looks for the record of a request with an id of its own. One that
// is still queued may have lost its command, and gets it again: workers run a
// message once.
func (s *store) sentBefore(ctx context.Context, r Request) (Sent, error) {
	if r.MessageID == "" {
		return Sent{}, nil
	}
	rec, err := s.record(ctx, r.SessionID, r.MessageID)
	switch {
	case errors.Is(err, ErrNoRecord):
		return Sent{}, nil
	case err != nil:
		return Sent{}, err
	case rec.FailedStage == stageAvailability:
		return Sent{}, nil // it was refused, and nobody has had it
	}
	known := Sent{MessageID: r.MessageID, ExecutionID: rec.ExecutionID, TraceID: rec.TraceID, AgentType: rec.TargetAgentType, Known: true}
	if rec.State() == StateQueued {
		known.EntryID = resend
	}
	return known, nil
}

func (s *store) fillIDs(r *Request) (err error) {
	if r.MessageID == "" {
		if r.MessageID, err = s.id("msg-"); err != nil {
			return err
		}
	}
	if r.TraceID == "" {
		r.TraceID, err = s.hex(32)
	}
	return err
}

// recordOf is the record of a request, which has failed when it was refused.
func (s *store) recordOf(r Request, from origin, target, code string, refusal error) (Record, error) {
	execution, err := s.id("exec-")
	if err != nil {
		return Record{}, err
	}
	now := s.now()
	rec := Record{
		ExecutionID: execution, MessageID: r.MessageID, SessionID: r.SessionID, TraceID: r.TraceID,
		ParentMessageID: from.parent, SourceAgentType: from.source, TargetAgentType: target,
		StreamName: s.schema.TypeStream(target), CreatedAt: now.UnixMilli(),
	}
	if !from.inGroup() {
		rec.RoutePolicy, rec.RouteStatus = string(FailFast), "DELIVER_NOW"
		if r.Policy != "" {
			rec.RoutePolicy = string(r.Policy)
		}
		if target != r.AgentType {
			rec.RouteStatus, rec.SelectedAgentType = "FALLBACK_TO_OTHER_AGENT_TYPE", target
		}
	}
	if refusal == nil {
		rec.set(Queued, now)
		return rec, nil
	}
	rec.set(Failed, now)
	rec.RouteStatus, rec.FailedStage = "REJECT", stageAvailability
	rec.AvailabilityErrorCode, rec.AvailabilityError = code, refusal.Error()
	rec.ErrorCode, rec.ErrorMessage = code, refusal.Error()
	return rec, nil
}

// command is the command of a request.
func (r Request) command(from origin, target string) Command {
	return Command{
		Header: Header{
			MessageID: r.MessageID, SessionID: r.SessionID, TraceID: r.TraceID, SourceAgentType: from.header,
			TargetAgentType: target, ParentMessageID: from.parent, TaskGroupID: from.group,
			UserCode: r.UserCode, UserName: r.UserName, Metadata: r.Metadata,
		},
		Body: &Ask{Content: r.Content, WaitForReply: from.requested, ExtraPayload: r.Extra},
	}
}

// refusalCode is the protocol's code of a refusal, "" for another error.
func refusalCode(err error) string {
	switch {
	case errors.Is(err, ErrUnavailable):
		return "AGENT_TYPE_UNAVAILABLE"
	case errors.Is(err, ErrCircuitOpen):
		return "AGENT_CIRCUIT_OPEN"
	case errors.Is(err, ErrQuota):
		return "TENANT_QUOTA_EXCEEDED"
	default:
		return ""
	}
}

// route finds the agent type that gets a request.
func (s *store) route(ctx context.Context, r Request) (target string, err error) {
	circuit, err := s.setting(ctx, s.schema.Circuit(r.AgentType))
	if err != nil {
		return r.AgentType, err
	}
	if strings.EqualFold(circuit.text("state"), "OPEN") {
		return r.AgentType, fmt.Errorf("%w: %s %s", ErrCircuitOpen, r.AgentType, circuit.text("reason"))
	}
	if r.UserCode != "" {
		quota, err := s.setting(ctx, s.schema.Quota(r.UserCode))
		if err != nil {
			return r.AgentType, err
		}
		if string(quota["available"]) == "false" {
			return r.AgentType, fmt.Errorf("%w: %s %s", ErrQuota, r.UserCode, quota.text("reason"))
		}
	}
	if r.Policy == SendAnyway {
		return r.AgentType, nil
	}
	return s.available(ctx, r.AgentType)
}

// available is the type itself when a worker of it is online, or its fallback.
func (s *store) available(ctx context.Context, agentType string) (string, error) {
	if on, err := s.anyOnline(ctx, agentType); err != nil || on {
		return agentType, err
	}
	setting, err := s.setting(ctx, s.schema.Fallback(agentType))
	if err != nil {
		return agentType, err
	}
	for _, name := range []string{"selected_agent_type", "agent_type", "target_agent_type"} {
		other := setting.text(name)
		if other == "" {
			continue
		}
		if on, err := s.anyOnline(ctx, other); err != nil || on {
			return other, err
		}
		break
	}
	return agentType, s.unavailable(ctx, agentType)
}

// unavailable says that nobody of an agent type is online, and whether somebody
// is with the other key schema, which nobody would notice otherwise.
func (s *store) unavailable(ctx context.Context, agentType string) error {
	other := *s
	other.schema = s.schema.other()
	if on, err := other.anyOnline(ctx, agentType); err == nil && on {
		return fmt.Errorf("%w: %s; one is with key schema %s, and this is %s", ErrUnavailable, agentType, other.schema, s.schema)
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, agentType)
}

// warnOfOthers tells the log when other workers have the other key schema: they
// do not see each other, which nobody would notice.
func (w *Worker) warnOfOthers(ctx context.Context) {
	other := *w.store
	other.schema = w.store.schema.other()
	workers, err := other.rdb.SMembers(ctx, other.schema.Workers()).Result()
	if err != nil {
		return // it says nothing of this worker
	}
	for _, id := range workers {
		if token, err := other.leaseToken(ctx, other.rdb, id); err == nil && token != "" {
			w.log().Warn().Err(fmt.Errorf("%s here, %s there", w.store.schema, other.schema)).
				Msg("workers with another key schema use this Redis; these do not see each other")
			return
		}
	}
}

// OnlineTypes are the agent types for which a worker is online, sorted.
func (c *Client) OnlineTypes(ctx context.Context) ([]string, error) {
	s := c.store
	workers, err := s.rdb.SMembers(ctx, s.schema.Workers()).Result()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, worker := range workers {
		types, err := s.rdb.SMembers(ctx, s.schema.AgentTypes(worker)).Result()
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			on, err := s.anyOnline(ctx, t)
			if err != nil {
				return nil, err
			}
			if on {
				found = append(found, t)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// anyOnline reports whether a member of the type has a lease that is online.
func (s *store) anyOnline(ctx context.Context, agentType string) (bool, error) {
	members, err := s.rdb.SMembers(ctx, s.schema.Members(agentType)).Result()
	if err != nil {
		return false, err
	}
	for _, worker := range members {
		value, err := s.rdb.Get(ctx, s.schema.Lease(worker)).Result()
		switch {
		case errors.Is(err, redis.Nil):
		case err != nil:
			return false, err
		case online(value):
			return true, nil
		}
	}
	return false, nil
}

// setting reads a JSON object that somebody else writes; nil when there is none.
func (s *store) setting(ctx context.Context, key string) (Values, error) {
	text, err := s.rdb.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o, err := parseObject([]byte(text))
	if err != nil {
		return nil, nil //nolint:nilerr // what is no object sets nothing, as for the Python SDK
	}
	return o.values, nil
}

// text is a value that is a text, "" for any other.
func (v Values) text(name string) string {
	var text string
	if json.Unmarshal(v[name], &text) != nil {
		return ""
	}
	return text
}
