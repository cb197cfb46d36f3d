package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/transcript"
)

// echoing answers with what it was told last; what begins with "slowly" takes an
// hour.
func echoing() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		text := req.Messages[len(req.Messages)-1].Origin.Content
		reply := modeltest.Reply{Text: text}
		if strings.HasPrefix(text, "slowly") {
			reply.Delay = time.Hour
		}
		return reply
	})
}

// echoes are the options of a Manager with that model, changed as wanted.
func echoes(t *testing.T, change func(*session.Options)) session.Options {
	t.Helper()
	work := t.TempDir()
	o := session.Options{Dir: t.TempDir(), Team: func(map[string]string) (leader.Team, []leader.Option, error) {
		team := leader.Team{Model: leader.Model{Client: echoing(), Name: "test/echo"}}
		team.Limits.Deadline = leader.Unlimited
		return team, []leader.Option{leader.WithWorkDir(work)}, nil
	}}
	if change != nil {
		change(&o)
	}
	return o
}

func open(t *testing.T, m *session.Manager, user, name string) string {
	t.Helper()
	s, _, err := m.Open(t.Context(), user, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func submit(t *testing.T, m *session.Manager, s, text string) {
	t.Helper()
	if err := m.Submit(t.Context(), s, "", text, nil); err != nil {
		t.Fatal(err)
	}
}

// code is the code of an error, "" for none.
func code(err error) string {
	if e, ok := errors.AsType[*session.Error](err); ok {
		return e.Failure().Code
	}
	return fmt.Sprint(err)
}

// records are those of a session, by type.
func records(t *testing.T, m *session.Manager, s string) (list []event.Record) {
	t.Helper()
	for rec, err := range m.Records(t.Context(), s, 0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rec)
	}
	return list
}

func count(list []event.Record, typ event.Type) (n int) {
	for _, rec := range list {
		if rec.Type() == typ {
			n++
		}
	}
	return n
}

// folderOf finds the folder of the only session.
func folderOf(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", transcript.FileName))
	if err != nil || len(found) != 1 {
		t.Fatalf("the logs are %q, %v", found, err)
	}
	return filepath.Dir(found[0])
}

func TestAtMostSoManyWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, stop := serve(t, echoes(t, func(o *session.Options) { o.MaxRuns = 2 }))
		defer stop()
		for range 5 { // what cannot begin takes no place
			if err := m.Submit(t.Context(), open(t, m, "ann", "c"), "", "a\xff", nil); code(err) != "bad" {
				t.Errorf("a prompt that is no text: %v", err)
			}
		}
		for _, name := range []string{"a", "b"} {
			submit(t, m, open(t, m, "ann", name), "slowly")
		}
		third := open(t, m, "bob", "a")
		if got := code(m.Submit(t.Context(), third, "", "x", nil)); got != "full" {
			t.Errorf("the third of two: %s", got)
		}
		submit(t, m, open(t, m, "ann", "a"), "more") // steers, and takes no place
		if got := len(records(t, m, third)); got != 0 {
			t.Errorf("what was refused has %d records", got)
		}
		time.Sleep(3 * time.Hour)
		submit(t, m, third, "x")
	})
}

func TestARestingSessionTakesNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, stop := serve(t, echoes(t, nil))
		defer stop()
		s := open(t, m, "ann", "a")
		ctx, cancel := context.WithCancel(t.Context())
		var reader sync.WaitGroup
		reader.Go(func() {
			for _, err := range m.Follow(ctx, s, 0) {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
		submit(t, m, s, "x")
		time.Sleep(time.Hour)
		if got := session.Entries(m); got != 1 {
			t.Errorf("%d sessions are in memory while one is read", got)
		}
		cancel()
		reader.Wait()
		if got := session.Entries(m); got != 0 {
			t.Errorf("%d sessions are in memory while all rest", got)
		}
	})
}

