package replay

import (
	"cmp"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/troupe-go/troupe/event"
)

// moment is one thing in the course of an agent that two runs are compared in:
// a message that entered its conversation, a request, a reply, the result of a
// call, a limit, the end of a turn, its end. Texts are held as hashes.
type moment struct {
	seq  int64 // of its record
	link int64 // of the record that a part of it stands in: the message delivered, what ended the question of a call; 0 if none
	turn int
	step int
	typ  event.Type

	sum uint64 // over what is compared
	// talk is over the conversation so far byte for byte, request the digest of
	// the last request; they are 0 unless a model call is meant.
	talk, request uint64
}

// equals compares a moment of run A with one of run B. The digest of a request
// counts only where the conversations are the same byte for byte: else it
// differs as they do.
func (m *moment) equals(b *moment) bool {
	if m.typ != b.typ || m.sum != b.sum {
		return false
	}
	return m.typ != event.TypeModelRequested || m.sameRequest(b) || m.talk != b.talk || m.request == 0 || b.request == 0
}

func (m *moment) sameRequest(b *moment) bool {
	return m.request == b.request && m.request != 0
}

// weaver folds a run into the courses of its agents.
type weaver struct {
	seed    maphash.Seed
	names   *renamer
	inB     bool // it is run B, whose ids are to become those of run A
	digests bool // those of requests can be compared
	emit    func(agent string, m moment)

	threads map[string]*thread
	letters map[string]mailSum  // sent and not delivered, by id
	calls   map[string]callKey  // the call that a question or an approval belongs to, by its id
	ends    map[callKey]mailSum // what ended it
}

type callKey struct{ agent, call string }

// mailSum is the hash of a record that becomes part of another agent's course.
type mailSum struct {
	seq  int64
	from string // in the ids of run A
	kind event.Kind
	sum  uint64
	talk uint64 // over what enters a conversation byte for byte
}

// thread is what is known of an agent while its run is read.
type thread struct {
	step    int
	talk    uint64
	request uint64
	limited bool      // its next note of the runtime is about a limit
	came    []arrival // since its last moment
}

type arrival struct {
	from string
	moment
}

// start makes a weaver that has read nothing.
func (w weaver) start() *weaver {
	w.threads, w.letters = map[string]*thread{}, map[string]mailSum{}
	w.calls, w.ends = map[string]callKey{}, map[callKey]mailSum{}
	return &w
}

// id is an id in run A.
func (w *weaver) id(id string) string {
	if w.inB {
		return w.names.id(id)
	}
	return id
}

// run folds the records up to the seq last.
func (w *weaver) run(records iter.Seq2[event.Record, error], last int64) error {
	for rec, err := range upTo(records, last) {
		if err != nil {
			return err
		}
		w.apply(rec)
	}
	for agent, t := range w.threads {
		w.flush(agent, t)
	}
	return nil
}

// upTo ends the records behind the one with the seq last.
func upTo(records iter.Seq2[event.Record, error], last int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		if last == 0 {
			return
		}
		for rec, err := range records {
			if !yield(rec, err) || err != nil || rec.Seq >= last {
				return
			}
		}
	}
}

func (w *weaver) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		w.send(rec, d)
	case event.MessageDelivered:
		w.deliver(rec, d)
	case event.QuestionOpened:
		if d.CallID != "" {
			w.calls[d.ID] = callKey{d.From, d.CallID}
		}
	case event.ApprovalRequested:
		w.calls[d.ID] = callKey{rec.Agent, d.CallID}
	case event.QuestionClosed:
		w.end(d.ID, rec)
	case event.ApprovalDecided:
		w.end(d.ID, rec)
	case event.AgentCreated:
		t := &thread{}
		w.threads[rec.Agent] = t
		t.talk = w.hash(0, d.Prompt)
		w.moment(t, rec)
	case event.AgentState:
		if t := w.threads[rec.Agent]; t != nil && (d.To == event.Stopped || d.To == event.Finished) {
			w.moment(t, rec)
		}
	default:
		if t := w.threads[rec.Agent]; t != nil {
			w.course(t, rec)
		}
	}
}

