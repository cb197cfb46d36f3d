package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// forkFlags say where a run is forked, and what is changed.
type forkFlags struct {
	fork  bool
	from  string
	edits []string
}

func (f *forkFlags) declareFork(g flags) {
	g.flag(&f.fork, "fork", "")
	g.text(&f.from, "from", "")
	g.list(&f.edits, "edit", "")
}

// check refuses to rewrite a log.
func (f *forkFlags) checkFork(w *words) error {
	flag := "--edit"
	if f.from != "" {
		flag = "--from"
	}
	if f.fork || f.from == "" && len(f.edits) == 0 {
		return nil
	}
	return usageError(fmt.Sprintf(w.neverRewritten, flag), w.addFork)
}

// forkRun makes a new run of the one that was found, and takes its place.
func (r *resumeCommand) forkRun(ctx context.Context, t *team) error {
	records, err := r.readTo(ctx, t)
	if err != nil {
		return err
	}
	edits := make([]replay.Edit, len(r.edits))
	for i, text := range r.edits {
		if edits[i], err = r.readEdit(ctx, text, records); err != nil {
			return err
		}
	}
	forked, err := replay.Fork(ctx, r.run.Dir, replay.ForkOptions{From: int64(len(records)), Edits: edits, Dir: t.runs, Now: r.Now})
	if err != nil {
		if _, ok := errors.AsType[*replay.EditError](err); ok {
			return usageError(unpackaged(err), "")
		}
		return err
	}
	r.origin = r.run
	r.run, err = transcript.Find(t.runs, forked.Dir+string(filepath.Separator))
	if err == nil {
		r.header, _, err = transcript.Header(r.run.Path)
	}
	return err
}

// readTo reads the records up to the place that --from names.
func (r *resumeCommand) readTo(ctx context.Context, t *team) ([]event.Record, error) {
	var records []event.Record
	at := newPoint(r.from)
	for rec, err := range transcript.ReadFile(ctx, r.run.Path, transcript.ReadOptions{}) {
		if err != nil {
			return nil, r.refusal(t, err)
		}
		records = append(records, rec)
		if at != nil && at.isSaid(rec) {
			return records, nil
		}
	}
	if at != nil && !at.found {
		return nil, at.missing(r.words, int64(len(records)))
	}
	return records, nil // what the id names has begun, and the run ends in it
}

// isSaid reports whether rec is the record of the number, or the one that says
// what the id names: where a message was sent, an answer given, a call finished,
// an agent created, an approval decided.
func (p *point) isSaid(rec event.Record) bool {
	if begun := p.isAt(rec); p.id == "" || !begun { // also notes the id that differs least
		return begun
	}
	switch d := rec.Data.(type) {
	case event.QuestionOpened, event.ModelReplied, event.ToolStarted, event.ApprovalRequested:
		return false
	case event.QuestionClosed:
		return d.AnswerID == p.id
	default:
		return slices.Contains(idsOf(rec), p.id)
	}
}

// readEdit reads --edit WHAT=TEXT, WHAT=@FILE, or WHAT, which opens an editor.
func (r *resumeCommand) readEdit(ctx context.Context, text string, records []event.Record) (replay.Edit, error) {
	what, text, given := strings.Cut(text, "=")
	edit := replay.Edit{Text: text}
	kind, of, named := strings.Cut(what, ":")
	switch {
	case named && kind == "prompt" && of != "":
		edit.Prompt = of
	case named && kind == "model" && of != "":
		edit.Model = of
	case what == "model":
		edit.Model = replay.Everybody
	default:
		seq, err := r.editedRecord(what, records)
		if err != nil {
			return edit, err
		}
		edit.Seq = seq
	}
	switch path, file := strings.CutPrefix(text, "@"); {
	case !given:
		var err error
		edit.Text, err = r.edited(ctx, edit, records)
		return edit, err
	case file:
		content, err := os.ReadFile(path)
		if err != nil {
			return edit, usageError(err.Error(), "")
		}
		edit.Text = strings.TrimSuffix(string(content), "\n")
	}
	return edit, nil
}

// editedRecord is the number of the record that an edit names, by its number or
// by an id.
func (r *resumeCommand) editedRecord(what string, records []event.Record) (int64, error) {
	if seq, err := strconv.ParseInt(what, 10, 64); err == nil {
		return seq, nil
	}
	at := newPoint(what)
	if at == nil {
		return 0, usageError(r.words.badEdit, r.words.editForms)
	}
	for _, rec := range records {
		if at.isSaid(rec) {
			return rec.Seq, nil
		}
	}
	return 0, at.missing(r.words, int64(len(records)))
}

// edited lets the person edit the text of a record.
func (r *resumeCommand) edited(ctx context.Context, edit replay.Edit, records []event.Record) (string, error) {
	editor := strings.Fields(r.get("EDITOR"))
	if edit.Seq < 1 || edit.Seq > int64(len(records)) || !r.interactive() || len(editor) == 0 {
		return "", usageError(fmt.Sprintf(r.words.noText, edit), r.words.editForms)
	}
	old, ok := replay.Editable(records[edit.Seq-1])
	if !ok {
		return "", nil // the fork says why
	}
	dir, err := os.MkdirTemp("", "troupe-edit-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, fmt.Sprintf("record-%d.md", edit.Seq))
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...) //nolint:gosec // the person's own editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Stdin, r.Stderr, r.Stderr
	if err := cmd.Run(); err != nil {
		return "", usageError(fmt.Sprintf("%s: %v", editor[0], err), r.words.editForms)
	}
	text, err := os.ReadFile(path)
	if !strings.HasSuffix(old, "\n") { // an editor's own
		text = []byte(strings.TrimSuffix(string(text), "\n"))
	}
	return string(text), err
}

// unmake removes a fork with which nothing could be begun.
func (r *resumeCommand) unmake() {
	if r.origin.ID == "" {
		return
	}
	if err := transcript.Remove(r.run.Dir); err != nil {
		r.warn(unpackaged(err))
	}
}

// forkLine says which run is the fork of which.
func (r *resumeCommand) forkLine() {
	if r.origin.ID == "" || r.quiet {
		return
	}
	text := fmt.Sprintf(r.words.forkOf, r.origin.ID, r.run.Records)
	r.say(r.paint(r.Stderr, render.StyleDim, text))
}
