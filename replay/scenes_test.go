package replay_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// scenes are the runs that are recorded in testdata/runs.
func scenes() []scene {
	list := []scene{
		{name: "steered", lang: "en", cast: cast{
			"tl":    lines(say("I hire one", create("uio", "design the page")), say("", call("send_message_to_sub_agent", "agent", "uio_1", "message", "in blue, please")), say("wait"), say("the page is blue")),
			"uio_1": lines(reply{Text: "I look", Calls: []event.Call{call("list_dir"), call("read_file", "path", "notes.md"), call("read_file", "path", "no.md")}, Delay: 100 * time.Millisecond}, say("", call("search_files", "pattern", "mail")), say("blue it is")),
		}, during: func(t *testing.T, run *leader.Run) {
			time.Sleep(60 * time.Millisecond)
			if err := run.Tell("uio_1", "and a dark mode"); err != nil {
				t.Error(err)
			}
		}},
		{name: "retried", lang: "en", cast: cast{
			"tl":    lines(say("", create("res", "look at the API")), say("the first look failed"), say("it is known now")),
			"res_1": lines(reply{Text: "half a", Err: model.NewError(model.ClassQuota, "the account has nothing left")}),
		}, team: func(t *leader.Team) {
			t.Model.Price = &leader.Price{Currency: "CNY", Input: 2, CachedInput: 1, Output: 8}
		}},
		{name: "limited", lang: "zh", cast: cast{
			"tl":    lines(say("派一个人", create("uio", "设计页面")), say("等"), say("只有一部分")),
			"uio_1": lines(say("看", call("list_dir")), say("再看", call("list_dir")), say("又看", call("list_dir")), say("还看", call("list_dir")), say("看不完", call("list_dir")), say("还没看完"), say("再说")),
		}, team: func(t *leader.Team) { t.Limits.MaxSteps = 5; t.Limits.Steps = 11 }},
		{name: "stopped", lang: "en", cast: cast{
			"tl": lines(
				say("three of them", create("uio", "design"), create("fse", "write the API"), create("res", "look around")),
				reply{Text: "enough", Calls: []event.Call{call("stop_sub_agent", "agent", "uio_1", "reason", "too slow"), call("terminate_sub_agent", "agent", "res_1", "reason", "not needed")}, Delay: 300 * time.Millisecond},
				say("", call("stop_sub_agent", "agent", "fse_1")),
				say("", call("send_message_to_sub_agent", "agent", "uio_1", "message", "go on after all")),
				say("that is all"), say("that is all"), say("that is all")),
			"uio_1": lines(say("", call("ask_other_agent", "agent", "fse_1", "question", "which fields?")), say("after the stop")),
			"fse_1": lines(reply{Text: "the API", Delay: 4 * time.Second}, say("late")),
			"res_1": lines(reply{Text: "looking", Calls: []event.Call{call("list_dir")}}, reply{Text: "never", Delay: time.Hour}),
		}},
		{name: "compacted", lang: "en", cast: compactedCast(), team: func(t *leader.Team) {
			t.Model.ContextWindow, t.Model.CompactAt = 9000, 0.5
		}},
		{name: "custom", lang: "zh", cast: cast{
			"tl": lines(
				say("", call("create_custom_agent", "name", "Copy Writer", "does", "写文案", "prompt", "写得短。"), modeltest.Call("create_custom_agent", map[string]any{"name": "Mute", "does": "nothing", "prompt": "-", "tools": []string{}})),
				say("", create("Copy Writer", "写标题"), create("Mute", "想一想")), say("等他"), say("好了"), say("好了")),
			"cw_1": lines(say("注册即用")),
		}},
		{name: "refused", lang: "en", cast: cast{
			"tl":    lines(say("", create("uio", "design"), create("nobody", "x")), say("", call("no_such_tool"), call("list_agents")), reply{Finish: event.FinishStop}, say("done at last")),
			"uio_1": lines(reply{Text: "cut", Calls: []event.Call{call("list_dir")}, Finish: event.FinishLength}, say("", call("read_file")), say("it is designed")),
		}},
		{name: "repeated", lang: "en", cast: cast{
			"tl":    lines(say("", create("uio", "design")), say("w"), say("so be it")),
			"uio_1": func(_ model.Request, n int) reply { return say("again", call("list_dir")) },
		}},
		{name: "deadline", lang: "zh", cast: cast{
			"tl":    lines(say("", create("uio", "设计"), create("fse", "接口")), say("等"), say("时间到")),
			"uio_1": lines(reply{Text: "很慢", Delay: time.Hour}),
			"fse_1": lines(say("", call("ask_other_agent", "agent", "uio_1", "question", "什么颜色？"))),
		}, team: func(t *leader.Team) { t.Limits.Deadline = 10 * time.Second }},
		{name: "paused", lang: "en", cast: cast{
			"tl":    lines(say("", create("uio", "design"), create("fse", "api")), say("w")),
			"uio_1": lines(reply{Text: "slow", Calls: []event.Call{call("list_dir")}, Delay: 2 * time.Second}, say("designed")),
			"fse_1": lines(say("", call("ask_other_agent", "agent", "uio_1", "question", "which colour?"))),
		}, during: func(_ *testing.T, run *leader.Run) {
			time.Sleep(time.Second)
			run.Pause(event.PersonName)
		}},
	}
	paused := list[len(list)-1]
	paused.name, paused.resumed = "resumed", true
	list = append(list, paused, scene{
		name: "answered", lang: "zh", resumed: true, options: []leader.Option{leader.WithAttendance(leader.Unattended)},
		team: func(t *leader.Team) {
			t.Permissions = leader.Permissions{Ask: []string{"read_file"}, Headless: leader.HeadlessSuspend}
		},
		cast: cast{
			"tl":    lines(say("", create("res", "看接口"), call("ask_user", "question", "用什么颜色？")), say("等"), say("蓝色的页面")),
			"res_1": lines(say("", call("read_file", "path", "api.md"), call("read_file", "path", "notes.md")), say("看完了")),
		},
		between: func(t *testing.T, log string) {
			if err := errors.Join(leader.Answer(log, "ask_tl_001", "蓝色"), leader.Decide(log, "apr_001", leader.Decision{Allow: true}),
				leader.Decide(log, "apr_002", leader.Decision{Reason: "不必看"})); err != nil {
				t.Error(err)
			}
		},
	})
	for _, lang := range []string{"zh", "en"} {
		list = append(list, scene{name: "questions-" + lang, lang: lang, cast: cast{
			"tl": answerer("answer_sub_agent_question",
				say("two", create("uio", "design"), create("fse", "api")),
				say("", call("ask_sub_agent", "agent", "fse_1", "question", "how far are you?")),
				say("", call("wait_sub_agent_output", "until", "all"))),
			"uio_1": lines(
				say("I ask", call("ask_master", "question", "which colour?"), call("ask_other_agent", "agent", "fse_1", "question", "which fields?")),
				say("", call("ask_other_agent", "agent", "fse_1", "question", "done?", "expects", "reply")),
				say("", call("ask_other_agent", "agent", "fse_1", "question", "thanks", "expects", "none")),
				say("the page")),
			"fse_1": answerer("answer_other_agent",
				say("", call("ask_other_agent", "agent", "uio_1", "question", "for whom?")), say("api.md is done")),
		}})
	}
	return list
}

func compactedCast() cast {
	long := strings.Repeat("the page has a form with a name and a mail, ", 60)
	return cast{
		"tl": func(req model.Request, n int) reply {
			if strings.HasPrefix(req.Messages[0].Content, "You condense") {
				return say("One worker was hired.")
			}
			if n < 6 && n > 0 {
				return say(long, call("list_active_sub_agents"))
			}
			if n == 0 {
				return say("", create("uio", "design"))
			}
			return say("all is known")
		},
		"uio_1": lines(say("designed")),
	}
}
