package leader

import (
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/prompts"
)

// Bounds of what a brief repeats, in bytes.
const (
	briefTask     = 8 << 10
	briefQuestion = 1 << 10
	briefWorker   = 512 // a worker's task, and its last output
)

// brief tells an agent what it must still know when older steps of its
// conversation are folded into a summary: its task, who is in the team, and the
// open questions.
func (r *Run) brief(id string) string {
	me, _ := r.roster.view(id)
	b := prompts.Brief{Task: clip(me.task, briefTask), Team: r.words.ActiveList(r.agentRows())}
	if id == event.Leader {
		rows := r.details(nil)
		for i := range rows {
			rows[i].Task, rows[i].LastOutput = clip(rows[i].Task, briefWorker), clip(rows[i].LastOutput, briefWorker)
		}
		b.Task, b.Team = clip(r.roster.personTask(), briefTask), r.words.Status(rows)
	}
	for _, q := range r.roster.inquiries() {
		text := clip(q.text, briefQuestion)
		switch id {
		case q.To:
			b.ToAgent = append(b.ToAgent, prompts.OpenQuestion{ID: q.ID, From: r.nameOf(q.From), Text: text})
		case q.From:
			b.Own = append(b.Own, prompts.OwnQuestion{ID: q.ID, To: r.nameOf(q.To), Text: text})
		}
	}
	return r.words.Brief(b)
}

// nameOf is the display name of a participant.
func (r *Run) nameOf(id string) string { return r.roster.nameOf(id) }

// clip cuts the end off a text that has more than most bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
