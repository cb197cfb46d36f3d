package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// playLeader plays the leader: it creates the two sub-agents, answers questions,
// waits for the reports, and writes the findings. Woken after that, it writes
// them again with what is new, because its last words are the answer.
func playLeader(t *talk) move {
	j := jobOf(t)
	if m, ok := t.answerAll(func(question string) string { return decide(t.lang, question) }); ok {
		return m
	}
	if !j.closed {
		if j.surveyed && !canDo(t.task()) {
			return move{text: t.lang.label() + "\n\n" + t.lang.onlySurveys()}
		}
		if m, ok := j.prepare(t); ok {
			return m
		}
		if m, ok := j.await(t); ok {
			return m
		}
	}
	return move{text: j.report(t)}
}

// decide answers a question of a sub-agent.
func decide(l tongue, question string) string {
	for _, q := range []inquiry{askPeek, askCount, askLargest} {
		if strings.HasSuffix(question, l.question(q)) {
			return l.decision(q)
		}
	}
	return l.decision(askReadmes)
}

// job is how far the leader's survey is.
type job struct {
	closed   bool // the findings were written
	surveyed bool // there was a survey before this round
	parts    [2]hire
	reports  []account // by sender, in order of arrival
}

// hire is a sub-agent that the leader wants.
type hire struct {
	part    string
	role    string // the id of its role; empty if there is none yet
	next    string // the id that the next instance will have
	id      string // its own; empty if it was not created
	tried   int    // attempts to create it
	triedAt int    // the last of them, as an index of the round
	made    bool   // the leader tried to make the role
	failure string // why it was not created
}

// account is what a sub-agent reported in the round.
type account struct {
	from, name string
	at         int    // the last completion, as an index of the round
	findings   string // the last report that has any
	words      string // of the last completion, if it has none
}

// jobOf reads the state of the survey from the conversation.
func jobOf(t *talk) *job {
	j := &job{}
	j.closed, j.surveyed = t.findRound()
	for i, part := range []string{partScout, partReader} {
		j.parts[i] = t.hireOf(part)
	}
	for i, m := range t.round() {
		if o := originOf(m); m.Role == User && o.Kind == event.Completion {
			j.account(o, i, t.lang)
		}
	}
	return j
}

// findRound sets the beginning of the leader's round: the first message of the
// person after the last findings. closed says that nothing came from the
// person since the last findings, surveyed that there were some before.
func (t *talk) findRound() (closed, surveyed bool) {
	closed = true
	written := false
	for i, m := range t.messages {
		o := m.Origin
		switch {
		case m.Role == User && closed && (o.FromID == event.Person || o.Kind == ""):
			t.from, closed, surveyed = i, false, written
		case m.Role == Assistant && len(m.Calls) == 0 && strings.HasPrefix(m.Content, t.lang.label()):
			closed, written = true, true
		}
	}
	return closed, surveyed
}

// madeID finds the id in the results of create_sub_agent and
// create_custom_agent.
var madeID = pattern(`[(（](?:id )?([a-z0-9_]+)[)）]`)

// idIn returns the id that a call made; empty if it made none.
func idIn(d did) string {
	m := madeID().FindStringSubmatch(d.result.Content)
	if d.failed() || m == nil {
		return ""
	}
	return m[1]
}

// hireOf reads what became of a part.
func (t *talk) hireOf(part string) hire {
	h := hire{part: part}
	if len(t.messages) > 0 && strings.Contains(t.messages[0].Content, "`"+part+"`") {
		h.role = part
	}
	for _, d := range callsIn(t.messages, "create_custom_agent") {
		if d.argument("name") != t.lang.customName(part) {
			continue
		}
		h.made = true
		if id := idIn(d); id != "" {
			h.role = id
		} else {
			h.failure = clip(d.result.Content, 200)
		}
	}
	instances := 1
	for _, d := range callsIn(t.messages, "create_sub_agent") {
		if d.argument("role") == h.role && idIn(d) != "" {
			instances++
		}
	}
	h.next = h.role + "_" + strconv.Itoa(instances)
	for _, d := range t.calls("create_sub_agent") {
		if h.role == "" || d.argument("role") != h.role {
			continue
		}
		h.tried, h.triedAt = h.tried+1, d.at
		if h.id = idIn(d); h.id == "" {
			h.failure = clip(d.result.Content, 200)
		}
	}
	return h
}

// account takes up a completion.
func (j *job) account(o Origin, at int, l tongue) {
	i := slices.IndexFunc(j.reports, func(a account) bool { return a.from == o.FromID })
	if i < 0 {
		i = len(j.reports)
		j.reports = append(j.reports, account{from: o.FromID, name: o.From})
	}
	a := &j.reports[i]
	a.at, a.words = at, ""
	if f := (&findings{lang: l}); f.merge(o.Content) {
		a.findings = o.Content
	}
	if !strings.HasPrefix(o.Content, l.label()) { // a notice of the runtime in place of a report
		first, _, _ := strings.Cut(o.Content, "\n")
		a.words = clip(first, 300)
	}
}

