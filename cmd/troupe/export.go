package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// The forms of an export.
const (
	exportMarkdown = "md"
	exportJSON     = "json"
	exportHTML     = "html"
)

// exportFlags say how a run is exported.
type exportFlags struct {
	form, output, format string
	only                 []string
	verbose              bool
}

// Export writes a run as a document, to stdout or into a file.
func (r *runsCommand) Export(ctx context.Context, ref string) (err error) {
	x := r.export
	if err := r.oneOf("format", x.form); err != nil {
		return err
	}
	rec, err := r.recordingOf(ref, r.runDir, x.format)
	if err != nil {
		return err
	}
	mask, err := r.mask()
	if err != nil {
		return err
	}
	out := r.Stdout
	if x.output != "" {
		file, err := os.OpenFile(x.output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return usageError(fmt.Sprintf(r.words.badExport, err), "")
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	var damage error
	records := mask.Records(upToDamage(rec.records(ctx, followNever), &damage))
	if err := r.writeExport(out, rec, records); err != nil {
		return err
	}
	if damage != nil {
		r.warn(render.CleanLine(unpackaged(damage)))
	}
	return nil
}

func (r *runsCommand) writeExport(w io.Writer, rec recording, records iter.Seq2[event.Record, error]) error {
	o := render.Options{Lang: r.words.lang, Only: listed(r.export.only), Verbose: r.export.verbose}
	switch r.export.form {
	case exportJSON:
		return writeObject(w, rec, records)
	case exportHTML:
		return render.HTML(records, w, o)
	}
	return render.Markdown(records, w, o)
}

// exported is a run as one JSON object: what it adds up to, then its records in
// the form that the log has.
type exported struct {
	account
	Records []event.Record `json:"records"`
}

// writeObject writes the object record by record, so that a large log needs
// little memory. The records are read twice.
func writeObject(w io.Writer, rec recording, records iter.Seq2[event.Record, error]) error {
	acc, err := tally(rec.run, records)
	if err != nil {
		return err
	}
	head, err := json.Marshal(exported{account: *acc, Records: []event.Record{}})
	if err != nil {
		return fmt.Errorf("json: %w", err)
	}
	out := bufio.NewWriter(w)
	_, _ = out.Write(head[:len(head)-len("]}")]) // a failure shows at the end
	before := "\n"
	for rec, err := range records {
		if err != nil {
			return err
		}
		line, err := rec.MarshalJSON()
		if err != nil {
			return err
		}
		_, _ = out.WriteString(before)
		_, _ = out.Write(line)
		before = ",\n"
	}
	_, _ = out.WriteString("\n]}\n")
	return out.Flush()
}

// upToDamage yields the records before the first line that is none. The damage
// is told by a last record, and kept.
func upToDamage(records iter.Seq2[event.Record, error], damage *error) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		var last event.Record
		for rec, err := range records {
			if d, ok := errors.AsType[*transcript.DamageError](err); ok && last.Seq > 0 {
				*damage = d
				rec = event.Record{V: event.Version, Seq: last.Seq + 1, Time: last.Time, Data: event.Warning{Code: "damaged", Text: unpackaged(d)}}
				err = nil
			}
			if !yield(rec, err) {
				return
			}
			last = rec
		}
	}
}
