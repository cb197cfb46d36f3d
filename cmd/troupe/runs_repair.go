package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// repairCommand is "troupe runs repair": save what is whole of a damaged log.
type repairCommand struct {
	*app
	runDir string
	json   bool
}

func (a *app) runsRepairCommand() *cobra.Command {
	r := &repairCommand{app: a}
	cmd := &cobra.Command{
		Use: "repair RUN", Args: a.args(1, 1), ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return r.Run(cmd.Context(), args[0]) },
	}
	f := a.flags(cmd)
	f.text(&r.runDir, "run-dir", "")
	f.flag(&r.json, "json", "")
	return cmd
}

// repairReport is what a repair did as JSON.
type repairReport struct {
	Log     string        `json:"log"`
	Damaged string        `json:"damaged,omitempty"` // the log as it was; absent when it was whole
	Kept    int64         `json:"kept"`
	Dropped []droppedLine `json:"dropped"`
	Lost    []int64       `json:"lost"`
}

type droppedLine struct {
	Line int64  `json:"line"`
	Seq  int64  `json:"seq,omitempty"`
	Why  string `json:"why"`
}

// Run repairs the log of one run.
func (r *repairCommand) Run(_ context.Context, ref string) error {
	runs, err := r.runsNamed(r.runDir, []string{ref})
	if err != nil {
		return err
	}
	run := runs[0]
	if err := r.isInFolder(run); err != nil {
		return err
	}
	done, err := transcript.Repair(run.Dir)
	if err != nil {
		return err
	}
	if r.json {
		report := repairReport{Log: done.Path, Damaged: done.Damaged, Kept: done.Kept, Dropped: []droppedLine{}, Lost: append([]int64{}, done.Lost...)}
		for _, d := range done.Dropped {
			report.Dropped = append(report.Dropped, droppedLine{d.Line, d.Seq, unpackaged(d.Err)})
		}
		return writeJSON(r.Stdout, report)
	}
	r.tell(done)
	return nil
}

// isInFolder refuses a log that is not the one of its folder: beside it there
// is no lock and no file of its own.
func (a *app) isInFolder(run transcript.Run) error {
	if filepath.Base(run.Path) == transcript.FileName {
		return nil
	}
	return usageError(fmt.Sprintf(a.words.notInFolder, run.Path, transcript.FileName), "")
}

// shownLines is how many lines and numbers are listed for a person.
const shownLines = 20

// tell says what was done.
func (r *repairCommand) tell(done transcript.Repaired) {
	w := r.words
	if done.Damaged == "" {
		r.say(fmt.Sprintf(w.repairWhole, done.Path, done.Kept))
		return
	}
	for i, d := range done.Dropped {
		if i == shownLines {
			r.say("  " + fmt.Sprintf(w.andMore, len(done.Dropped)-i))
			break
		}
		r.say("  " + fmt.Sprintf(w.repairLine, d.Line, render.CleanLine(unpackaged(d.Err))))
	}
	if len(done.Lost) > 0 {
		r.say(fmt.Sprintf(w.repairLost, numbers(done.Lost), transcript.CodeRecordLost))
	}
	r.say(fmt.Sprintf(w.repairDone, done.Kept, done.Path, done.Damaged))
}

// numbers lists numbers that rise, neighbours as a range: "3, 7-9".
func numbers(list []int64) string {
	var parts []string
	for i := 0; i < len(list); {
		n := i + 1
		for n < len(list) && list[n] == list[n-1]+1 {
			n++
		}
		part := strconv.FormatInt(list[i], 10)
		if n > i+1 {
			part += "-" + strconv.FormatInt(list[n-1], 10)
		}
		parts = append(parts, part)
		i = n
	}
	if len(parts) > shownLines {
		parts = append(parts[:shownLines], "…")
	}
	return strings.Join(parts, ", ")
}
