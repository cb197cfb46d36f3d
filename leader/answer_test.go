package leader_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/transcript"
)

// suspended runs players unattended until the run waits for a person.
func suspended(t *testing.T, p players, x *touched) (dir string, res leader.Result) {
	t.Helper()
	var text []byte
	synctest.Test(t, func(t *testing.T) {
		d := open(t, p, func(team *leader.Team) { team.Permissions.Headless = leader.HeadlessSuspend },
			leader.WithAttendance(leader.Unattended), leader.WithRunDir(t.TempDir()))
		var records []event.Record
		res, records, _ = d.end()
		if res.Status != leader.StatusSuspended {
			dump(t, records)
			t.Fatalf("the run ended %s", res.Status)
		}
		x.names = append(x.names, d.all()...)
		var err error
		if text, err = os.ReadFile(res.Log); err != nil {
			t.Fatal(err)
		}
	})
	dir = cutLog(t, text, bytes.Count(text, []byte("\n"))) // in a folder that outlives the bubble
	res.Log = filepath.Join(dir, transcript.FileName)
	return dir, res
}

// goOn resumes a run and lets person act when all stand still.
func goOn(t *testing.T, dir string, p players, x *touched, person func(*leader.Run), opts ...leader.Option) (leader.Result, []event.Record) {
	t.Helper()
	var res leader.Result
	var records []event.Record
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(100 * time.Hour)
		opts := append([]leader.Option{
			leader.WithWorkDir(t.TempDir()), leader.WithTools(x.tool()), leader.WithClient("test/test", leader.Model{Client: p.client(), Name: "test/test"}),
		}, opts...)
		run, err := leader.Resume(t.Context(), dir, opts...)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if person != nil {
			person(run)
		}
		res, err = run.Wait()
		if err != nil && res.Status != leader.StatusSuspended {
			t.Errorf("the run ended %s, %v", res.Status, err)
		}
		records = recorded(t, run)
	})
	return res, records
}

func TestAnAnswerDaysLater(t *testing.T) {
	p := players{
		"tl": func(req model.Request, n int) modeltest.Reply {
			if n == 0 {
				return say("plan", create("uio", "work"), askUser("Which colour?"))
			}
			for _, m := range req.Messages {
				if m.Role == model.ToolRole && strings.Contains(m.Content, "ask_tl_001") {
					_, answer, _ := strings.Cut(m.Content, "<Answer question_id=\"ask_tl_001\">\n")
					answer, _, _ = strings.Cut(answer, "\n")
					return say("painted " + answer)
				}
			}
			return say("no answer")
		},
		"uio_1": sequence(say("worked")),
	}
	x := &touched{}
	dir, res := suspended(t, p, x)
	pending, err := leader.PendingIn(t.Context(), res.Log)
	if err != nil || len(pending) != 1 || pending[0].ID != "ask_tl_001" || pending[0].Text != "Which colour?" || pending[0].Name != event.LeaderName {
		t.Errorf("pending %+v, %v", pending, err)
	}
	for _, tt := range []struct {
		id   string
		want error
		text string
	}{
		{"ask_tl_002", mailbox.ErrUnknownQuestion, "ask_tl_001"},
		{"task_001", mailbox.ErrUnknownQuestion, "ask_tl_001"},
	} {
		if err := leader.Answer(dir, tt.id, "x"); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v", tt.id, err)
		}
	}
	if err := leader.Decide(dir, "apr_001", leader.Decision{}); !errors.Is(err, leader.ErrNoApproval) {
		t.Errorf("no approval: %v", err)
	}
	if err := leader.Answer(dir, "ask_tl_001", "sk-abcdefghijklmnopqrstuvwx hunter2-hunter2", leader.WithSecrets("hunter2-hunter2")); err != nil {
		t.Fatal(err)
	}
	if err := leader.Answer(dir, "ask_tl_001", "red"); !errors.Is(err, mailbox.ErrClosedQuestion) {
		t.Errorf("a second answer: %v", err)
	}
	if pending, err := leader.PendingIn(t.Context(), dir); err != nil || len(pending) != 0 {
		t.Errorf("after the answer %+v wait, %v", pending, err)
	}
	res, records := goOn(t, dir, p, x, nil)
	if !strings.HasPrefix(res.Answer, "painted ") || strings.Contains(res.Answer, "hunter2") || strings.Contains(res.Answer, "sk-abc") {
		t.Errorf("the answer is %q", res.Answer)
	}
	closed := dataOf[event.QuestionClosed](records)
	if len(closed) != 1 || closed[0].AnswerID != "ans_user_001" || closed[0].From != event.Person || len(dataOf[event.QuestionOpened](records)) != 1 {
		t.Errorf("the question ended %+v", closed)
	}
	if err := leader.Answer(dir, "ask_tl_001", "red"); !errors.Is(err, mailbox.ErrClosedQuestion) {
		t.Errorf("an answer to a run that finished: %v", err)
	}
}

