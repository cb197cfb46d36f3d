package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// verifyCommand is "troupe replay --verify": the agents of recorded runs are
// run again on the recording. No model is called.
type verifyCommand struct{ *replayCommand }

// Run verifies the runs that refs name.
func (v verifyCommand) Run(ctx context.Context, cmd *cobra.Command, refs []string) error {
	for _, name := range []string{"speed", "idle-cap", "step", "from", "to", "only", "follow", "no-follow", "from-format", "view"} {
		if cmd.Flags().Changed(name) {
			return usageError(fmt.Sprintf(v.words.verify["alone"], "--"+name), "")
		}
	}
	runs, err := v.runsFolder(v.runDir)
	if err != nil {
		return err
	}
	mask, err := v.mask()
	if err != nil {
		return err
	}
	same := true
	for _, ref := range refs {
		run, err := transcript.Find(runs, ref)
		if err != nil {
			return err
		}
		found, err := replay.Verify(ctx, recording{run: run}.records(ctx, followNever), replay.VerifyOptions{})
		if err != nil {
			return err
		}
		same = same && found.OK()
		if err := v.print(found, mask); err != nil {
			return err
		}
	}
	if !same {
		return &failure{code: exitFailed, text: v.words.verify["differs"]}
	}
	return nil
}

// print writes what was found. It is masked only here, because the records are
// compared as they are.
func (v verifyCommand) print(found replay.Verification, mask *transcript.Mask) error {
	if !v.json {
		_, err := io.WriteString(v.Stdout, render.Clean(mask.Text(v.text(found))))
		return err
	}
	var text bytes.Buffer
	if err := writeJSON(&text, found); err != nil {
		return err
	}
	_, err := v.Stdout.Write(mask.JSON(text.Bytes()))
	return err
}

// text tells what was found: a line for each agent, one for the rules, and the
// first difference.
func (v verifyCommand) text(found replay.Verification) string {
	w := v.words.verify
	var b strings.Builder
	fmt.Fprintf(&b, w["run"]+"\n", found.RunID, found.Records)
	var rows [][]string
	for _, a := range found.Agents {
		rows = append(rows, []string{
			a.Agent, a.Name, fmt.Sprintf(w["records"], a.Records), fmt.Sprintf(w["requests"], a.Requests), v.verdict(a),
		})
	}
	rules := w["ok"]
	if n := len(found.Violations); n > 0 {
		rules = fmt.Sprintf(w["broken"], n)
	}
	b.WriteString(table(append(rows, []string{w["rules"], rules}), 0))
	for _, x := range found.Violations {
		fmt.Fprintf(&b, w["violation"]+"\n", x.Seq, x.Rule, x.Text)
	}
	if m := found.First(); m != nil {
		b.WriteString(v.mismatch(m))
	}
	return b.String()
}

func (v verifyCommand) verdict(a replay.VerifiedAgent) string {
	w := v.words.verify
	verdict := w["ok"]
	if a.Mismatch != nil {
		verdict = fmt.Sprintf(w["at"], a.Mismatch.Seq)
	}
	if len(a.MissingTools) > 0 {
		verdict += "; " + fmt.Sprintf(w["unverified"], strings.Join(a.MissingTools, ", "))
	}
	return verdict
}

// mismatch tells where an agent first went another way.
func (v verifyCommand) mismatch(m *replay.Mismatch) string {
	w := v.words.verify
	var b strings.Builder
	fmt.Fprintf(&b, "\n"+w["first"]+"\n", m.Agent, m.Seq, m.Type, m.Turn, m.Path)
	if m.Request != 0 {
		fmt.Fprintf(&b, w["request"]+"\n", m.Request)
	}
	if long := strings.Contains(m.Recorded+m.Replayed, `\n`) && m.Diff != ""; !long {
		fmt.Fprintf(&b, w["values"]+"\n", v.value(m.Recorded), v.value(m.Replayed))
	}
	switch m.Note {
	case replay.NoteUnseen:
		since := w["first request"]
		if m.Since != 0 {
			since = strconv.FormatInt(m.Since, 10)
		}
		fmt.Fprintf(&b, w["unseen"]+"\n", since)
	case replay.NoteMissing, replay.NoteExtra:
		b.WriteString(w[string(m.Note)] + "\n")
	}
	b.WriteString(m.Diff)
	return b.String()
}

func (v verifyCommand) value(json string) string {
	if json == "" {
		return "—"
	}
	return json
}
