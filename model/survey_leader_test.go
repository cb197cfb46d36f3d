package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
)

const (
	scoutReport  = labelEn + "\n\n## Totals\n\n- 3 files\n\n## How it was found\n\n- by hand"
	readerReport = labelEn + "\n\n## README\n\n- `README.md`\n  - Usage\n  - Usage\n\n## How it was found\n\n- by eye"
)

// leaderStage begins the leader's conversation; its tools do what they should.
func leaderStage(t *testing.T, prompt, task string) *stage {
	t.Helper()
	s := newStage(t, event.Leader, "", prompt, leaderTools...)
	created, made := map[string]int{}, 0
	s.answer = func(c event.Call) (string, bool, bool) {
		switch c.Name {
		case "create_sub_agent":
			role := argument(t, c, "role")
			created[role]++
			return fmt.Sprintf("Created Some One_%[2]d (%[1]s_%[2]d). It works in the background. Places used: 1, free: 7.", role, created[role]), false, true
		case "create_custom_agent":
			made++
			return fmt.Sprintf("Made the role X (id a%d), for this run only.", made), false, true
		}
		return "The wait ended.", false, true
	}
	return s.hear(event.Note, "User", "user", "msg_user_001", task)
}

// names lists the calls of one step by tool.
func names(calls []event.Call) string {
	var list []string
	for _, c := range calls {
		list = append(list, c.Name)
	}
	return strings.Join(list, " ")
}

// wantStep takes a step and checks which tools it calls.
func (s *stage) wantStep(want string) string {
	s.t.Helper()
	text, calls := s.step()
	if got := names(calls); got != want {
		s.t.Fatalf("got calls %q with text %q, want %q", got, text, want)
	}
	return text
}

func (s *stage) report(id, content string) *stage {
	return s.hear(event.Completion, strings.ToUpper(id), id, "out_"+id, content)
}

func TestSurveyLeaderFromTaskToAnswer(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	if task := argument(t, s.calls[1], "task"); !strings.Contains(task, "scout_1") {
		t.Errorf("the reader's task %q does not say whom to ask", task)
	}
	s.wantStep("wait_sub_agent_output")
	s.hear(event.Progress, "Scout_1", "scout_1", "out_scout_001", "I list")
	s.hear(event.Question, "Scout_1", "scout_1", "ask_scout_001", "`x/` looks generated. Shall I count it with the rest?")
	s.wantStep("answer_sub_agent_question")
	if got := argument(t, s.calls[3], "question_id") + " " + argument(t, s.calls[3], "answer"); got != "ask_scout_001 Yes, count it, and name its share." {
		t.Errorf("it answers %q", got)
	}
	s.wantStep("wait_sub_agent_output")
	s.report("reader_1", readerReport)
	s.wantStep("wait_sub_agent_output")
	s.report("scout_1", scoutReport)
	want := labelEn + "\n\n## Totals\n\n- 3 files\n\n## README\n\n- `README.md`\n  - Usage\n  - Usage\n\n## How it was found\n\n- by eye\n- by hand"
	if got := s.wantStep(""); got != want {
		t.Errorf("got answer\n%s\nwant\n%s", got, want)
	}
	// A second report of the same sub-agent takes the place of the first.
	s.report("scout_1", strings.Replace(scoutReport, "3 files", "4 files", 1))
	if got := s.wantStep(""); got != strings.Replace(want, "3 files", "4 files", 1) {
		t.Errorf("after a later report the answer is\n%s", got)
	}
}

func TestSurveyLeaderMakesRoles(t *testing.T) {
	s := leaderStage(t, "You are the Team Leader. Roles: `uio`, `fse`.", "Survey this folder")
	s.wantStep("create_custom_agent create_custom_agent")
	s.wantStep("create_sub_agent create_sub_agent")
	if a, b := argument(t, s.calls[2], "role"), argument(t, s.calls[3], "role"); a != "a1" || b != "a2" {
		t.Errorf("it creates %q and %q, want the roles that it made", a, b)
	}
	if task := argument(t, s.calls[3], "task"); !strings.Contains(task, "a1_1") {
		t.Errorf("the reader's task %q does not say whom to ask", task)
	}
	// The sub-agents know their parts from their tasks.
	w := newStage(t, "a1", t.TempDir(), workerPrompt, scoutTools...)
	w.hear(event.Task, "Team Leader", "tl", "task_001", argument(t, s.calls[2], "task"))
	w.wantStep("list_dir")
}

