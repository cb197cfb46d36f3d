package leader_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/transcript"
)

// fromPerson are the person's messages, each with the name of its command.
func fromPerson(records []event.Record) (texts []string) {
	for _, d := range dataOf[event.MessageSent](records) {
		if d.From == event.Person {
			texts = append(texts, d.RequestID+" "+d.Content)
		}
	}
	return texts
}

// readAll reads the log at path.
func readAll(t *testing.T, path string) (records []event.Record) {
	t.Helper()
	for rec, err := range transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// TestACommandHasItsEffectOnce gives a run the same commands again: at once,
// when it has been resumed, and when it has ended.
func TestACommandHasItsEffectOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		p := players{"tl": sequence(modeltest.Reply{Text: "one", Delay: time.Minute}, modeltest.Reply{Text: "two", Delay: time.Minute}, say("three"))}
		client := leader.Model{Client: p.client(), Name: "test/test"}
		l, err := leader.New(leader.Team{Model: client}, leader.WithWorkDir(t.TempDir()), leader.WithRunDir(dir),
			leader.WithRunFolder("mine"), leader.WithMeta(map[string]string{"user": "alice"}), leader.WithRequest("r1"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "first")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []error{nil, leader.ErrRepeated} {
			if err := run.TellOnce("r2", event.Leader, "second"); !errors.Is(err, want) {
				t.Errorf("told: %v, want %v", err, want)
			}
		}
		if err := run.TellOnce("r1", event.Leader, "first"); !errors.Is(err, leader.ErrRepeated) {
			t.Errorf("told the first again: %v", err)
		}
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, r := range []string{"r1", "r2", "r3", "r3"} {
			run, err := leader.Resume(t.Context(), filepath.Join(dir, "mine"), leader.WithClient(client.Name, client),
				leader.WithTask("third"), leader.WithRequest(r))
			if r == "r3" && err == nil {
				_, err = run.Wait()
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			if !errors.Is(err, leader.ErrRepeated) {
				t.Errorf("%s again: %v", r, err)
			}
		}
		records := readAll(t, filepath.Join(dir, "mine", transcript.FileName))
		if diff := cmp.Diff([]string{"r1 first", "r2 second", "r3 third"}, fromPerson(records)); diff != "" {
			t.Errorf("the person's messages (-want +got):\n%s", diff)
		}
		var meta map[string]string
		if err := json.Unmarshal(dataOf[event.RunStarted](records)[0].Meta, &meta); err != nil || meta["user"] != "alice" {
			t.Errorf("the header notes %q, %v", meta, err)
		}
		agents, err := leader.AgentsIn(t.Context(), filepath.Join(dir, "mine"))
		if err != nil || len(agents) != 1 || agents[0].ID != event.Leader || agents[0].State != event.Idle || agents[0].Turns != 2 {
			t.Errorf("the log tells of the agents %+v, %v", agents, err)
		}
	})
}

// TestACommandOutlivesTheProgram cuts the log between a command and its message.
func TestACommandOutlivesTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		client := leader.Model{Client: players{}.client(), Name: "test/test"}
		l, err := leader.New(leader.Team{Model: client}, leader.WithWorkDir(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		log, err := transcript.Create(dir, transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append("", 0, event.RunStarted{RunID: "01", Team: leader.Header(l), Task: "first", RequestID: "r1"}); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		resume := func(opts ...leader.Option) (*leader.Run, error) {
			return leader.Resume(t.Context(), dir, append(opts, leader.WithClient(client.Name, client))...)
		}
		if _, err := resume(leader.WithTask("first"), leader.WithRequest("r1")); !errors.Is(err, leader.ErrRepeated) {
			t.Errorf("the command again: %v", err)
		}
		run, err := resume()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := fromPerson(readAll(t, run.Log())); !slices.Equal(got, []string{"r1 first"}) {
			t.Errorf("the person's messages are %q", got)
		}
	})
}

