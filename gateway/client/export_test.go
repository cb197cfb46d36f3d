package client

import "github.com/troupe-go/troupe/event"

// Fold is the fold of a log, for tests.
type Fold struct{ fold fold }

// Seq is the number of the newest message.
func (f *Fold) Seq() int64 { return f.fold.seq }

// Take returns the messages of a record, and how many were promised.
func (f *Fold) Take(rec event.Record) (list []Message, count int64, err error) {
	count = f.fold.count(rec)
	list, err = f.fold.messages(rec)
	f.fold.apply(rec)
	return list, count, err
}

// Open is what is open.
func (f *Fold) Open() (prompts []string, calls int) { return f.fold.prompts, len(f.fold.calls) }

// Count takes a record in without making its messages.
func (f *Fold) Count(rec event.Record) { f.fold.apply(rec) }

// Bound sets how much a file, and all files of a user, may have.
func (f *Files) Bound(perFile, user int64) { f.perFile, f.user = perFile, user }