// course folds a record of the agent's own turn.
func (w *weaver) course(t *thread, rec event.Record) {
	switch d := rec.Data.(type) {
	case event.ModelRequested:
		t.step, t.request = d.Step, 0
		if w.digests && d.Purpose == "" && d.Digest != "" {
			t.request = w.hash(0, d.Digest)
		}
		w.moment(t, rec)
	case event.ModelReplied:
		w.moment(t, rec)
		if d.Purpose == "" {
			t.talk = w.hash(t.talk, d.Text, d.Reasoning, d.Extra)
			for _, c := range d.Calls {
				t.talk = w.hash(t.talk, c.ID, c.Name, c.Arguments, c.Extra)
			}
		}
	case event.HistoryCompacted:
		w.moment(t, rec)
		t.talk = w.hash(t.talk, d.ID, d.Summary)
	case event.ToolFinished:
		w.moment(t, rec)
		t.talk = w.hash(t.talk, d.CallID, d.Result)
	case event.LimitWarned, event.LimitReached:
		t.limited = true
		w.moment(t, rec)
	case event.ModelFailed, event.TurnEnded:
		w.moment(t, rec)
	default: // not compared
	}
}

// send keeps a message until it is delivered. What the runtime says of a limit
// tells how much was used, which hangs on others; the limit itself is compared
// by its record.
func (w *weaver) send(rec event.Record, d event.MessageSent) {
	values := valuesOf(d)
	if t := w.threads[d.To]; t != nil && t.limited && d.From == event.Runtime {
		t.limited = false
		values = values[:len(values)-1]
	}
	w.letters[d.ID] = mailSum{
		seq: rec.Seq, from: w.id(d.From), kind: d.Kind, sum: w.sum(0, values),
		talk: w.hash(0, d.ID, string(d.Kind), d.FromName, d.Content),
	}
}

// deliver notes a message that entered a conversation. Those that enter it
// together are compared by sender: of two agents that wrote at the same time
// either may come first. Progress is not compared.
func (w *weaver) deliver(rec event.Record, d event.MessageDelivered) {
	l, sent := w.letters[d.ID]
	t := w.threads[rec.Agent]
	if t == nil || !sent {
		return
	}
	delete(w.letters, d.ID)
	t.talk = w.hash(t.talk^l.talk, d.ID)
	if l.kind == event.Progress {
		return
	}
	m := moment{seq: rec.Seq, link: l.seq, turn: rec.Turn, step: d.Step, typ: rec.Type(), sum: l.sum}
	t.came = append(t.came, arrival{l.from, m})
}

// end notes what ended the question or the approval that a call waits for.
func (w *weaver) end(id string, rec event.Record) {
	key, ok := w.calls[id]
	if !ok {
		return
	}
	delete(w.calls, id)
	w.ends[key] = mailSum{seq: rec.Seq, sum: w.sum(0, valuesOf(rec.Data))}
}

// moment emits a moment of the agent of rec.
func (w *weaver) moment(t *thread, rec event.Record) {
	w.flush(rec.Agent, t)
	m := moment{seq: rec.Seq, turn: rec.Turn, typ: rec.Type()}
	var end mailSum
	switch d := rec.Data.(type) {
	case event.ToolFinished:
		key := callKey{rec.Agent, d.CallID}
		end = w.ends[key]
		delete(w.ends, key)
	case event.ModelRequested, event.ModelReplied, event.ModelFailed:
		m.talk, m.request = t.talk, t.request
	default:
	}
	m.link = end.seq
	if rec.Turn > 0 && !between(rec.Data) {
		m.step = t.step
	}
	m.sum = w.sum(end.sum, valuesOf(rec.Data))
	w.emit(rec.Agent, m)
}

// between reports whether data stands between steps.
func between(data event.Data) bool {
	switch data.(type) {
	case event.AgentCreated, event.AgentState, event.TurnEnded:
		return true
	default:
		return false
	}
}

// flush emits the messages that entered the conversation together.
func (w *weaver) flush(agent string, t *thread) {
	slices.SortStableFunc(t.came, func(a, b arrival) int { return cmp.Compare(a.from, b.from) })
	for _, a := range t.came {
		w.emit(agent, a.moment)
	}
	t.came = t.came[:0]
}

// sum goes on from an earlier hash with values.
func (w *weaver) sum(from uint64, values []value) uint64 {
	for _, v := range values {
		text := w.id(v.text)
		if !v.id {
			text = w.names.comparable(v.text)
		}
		from = w.hash(from, v.path, text)
	}
	return from
}

// hash goes on from an earlier hash with more texts.
func (w *weaver) hash(from uint64, texts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	maphash.WriteComparable(&h, from)
	for _, t := range texts {
		maphash.WriteComparable(&h, len(t))
		_, _ = h.WriteString(t)
	}
	return h.Sum64()
}