// TestARunIsASource reads a run from a place on, while it works and afterwards.
func TestARunIsASource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{"tl": sequence(modeltest.Reply{Text: "done", Delay: time.Minute})}, nil)
		var src event.Source = d.run
		var seqs []int64
		for rec, err := range src.Follow(t.Context(), 2) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq > 0 {
				seqs = append(seqs, rec.Seq)
			}
		}
		for rec, err := range src.Records(seqs[0]) {
			if err != nil || rec.Seq != seqs[1] {
				t.Errorf("the records after %d begin with %d", seqs[0], rec.Seq)
			}
			break
		}
		if seqs[0] != 3 {
			t.Errorf("the records after 2 begin with %d", seqs[0])
		}
	})
}

func TestARunFolderIsOneName(t *testing.T) {
	for _, name := range []string{"..", "../x", "a/b", "/x", "."} {
		l, err := leader.New(leader.Team{Model: leader.Model{Client: players{}.client(), Name: "test/test"}},
			leader.WithRunDir(t.TempDir()), leader.WithRunFolder(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Start(t.Context(), "x"); err == nil {
			t.Errorf("a run began in the folder %q", name)
		}
	}
}

// TestASuspensionSaysByWhom pauses one run and ends the context of another.
func TestASuspensionSaysByWhom(t *testing.T) {
	for _, tt := range []struct {
		want string
		end  func(*leader.Run, context.CancelCauseFunc)
	}{
		{"Ann", func(r *leader.Run, _ context.CancelCauseFunc) { r.Pause("Ann") }},
		{"the theatre burns", func(_ *leader.Run, cancel context.CancelCauseFunc) { cancel(errGoHome) }},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, err := leader.New(leader.Team{Model: leader.Model{
				Client: players{"tl": sequence(modeltest.Reply{Text: "late", Delay: time.Hour, Calls: []event.Call{modeltest.Call("list_agents", nil)}})}.client(), Name: "test/test",
			}}, leader.WithWorkDir(t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			run, err := l.Start(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			tt.end(run, cancel)
			_, _ = run.Wait() // suspended
			got := dataOf[event.RunSuspended](recorded(t, run))
			if len(got) != 1 || got[0].By != tt.want {
				t.Errorf("suspended: %+v, want by %s", got, tt.want)
			}
		})
	}
}

// TestAPausedRunTakesNothing says something to a run that is being suspended.
func TestAPausedRunTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{"tl": sequence(
			modeltest.Reply{Delay: time.Minute, Calls: []event.Call{touch("a")}}, say("done"))},
			func(team *leader.Team) { team.Permissions.Allow = []string{"touch"} })
		d.run.Pause("a test")
		for what, err := range map[string]error{
			"a message": d.run.Tell(event.Leader, "more"), "an answer": d.run.Reply("ask_tl_001", "x"),
			"a decision": d.run.Approve("apr_001", leader.Decision{}),
		} {
			if !errors.Is(err, leader.ErrEnded) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if res, _, _ := d.end(); res.Status != leader.StatusSuspended {
			t.Errorf("the run is %s", res.Status)
		}
	})
}

// TestWhatIsTakenIsActedOn answers, or writes, at the moment in which a run is
// suspended because nobody can go on: it is taken, and the run goes on with it,
// or refused.
func TestWhatIsTakenIsActedOn(t *testing.T) {
	taken := 0
	for i := range 300 {
		l, err := leader.New(leader.Team{
			Model: leader.Model{Client: players{
				"tl":    sequence(say("", create("uio", "ask")), say("", waitFor("any")), say("done")),
				"uio_1": sequence(say("", touch("a")), say("done")),
			}.client(), Name: "test/test"}, Roles: []leader.Role{{Name: "UI Operator", Tools: []string{"touch"}}},
			Permissions: leader.Permissions{Headless: leader.HeadlessSuspend},
		},
			leader.WithWorkDir(t.TempDir()), leader.WithTools((&touched{}).tool()), leader.WithAttendance(leader.Unattended))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range run.Events(t.Context()) {
			if err != nil || rec.Type() == event.TypeApprovalRequested {
				break
			}
		}
		for range i % 30 * 100 { // a moment, which no clock can measure
			run.Last()
		}
		ok := run.Approve("apr_001", leader.Decision{Allow: true}) == nil
		res, _ := run.Wait()
		if ok != (res.Status == leader.StatusFinished) {
			t.Fatalf("the decision was taken: %v; the run is %s", ok, res.Status)
		}
		if ok {
			taken++
		}
	}
	t.Logf("%d of 300 decisions were taken", taken)
}
