package prompts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// RoleRow is a role in the list of roles.
type RoleRow struct {
	ID    string
	Name  string
	Does  string
	Tools []string // nil for the reading tools
	Live  int      // instances that are not terminated
	Max   int      // instances allowed at once; 0 for no limit of its own
	// Elsewhere is the place where its sub-agents work when that is outside of
	// the program: "streams/weather_agent".
	Elsewhere string
}

// RolesList is the result of listing the roles.
func (w Words) RolesList(rows []RoleRow) string {
	if len(rows) == 0 {
		return w.pick("没有角色。", "There are no roles.")
	}
	var b strings.Builder
	b.WriteString(w.pick("角色：", "Roles:"))
	for _, r := range rows {
		live := strconv.Itoa(r.Live)
		if r.Max > 0 {
			live = fmt.Sprintf("%d/%d", r.Live, r.Max)
		}
		tools := w.pick("只读工具", "reading tools only")
		if len(r.Tools) > 0 {
			tools = w.list(r.Tools)
		} else if r.Elsewhere != "" {
			tools = w.pick("它自己的", "its own")
		}
		if r.Elsewhere != "" {
			tools += w.pick(fmt.Sprintf("（在别处工作：%s）", r.Elsewhere), fmt.Sprintf(" (works elsewhere: %s)", r.Elsewhere))
		}
		b.WriteString(w.pick(
			fmt.Sprintf("\n- %s：%s。%s 工具：%s。实例：%s。", r.ID, r.Name, line(r.Does), tools, live),
			fmt.Sprintf("\n- %s: %s. %s Tools: %s. Instances: %s.", r.ID, r.Name, line(r.Does), tools, live)))
	}
	return b.String()
}

// AgentRow is a sub-agent in the list of sub-agents.
type AgentRow struct {
	Name     string
	ID       string
	Role     string        // role id
	State    string        // as the log writes it, for example "waiting"
	WaitsFor []string      // ids or names; empty when it waits for nothing
	Since    time.Duration // how long it has been in this state
	Unread   int           // messages in its inbox
	Steps    int           // model calls it has made
}

// ActiveList is the result of listing the sub-agents.
func (w Words) ActiveList(rows []AgentRow) string {
	if len(rows) == 0 {
		return w.pick("没有子智能体。", "There are no sub-agents.")
	}
	var b strings.Builder
	b.WriteString(w.pick("子智能体：", "Sub-agents:"))
	for _, r := range rows {
		b.WriteString("\n- " + w.agent(r))
	}
	return b.String()
}

// agent is the row of one sub-agent.
func (w Words) agent(r AgentRow) string {
	waits := ""
	if len(r.WaitsFor) > 0 {
		waits = w.pick("，等 ", " for ") + w.list(r.WaitsFor)
	}
	state, since := w.state(r.State), r.Since.Round(time.Second)
	return w.pick(
		fmt.Sprintf("%s（%s，角色 %s）：%s %s%s；未读 %d，步数 %d", r.Name, r.ID, r.Role, state, since, waits, r.Unread, r.Steps),
		fmt.Sprintf("%s (%s, role %s): %s %s%s; unread %d, steps %d", r.Name, r.ID, r.Role, state, since, waits, r.Unread, r.Steps))
}

// AgentDetail is all that the leader may know about a sub-agent. Empty parts
// are left out.
type AgentDetail struct {
	AgentRow
	Task          string         // its newest task
	Model         string         // provider/model
	Tokens        int            // used so far
	Cost          string         // spent so far, with currency; empty when unknown
	LastOutput    string         // its newest natural output
	Failure       string         // why it failed
	OpenQuestions []OpenQuestion // that wait for its answer
}

// Status is the result of asking for details of sub-agents.
func (w Words) Status(rows []AgentDetail) string {
	if len(rows) == 0 {
		return w.pick("没有子智能体。", "There are no sub-agents.")
	}
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(w.agent(r.AgentRow))
		w.part(&b, "任务", "Task", r.Task)
		w.part(&b, "模型", "Model", r.Model)
		w.part(&b, "Token 数", "Tokens", strconv.Itoa(r.Tokens))
		w.part(&b, "费用", "Cost", r.Cost)
		w.part(&b, "失败原因", "Failure", r.Failure)
		if len(r.OpenQuestions) > 0 {
			b.WriteString(w.pick("\n等它回答：", "\nWaiting for its answer:"))
			w.questions(&b, r.OpenQuestions)
		}
		b.WriteString(w.block("最近的输出", "Last output", quoted(r.LastOutput)))
	}
	return b.String()
}

// quoted marks every line of what an agent said, so that none passes for a row
// of the list.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "> " + strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }), "\n> ")
}

// part writes a labelled line, nothing for an empty text.
func (w Words) part(b *strings.Builder, zh, en, text string) {
	if text = line(text); text != "" {
		b.WriteString(w.pick("\n"+zh+"："+text, "\n"+en+": "+text))
	}
}

// state names a state of an agent in words.
func (w Words) state(s string) string {
	if !w.zh {
		return s
	}
	switch s {
	case "created":
		return "已创建"
	case "working":
		return "工作中"
	case "waiting":
		return "等待中"
	case "idle":
		return "空闲"
	case "failed":
		return "失败"
	case "stopped":
		return "已停止"
	case "terminated":
		return "已终止"
	}
	return s
}
