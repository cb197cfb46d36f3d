package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/render"
)

// summary is what a line says of a message beside its verdict: why it was
// refused, or what it is and what is odd about it.
func (e *envelopeCommand) summary(f envelope.Finding) string {
	if f.Verdict.Refused() {
		return e.remarks(f.Faults)
	}
	text := e.subject(f.Envelope)
	if len(f.Notes) > 0 {
		text = strings.TrimPrefix(text+e.words.envelope["semicolon"], e.words.envelope["semicolon"]) + e.remarks(f.Notes)
	}
	return text
}

// subject is what a message is, as far as it says so.
func (e *envelopeCommand) subject(m envelope.Envelope) string {
	parts := []string{m.MsgID, string(m.Type)}
	if m.Sender != "" || m.Receiver != "" {
		parts = append(parts, orDash(m.Sender)+" → "+orDash(m.Receiver))
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return render.CleanLine(strings.Join(parts, " "))
}

// remarks are the remarks of a message in words. Fields of which the same is
// said stand together.
func (e *envelopeCommand) remarks(list []envelope.Remark) string {
	w := e.words.envelope
	var parts []string
	for len(list) > 0 {
		first, n := list[0], 1
		fields := []string{first.Field}
		for ; n < len(list) && alike(first, list[n]); n++ {
			fields = append(fields, list[n].Field)
		}
		list = list[n:]
		text := e.reason(first)
		if first.Field != "" {
			text = strings.Join(fields, w["comma"]) + w["colon"] + text
		}
		parts = append(parts, text)
	}
	return render.CleanLine(strings.Join(parts, w["semicolon"]))
}

// alike reports whether the same is said of the fields of two remarks.
func alike(a, b envelope.Remark) bool {
	return a.Field != "" && a.Reason == b.Reason && a.Found == b.Found && a.Want == b.Want &&
		(a.Offset < 0) == (b.Offset < 0) && a.Reason.Step() != envelope.StepMessage
}

// reason is a remark in words, without its field.
func (e *envelopeCommand) reason(r envelope.Remark) string {
	w := e.words.envelope
	text := w["reason."+string(r.Reason)]
	switch {
	case r.Reason == envelope.BadJSON && r.Found == "":
		text = fmt.Sprintf(w["found"], text, w["early"])
	case r.Reason == envelope.MissingField && r.Found != "":
		text = fmt.Sprintf(w["meant"], text, r.Found)
	case r.Found != "":
		text = fmt.Sprintf(w["found"], text, r.Found)
	}
	if r.Want != "" {
		text = fmt.Sprintf(w["wanted"], text, w["want."+string(r.Want)])
	}
	if r.Offset >= 0 && r.Reason.Step() == envelope.StepMessage {
		text = fmt.Sprintf(w["byte"], text, r.Offset)
	}
	return text
}

// walk is the walk through a message for a person.
func (e *envelopeCommand) walk(at place, f envelope.Finding, looks []envelope.Look) string {
	w := e.words.envelope
	var rows [][]string
	n := 0
	for _, l := range looks {
		number := " "
		if l.Step != envelope.StepMessage {
			n++
			number = fmt.Sprint(n)
		}
		text := w["good"]
		switch {
		case len(l.Remarks) > 0:
			text = e.remarks(l.Remarks)
		case !l.Reached:
			text = w["skipped"]
		}
		rows = append(rows, []string{"  " + number + " " + w["step."+string(l.Step)], text})
	}
	head := strings.TrimRight(at.String()+"  "+e.subject(f.Envelope), " ")
	return e.paint(e.Stdout, render.StyleTitle, head) + "\n" + table(rows, 0) +
		"  " + strings.TrimRight(e.verdict(f.Verdict), " ") + w["colon"] + w["verdict."+string(f.Verdict)] + "\n"
}