// TestNoSessionWaitsForAnother opens one session slowly and uses another
// meanwhile.
func TestNoSessionWaitsForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, stop := serve(t, echoes(t, func(o *session.Options) {
			team := o.Team
			o.Team = func(s map[string]string) (leader.Team, []leader.Option, error) {
				if s["slow"] != "" {
					time.Sleep(time.Hour)
				}
				return team(s)
			}
		}))
		defer stop()
		slow := open(t, m, "ann", "slow")
		var opening sync.WaitGroup
		opening.Go(func() {
			if err := m.Submit(t.Context(), slow, "", "x", map[string]string{"slow": "yes"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		began := time.Now()
		quick := open(t, m, "ann", "quick")
		submit(t, m, quick, "x")
		if _, err := m.Agents(t.Context(), slow); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := m.Submit(ctx, slow, "", "y", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a prompt to a session that is being opened: %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("all took %s, want a minute", took)
		}
		opening.Wait()
	})
}

// TestTheEndIsGentleForAWhile ends a Manager whose session is in a step of an
// hour.
func TestTheEndIsGentleForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, func(o *session.Options) { o.Grace = time.Minute })
		m, stop := serve(t, o)
		s := open(t, m, "ann", "a")
		submit(t, m, s, "slowly x")
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took != time.Minute {
			t.Errorf("the end took %s, want %s", took, time.Minute)
		}
		list := records(t, m, s)
		if d, ok := list[len(list)-1].Data.(event.RunSuspended); !ok || d.By != "the server stopped" {
			t.Errorf("the log ends with %+v", list[len(list)-1])
		}
	})
}

// TestTheEndReachesWhatJustBegins ends a Manager while a session is being opened
// that would take many steps.
func TestTheEndReachesWhatJustBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, func(o *session.Options) {
			o.Grace = 24 * time.Hour
			team := o.Team
			o.Team = func(s map[string]string) (leader.Team, []leader.Option, error) {
				time.Sleep(time.Hour)
				made, opts, err := team(s)
				made.Model.Client = modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
					return modeltest.Reply{Delay: time.Hour, Calls: []event.Call{modeltest.Call("list_agents", nil)}}
				})
				return made, opts, err
			}
		})
		m, stop := serve(t, o)
		s := open(t, m, "ann", "a")
		var submitting sync.WaitGroup
		submitting.Go(func() { submit(t, m, s, "x") })
		time.Sleep(time.Minute)
		began := time.Now()
		stop()
		submitting.Wait()
		if took := time.Since(began); took > 2*time.Hour {
			t.Errorf("the end took %s, want an hour to open and one for the step", took)
		}
		if got := count(records(t, m, s), event.TypeRunSuspended); got != 1 {
			t.Errorf("the session was suspended %d times", got)
		}
	})
}

// TestAnAnswerIsSeenThatNobodyGoesOnWith answers a session that then cannot be
// opened: a reader sees the answer all the same.
func TestAnAnswerIsSeenThatNobodyGoesOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		o := echoes(t, func(o *session.Options) {
			team := o.Team
			o.Team = func(s map[string]string) (leader.Team, []leader.Option, error) {
				made, opts, err := team(s)
				made.Model.Client = modeltest.Sequence(modeltest.Reply{Calls: []event.Call{modeltest.Call("ask_user", map[string]string{"question": "Which?"})}})
				if calls++; calls == 2 { // the first is for the prompt
					made.Model.Client = nil
				}
				return made, opts, err
			}
		})
		m, stop := serve(t, o)
		defer stop()
		s := open(t, m, "ann", "a")
		submit(t, m, s, "x")
		session.Rest(m, s)
		seen := make(chan string, 1)
		go func() {
			for rec, err := range m.Follow(t.Context(), s, 0) {
				if d, ok := rec.Data.(event.QuestionClosed); ok || err != nil {
					seen <- d.Text
					return
				}
			}
		}()
		synctest.Wait()
		if err := m.Answer(t.Context(), s, "ask_tl_001", "blue"); code(err) != "refused" {
			t.Errorf("the answer: %v", err)
		}
		synctest.Wait()
		select {
		case text := <-seen:
			if text != "blue" {
				t.Errorf("a reader saw %q", text)
			}
		default:
			t.Error("a reader did not see the answer")
		}
	})
}