// TestThinkingIsNoWork answers after three days what a run had asked that was
// suspended, and one whose program ended: the deadline of half an hour counts
// the time at work only.
func TestThinkingIsNoWork(t *testing.T) {
	p := players{"tl": sequence(say("", askUser("Which colour?")), say("painted"))}
	for name, broken := range map[string]bool{"suspended": false, "broken off": true} {
		t.Run(name, func(t *testing.T) {
			dir, res := suspended(t, p, &touched{})
			if broken {
				text, err := os.ReadFile(res.Log)
				if err != nil {
					t.Fatal(err)
				}
				dir = cutLog(t, text, bytes.Count(text, []byte("\n"))-1)
			}
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(72 * time.Hour)
				if err := leader.Answer(dir, "ask_tl_001", "red"); err != nil {
					t.Fatal(err)
				}
				run, err := leader.Resume(t.Context(), dir, leader.WithWorkDir(dir), leader.WithTools(new(touched).tool()),
					leader.WithClient("test/test", leader.Model{Client: p.client(), Name: "test/test"}))
				if err != nil {
					t.Fatal(err)
				}
				res, err := run.Wait()
				if err != nil || res.Status != leader.StatusFinished || res.Duration > time.Minute {
					t.Errorf("the run ended %s after %s, %v", res.Status, res.Duration, err)
				}
				checkLog(t, recorded(t, run))
			})
		})
	}
}

