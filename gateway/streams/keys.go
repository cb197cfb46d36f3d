package streams

import (
	"fmt"
	"strings"
	"time"
)

// How long what is written for a session, a group and a worker stays.
const (
	sessionTTL = 7 * 24 * time.Hour
	groupTTL   = 24 * time.Hour
	leaseTTL   = 30 * time.Second
)

// DefaultGroup is the consumer group of workers that the Python SDK starts.
// With any other name next to it each command is delivered to both groups.
const DefaultGroup = "agent_engines"

// Schema is a set of key names. Parties with different schemas do not see each
// other, and nothing reports it. The zero value is [V1].
type Schema string

// The two schemas. V2 puts what belongs together into one hash slot of a
// Redis Cluster, which V1 cannot be used with.
const (
	V1 Schema = "v1"
	V2 Schema = "v2"
)

// ParseSchema reads the name of a schema; "" is V1. The error wraps ErrSchema.
func ParseSchema(name string) (Schema, error) {
	switch s := Schema(name); s {
	case V1, V2:
		return s, nil
	case "":
		return V1, nil
	default:
		return "", fmt.Errorf("streams: key schema %q is neither v1 nor v2: %w", name, ErrSchema)
	}
}

// other is the schema that this one is not.
func (s Schema) other() Schema {
	if s == V2 {
		return V1
	}
	return V2
}

// holds reports whether the keys of a session or group can be kept together. A
// cluster places a key by what stands between its first { and the next }, and when
// that is nothing by all of it: the keys of an id that begins with } lie apart, and
// no transaction can reach two of them.
func (s Schema) holds(id string) bool { return s != V2 || !strings.HasPrefix(id, "}") }

// check finds the id in a header that has no place among the keys.
func (s Schema) check(h Header) error {
	switch {
	case !s.holds(h.SessionID):
		return &WireError{What: "command", Field: "header.session_id", Err: ErrValue}
	case !s.holds(h.TaskGroupID):
		return &WireError{What: "command", Field: "header.task_group_id", Err: ErrValue}
	default:
		return nil
	}
}

const (
	prefixV1 = "byai_gateway:"
	prefixV2 = "byai_gateway:v2:"
)

// pick takes the name of the schema.
func (s Schema) pick(v1, v2 string) string {
	if s == V2 {
		return prefixV2 + v2
	}
	return prefixV1 + v1
}

// TypeStream is the control stream that all workers of an agent type share.
func (s Schema) TypeStream(agentType string) string {
	name := "ctrl:agent_type:" + agentType
	return s.pick(name, name)
}

// WorkerStream is the control stream of one worker alone.
func (s Schema) WorkerStream(worker string) string {
	return s.pick("ctrl:worker:"+worker, "ctrl:worker:{"+worker+"}")
}

// DataStream holds the events of a session.
func (s Schema) DataStream(session string) string {
	return s.pick("session:"+session+":data_stream", "session:{"+session+"}:data_stream")
}

// Registry is the hash of a session's execution records.
func (s Schema) Registry(session string) string {
	return s.pick("session:"+session+":registry", "session:{"+session+"}:registry")
}

// Checkpoint holds how far the reader of that name has come in a session.
func (s Schema) Checkpoint(session, reader string) string {
	tail := ":consumer:" + reader + ":checkpoint"
	return s.pick("session:"+session+tail, "session:{"+session+"}"+tail)
}

// Group is the hash with the counters of a task group.
func (s Schema) Group(group string) string {
	return s.pick("task_group:"+group, "task_group:{"+group+"}")
}

// GroupResults is the hash with the results of a task group.
func (s Schema) GroupResults(group string) string { return s.Group(group) + ":results" }

// Lease is the key that says that a worker lives; it is also the lock of its id.
func (s Schema) Lease(worker string) string {
	return s.pick("registry:worker:online:"+worker, "registry:worker:{"+worker+"}:online")
}

// Members is the set of the workers of an agent type; dead ones stay in it.
func (s Schema) Members(agentType string) string {
	return s.pick("registry:agent_type:workers:"+agentType, "registry:agent_type:{"+agentType+"}:workers")
}

// Denied is the set of the workers that are barred from an agent type.
func (s Schema) Denied(agentType string) string {
	return s.pick("registry:agent_type:denied:"+agentType, "registry:agent_type:{"+agentType+"}:denied")
}

// AgentTypes is the set of the agent types of a worker.
func (s Schema) AgentTypes(worker string) string {
	return s.pick("registry:worker:agent_types:"+worker, "registry:worker:{"+worker+"}:agent_types")
}

// Workers is the set of all known workers.
func (s Schema) Workers() string { return s.pick("registry:workers", "registry:workers") }

// Admin is the hash with a worker's lifecycle, which an administrator sets.
func (s Schema) Admin(worker string) string {
	return s.pick("registry:worker:admin:"+worker, "registry:worker:{"+worker+"}:admin")
}

// Circuit holds the switch that takes an agent type out of service.
func (s Schema) Circuit(agentType string) string {
	name := "control_plane:circuit:agent_type:" + agentType
	return s.pick(name, name)
}

// Fallback names the agent type that stands in for another.
func (s Schema) Fallback(agentType string) string {
	name := "control_plane:fallback:agent_type:" + agentType
	return s.pick(name, name)
}

// Quota holds whether a user may send.
func (s Schema) Quota(userCode string) string {
	name := "control_plane:quota:user:" + userCode
	return s.pick(name, name)
}

// DeadLetters is the stream of entries that nobody could handle.
func (s Schema) DeadLetters() string {
	const name = "control_plane:mgmt:deadletter"
	return s.pick(name, name)
}

// recordField and messageField are the fields of the hash of a session: the
// record of an execution, and the execution of a message.
func recordField(execution string) string { return recordPrefix + execution }
func messageField(message string) string  { return "msg_map:" + message }

const recordPrefix = "exec:"