// TestALogThatIsNotOurs opens sessions where something else lies.
func TestALogThatIsNotOurs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, dir string, o session.Options)
		want  string
	}{
		{"another user's", func(t *testing.T, dir string, _ session.Options) {
			t.Helper()
			edit(t, dir, `"user":"ann"`, `"user":"bob"`)
		}, "unknown"},
		{"no session's", func(t *testing.T, dir string, _ session.Options) {
			t.Helper()
			edit(t, dir, `"meta":`, `"ateM":`)
		}, "unknown"},
		{"damaged", func(t *testing.T, dir string, _ session.Options) {
			t.Helper()
			edit(t, dir, `{`, `<`)
		}, "log"},
		{"empty", func(t *testing.T, dir string, _ session.Options) {
			t.Helper()
			if err := os.Truncate(filepath.Join(dir, transcript.FileName), 0); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"of another process", func(t *testing.T, dir string, _ session.Options) {
			t.Helper()
			log, err := transcript.Open(dir, transcript.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { log.Close() })
		}, "busy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := echoes(t, nil)
				m, stop := serve(t, o)
				defer stop()
				s := open(t, m, "ann", "a")
				submit(t, m, s, "x")
				time.Sleep(time.Minute)
				tt.spoil(t, folderOf(t, o.Dir), o)
				err := m.Submit(t.Context(), s, "", "y", nil)
				if tt.want == "" && err != nil || tt.want != "" && code(err) != tt.want {
					t.Errorf("a prompt: %v, want %q", err, tt.want)
				}
				if _, _, err := m.Open(t.Context(), "ann", "a"); (tt.want == "unknown" || tt.want == "log") && code(err) != tt.want {
					t.Errorf("open: %v, want %q", err, tt.want)
				}
				if tt.want == "unknown" {
					for _, err := range m.Records(t.Context(), s, 0) {
						if code(err) != tt.want {
							t.Fatalf("records: %v, want %q", err, tt.want)
						}
					}
					if _, err := m.Agents(t.Context(), s); code(err) != tt.want {
						t.Errorf("agents: %v, want %q", err, tt.want)
					}
					if err := m.Answer(t.Context(), s, "ask_tl_001", "x"); code(err) != tt.want {
						t.Errorf("answer: %v, want %q", err, tt.want)
					}
				}
			})
		})
	}
}

// edit changes the first line of the log in dir, checksum and all.
func edit(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, transcript.FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line, rest, _ := strings.Cut(string(text), "\n")
	if from != "{" {
		line, _, _ = strings.Cut(line, `,"crc":`)
		line += "}"
	}
	changed := strings.Replace(line, from, to, 1)
	if changed == line {
		t.Fatalf("the header has no %s: %s", from, line)
	}
	if err := os.WriteFile(path, []byte(changed+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSettingsReachTheTeam gives settings with the first prompt and with a later
// one.
func TestSettingsReachTheTeam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		o := echoes(t, func(o *session.Options) {
			team := o.Team
			o.Team = func(s map[string]string) (leader.Team, []leader.Option, error) {
				got = append(got, fmt.Sprint(s))
				return team(s)
			}
		})
		m, stop := serve(t, o)
		s := open(t, m, "ann", "a")
		for i, settings := range []map[string]string{{"project": "p1", "model": "m1", "user": "eve"}, {"model": "m2"}, nil} {
			if i == 2 {
				stop()
				m, stop = serve(t, o)
			}
			if err := m.Submit(t.Context(), s, "", "x", settings); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		stop()
		want := "map[model:m1 project:p1 user:eve]|map[model:m2 project:p1]|map[model:m1 project:p1]"
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("the settings are\n%s, want\n%s", text, want)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []session.Options{{}, {Dir: "x"}, {Team: echoes(t, nil).Team}} {
		if _, err := session.New(o); err == nil {
			t.Errorf("New took %+v", o)
		}
	}
}

// TestAPromptThatIsNone is refused, also as the first one, and leaves nothing.
func TestAPromptThatIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, func(o *session.Options) { o.Logger = zerolog.Nop() })
		m, stop := serve(t, o)
		defer stop()
		s := open(t, m, "ann", "a")
		for _, text := range []string{"", " \n", "a\xff"} {
			if err := m.Submit(t.Context(), s, "", text, nil); code(err) != "bad" {
				t.Errorf("the prompt %q: %v", text, err)
			}
		}
		if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 0 {
			t.Errorf("there are %v, %v", entries, err)
		}
		submit(t, m, s, "x")
		time.Sleep(time.Minute)
		for _, text := range []string{"", " "} {
			if err := m.Submit(t.Context(), s, "", text, nil); code(err) != "bad" {
				t.Errorf("the prompt %q to a session with a log: %v", text, err)
			}
		}
	})
}

// TestCut does not wait for the grace when somebody is in a hurry.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoes(t, func(o *session.Options) { o.Grace = time.Minute })
		m, stop := serve(t, o)
		s := open(t, m, "alice", "s1")
		if err := m.Submit(t.Context(), s, "", "slowly", nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		go func() {
			<-time.After(time.Second)
			m.Cut()
			m.Cut() // once more changes nothing
		}()
		stop()
		if took := time.Since(began); took != time.Second {
			t.Errorf("it ended after %v", took)
		}
		if n, err := recoverOnce(t, o); n != 1 || err != nil {
			t.Errorf("%d sessions go on, %v", n, err)
		}
	})
}

// recoverOnce starts a Manager and tells how many sessions go on.
func recoverOnce(t *testing.T, o session.Options) (n int, err error) {
	t.Helper()
	m, err := session.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = m.Run(ctx) }()
	n, err = m.Recover(ctx)
	cancel()
	m.Cut()
	<-done
	return n, err
}