func TestSurveyLeaderWithoutSubAgents(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.answer = func(event.Call) (string, bool, bool) { return "all places are taken", true, true }
	s.wantStep("create_sub_agent create_sub_agent")
	mustHave(t, s.wantStep(""), "- no sub-agent for the part scout: all places are taken", "- no sub-agent for the part reader: all places are taken")

	s = leaderStage(t, "You are the Team Leader.", "Survey this folder")
	s.answer = func(event.Call) (string, bool, bool) { return "not allowed", true, true }
	s.wantStep("create_custom_agent create_custom_agent")
	mustHave(t, s.wantStep(""), "- no sub-agent for the part scout: not allowed")
}

func TestSurveyLeaderTriesAgainWhenAPlaceIsFree(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	works := s.answer
	s.answer = func(c event.Call) (string, bool, bool) {
		if c.Name == "create_sub_agent" && argument(t, c, "role") == "reader" {
			return "no place", true, true
		}
		return works(c)
	}
	s.wantStep("create_sub_agent create_sub_agent")
	s.wantStep("wait_sub_agent_output")
	s.report("scout_1", scoutReport)
	s.wantStep("create_sub_agent")
	mustHave(t, s.wantStep(""), "- 3 files", "- no sub-agent for the part reader: no place")
}

func TestSurveyLeaderWithAWorkerThatFails(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	s.wantStep("wait_sub_agent_output")
	s.report("scout_1", "The turn of Scout_1 ended at a limit: steps.\nIts output so far:\n"+scoutReport)
	s.report("reader_1", "Reader_1 was stopped by User.")
	mustHave(t, s.wantStep(""), "- 3 files", "- SCOUT_1 did not finish: The turn of Scout_1 ended at a limit: steps.",
		"- READER_1 did not finish: Reader_1 was stopped by User.")
}

func TestSurveyLeaderDoesNotWaitForEver(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	s.wantStep("wait_sub_agent_output")
	mustHave(t, s.wantStep(""), "- scout_1 has not reported yet", "- reader_1 has not reported yet")

	s = leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	s.req.Tools = s.req.Tools[:1] // no tool to wait with
	if text := s.wantStep(""); strings.HasPrefix(text, labelEn) {
		t.Errorf("got %q, want a pause", text)
	}
	s.report("scout_1", scoutReport).report("reader_1", readerReport)
	mustHave(t, s.wantStep(""), "- 3 files", "- `README.md`")
}

func TestSurveyLeaderWrapsUp(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	s.report("scout_1", scoutReport)
	s.req.Tools = nil
	mustHave(t, s.wantStep(""), "- 3 files", "- reader_1 has not reported yet")
}

func TestSurveyLeaderIsHonest(t *testing.T) {
	for task, can := range map[string]bool{
		"Survey this folder": true, "What is in here? list the files": true, "调查这个文件夹": true, "看看这个项目": true, " ": true,
		"please run a quick survey": true, "写一份项目的总结": true, "give me an overview of this repo": true,
		"Write a login page": false, "fix the TODOs in this project": false, "hello": false, "设计注册页并写接口文档": false, "修复这个项目": false,
	} {
		s := leaderStage(t, leaderPrompt, task)
		plan := s.wantStep("create_sub_agent create_sub_agent")
		s.report("scout_1", scoutReport).report("reader_1", readerReport)
		answer := s.wantStep("")
		for _, text := range []string{plan, answer} {
			if says := strings.Contains(text, "only surveys") && strings.Contains(text, "-m PROVIDER/MODEL"); says == can {
				t.Errorf("task %q: says what it cannot do: %v, want %v: %q", task, says, !can, text)
			}
		}
		if !strings.HasPrefix(answer, labelEn+"\n") {
			t.Errorf("task %q: the answer begins with %.60q, want the label", task, answer)
		}
	}
}

func TestSurveyLeaderInASecondRound(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	s.report("scout_1", scoutReport).report("reader_1", readerReport)
	s.wantStep("")
	s.hear(event.Note, "User", "user", "msg_user_002", "now write the missing tests")
	if text := s.wantStep(""); !strings.HasPrefix(text, labelEn) || !strings.Contains(text, "only surveys") || strings.Contains(text, "3 files") {
		t.Errorf("got %q, want it to say that it cannot", text)
	}
	s.hear(event.Note, "User", "user", "msg_user_003", "then survey the folder again")
	s.wantStep("create_sub_agent create_sub_agent")
	if task := argument(t, s.calls[len(s.calls)-1], "task"); !strings.Contains(task, "scout_2") {
		t.Errorf("the second reader's task %q does not name the second scout", task)
	}
	s.report("scout_2", scoutReport).report("reader_2", readerReport)
	mustHave(t, s.wantStep(""), "- 3 files", "- `README.md`")
}

