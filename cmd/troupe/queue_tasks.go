package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/render"
)

// pendingRow is an entry that a worker has, as JSON.
type pendingRow struct {
	EntryID    string `json:"entry_id"`
	Worker     string `json:"worker_id"`
	Online     bool   `json:"online"`
	IdleMS     int64  `json:"idle_ms"`
	Deliveries int64  `json:"deliveries"`
	Action     string `json:"action,omitempty"`
	Session    string `json:"session_id,omitempty"`
	Message    string `json:"message_id,omitempty"`
}

func pendingRowOf(p streams.Pending) pendingRow {
	row := pendingRow{
		EntryID: p.EntryID, Worker: p.Worker, Online: p.Online, IdleMS: p.Idle.Milliseconds(), Deliveries: p.Deliveries,
		Session: p.Command.Header.SessionID, Message: p.Command.Header.MessageID,
	}
	if p.Command.Body != nil {
		row.Action = string(p.Command.Body.Action())
	}
	return row
}

func (a *app) queuePendingCommand() *cobra.Command {
	var q *queueCommand
	cmd := &cobra.Command{
		Use: "pending TYPE", Args: a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return q.pending(cmd.Context(), args[0]) },
	}
	q, f := a.queue(cmd)
	q.grouped(f)
	return cmd
}

// pending lists what the workers of an agent type have in hand or left behind.
func (q *queueCommand) pending(ctx context.Context, agentType string) error {
	defer q.close()
	if err := q.open(ctx); err != nil {
		return err
	}
	all, err := q.client.Pending(ctx, agentType)
	if err != nil {
		return err
	}
	if err := q.rows(all); err != nil {
		return err
	}
	if len(all) == 0 && !q.json {
		q.say(fmt.Sprintf(q.words.queue["nonePending"], agentType))
	}
	return nil
}

// rows prints entries.
func (q *queueCommand) rows(all []streams.Pending) error {
	w := q.words.queue
	cells := [][]string{{w["colEntry"], w["colWorker"], w["colLives"], w["colIdle"], w["colDelivered"], w["colAction"], w["colSession"], w["colMessage"]}}
	for _, p := range all {
		row := pendingRowOf(p)
		if q.json {
			if err := writeJSON(q.Stdout, row); err != nil {
				return err
			}
			continue
		}
		lives := w["dead"]
		if row.Online {
			lives = w["lives"]
		}
		cells = append(cells, []string{
			row.EntryID, render.CleanLine(row.Worker), lives, p.Idle.Round(time.Second).String(), strconv.FormatInt(row.Deliveries, 10),
			row.Action, render.CleanLine(row.Session), render.CleanLine(row.Message),
		})
	}
	if q.json || len(all) == 0 {
		return nil
	}
	_, err := io.WriteString(q.Stdout, table(cells, 0))
	return err
}

func (a *app) queueClaimCommand() *cobra.Command {
	var q *queueCommand
	cmd := &cobra.Command{
		Use: "claim TYPE [ENTRY…]", Args: a.args(1, maxWords),
		RunE: func(cmd *cobra.Command, args []string) error { return q.claim(cmd.Context(), args[0], args[1:]) },
	}
	q, f := a.queue(cmd)
	q.grouped(f)
	return cmd
}

// claim gives what dead workers have left to those that live.
func (q *queueCommand) claim(ctx context.Context, agentType string, entries []string) error {
	defer q.close()
	if err := q.open(ctx); err != nil {
		return err
	}
	given, err := q.client.Claim(ctx, agentType, entries...)
	if err != nil {
		return q.refusal(ctx, err, agentType)
	}
	if err := q.rows(given); err != nil {
		return err
	}
	if !q.json {
		q.say(fmt.Sprintf(q.words.queue["claimed"], len(given)))
	}
	return nil
}

// refusalOfTask words why a task cannot be answered or cancelled.
func (q *queueCommand) refusalOfTask(ctx context.Context, err error, session, message string) error {
	if errors.Is(err, streams.ErrNoRecord) {
		text := fmt.Sprintf(q.words.queue["noTask"], session, message)
		return &failure{code: exitFailed, text: text, hint: "troupe queue tail " + shellWord(session), err: err}
	}
	return q.refusal(ctx, err, "")
}