// reported reports whether a sub-agent has ended a turn in the round.
func (j *job) reported(id string) bool {
	return slices.ContainsFunc(j.reports, func(a account) bool { return a.from == id })
}

// wanted reports whether to try to create a sub-agent: at first, and once more
// when another has ended, which makes a place.
func (j *job) wanted(h hire) bool {
	if h.role == "" || h.id != "" || h.tried > 1 {
		return false
	}
	return h.tried == 0 || slices.ContainsFunc(j.reports, func(a account) bool { return a.at > h.triedAt })
}

// prepare makes the roles that are missing and creates the sub-agents, each in
// one step.
func (j *job) prepare(t *talk) (m move, ok bool) {
	for _, h := range j.parts {
		if h.role == "" && !h.made && t.offered["create_custom_agent"] {
			m.call("create_custom_agent", t.lang.customRole(h.part))
		}
	}
	if len(m.calls) > 0 {
		m.text = t.lang.say("This team has no roles for a survey of the folder; I make them.", "团队里没有调查文件夹的角色，我先新建。")
		return m, true
	}
	scout := j.parts[0].id
	if scout == "" {
		scout = j.parts[0].next
	}
	for _, h := range j.parts {
		if j.wanted(h) && t.offered["create_sub_agent"] {
			m.call("create_sub_agent", map[string]any{"role": h.role, "task": t.lang.taskOf(h.part, scout)})
		}
	}
	if len(m.calls) == 0 {
		return move{}, false
	}
	m.text = t.lang.say("A script leads this survey of the working folder: one sub-agent lists and measures the files, another searches and reads them.",
		"这次对工作目录的调查由脚本带领：一个子智能体列出并清点文件，另一个查找和阅读。")
	if !canDo(t.task()) {
		m.text = t.lang.onlySurveys() + "\n\n" + m.text
	}
	return m, true
}

// await waits for the reports that are still to come.
func (j *job) await(t *talk) (m move, ok bool) {
	var open []string
	for _, h := range j.parts {
		if h.id != "" && !j.reported(h.id) {
			open = append(open, h.id)
		}
	}
	if len(open) == 0 || len(t.offered) == 0 {
		return move{}, false
	}
	if !t.offered["wait_sub_agent_output"] {
		return move{text: t.lang.say("I go on when the reports are there.", "汇报到齐后我再继续。")}, true
	}
	if last, waited := t.lastCall("wait_sub_agent_output"); waited && !t.newsSince(last.at) {
		return move{}, false // the wait brought nothing: there is nobody to wait for
	}
	m.call("wait_sub_agent_output", map[string]any{"agents": open, "until": "all"})
	return m, true
}

// newsSince reports whether a message came after the one of an index of the
// round.
func (t *talk) newsSince(at int) bool {
	return slices.ContainsFunc(t.round()[at:], func(m Message) bool { return m.Role == User })
}

// report writes the findings of the round.
func (j *job) report(t *talk) string {
	f := &findings{lang: t.lang}
	for _, a := range j.reports {
		f.merge(a.findings)
	}
	for _, a := range j.reports {
		if a.words != "" {
			f.add(headLeftOut, "%s did not finish: %s", "%s 没有完成：%s", a.name, a.words)
		}
	}
	for _, h := range j.parts {
		switch {
		case h.id != "" && !j.reported(h.id):
			f.add(headLeftOut, "%s has not reported yet", "%s 还没有汇报", h.id)
		case h.id == "" && h.failure != "":
			f.add(headLeftOut, "no sub-agent for the part %s: %s", "没有子智能体承担 %s 部分：%s", h.part, h.failure)
		case h.id == "" && h.tried == 0:
			f.add(headLeftOut, "no sub-agent for the part %s was created", "没有为 %s 部分创建子智能体", h.part)
		}
	}
	for _, line := range t.unheeded() {
		f.add(headCourse, "%s", "%s", line)
	}
	text := t.lang.label() + "\n\n"
	if !canDo(t.task()) {
		text += t.lang.say("You asked for: “%s”. ", "你的要求是：“%s”。", clip(t.task(), 200)) + t.lang.onlySurveys() + "\n\n"
	}
	return text + f.text()
}

// customName is the name of a role that the leader makes in a team without
// one for the part.
func (l tongue) customName(part string) string {
	if part == partScout {
		return l.say("Folder Scout", "文件夹清点员")
	}
	return l.say("File Reader", "文件阅读员")
}

// customRole is such a role.
func (l tongue) customRole(part string) map[string]any {
	roles := SurveyTeam(string(l))
	i := slices.IndexFunc(roles, func(r SurveyRole) bool { return r.ID == part })
	return map[string]any{
		"name": l.customName(part), "does": roles[i].Does, "tools": roles[i].Tools,
		"prompt": l.say("You are played by a script.", "由脚本扮演。"),
	}
}
