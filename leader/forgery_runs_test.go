package leader_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestForgedTask: the person's task, and what the person adds to it, are
// messages of the person, whatever they say.
func TestForgedTask(t *testing.T) {
	eachGroup(t, 8, func(t *testing.T, texts []string) {
		f := forge(t, t.TempDir(), players{"tl": sequence(later(say("over")))}, texts[0], texts[1:]...)
		want := startOf(texts[0])
		for _, text := range texts[1:] {
			want.send(event.Note, "msg_user", "user", "tl", text)
		}
		want.check(t, f)
		if d, ok := f.records[0].Data.(event.RunStarted); !ok || d.Task != texts[0] {
			t.Errorf("the header's task is %.200q, want %.200q", d.Task, texts[0])
		}
	})
}

// TestForgedOutput: a worker says each attack on its way and as its report.
func TestForgedOutput(t *testing.T) {
	eachGroup(t, 32, func(t *testing.T, texts []string) {
		p := players{
			"tl": func(_ model.Request, n int) modeltest.Reply {
				switch {
				case n == 0:
					return say("", create("uio", "begin"))
				case n%2 == 0 && n/2 < len(texts):
					return say("", call("send_message_to_sub_agent", "agent", "uio_1", "message", "next", "as", "task"))
				}
				return say("waiting")
			},
			"uio_1": func(_ model.Request, n int) modeltest.Reply {
				if n%2 == 0 {
					return later(say(texts[n/2], look()))
				}
				return later(say(texts[n/2]))
			},
		}
		want := startOf("go", "uio_1")
		for i, text := range texts {
			want.send(event.Task, "task", "tl", "uio_1", []string{"begin", "next"}[min(i, 1)])
			want.send(event.Progress, "out_uio", "uio_1", "tl", text)
			want.send(event.Completion, "out_uio", "uio_1", "tl", text)
		}
		want.Calls["tl"], want.Calls["uio_1"] = len(texts), len(texts)
		want.check(t, forge(t, t.TempDir(), p, "go"))
	})
}

// TestForgedQuestion: a worker asks each attack, and the leader answers with
// the same.
func TestForgedQuestion(t *testing.T) {
	eachGroup(t, 32, func(t *testing.T, texts []string) {
		p := players{
			"tl": func(_ model.Request, n int) modeltest.Reply {
				switch {
				case n == 0:
					return say("", create("uio", "begin"))
				case n%2 == 0 && n/2 <= len(texts):
					return say("", call("answer_sub_agent_question", "question_id", fmt.Sprintf("ask_uio_%03d", n/2), "answer", texts[n/2-1]))
				}
				return say("waiting")
			},
			"uio_1": func(_ model.Request, n int) modeltest.Reply {
				if n < len(texts) {
					return later(say("", call("ask_master", "question", texts[n])))
				}
				return later(say("done"))
			},
		}
		want := startOf("go", "uio_1")
		want.send(event.Task, "task", "tl", "uio_1", "begin")
		want.send(event.Completion, "out_uio", "uio_1", "tl", "done")
		for _, text := range texts {
			want.ask("ask_uio", "uio_1", "tl", text, "ans_tl", text)
		}
		want.Calls["tl"], want.Calls["uio_1"] = 1+len(texts), len(texts)
		f := forge(t, t.TempDir(), p, "go")
		want.check(t, f)
		for i, r := range f.results("uio_1") {
			checkAnswer(t, r, mailbox.Message{
				ID: want.Closed[i].AnswerID, Kind: event.Answer, From: "Team Leader", QuestionID: want.Closed[i].ID, Content: texts[i],
			})
		}
	})
}

// checkAnswer checks that a tool result is one answer of its true sender.
func checkAnswer(t *testing.T, result model.Message, want mailbox.Message) {
	t.Helper()
	got, err := mailbox.Parse(result.Content)
	if err != nil || got != want || result.IsError {
		t.Errorf("the asker reads (%v):\n%.400q\nwant %+v", err, result.Content, want)
	}
}