// queueResume is "troupe queue resume": an answer for a task that waits.
type queueResume struct {
	*queueCommand
	status, data string
	anyway       bool
}

func (a *app) queueResumeCommand() *cobra.Command {
	r := &queueResume{}
	cmd := &cobra.Command{
		Use: "resume SESSION MESSAGE [TEXT…]", Args: a.args(2, maxWords),
		RunE: func(cmd *cobra.Command, args []string) error { return r.Run(cmd.Context(), args[0], args[1], args[2:]) },
	}
	var f flags
	r.queueCommand, f = a.queue(cmd)
	f.text(&r.status, "status", "")
	f.text(&r.data, "data", "")
	f.flag(&r.anyway, "queue-anyway", "")
	return cmd
}

// Run answers the task message of a session.
func (r *queueResume) Run(ctx context.Context, session, message string, args []string) error {
	text, err := r.given(ctx, args)
	if err != nil {
		return err
	}
	if blank(text) && r.status == "" {
		return usageError(r.words.emptyAnswer, "troupe queue resume SESSION MESSAGE TEXT")
	}
	if r.data != "" && !json.Valid([]byte(r.data)) {
		return usageError(fmt.Sprintf(r.words.queue["noJSON"], "data", r.data), `--data '{"city": "Paris"}'`)
	}
	defer r.close()
	if err := r.open(ctx); err != nil {
		return err
	}
	answer := streams.Answer{SessionID: session, MessageID: message, Content: streams.TextContent(text), Status: r.status}
	if r.data != "" {
		answer.ReplyData = json.RawMessage(r.data)
	}
	if r.anyway {
		answer.Policy = streams.SendAnyway
	}
	entry, err := r.client.Resume(ctx, answer)
	if err != nil {
		return r.refusalOfTask(ctx, err, session, message)
	}
	if r.json {
		return writeJSON(r.Stdout, sentTask{MessageID: message, SessionID: session, EntryID: entry})
	}
	r.say("  → troupe queue tail " + shellWord(session))
	return nil
}

// queueCancel is "troupe queue cancel": the end of a task and all below it.
type queueCancel struct {
	*queueCommand
	reason string
}

func (a *app) queueCancelCommand() *cobra.Command {
	c := &queueCancel{}
	cmd := &cobra.Command{
		Use: "cancel SESSION [MESSAGE]", Args: a.args(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.Run(cmd.Context(), args[0], strings.Join(args[1:], ""))
		},
	}
	var f flags
	c.queueCommand, f = a.queue(cmd)
	f.text(&c.reason, "reason", "")
	return cmd
}

// cancelledTask is a task that was asked to end, as JSON.
type cancelledTask struct {
	MessageID string        `json:"message_id"`
	AgentType string        `json:"agent_type"`
	State     streams.State `json:"state"`
	Worker    string        `json:"worker_id,omitempty"`
}

// Run cancels one task, or all of the session.
func (c *queueCancel) Run(ctx context.Context, session, message string) error {
	defer c.close()
	if err := c.open(ctx); err != nil {
		return err
	}
	var done streams.Cancellation
	var err error
	if message == "" {
		done, err = c.client.CancelSession(ctx, session, c.reason)
	} else {
		done, err = c.client.Cancel(ctx, session, message, c.reason)
	}
	if err != nil {
		return c.refusalOfTask(ctx, err, session, message)
	}
	for _, r := range done.Asked {
		task := cancelledTask{MessageID: r.MessageID, AgentType: r.TargetAgentType, State: r.State(), Worker: r.WorkerID}
		if c.json {
			err = writeJSON(c.Stdout, task)
		} else {
			_, err = io.WriteString(c.Stdout, spaced(task.MessageID, task.AgentType, string(task.State)))
		}
		if err != nil {
			return err
		}
	}
	if len(done.Asked) == 0 {
		c.say(c.words.queue["allEnded"])
	}
	return nil
}