// TestWhatIsRefusedWritesNothing asks for what cannot be in the log of a run whose
// program ended without a word: the log stays as it is. What can be is behind a word
// that the run stopped.
func TestWhatIsRefusedWritesNothing(t *testing.T) {
	p := waiters()
	p["tl"] = sequence(say("plan", create("uio", "touch"), create("fse", "touch"), askUser("Which colour?")), say("wait"), say("done"))
	dir, res := suspended(t, p, &touched{})
	text, err := os.ReadFile(filepath.Join(dir, transcript.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != leader.StatusSuspended || !bytes.Contains(lines(text)[bytes.Count(text, []byte("\n"))-1], []byte("run.suspended")) {
		t.Fatalf("the log of a run that is %s ends otherwise", res.Status)
	}
	whole := bytes.Join(lines(text)[:bytes.Count(text, []byte("\n"))-1], nil)
	pending, err := leader.PendingIn(t.Context(), dir)
	if err != nil || len(pending) != 3 {
		t.Fatalf("%+v wait, %v", pending, err)
	}
	allow := leader.Decision{Allow: true}
	calls := map[string]struct {
		refused, taken func(dir string) error
	}{
		"Answer": {
			func(dir string) error { return leader.Answer(dir, "ask_tl_009", "red") },
			func(dir string) error { return leader.Answer(dir, "ask_tl_001", "red") },
		},
		"Decide": {
			func(dir string) error { return leader.Decide(dir, "apr_009", allow) },
			func(dir string) error { return leader.Decide(dir, "apr_001", allow) },
		},
		"Decide with a reason that is no text": {
			func(dir string) error { return leader.Decide(dir, "apr_001", leader.Decision{Reason: "\xff"}) },
			func(dir string) error { return leader.Decide(dir, "apr_001", allow) },
		},
		"Return": {
			func(dir string) error {
				_, err := leader.Return(t.Context(), dir, "tl", event.ToolReturned{CallID: "nobody's"})
				return err
			},
			func(dir string) error { return leader.Warn(dir, event.Warning{Code: "odd", Text: "a thing"}) },
		},
	}
	for name, call := range calls {
		dir := cutLog(t, whole, bytes.Count(whole, []byte("\n")))
		path := filepath.Join(dir, transcript.FileName)
		if err := call.refused(dir); err == nil {
			t.Errorf("%s: it was not refused", name)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, whole) {
			t.Errorf("%s: the refusal wrote %s, %v", name, bytes.TrimPrefix(now, whole), err)
		}
		if err := call.taken(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		now, err := os.ReadFile(path)
		added, ok := bytes.CutPrefix(now, whole)
		if n := bytes.Count(added, []byte("run.suspended")); err != nil || !ok || n != 1 || !bytes.Contains(lines(added)[0], []byte("run.suspended")) || len(lines(added)) < 2 {
			t.Errorf("%s: behind what was there stands %s, %v", name, added, err)
		}
	}
}

// waiters touch two things, each with leave.
func waiters() players {
	return players{
		"tl":    sequence(say("plan", create("uio", "touch"), create("fse", "touch")), say("wait"), say("wait"), say("done")),
		"uio_1": sequence(say("", touch("a")), say("touched a")),
		"fse_1": sequence(say("", touch("b")), say("touched b")),
	}
}

func TestADecisionDaysLater(t *testing.T) {
	for _, tt := range []struct {
		name     string
		decide   func(dir string) error
		person   func(*leader.Run)
		touched  int
		suspends bool
	}{
		{"allow both", func(dir string) error {
			return errors.Join(leader.Decide(dir, "apr_001", leader.Decision{Allow: true}), leader.Decide(dir, "apr_002", leader.Decision{Allow: true}))
		}, nil, 2, false},
		{"allow one, deny one", func(dir string) error {
			return errors.Join(leader.Decide(dir, "apr_001", leader.Decision{Allow: true}), leader.Decide(dir, "apr_002", leader.Decision{Reason: "no"}))
		}, nil, 1, false},
		{
			"allow one, approve one in the new program", func(dir string) error { return leader.Decide(dir, "apr_001", leader.Decision{Allow: true}) },
			func(r *leader.Run) { _ = r.Approve("apr_002", leader.Decision{Allow: true}) }, 2, false,
		},
		{"nobody is there again", func(dir string) error { return leader.Decide(dir, "apr_001", leader.Decision{Allow: true}) }, nil, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := &touched{}
			dir, _ := suspended(t, waiters(), x)
			if err := tt.decide(dir); err != nil {
				t.Fatal(err)
			}
			attendance := leader.Attended
			if tt.suspends {
				attendance = leader.Unattended
			}
			res, records := goOn(t, dir, waiters(), x, tt.person, leader.WithAttendance(attendance))
			if got := len(x.all()); got != tt.touched {
				t.Errorf("touched %q", x.all())
				dump(t, records)
			}
			if got := dataOf[event.ApprovalRequested](records); len(got) != 2 {
				t.Errorf("asked for %+v", got)
			}
			if (res.Status == leader.StatusSuspended) != tt.suspends {
				t.Errorf("the run ended %s", res.Status)
			}
			for _, r := range slices.Concat(toolResults(records, "uio_1"), toolResults(records, "fse_1")) {
				if strings.Contains(r, "unknown") {
					t.Errorf("the outcome of a call that never ran is %q", r)
				}
			}
		})
	}
}

// TestAlwaysOutlivesTheProgram allows a thing for the rest of the run while no
// program runs it.
func TestAlwaysOutlivesTheProgram(t *testing.T) {
	p := players{"tl": sequence(say("", touch("a")), say("", touch("a")), say("", touch("b")), say("done"))}
	x := &touched{}
	dir, _ := suspended(t, p, x)
	if err := leader.Decide(dir, "apr_001", leader.Decision{Allow: true, Always: true}); err != nil {
		t.Fatal(err)
	}
	res, records := goOn(t, dir, p, x, nil, leader.WithAttendance(leader.Unattended))
	if res.Status != leader.StatusSuspended || !slices.Equal(x.all(), []string{"a", "a"}) {
		t.Errorf("the run ended %s, touched %q", res.Status, x.all())
	}
	if got := dataOf[event.ApprovalRequested](records); len(got) != 2 || got[1].ID != "apr_002" || got[1].Arguments != `{"name":"b"}` {
		t.Errorf("asked for %+v", got)
	}
}

// TestALiveRunTakesItsOwnAnswers finds the log locked.
func TestALiveRunTakesItsOwnAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{"tl": sequence(say("", askUser("?"), touch("a")), say("done"))}, nil, leader.WithRunDir(t.TempDir()))
		for _, err := range []error{
			leader.Answer(d.run.Log(), "ask_tl_001", "x"), leader.Decide(d.run.Log(), "apr_001", leader.Decision{}),
		} {
			if !errors.Is(err, transcript.ErrLocked) {
				t.Errorf("a live run: %v", err)
			}
		}
		if pending, err := leader.PendingIn(t.Context(), d.run.Log()); err != nil || len(pending) != 2 {
			t.Errorf("pending %+v, %v", pending, err)
		}
		if err := d.run.Reply("ask_tl_001", "x"); err != nil {
			t.Error(err)
		}
		d.approve("apr_001", leader.Decision{})
		if _, _, err := d.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestResumeAtEveryRecordOfAnApproval cuts the log of a run with two approvals
// at every record; whatever was decided, nothing is asked for twice, nothing is
// touched twice, and nothing is touched without leave.
func TestResumeAtEveryRecordOfAnApproval(t *testing.T) {
	approveAll := func(r *leader.Run) {
		for _, p := range r.Pending() {
			if err := r.Approve(p.ID, leader.Decision{Allow: true}); err != nil {
				t.Error(err)
			}
		}
	}
	var text []byte
	synctest.Test(t, func(t *testing.T) {
		d := open(t, waiters(), nil, leader.WithRunDir(t.TempDir()))
		approveAll(d.run)
		res, _, err := d.end()
		if err == nil {
			text, err = os.ReadFile(res.Log)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	whole := false // some cut leaves both to be touched
	for n := 2; n < strings.Count(string(text), "\n"); n++ {
		t.Run(fmt.Sprint("after ", n), func(t *testing.T) {
			x := &touched{}
			_, records := goOn(t, cutLog(t, text, n), waiters(), x, func(r *leader.Run) {
				for range 5 {
					approveAll(r)
					time.Sleep(time.Minute)
				}
			})
			var asked, about []string
			for _, d := range dataOf[event.ApprovalRequested](records) {
				asked, about = append(asked, d.ID), append(about, strings.Split(d.Arguments, `"`)[3])
			}
			var decided []string
			for _, d := range dataOf[event.ApprovalDecided](records) {
				decided = append(decided, d.ID)
			}
			slices.Sort(decided)
			if !slices.Equal(asked, decided) || len(slices.Compact(slices.Sorted(slices.Values(about)))) != len(about) {
				t.Errorf("asked %q about %q, decided %q", asked, about, decided)
			}
			for i, name := range x.all() {
				if !slices.Contains(about, name) || slices.Contains(x.all()[:i], name) {
					t.Errorf("touched %q, asked about %q", x.all(), about)
				}
			}
			whole = whole || len(x.all()) == 2
		})
	}
	if !whole {
		t.Error("no cut left both to be touched")
	}
}