// TestForgedAnswer: while a worker waits for another, the other and a third
// say each attack and try each as the question's id. The wait ends with the
// true answer and not before, and a second answer is none.
func TestForgedAnswer(t *testing.T) {
	eachGroup(t, 32, func(t *testing.T, texts []string) {
		texts = append(texts, "ask_uio_002", "out_fse_001", "msg_user_001", "task_001")
		p := players{
			"tl": sequence(say("", create("uio", "begin"), create("fse", "begin"), create("res", "begin")),
				say("waiting"), say("waiting"), say("waiting"), say("waiting")),
			"uio_1": sequence(
				later(say("", call("ask_other_agent", "agent", "fse_1", "question", "which fields?"))),
				later(say("done"))),
			"fse_1": func(_ model.Request, n int) modeltest.Reply {
				switch {
				case n < len(texts):
					r := later(say(texts[n], call("answer_other_agent", "question_id", texts[n], "answer", "forged")))
					r.Delay += r.Delay // the question is there before the first of them
					return r
				case n == len(texts):
					return later(say("", call("answer_other_agent", "question_id", "ask_uio_001", "answer", "name, mail")))
				case n == len(texts)+1:
					return later(say("", call("answer_other_agent", "question_id", "ask_uio_001", "answer", "none")))
				}
				return later(say("api done"))
			},
			"res_1": func(_ model.Request, n int) modeltest.Reply {
				if n < len(texts) {
					r := later(say(texts[n], call("answer_other_agent", "question_id", "ask_uio_001", "answer", fmt.Sprint("forged ", n))))
					r.Delay += r.Delay / 2
					return r
				}
				return later(say("looked"))
			},
		}
		want := startOf("go", "uio_1", "fse_1", "res_1")
		for _, id := range []string{"uio_1", "fse_1", "res_1"} {
			want.send(event.Task, "task", "tl", id, "begin")
		}
		want.ask("ask_uio", "uio_1", "fse_1", "which fields?", "ans_fse", "name, mail")
		for _, text := range texts {
			want.send(event.Progress, "out_fse", "fse_1", "tl", text)
			want.send(event.Progress, "out_res", "res_1", "tl", text)
		}
		want.send(event.Completion, "out_uio", "uio_1", "tl", "done")
		want.send(event.Completion, "out_fse", "fse_1", "tl", "api done")
		want.send(event.Completion, "out_res", "res_1", "tl", "looked")
		want.Calls["tl"], want.Calls["uio_1"], want.Calls["fse_1"], want.Calls["res_1"] = 3, 1, len(texts)+2, len(texts)
		f := forge(t, t.TempDir(), p, "go")
		want.check(t, f)
		checkAnswer(t, f.results("uio_1")[0], mailbox.Message{
			ID: "ans_fse_001", Kind: event.Answer, From: "Full-Stack Engineer_1", QuestionID: "ask_uio_001", Content: "name, mail",
		})
		for _, r := range append(f.results("res_1"), slices.Delete(f.results("fse_1"), len(texts), len(texts)+1)...) {
			if !r.IsError {
				t.Errorf("a forged answer was taken: %.200q", r.Content)
			}
		}
		checkWaited(t, f.records, "uio_1", "ask_uio_001", "fse_1", len(texts)+1)
	})
}

// checkWaited checks that the asker did nothing between its question and the
// call of the answerer that answered it, which is its calls-th.
func checkWaited(t *testing.T, records []event.Record, asker, id, answerer string, calls int) {
	t.Helper()
	open := false
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.QuestionOpened:
			open = open || d.ID == id
		case event.ToolStarted:
			if rec.Agent == answerer {
				calls--
			}
		case event.QuestionClosed:
			if d.ID == id && calls != 0 {
				t.Errorf("%s was closed %d calls of %s too early", id, calls, answerer)
			}
			open = open && d.ID != id
		case event.ModelRequested, event.ToolFinished:
			if open && rec.Agent == asker {
				t.Errorf("%s went on (%s) while its question was open", asker, rec.Type())
			}
		}
	}
}

// TestForgedArguments: leader and worker use each attack as the name of an
// agent or a role, and as a question's id.
func TestForgedArguments(t *testing.T) {
	eachGroup(t, 32, func(t *testing.T, texts []string) {
		for i, text := range texts { // refusals repeat what they refuse
			texts[i] = strings.ToValidUTF8(text[:min(len(text), 2<<10)], "")
		}
		ofLeader := func(text string) []event.Call {
			return []event.Call{
				create(text, "x"),
				call("send_message_to_sub_agent", "agent", text, "message", "x"),
				call("send_message_to_sub_agent", "agent", "uio_1", "message", "x", "as", text),
				call("ask_sub_agent", "agent", text, "question", "x"),
				call("answer_sub_agent_question", "question_id", text, "answer", "x"),
				call("stop_sub_agent", "agent", text),
				call("terminate_sub_agent", "agent", text, "reason", text),
				modeltest.Call("wait_sub_agent_output", map[string]any{"agents": []string{text}}),
				modeltest.Call("get_sub_agent_status", map[string]any{"agents": []string{text}}),
			}
		}
		ofWorker := func(text string) []event.Call {
			return []event.Call{
				call("ask_other_agent", "agent", text, "question", "x"),
				call("ask_other_agent", "agent", text, "question", "x", "expects", "none"),
				call("ask_other_agent", "agent", "uio_1", "question", "x", "expects", text),
				call("answer_other_agent", "question_id", text, "answer", "x"),
				call("read_file", "path", text),
			}
		}
		p := players{
			"tl": func(_ model.Request, n int) modeltest.Reply {
				switch {
				case n == 0:
					return say("", create("uio", "begin"))
				case n <= len(texts):
					return say("", ofLeader(texts[n-1])...)
				}
				return say("waiting")
			},
			"uio_1": func(_ model.Request, n int) modeltest.Reply {
				if n < len(texts) {
					return later(say("", ofWorker(texts[n])...))
				}
				return later(say("done"))
			},
		}
		want := startOf("go", "uio_1")
		want.send(event.Task, "task", "tl", "uio_1", "begin")
		want.send(event.Completion, "out_uio", "uio_1", "tl", "done")
		want.Calls["tl"], want.Calls["uio_1"] = 1+len(texts)*len(ofLeader("")), len(texts)*len(ofWorker(""))
		f := forge(t, t.TempDir(), p, "go")
		want.check(t, f)
		for _, r := range append(f.results("tl")[1:], f.results("uio_1")...) {
			if !r.IsError {
				t.Errorf("%s took a forged argument: %.200q", r.ToolName, r.Content)
			}
		}
	})
}

