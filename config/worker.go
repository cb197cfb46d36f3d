package config

import (
	"math"
	"regexp"
	"time"
)

// Worker says for whom "troupe worker" works; zero fields are absent.
type Worker struct {
	// Redis is the address of the server: redis://, rediss://, unix://,
	// redis+cluster:// or rediss+cluster://. A password in it comes from a variable.
	Redis string
	// AgentTypes are the types whose tasks the worker takes.
	AgentTypes []string
	// ID names the worker; no other one may have it.
	ID string
	// Group is the consumer group, Schema the key schema: "v1", "v2" or empty.
	Group, Schema string
	// Concurrency tasks run at once; MaxDeliver deliveries are tried of a task.
	Concurrency, MaxDeliver int
	// Drain is how long tasks may go on when the worker stops.
	Drain time.Duration
	// Lease is how long a worker counts as alive without a sign of life.
	Lease time.Duration
	// Events is "sdk", "page" or, when absent, empty.
	Events string
	// Health is the address, host:port, at which the worker says how it is.
	Health string
}

// workerTable lists the keys of worker.
func workerTable() table[Worker] {
	count := integer(1, math.MaxInt32)
	return table[Worker]{"worker", []field[Worker]{
		key("redis", "The address of Redis; a password in it comes from a variable.", redisAddress(), func(w *Worker) *string { return &w.Redis }).or("url", "address", "redis_url"),
		key("agent_type", "The agent type whose tasks are taken, or a list of several.", oneOrMore(agentType()), func(w *Worker) *[]string { return &w.AgentTypes }).or("agent_types", "type", "types"),
		key("id", "The name of the worker; no other one may have it.", agentType(), func(w *Worker) *string { return &w.ID }).or("worker_id", "name"),
		key("group", "The consumer group.", text(), func(w *Worker) *string { return &w.Group }).or("consumer_group"),
		key("schema", "The key schema; all parties must have the same.", oneOf("v1", "v2"), func(w *Worker) *string { return &w.Schema }).or("key_schema", "version"),
		key("concurrency", "Tasks at the same time.", count, func(w *Worker) *int { return &w.Concurrency }).or("concurrent", "slots", "parallel"),
		key("max_deliver", "Deliveries after which a task is given up.", count, func(w *Worker) *int { return &w.MaxDeliver }).or("max_deliveries", "retries", "max_retries"),
		key("drain", "How long tasks may go on when the worker stops, before they are handed back.", duration(), func(w *Worker) *time.Duration { return &w.Drain }).or("grace", "shutdown_timeout"),
		key("lease", "How long a worker counts as alive without a sign of life, before others take its tasks over.", duration(), func(w *Worker) *time.Duration { return &w.Lease }).or("ttl", "lease_ttl"),
		key("events", "The forms in which events are written: as the SDK does, or the flat ones of the protocol's page too.", oneOf("sdk", "page"), func(w *Worker) *string { return &w.Events }),
		key("health", "The address, host:port, of /healthz and /readyz.", text(), func(w *Worker) *string { return &w.Health }).or("health_port", "listen"),
	}}
}

// agentType is a name that can stand in a key of Redis.
func agentType() kind[string] {
	const form = `^[^\s{}]+$`
	return name("a name without spaces and braces", form, regexp.MustCompile(form))
}

// oneOrMore is one value or a list of them.
func oneOrMore[V comparable](of kind[V]) kind[[]V] {
	all := list(of)
	k := kind[[]V]{want: of.want, schema: schema{"anyOf": []any{of.schema, all.schema}}}
	k.read = func(r *reader, v value) ([]V, bool) {
		if v.kind == listNode {
			return all.read(r, v)
		}
		one, ok := of.read(r, v)
		return []V{one}, ok
	}
	return k
}
