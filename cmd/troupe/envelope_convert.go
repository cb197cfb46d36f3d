package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/gateway/envelope"
)

// Convert prints each message in another dialect. What cannot be converted is
// named on stderr.
func (e *envelopeCommand) Convert(ctx context.Context, files []string) error {
	from, to, err := e.pair()
	if err != nil {
		return err
	}
	fill := envelope.Fill{MsgID: newMsgID, Now: e.Now}
	left := map[string]int{}
	err = e.each(ctx, files, func(at place, raw []byte) error {
		e.count++
		f := from.Read(raw, fill, envelope.Options{})
		if f.Verdict.Refused() || f.Verdict == envelope.Down {
			return e.refuse(at, f.Verdict, slices.Concat(f.Faults, f.Notes))
		}
		text, names, err := to.Write(f.Envelope)
		if fault, ok := errors.AsType[*envelope.Error](err); ok {
			return e.refuse(at, fault.Verdict, fault.Remarks)
		}
		for _, name := range names {
			left[name]++
		}
		_, err = e.Stdout.Write(append(text, '\n'))
		return err
	})
	e.sayLeft(to, left)
	return e.end(err, "converted")
}

// newMsgID makes an id for a message of a dialect that has none.
func newMsgID() string { return "m-" + strings.ToLower(rand.Text()[:16]) }

// refuse names a message that cannot be converted.
func (e *envelopeCommand) refuse(at place, v envelope.Verdict, remarks []envelope.Remark) error {
	e.refused++
	e.say(fmt.Sprintf("%-7s  %s  %s", v, at, e.remarks(remarks)))
	return nil
}

// sayLeft names the fields that were left out, and of how many messages.
func (e *envelopeCommand) sayLeft(to envelope.Dialect, left map[string]int) {
	w := e.words.envelope
	var names []string
	for _, name := range slices.Sorted(maps.Keys(left)) {
		names = append(names, fmt.Sprintf(w["times"], name, left[name]))
	}
	if len(names) > 0 {
		e.say(e.words.warning + " " + fmt.Sprintf(w["left"], to.Name(), strings.Join(names, w["comma"])))
	}
}

// pair are the dialects of --from and --to.
func (e *envelopeCommand) pair() (from, to envelope.Dialect, err error) {
	dialects, err := e.dialects()
	if err != nil {
		return from, to, err
	}
	if from, err = e.find(dialects, e.from); err != nil {
		return from, to, err
	}
	to, err = e.find(dialects, e.to)
	return from, to, err
}

// find is the dialect of that name; the envelope itself for none.
func (e *envelopeCommand) find(dialects []envelope.Dialect, name string) (envelope.Dialect, error) {
	name = cmp.Or(name, envelope.Native)
	i := slices.IndexFunc(dialects, func(d envelope.Dialect) bool { return d.Name() == name })
	if i < 0 {
		w := e.words.envelope
		return envelope.Dialect{}, usageError(fmt.Sprintf(w["noDialect"], name),
			fmt.Sprintf(w["dialects"], strings.Join(dialectNames(dialects), w["comma"])))
	}
	return dialects[i], nil
}

// dialects are the built-in ones and those of --map.
func (e *envelopeCommand) dialects() ([]envelope.Dialect, error) {
	all, err := envelope.BuiltIn()
	if err != nil {
		return nil, err
	}
	for _, name := range e.maps {
		d, err := readDialect(name)
		if err != nil {
			return nil, usageError(unpathed(name, err), "")
		}
		if slices.Contains(dialectNames(all), d.Name()) {
			return nil, usageError(fmt.Sprintf(e.words.envelope["twice"], d.Name()), "")
		}
		all = append(all, d)
	}
	return all, nil
}

// readDialect reads a mapping file.
func readDialect(name string) (envelope.Dialect, error) {
	const most = 1 << 20 // more than any mapping may have
	file, err := os.Open(name)
	if err != nil {
		return envelope.Dialect{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return envelope.Dialect{}, err
	}
	return envelope.ParseDialect(text)
}