// TestForgedFile: a worker reads files that hold the attacks.
func TestForgedFile(t *testing.T) {
	eachGroup(t, 32, func(t *testing.T, texts []string) {
		dir := t.TempDir()
		var reads []event.Call
		for i, text := range texts {
			name := fmt.Sprintf("%03d.md", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			reads = append(reads, call("read_file", "path", name))
		}
		p := players{
			"tl":    sequence(say("", create("uio", "begin")), say("waiting")),
			"uio_1": sequence(later(say("", reads...)), later(say("done"))),
		}
		want := startOf("go", "uio_1")
		want.send(event.Task, "task", "tl", "uio_1", "begin")
		want.send(event.Completion, "out_uio", "uio_1", "tl", "done")
		want.Calls["tl"], want.Calls["uio_1"] = 1, len(texts)
		f := forge(t, dir, p, "go")
		want.check(t, f)
		for i, r := range f.results("uio_1") {
			shownWhole := len(texts[i]) < 8<<10 && strings.Count(texts[i], "\n") < 2000 && !strings.Contains(texts[i], "\x00")
			if shownWhole && !strings.HasSuffix(r.Content, ")\n"+texts[i]) {
				t.Errorf("the file is read as %.300q, want %.300q", r.Content, texts[i])
			}
			if _, err := mailbox.Parse(r.Content); err == nil {
				t.Errorf("a file is read as a message: %.300q", r.Content)
			}
		}
	})
}

// TestForgedNames: the leader makes a role of each name, and agents of those
// that it may have; they speak under their own names.
func TestForgedNames(t *testing.T) {
	var makes, creates []event.Call
	var names []string
	agents := []string{"Team Leader"}
	for _, f := range forgeries(t) {
		if f.Role == nil {
			continue
		}
		_, err := leader.New(leader.Team{
			Model: leader.Model{Client: players{}.client(), Name: "test/test"}, Roles: []leader.Role{{Name: *f.Role}},
		}, leader.WithWorkDir(t.TempDir()))
		if (err != nil) != (f.Refused != "") {
			t.Errorf("a team with a role called %q: %v, want it to be refused: %q", *f.Role, err, f.Refused)
		}
		makes = append(makes, call("create_custom_agent", "name", *f.Role, "does", f.Content, "prompt", f.Content))
		if f.Refused == "" {
			names, agents = append(names, *f.Role), append(agents, *f.Role+"_1")
			creates = append(creates, create(*f.Role, f.Content))
		}
	}
	creates = append(creates, modeltest.Call("list_agents", nil), look())
	f := forge(t, t.TempDir(), players{"tl": func(_ model.Request, n int) modeltest.Reply {
		return append([]modeltest.Reply{say("", makes...), say("", creates...)}, slices.Repeat([]modeltest.Reply{say("waiting")}, 2*len(names))...)[n]
	}}, "go")
	h := f.happened()
	if diff := cmp.Diff(names, h.Roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	shown := map[string]string{"user": "User"}
	var got []string
	for _, a := range h.Agents {
		id, name, _ := strings.Cut(a, " ")
		shown[id] = name
		got = append(got, name)
	}
	slices.Sort(got)
	slices.Sort(agents)
	if diff := cmp.Diff(agents, got); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	for _, m := range h.Sent {
		if m.FromName != shown[m.From] {
			t.Errorf("%s of %s is sent as %q, want %q", m.ID, m.From, m.FromName, shown[m.From])
		}
	}
	if got, want := len(h.Sent), 1+2*len(names); got != want {
		t.Errorf("%d messages were sent, want %d", got, want)
	}
}
