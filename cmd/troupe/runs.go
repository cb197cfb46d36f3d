package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// runsCommand is "troupe runs": the runs of the past.
type runsCommand struct {
	*app
	runDir string
	limit  int
	json   bool
	waits  bool
	at     int // a record; 0: the last
	export exportFlags
}

func (a *app) runsCommand() *cobra.Command {
	r := &runsCommand{app: a}
	list := func(cmd *cobra.Command, _ []string) error { return r.List(cmd.Context()) }
	runs := &cobra.Command{Use: "runs", RunE: list, Args: a.subcommand}
	ls := &cobra.Command{Use: "list", RunE: list, Args: a.args(0, 0)}
	show := &cobra.Command{
		Use: "show RUN", Args: a.args(1, 1), ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return r.Show(cmd.Context(), args[0]) },
	}
	for _, cmd := range []*cobra.Command{runs, ls, show} {
		f := a.flags(cmd)
		f.text(&r.runDir, "run-dir", "")
		f.flag(&r.json, "json", "")
		if cmd != show {
			f.number(&r.limit, "limit")
			continue
		}
		f.flag(&r.waits, "waits", "")
		f.number(&r.at, "at")
	}
	runs.AddCommand(ls, show, r.exportCommand(), a.runsCostCommand(), a.runsRepairCommand(), a.runsRmCommand())
	return runs
}

func (r *runsCommand) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "export RUN|FILE", Args: r.args(1, 1), ValidArgsFunction: r.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return r.Export(cmd.Context(), args[0]) },
	}
	f := r.flags(cmd)
	f.text(&r.export.form, "format", "")
	f.text(&r.export.output, "output", "o")
	f.list(&r.export.only, "only", "")
	f.flag(&r.export.verbose, "verbose", "v")
	f.text(&r.export.format, "from-format", "")
	f.text(&r.runDir, "run-dir", "")
	return cmd
}

// runRow is one run of the list as JSON.
type runRow struct {
	RunID   string    `json:"run_id"`
	Started time.Time `json:"started"`
	Updated time.Time `json:"updated"`
	Status  string    `json:"status"`
	Team    string    `json:"team,omitempty"`
	Task    string    `json:"task"`
	Records int64     `json:"records"`
	Log     string    `json:"log"`
}

func rowOf(run transcript.Run) runRow {
	return runRow{
		RunID: run.ID, Started: run.Started, Updated: run.Updated, Status: run.Status, Team: run.Team,
		Task: run.Task, Records: run.Records, Log: run.Path,
	}
}

// List prints the newest runs.
func (r *runsCommand) List(context.Context) error {
	dir, err := r.runsFolder(r.runDir)
	if err != nil {
		return err
	}
	runs, err := transcript.Runs(dir)
	if err != nil {
		return err
	}
	if r.limit < 0 {
		return usageError(fmt.Sprintf(r.words.badValue, "limit", strconv.Itoa(r.limit), "1, 20, …"), "")
	}
	if r.limit > 0 {
		runs = runs[:min(r.limit, len(runs))]
	}
	if r.json {
		rows := []runRow{}
		for _, run := range runs {
			rows = append(rows, rowOf(run))
		}
		return writeJSON(r.Stdout, rows)
	}
	if len(runs) == 0 {
		r.say(fmt.Sprintf(r.words.noRuns, dir))
		return nil
	}
	w := r.words
	rows := [][]string{{w.colRun, w.colWhen, w.colStatus, w.colTeam, w.colTask}}
	for _, run := range runs {
		rows = append(rows, []string{
			run.ID, run.Started.Local().Format("2006-01-02 15:04"), w.status(run.Status),
			orDash(render.CleanLine(run.Team)), render.Cut(render.CleanLine(firstLine(run.Task)), 60, 1),
		})
	}
	width, _ := r.Size(r.Stdout)
	_, err = io.WriteString(r.Stdout, table(rows, width))
	return err
}

// completeRuns completes the ids of runs for a shell.
func (a *app) completeRuns(_ *cobra.Command, args []string, start string) ([]string, cobra.ShellCompDirective) {
	dir, err := a.runsFolder(a.get(variable("run-dir")))
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	runs, _ := transcript.Runs(dir)
	ids := []string{"last"}
	for _, run := range runs {
		if strings.HasPrefix(run.ID, strings.ToUpper(start)) {
			ids = append(ids, run.ID+"\t"+render.Cut(render.CleanLine(firstLine(run.Task)), 40, 1))
		}
	}
	return ids, cobra.ShellCompDirectiveDefault
}

// firstLine is the beginning of a text that may be megabytes long.
func firstLine(text string) string {
	const most = 1000
	text = strings.TrimSpace(text[:min(len(text), most)])
	line, _, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(line, "")
}

func orDash(text string) string {
	if text == "" {
		return "—"
	}
	return text
}

// costText is money, or a dash when it is unknown. A tilde marks what is made of
// estimated tokens.
func costText(c *event.Cost, estimated bool) string {
	if c == nil || c.Currency == "" {
		return "—"
	}
	about := ""
	if estimated {
		about = "~"
	}
	return fmt.Sprintf("%s%.4f %s", about, c.Amount, render.CleanLine(c.Currency))
}