func TestSurveyLeaderAndQuestionsAtAnyTime(t *testing.T) {
	for when := range 4 {
		s := leaderStage(t, leaderPrompt, "Survey this folder")
		for i := range when {
			if i == 2 {
				s.report("scout_1", scoutReport).report("reader_1", readerReport)
			}
			s.step()
		}
		s.hear(event.Note, "Troupe", "sys", "msg_sys_001", "others still wait for your answers")
		s.hear(event.Question, "Scout_1", "scout_1", "ask_scout_001", "Shall I look at its top level?")
		s.hear(event.Question, "Reader_1", "reader_1", "ask_reader_001", "what is love?")
		s.wantStep("answer_sub_agent_question answer_sub_agent_question")
		last := s.calls[len(s.calls)-2:]
		if got := argument(t, last[0], "answer"); !strings.HasPrefix(got, "Yes, at its top level only") {
			t.Errorf("after %d steps: it answers %q", when, got)
		}
		if got := argument(t, last[1], "answer"); !strings.Contains(got, "script") {
			t.Errorf("after %d steps: it answers %q", when, got)
		}
		if _, calls := s.reply(); slices.ContainsFunc(calls, func(c event.Call) bool { return c.Name == "answer_sub_agent_question" }) {
			t.Errorf("after %d steps: it answers twice", when)
		}
	}
}

func TestSurveyLeaderIsSteered(t *testing.T) {
	s := leaderStage(t, leaderPrompt, "Survey this folder")
	s.wantStep("create_sub_agent create_sub_agent")
	s.wantStep("wait_sub_agent_output")
	s.hear(event.Note, "User", "user", "msg_user_002", "only the docs")
	s.wantStep("wait_sub_agent_output")
	s.report("scout_1", scoutReport).report("reader_1", readerReport)
	mustHave(t, s.wantStep(""), "- User wrote: “only the docs” A script cannot act on that; the survey is unchanged.")
}

func TestSurveySpeaksChinese(t *testing.T) {
	s := leaderStage(t, "你是 Team Leader。\n- `scout`\n- `reader`", "调查这个文件夹")
	s.wantStep("create_sub_agent create_sub_agent")
	s.report("scout_1", labelZh+"\n\n## 总计\n\n- 3 个文件").report("reader_1", labelZh+"\n\n## 异常之处\n\n- 无")
	if got, want := s.wantStep(""), labelZh+"\n\n## 总计\n\n- 3 个文件\n\n## 异常之处\n\n- 无"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzSurvey lets every part hear anything from its tools: it must end, with
// words of its own.
func FuzzSurvey(f *testing.F) {
	f.Add("f  1  a\n… 5 more; go on with offset=1\n")
	f.Add("d  \"a\\n/\"  skipped\nl  a -> b\nd  x")
	f.Add("9 matches in 1 files; skipped 1 binary\na:1: TODO\n… 8 more; go on with offset=1\n")
	f.Add("README.md (9 bytes, lines 1-1 of 2)\n# A\n… 1 more")
	f.Add("READMEs: 2\nREADME: a\nREADME: \"\\n\"")
	f.Add("READMEs: 2\nREADME: a\nREADME: \"\\xd7\\xd7\"")
	f.Add("READMEs: 2\nREADME: a\nREADME: \xd7\xd7")
	f.Add("Created X (a_1). Made (id x)")
	f.Add("<Answer \n---\n---\n")
	f.Fuzz(func(t *testing.T, result string) {
		for role, offers := range map[string][]string{"scout": scoutTools, "reader": readerTools, event.Leader: leaderTools} {
			for _, isError := range []bool{false, true} {
				s := newStage(t, role, "", "You are a player.", offers...)
				s.answer = func(event.Call) (string, bool, bool) { return result, isError, true }
				s.hear(event.Task, "Team Leader", "tl", "task_001", result+" scout_1")
				if role == event.Leader {
					s.hear(event.Note, "User", "user", "msg_user_001", result)
				}
				s.hear(event.Question, "X_1", "x_1", "ask_x_001", result)
				if text := s.finish(); !strings.HasPrefix(text, labelEn) {
					t.Errorf("%s ends with %q, want the label first", role, text)
				}
			}
		}
	})
}
