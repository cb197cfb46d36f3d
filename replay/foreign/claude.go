package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// importClaude reads a session of Claude Code: its lines and those of its
// sub-agents, in the order of their times.
func importClaude(b *builder, files []file, head *event.RunStarted) error {
	r := &claude{
		b: b, chains: map[string]*chain{}, chainOf: map[string]*chain{}, callOf: map[string]string{},
		meta: map[string]claudeMeta{}, seen: map[string]bool{},
	}
	var lines []*claudeLine
	for _, f := range files {
		if strings.HasSuffix(f.name, ".meta.json") {
			r.readMeta(f)
			continue
		}
		lines = append(lines, r.readLines(f, len(files) > 1)...)
	}
	if !slices.ContainsFunc(lines, func(l *claudeLine) bool { return l.kind == "user" || l.kind == "assistant" }) {
		return fmt.Errorf("%w: it has no messages", ErrFormat)
	}
	slices.SortStableFunc(lines, func(a, b *claudeLine) int { return a.at.Compare(b.at) })
	r.alone = !slices.ContainsFunc(lines, func(l *claudeLine) bool {
		return !l.side && (l.kind == "user" || l.kind == "assistant")
	})
	mergeReplies(lines)
	for _, l := range lines {
		r.findCalls(l)
	}
	for _, l := range lines {
		r.line(l)
	}
	head.Import.ID = r.session
	if r.version != "" {
		head.Program = "Claude Code " + r.version
	}
	return nil
}

// claude turns the lines of a session into records.
type claude struct {
	b       *builder
	alone   bool // there are sub-agents only
	session string
	version string

	chains  map[string]*chain // by the id of the sub-agent, or of its first line; "" is the main one
	chainOf map[string]*chain // by the uuid of a line
	callOf  map[string]string // the call that started a sub-agent, by the id of the sub-agent
	meta    map[string]claudeMeta
	seen    map[string]bool // uuids
}

// chain is the conversation of one agent.
type chain struct {
	agent *agent
	asked map[string]bool // the lines that a prompt follows
	last  time.Time       // of its last line
}

// claudeLine is one line, read as far as every kind has it.
type claudeLine struct {
	place   string
	kind    string
	uuid    string
	parent  string
	agentID string // of a sub-agent
	call    string // the call that the sub-agent works for, when the line tells
	side    bool   // of a sub-agent
	at      time.Time
	rest    members
	message members
	blocks  []members // of the message's content
	text    string    // the content, when it is a text
	merged  bool      // its blocks went into an earlier line of the same reply
}

// readLines reads the lines of a file. What is no JSON object is noted. A line
// without a time, or with one that goes back, has that of the line before.
func (r *claude) readLines(f file, named bool) []*claudeLine {
	var lines []*claudeLine
	var at time.Time
	n := 0
	for text := range bytes.Lines(f.text) {
		n++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		place := fmt.Sprintf("line %d", n)
		if named {
			place = fmt.Sprintf("%s line %d", f.name, n)
		}
		m := object(text)
		if m == nil {
			r.b.notes.add("a line that is no JSON object", place)
			continue
		}
		l := newClaudeLine(m, place)
		if l.at.After(at) {
			at = l.at
		}
		l.at = at
		r.session = cmp.Or(r.session, m.text("sessionId", "session_id"))
		r.version = cmp.Or(r.version, m.text("version", "claude_code_version"))
		lines = append(lines, l)
	}
	return lines
}

func newClaudeLine(m members, place string) *claudeLine {
	l := &claudeLine{
		place: place, kind: m.text("type"), uuid: m.text("uuid"), parent: m.text("parentUuid"),
		agentID: m.text("agentId"), call: m.text("parent_tool_use_id"), at: asTime(m.take("timestamp")), rest: m,
	}
	l.side = l.call != "" || string(m["isSidechain"]) == "true"
	if l.kind != "user" && l.kind != "assistant" {
		return l
	}
	l.message = object(m.take("message"))
	content := l.message.take("content")
	l.text, _ = asText(content)
	for _, block := range array(content) {
		if o := object(block); o != nil {
			l.blocks = append(l.blocks, o)
		} else if s, ok := asText(block); ok {
			l.blocks = append(l.blocks, members{"type": json.RawMessage(`"text"`), "text": mustJSON(s)})
		}
	}
	return l
}

// mustJSON is a text as JSON, which every text has.
func mustJSON(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

// mergeReplies puts the blocks of a reply, each of which has a line of its own,
// into the first of its lines. What is told of the reply as a whole, the newest
// line knows best.
func mergeReplies(lines []*claudeLine) {
	first := map[string]*claudeLine{}
	for _, l := range lines {
		id, ok := asText(l.message["id"])
		if l.kind != "assistant" || !ok || id == "" {
			continue
		}
		key := l.agentID + "\x00" + l.call + "\x00" + id
		into := first[key]
		if into == nil {
			first[key] = l
			continue
		}
		if l.text != "" {
			into.blocks = append(into.blocks, members{"type": json.RawMessage(`"text"`), "text": mustJSON(l.text)})
		}
		for _, block := range l.blocks {
			if !slices.ContainsFunc(into.blocks, func(b members) bool { return sameCall(b, block) }) {
				into.blocks = append(into.blocks, block)
			}
		}
		for _, name := range []string{"usage", "stop_reason"} {
			if raw := l.message[name]; raw != nil && string(raw) != "null" {
				into.message[name] = raw
			}
		}
		l.merged = true
	}
}

// sameCall reports whether two blocks are one call, or one text again.
func sameCall(a, b members) bool {
	if a["id"] != nil || b["id"] != nil {
		return bytes.Equal(a["id"], b["id"])
	}
	return bytes.Equal(a["type"], b["type"]) && bytes.Equal(a["text"], b["text"]) && bytes.Equal(a["thinking"], b["thinking"])
}

// findCalls learns from a result which call started which sub-agent.
func (r *claude) findCalls(l *claudeLine) {
	id, ok := asText(object(l.rest["toolUseResult"])["agentId"])
	if !ok {
		return
	}
	for _, block := range l.blocks {
		if call, ok := asText(block["tool_use_id"]); ok {
			r.callOf[id] = call
		}
	}
}

// claudeMeta is what the file beside a sub-agent's own says of it.
type claudeMeta struct {
	Kind      string `json:"agentType"`
	Name      string `json:"name"`
	ToolUseID string `json:"toolUseId"`
}

// readMeta reads the file that describes a sub-agent.
func (r *claude) readMeta(f file) {
	id := strings.TrimSuffix(strings.TrimPrefix(f.name, "agent-"), ".meta.json")
	var m claudeMeta
	if json.Unmarshal(f.text, &m) != nil {
		r.b.notes.add("a description of a sub-agent that is no JSON", f.name)
		return
	}
	r.meta[id] = m
	if m.ToolUseID != "" {
		r.callOf[id] = m.ToolUseID
	}
}
