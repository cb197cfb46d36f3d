package main

import (
	"iter"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// tape has the entries of a run, one after the other, and can be wound. It
// keeps one record; going back reads the run again from its beginning.
type tape struct {
	open func() iter.Seq2[event.Record, error]
	text func(*narrator, event.Record) string
	make func() *narrator
	// watch sees every record that is read, also those without an entry.
	watch func(event.Record)

	narrator *narrator
	pull     func() (event.Record, error, bool)
	stop     func()

	at int64 // the number of the record that the entry is of; 0 before the first
}

// rewind goes before the first entry.
func (t *tape) rewind() {
	t.close()
	t.narrator = t.make()
	t.pull, t.stop = iter.Pull2(t.open())
	t.at = 0
}

func (t *tape) close() {
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
}

// next is the next entry; more is false at the end.
func (t *tape) next() (text string, more bool, err error) {
	for {
		rec, err, ok := t.pull()
		if !ok || err != nil {
			return "", false, err
		}
		t.watch(rec)
		if text := t.text(t.narrator, rec); text != "" {
			t.at = rec.Seq
			return text, true, nil
		}
	}
}

// seek goes to the first entry for which found holds, from here on. Without
// one it stays where it was.
func (t *tape) seek(found func(text string) bool) (text string, ok bool, err error) {
	here := t.at
	for {
		text, more, err := t.next()
		switch {
		case err != nil:
			return "", false, err
		case !more:
			_, _, err := t.to(here)
			return "", false, err
		case found(text):
			return text, true, nil
		}
	}
}

// to goes to the entry at or behind a number, from the beginning when it lies
// behind; to 0, before the first.
func (t *tape) to(seq int64) (text string, ok bool, err error) {
	if seq <= t.at || seq == 0 {
		t.rewind()
	}
	if seq == 0 {
		return "", false, nil
	}
	last := ""
	for {
		text, more, err := t.next()
		switch {
		case err != nil:
			return "", false, err
		case !more: // behind the end: the last entry
			return last, last != "", nil
		case t.at >= seq:
			return text, true, nil
		}
		last = text
	}
}

// back goes to the entry before this one; ok is false at the first.
func (t *tape) back() (text string, ok bool, err error) {
	here := t.at
	t.rewind()
	before := int64(0)
	for {
		_, more, err := t.next()
		if err != nil {
			return "", false, err
		}
		if !more || t.at >= here {
			break
		}
		before = t.at
	}
	if before == 0 {
		return t.to(here)
	}
	return t.to(before)
}

// seekPoint goes to the first entry at or behind a point.
func (t *tape) seekPoint(p *point) (text string, ok bool, err error) {
	watch, hit := t.watch, false
	defer func() { t.watch = watch }()
	t.watch = func(rec event.Record) {
		watch(rec)
		hit = hit || p.isAt(rec)
	}
	return t.seek(func(string) bool { return hit })
}

// contains makes a search of a text, whatever the case of its letters.
func contains(what string) func(string) bool {
	what = strings.ToLower(what)
	return func(text string) bool { return strings.Contains(strings.ToLower(text), what) }
}
