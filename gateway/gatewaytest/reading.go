package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// names opens sessions by all kinds of names: each is one of its own, none leads
// out of the folder, and what is no name is refused.
func (s *stage) names() {
	odd := []string{
		"a", "A", "会话", "../a", "..", ".", "/", "/etc/passwd", `..\a`, "C:", "con", "a/b", "a%2Fb", "a b", " a", "a.",
		strings.Repeat("x", 256), "-", "s", "*", "\"", "$(x)", "😀",
	}
	handles := map[string]string{}
	for _, user := range []string{"ann", "bob", "ann/a", "../ann"} {
		for _, name := range odd {
			session, last, err := s.Open(s.Context(), user, name)
			if err != nil || last != 0 {
				s.Fatalf("open %q of %s: %d, %v", name, user, last, err)
			}
			if other, ok := handles[session]; ok {
				s.Fatalf("%q of %s is %s", name, user, other)
			}
			handles[session] = fmt.Sprintf("%q of %s", name, user)
		}
	}
	for _, n := range []struct{ user, name string }{
		{"", "a"}, {"ann", ""}, {"ann", "a\x00b"}, {"ann", "a\nb"}, {"ann", "a\xff"}, {"ann", strings.Repeat("x", 257)}, {"a\x00", "b"},
	} {
		_, _, err := s.Open(s.Context(), n.user, n.name)
		s.fails(fmt.Sprintf("open %q of %q", n.name, n.user), err, gateway.CodeBad)
	}
	for _, name := range odd {
		session := s.open("ann", name)
		if got := s.ask(session, sayIt+name); got != strings.TrimSpace(name) && got != name {
			s.Errorf("session %q answered %q", name, got)
		}
		if _, last, err := s.Open(s.Context(), "ann", name); err != nil || last != s.last(session) {
			s.Errorf("opened again, %q has %d records, want %d; %v", name, last, s.last(session), err)
		}
		if n := s.last(s.open("bob", name)); n != 0 {
			s.Errorf("the session %q of another has %d records", name, n)
		}
	}
	for _, session := range []string{"", "ann", "/", "../../x/y", "ann/%zz", "ann/a/b"} {
		s.fails("submit to "+session, s.Submit(s.Context(), session, "", "x", nil), gateway.CodeUnknown)
	}
	s.within()
}

// within checks that all that was written is below the folder of the runs.
func (s *stage) within() {
	parent := filepath.Dir(s.setup.Dir)
	err := filepath.WalkDir(parent, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(s.setup.Dir, path); path != parent && !filepath.IsLocal(rel) && strings.HasSuffix(path, ".jsonl") {
			s.Errorf("%s was written", path)
		}
		return err
	})
	if err != nil {
		s.Error(err)
	}
}

// turns reads three turns: by one reader from the start, and by one from each
// record on.
func (s *stage) turns() {
	session := s.open("ann", "a")
	var all []event.Record
	ctx, stop := context.WithCancel(s.Context())
	wait := s.aside(func() {
		for rec, err := range s.Follow(ctx, session, 0) {
			if err == nil && rec.Seq > 0 {
				all = append(all, rec)
			}
		}
	})
	for _, text := range []string{"one", "two", "three"} {
		if got := s.ask(session, sayIt+text); got != text {
			s.Errorf("the answer is %q, want %q", got, text)
		}
		s.pass(time.Hour)
	}
	synctest.Wait()
	stop()
	wait()
	s.gapless(all, 0)
	if n := s.last(session); int64(len(all)) != n {
		s.Errorf("a reader saw %d records of %d", len(all), n)
	}
	ends := slices.DeleteFunc(slices.Clone(all), func(rec event.Record) bool { return !isEnd(rec) })
	if len(ends) != 3 {
		s.Errorf("a reader saw %d ends, want 3", len(ends))
	}
	for after := range all {
		if got := s.records(session, int64(after)); len(got) != len(all)-after {
			s.Fatalf("after %d there are %d records, want %d", after, len(got), len(all)-after)
		}
		got := s.until(session, int64(after), func(rec event.Record) bool { return rec.Seq == int64(len(all)) })
		s.gapless(got, int64(after))
	}
}

// slowReader reads so slowly that turns pass between two records.
func (s *stage) slowReader() {
	session := s.open("ann", "a")
	s.submit(session, "", sayIt+"0")
	var got []event.Record
	wait := s.aside(func() {
		ends := 0
		for rec, err := range s.Follow(s.Context(), session, 0) {
			if err != nil {
				s.Errorf("follow: %v", err)
				return
			}
			if rec.Seq == 0 {
				continue
			}
			got = append(got, rec)
			if isEnd(rec) {
				ends++
			}
			if ends == 10 {
				return
			}
			s.pass(10 * time.Second)
		}
	})
	for i := range 9 {
		s.until(session, s.last(session)-1, isEnd)
		if answer := s.ask(session, fmt.Sprintf("%s%d", sayIt, i+1)); answer != fmt.Sprint(i+1) {
			s.Errorf("answer %q to prompt %d: a slow reader must hold up nobody", answer, i+1)
		}
	}
	wait()
	s.gapless(got, 0)
}

var errGone = errors.New("the reader is gone")

// readersEnd checks how a reader ends that has had enough.
func (s *stage) readersEnd() {
	session := s.open("ann", "a")
	s.ask(session, sayIt+"a")
	var err error
	n := 0
	for rec, e := range s.Follow(s.ended(errGone), session, 0) {
		if err = e; rec.Seq > 0 {
			n++
		}
	}
	if !errors.Is(err, errGone) {
		s.Errorf("a reader whose context had ended got %d records and %v", n, err)
	}
	for _, at := range []string{"at rest", "never used"} {
		if at == "never used" {
			session = s.open("ann", "b")
		}
		ctx, cancel := context.WithCancelCause(s.Context())
		wait := s.aside(func() {
			for _, e := range s.Follow(ctx, session, 1<<40) {
				err = e
			}
		})
		s.pass(time.Hour)
		cancel(errGone)
		wait()
		if !errors.Is(err, errGone) {
			s.Errorf("a reader of a session %s ended with %v", at, err)
		}
		err = nil
	}
	for _, err := range s.Follow(s.Context(), s.open("ann", "a"), 0) { // leaves nothing behind
		if err != nil {
			s.Error(err)
		}
		break
	}
}
