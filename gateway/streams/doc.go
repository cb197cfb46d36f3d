// Package streams makes Troupe a party of the by-framework protocol on Redis
// Streams: a [Worker] that runs tasks for others, and a [Client] that gives
// tasks to any worker of the protocol and follows them. A [Remote] makes such
// workers the agents of a team's role; [Agents] lends a team's roles to others.
//
// What it is for: the protocol's commands, events, execution records, leases
// and groups as they are on the wire, in both schemas of key names; the states
// of an execution for display ([State]); taking tasks, running them at the same
// time behind the port [Handler], and losing none when a worker, Redis or the
// line between them goes away; sending, following, answering and cancelling.
//
// What it is not for: running a team (a [Handler] does it), the settings of a
// Redis connection, tracing and metrics keys, and the control plane's wake-ups.
//
// Where to start reading: command.go, event.go and record.go for the wire;
// worker.go, then worker_task.go (who takes a command) and worker_run.go (how a
// run ends); route.go and tail.go for the client; remote.go for roles that any
// program works for, borrow.go and agents.go for the two ends of a lent one.
//
// Invariants: what is read and written again loses nothing, unknown fields
// included. Records change only under WATCH, together with the events that
// belong to the change, so a root run has one end marker. An entry is
// acknowledged after its effect, and a command that comes again has none. A
// task has one owner, named by the token of a lease, and only the owner writes
// its end. The steps of a remote task are counted in its stream, so that whoever
// goes on with a run finds its place; a lent agent is opened anew by the run that
// has it, and nothing is done again without its word. No read blocks longer than a second.
package streams
