package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
)

// queueCommand is "troupe queue": tasks for agents behind Redis Streams, whoever
// runs them.
type queueCommand struct {
	*app
	cmd    *cobra.Command
	file   string
	url    string
	schema string
	group  string
	json   bool

	conn   *streams.Connection
	client *streams.Client
}

func (a *app) queueCommand() *cobra.Command {
	group := &cobra.Command{
		Use:  "queue",
		Args: a.subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	a.below(group, a.queueSendCommand(), a.queueTailCommand(), a.queuePendingCommand(), a.queueClaimCommand(),
		a.queueResumeCommand(), a.queueCancelCommand())
	return group
}

// queue declares the flags that all commands of queue have.
func (a *app) queue(cmd *cobra.Command) (*queueCommand, flags) {
	q := &queueCommand{app: a, cmd: cmd}
	f := a.flags(cmd)
	f.group = "queue"
	f.text(&q.url, "redis", "")
	f.text(&q.schema, "schema", "")
	f.text(&q.file, "file", "f")
	f.flag(&q.json, "json", "")
	return q, f
}

// grouped declares the flag of the commands that ask for a consumer group.
func (q *queueCommand) grouped(f flags) { f.text(&q.group, "group", "") }

// open connects to the Redis of the flags, or of the team file.
func (q *queueCommand) open(ctx context.Context) error {
	file, err := q.workerConfig()
	if err != nil {
		return err
	}
	streams.LogDriver(zerolog.Nop()) // what is wrong is told once, by the command
	schema := cmp.Or(q.schema, file.Schema)
	if err := q.oneOf("schema", schema); err != nil {
		return err
	}
	if q.conn, err = q.redis(ctx, cmp.Or(q.url, file.Redis), schema, 0); err != nil {
		return err
	}
	q.client, err = streams.NewClient(q.conn.Redis, streams.ClientOptions{
		Schema: q.conn.Schema, Group: cmp.Or(q.group, file.Group), Now: q.Now,
	})
	return err
}

// close lets go of the connection; a command calls it at its end.
func (q *queueCommand) close() {
	if q.conn != nil {
		_ = q.conn.Close()
	}
}

// workerConfig is what the team file says below worker:, and the environment. A
// team file that nobody named and that has mistakes says nothing.
func (q *queueCommand) workerConfig() (config.Worker, error) {
	file, err := q.findTeam(q.file)
	if err != nil {
		return config.Worker{}, err
	}
	s, err := q.readSettings(file)
	if err != nil || file == "" {
		return usualRedis(config.Worker{}, s), err
	}
	t, err := config.Load(file, leader.Known(s.lookup, nil))
	switch {
	case err == nil:
		return usualRedis(t.Worker, s), nil
	case q.file != "":
		return config.Worker{}, q.teamError(err)
	default:
		return usualRedis(config.Worker{}, s), nil
	}
}

// refusal words why a task cannot be sent, answered or cancelled.
func (q *queueCommand) refusal(ctx context.Context, err error, agentType string) error {
	text := unpackaged(err)
	switch {
	case errors.Is(err, streams.ErrUnavailable):
		return &failure{code: exitFailed, text: text, hint: q.whoIsThere(ctx, agentType), err: err}
	case errors.Is(err, streams.ErrCircuitOpen), errors.Is(err, streams.ErrQuota), errors.Is(err, streams.ErrState), errors.Is(err, streams.ErrNoRecord):
		return &failure{code: exitFailed, text: text, err: err}
	default:
		return err
	}
}

// values reads an object of JSON that a flag has.
func (q *queueCommand) values(flag, text string) (streams.Values, error) {
	if text == "" {
		return nil, nil
	}
	var v streams.Values
	if err := json.Unmarshal([]byte(text), &v); err != nil || v == nil {
		return nil, usageError(fmt.Sprintf(q.words.queue["noObject"], flag, text), "--"+flag+` '{"location": "北京"}'`)
	}
	return v, nil
}
