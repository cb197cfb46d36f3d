package mailbox_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

var (
	leader = mailbox.Address{ID: event.Leader, Name: event.LeaderName, Code: event.Leader}
	uio    = mailbox.Address{ID: "uio_1", Name: "UI Operator_1", Code: "uio"}
	fse    = mailbox.Address{ID: "fse_1", Name: "Full-Stack Engineer_1", Code: "fse"}
)

// office is a post with a few agents.
type office struct {
	*mailbox.Post
	log   *memLog
	ids   *mailbox.IDs
	boxes map[string]*mailbox.Box
}

func newOffice(t testing.TB, o mailbox.BoxOptions, who ...mailbox.Address) office {
	t.Helper()
	of := office{log: &memLog{}, ids: mailbox.NewIDs(), boxes: make(map[string]*mailbox.Box)}
	of.Post = mailbox.NewPost(of.log, of.ids, mailbox.PostOptions{})
	for _, a := range who {
		of.boxes[a.ID] = mailbox.NewBox(o)
		if err := of.Register(a, of.boxes[a.ID]); err != nil {
			t.Fatal(err)
		}
	}
	return of
}

func TestSendRecordsAndDelivers(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader, uio)
	got, err := of.Send(mailbox.Outgoing{
		Kind: event.Task, From: event.Leader, To: "uio_1", Content: "设计配色", CallID: "call_1", Turn: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := event.MessageSent{
		ID: "task_001", Kind: event.Task, From: "tl", FromName: "Team Leader", To: "uio_1", Content: "设计配色", CallID: "call_1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	recs := of.log.records()
	if len(recs) != 1 || recs[0].Agent != "tl" || recs[0].Turn != 2 {
		t.Fatalf("log: %+v, want one record of tl in turn 2", recs)
	}
	if diff := cmp.Diff(event.Data(want), recs[0].Data); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]event.MessageSent{want}, of.boxes["uio_1"].Drain()); diff != "" {
		t.Errorf("box (-want +got):\n%s", diff)
	}
}

func TestSendFromOutsiders(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader)
	for from, want := range map[string]event.MessageSent{
		event.Person:  {ID: "msg_user_001", FromName: "User"},
		event.Runtime: {ID: "msg_sys_001", FromName: "Troupe"},
	} {
		got, err := of.Send(mailbox.Outgoing{Kind: event.Note, From: from, To: event.Leader})
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != want.ID || got.FromName != want.FromName {
			t.Errorf("from %s: id %q, name %q; want %q, %q", from, got.ID, got.FromName, want.ID, want.FromName)
		}
	}
}

func TestSendToThePersonIsRecordedOnly(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader)
	m, err := of.Send(mailbox.Outgoing{ID: "ask_tl_001", Kind: event.Question, From: event.Leader, To: event.Person})
	if err != nil || m.ID != "ask_tl_001" || of.log.len() != 1 {
		t.Errorf("Send = %+v, %v with %d records", m, err, of.log.len())
	}
}

func TestSendErrorsChangeNothing(t *testing.T) {
	ok := mailbox.Outgoing{Kind: event.Note, From: "uio_1", To: "fse_1", CallID: "c"}
	for _, tt := range []struct {
		name string
		set  func(*mailbox.Outgoing)
		want error
		text string // what the sending model has to read
	}{
		{"terminated", func(m *mailbox.Outgoing) { m.To = "old_1" }, mailbox.ErrTerminated, "Old_1 (old_1)"},
		{"oneself", func(m *mailbox.Outgoing) { m.To = "uio_1" }, mailbox.ErrSelf, "itself"},
		{"full", func(m *mailbox.Outgoing) { m.To = "full_1" }, mailbox.ErrBoxFull, "Full_1 (full_1)"},
		{"bad content", func(m *mailbox.Outgoing) { m.Content = "a\xff" }, mailbox.ErrContent, "UTF-8"},
		{"answer", func(m *mailbox.Outgoing) { m.Kind = event.Answer }, mailbox.ErrKind, "answer"},
		{"no kind", func(m *mailbox.Outgoing) { m.Kind = "" }, mailbox.ErrKind, "kind"},
		{"log", func(*mailbox.Outgoing) {}, errLog, "disk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := mailbox.Address{ID: "old_1", Name: "Old_1", Code: "old"}
			full := mailbox.Address{ID: "full_1", Name: "Full_1", Code: "full"}
			of := newOffice(t, mailbox.BoxOptions{Limit: 1}, uio, fse, old, full)
			if err := of.Close("old_1", "done"); err != nil {
				t.Fatal(err)
			}
			if _, err := of.Send(mailbox.Outgoing{Kind: event.Note, From: "uio_1", To: "full_1"}); err != nil {
				t.Fatal(err)
			}
			before, counters := of.log.len(), of.ids.Counters()
			of.log.setFail(errors.Is(tt.want, errLog))
			m := ok
			tt.set(&m)
			_, err := of.Send(m)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Send: %v, want %v", err, tt.want)
			}
			if !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %q does not say %q", err, tt.text)
			}
			if of.log.len() != before {
				t.Error("something was recorded")
			}
			for id, n := range map[string]int{"fse_1": 0, "old_1": 0, "full_1": 1, "uio_1": 0} {
				if got, _ := of.boxes[id].Unread(); got != n {
					t.Errorf("box of %s holds %d messages, want %d", id, got, n)
				}
			}
			if errors.Is(tt.want, errLog) {
				return
			}
			if diff := cmp.Diff(counters, of.ids.Counters()); diff != "" {
				t.Errorf("a refused message used up an id (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownNamesListWhoExists(t *testing.T) {
	old := mailbox.Address{ID: "old_1", Name: "Old_1", Code: "old"}
	of := newOffice(t, mailbox.BoxOptions{}, leader, old, uio, fse)
	if err := of.Close("old_1", "done"); err != nil {
		t.Fatal(err)
	}
	_, resolved := of.Resolve("qa_1")
	_, to := of.Send(mailbox.Outgoing{Kind: event.Note, From: "uio_1", To: "qa_1"})
	_, from := of.Send(mailbox.Outgoing{Kind: event.Note, From: "qa_1", To: "uio_1"})
	closed := of.Close("qa_1", "")
	for _, err := range []error{resolved, to, from, closed} {
		unknown, ok := errors.AsType[*mailbox.UnknownError](err)
		if !ok {
			t.Fatalf("%v is no UnknownError", err)
		}
		want := &mailbox.UnknownError{Who: "qa_1", Known: []mailbox.Address{leader, uio, fse}}
		if diff := cmp.Diff(want, unknown); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
	const want = `mailbox: there is no agent "qa_1"; there are Team Leader (tl), UI Operator_1 (uio_1), Full-Stack Engineer_1 (fse_1)`
	if got := resolved.Error(); got != want {
		t.Errorf("error text\n%s\nwant\n%s", got, want)
	}
	_, err := newOffice(t, mailbox.BoxOptions{}).Resolve("x")
	if got, want := err.Error(), `mailbox: there is no agent "x"; there is none at all`; got != want {
		t.Errorf("error text %q, want %q", got, want)
	}
}

func TestResolveFolds(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader, uio)
	for _, who := range []string{"uio_1", "UIO_1", "UI Operator_1", "ui operator_1", " UI  operator_1 "} {
		if got, err := of.Resolve(who); err != nil || got != uio {
			t.Errorf("Resolve(%q) = %v, %v", who, got, err)
		}
	}
}

func TestRegisterRefusesWhatIsTaken(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader, uio)
	box := mailbox.NewBox(mailbox.BoxOptions{})
	for _, a := range []mailbox.Address{
		{ID: "uio_1", Name: "Other_1"},
		{ID: "x_1", Name: "ui operator_1"},
		{ID: "UI Operator_1", Name: "Other_2"},
		{ID: "user", Name: "Other_3"},
		{ID: "x_2", Name: "troupe"},
	} {
		if err := of.Register(a, box); !errors.Is(err, mailbox.ErrExists) {
			t.Errorf("Register(%v): %v, want ErrExists", a, err)
		}
	}
	if err := of.Register(mailbox.Address{ID: "x_1", Name: "X_1"}, nil); err == nil {
		t.Error("an agent without an inbox was registered")
	}
	if err := of.Register(mailbox.Address{ID: "x_1", Name: "X_1"}, box); err != nil {
		t.Errorf("a failed Register left something behind: %v", err)
	}
}

// TestRegisterRefusesWhatCannotBeFramed: who has such a name or code would
// speak without a frame, as anybody.
func TestRegisterRefusesWhatCannotBeFramed(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader)
	box := mailbox.NewBox(mailbox.BoxOptions{})
	for field, addresses := range map[string][]mailbox.Address{
		"name": {{ID: "x_1"}, {ID: "x_1", Name: "X\n_1"}, {ID: "x_1", Name: "<X_1"}, {ID: "x_1", Name: "A 向 X_1"}},
		"code": {
			{ID: "x_1", Name: "X_1", Code: "u i"},
			{ID: "x_1", Name: "X_1", Code: "x\n"},
			{ID: "x_1", Name: "X_1", Code: "x\u200b"},
			{ID: "x_1", Name: "X_1", Code: "<x"},
			{ID: "x_1", Name: "X_1", Code: strings.Repeat("x", 110)},
		},
	} {
		for _, a := range addresses {
			err := of.Register(a, box)
			if fault, ok := errors.AsType[*mailbox.FormatError](err); !ok || fault.Field != field || fault.Reason == "" {
				t.Errorf("Register(%+v) = %v, want a *FormatError about the %s", a, err, field)
			}
		}
	}
	if err := of.Register(mailbox.Address{ID: "x_1", Name: "X_1", Code: strings.Repeat("x", 100)}, box); err != nil {
		t.Errorf("a failed Register left something behind, or a good code is refused: %v", err)
	}
}

func TestSendAgainWithTheSameID(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader, uio)
	for range 2 {
		m := mailbox.Outgoing{ID: "ask_uio_001", Kind: event.Question, From: "uio_1", To: event.Leader}
		if got, err := of.Send(m); err != nil || got.ID != "ask_uio_001" {
			t.Errorf("Send = %v, %v", got, err)
		}
	}
	if n, _ := of.boxes["tl"].Unread(); n != 1 || of.log.len() != 1 {
		t.Errorf("%d in the box and %d in the log, want one", n, of.log.len())
	}
}

func TestCloseReturnsWhatWasNotDelivered(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, leader, uio, fse)
	old := mailbox.Address{ID: "old_1", Name: "Old_1", Code: "old"}
	if err := of.Register(old, mailbox.NewBox(mailbox.BoxOptions{})); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"uio_1", "old_1", event.Person, event.Runtime, "tl"} {
		if _, err := of.Send(mailbox.Outgoing{Kind: event.Note, From: from, To: "fse_1"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := of.Close("old_1", "done"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := of.Close("fse_1", "terminated by the leader"); err != nil {
			t.Fatal(err)
		}
	}
	var returned []string
	for _, rec := range of.log.records() {
		if d, ok := rec.Data.(event.MessageReturned); ok {
			returned = append(returned, fmt.Sprintf("%s to %s: %s from %s: %s", d.ID, rec.Agent, d.ID, d.To, d.Why))
		}
	}
	want := []string{
		"msg_uio_001 to uio_1: msg_uio_001 from fse_1: terminated by the leader",
		"msg_old_001 to old_1: msg_old_001 from fse_1: terminated by the leader",
		"msg_user_001 to user: msg_user_001 from fse_1: terminated by the leader",
		"msg_sys_001 to sys: msg_sys_001 from fse_1: terminated by the leader",
		"msg_tl_001 to tl: msg_tl_001 from fse_1: terminated by the leader",
	}
	if diff := cmp.Diff(want, returned); diff != "" {
		t.Errorf("returned (-want +got):\n%s", diff)
	}
	for id, want := range map[string]string{
		"uio_1": "Your message msg_uio_001 to Full-Stack Engineer_1 was not delivered: terminated by the leader",
		"tl":    "Your message msg_tl_001 to Full-Stack Engineer_1 was not delivered: terminated by the leader",
	} {
		msgs := of.boxes[id].Drain()
		if len(msgs) != 1 || msgs[0].Content != want || msgs[0].From != event.Runtime || msgs[0].FromName != "Troupe" || msgs[0].Kind != event.Note {
			t.Errorf("box of %s: %+v, want one note of Troupe: %s", id, msgs, want)
		}
	}
}

func TestReturnedNoteIsWordedByTheOption(t *testing.T) {
	log, ids := &memLog{}, mailbox.NewIDs()
	p := mailbox.NewPost(log, ids, mailbox.PostOptions{
		Returned: func(m event.MessageSent, toName, why string) string { return m.ID + " → " + toName + "：" + why },
	})
	boxes := []*mailbox.Box{mailbox.NewBox(mailbox.BoxOptions{}), mailbox.NewBox(mailbox.BoxOptions{})}
	if err := errors.Join(p.Register(leader, boxes[0]), p.Register(uio, boxes[1])); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send(mailbox.Outgoing{Kind: event.Task, From: "tl", To: "uio_1"}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close("uio_1", "已终止"); err != nil {
		t.Fatal(err)
	}
	if got, want := boxes[0].Drain()[0].Content, "task_001 → UI Operator_1：已终止"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestApplyTakesOutWhatWasDeliveredOrReturned(t *testing.T) {
	of := newOffice(t, mailbox.BoxOptions{}, uio)
	box := of.boxes["uio_1"]
	for n, id := range []string{"msg_tl_001", "msg_tl_002", "msg_tl_003"} {
		of.Apply(event.Record{Seq: int64(n), Data: event.MessageSent{ID: id, Kind: event.Note, To: "uio_1"}})
	}
	for _, rec := range []event.Record{
		{Agent: "uio_1", Data: event.MessageDelivered{ID: "msg_tl_002"}},
		{Agent: "uio_1", Data: event.MessageDelivered{ID: "msg_tl_009"}},
		{Agent: "fse_1", Data: event.MessageDelivered{ID: "msg_tl_001"}},
		{Agent: "tl", Data: event.MessageReturned{ID: "msg_tl_001", To: "uio_1"}},
	} {
		of.Apply(rec)
	}
	if got := box.Peek(); len(got) != 1 || got[0].ID != "msg_tl_003" || !box.Waking() {
		t.Errorf("box: %v, waking %v, want msg_tl_003 alone", got, box.Waking())
	}
	of.Apply(event.Record{Agent: "uio_1", Data: event.MessageDelivered{ID: "msg_tl_003"}})
	if n, _ := box.Unread(); n != 0 || box.Waking() {
		t.Errorf("%d unread, waking %v, want an empty box", n, box.Waking())
	}
}

// TestConcurrentPost lets many agents write to each other while readers drain
// and some agents are terminated under the hands of their senders.
func TestConcurrentPost(t *testing.T) {
	const agents, each = 6, 300
	var who []mailbox.Address
	for i := range agents {
		who = append(who, mailbox.Address{ID: fmt.Sprintf("a_%d", i), Name: fmt.Sprintf("A_%d", i), Code: "a"})
	}
	of := newOffice(t, mailbox.BoxOptions{Limit: -1}, who...)
	var (
		wg       sync.WaitGroup
		mu       sync.Mutex
		accepted = make(map[string]int)
		drained  = make(map[string][]string)
	)
	waits, err := of.Send(mailbox.Outgoing{Kind: event.Note, From: "a_5", To: "a_3", Content: "-1"})
	if err != nil {
		t.Fatal(err)
	}
	accepted[waits.ID]++ // nobody drains a_3, so this one is returned
	for i := range agents {
		wg.Go(func() {
			for n := range each {
				to := (i + 1 + n%(agents-1)) % agents
				m, err := of.Send(mailbox.Outgoing{
					Kind: event.Note, From: who[i].ID, To: who[to].ID, Content: fmt.Sprint(n), CallID: "c",
				})
				if errors.Is(err, mailbox.ErrTerminated) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				accepted[m.ID]++
				mu.Unlock()
				if to%2 == 0 && n%7 == 0 {
					mu.Lock()
					for _, m := range of.boxes[who[to].ID].Drain() {
						drained[who[to].ID] = append(drained[who[to].ID], m.ID)
					}
					mu.Unlock()
				}
				if n == each/2 && i%3 == 0 {
					wg.Go(func() {
						if err := of.Close(who[i].ID, "enough"); err != nil {
							t.Error(err)
						}
					})
				}
			}
		})
	}
	wg.Wait()
	checkPost(t, of, who, accepted, drained)
}

// checkPost compares log and boxes: the order is the same, each message came
// out once, and senders' own order is kept.
func checkPost(t *testing.T, of office, who []mailbox.Address, accepted map[string]int, drained map[string][]string) {
	t.Helper()
	sent, returned := make(map[string][]string), make(map[string]int)
	last := make(map[[2]string]int)
	notes := 0
	for _, rec := range of.log.records() {
		switch d := rec.Data.(type) {
		case event.MessageSent:
			sent[d.To] = append(sent[d.To], d.ID)
			if d.From == event.Runtime {
				notes++
				continue
			}
			accepted[d.ID]--
			var n int
			if _, err := fmt.Sscan(d.Content, &n); err != nil {
				t.Fatal(err)
			}
			pair := [2]string{d.From, d.To}
			if before, ok := last[pair]; ok && n <= before {
				t.Errorf("%s to %s: message %d after %d", d.From, d.To, n, before)
			}
			last[pair] = n
		case event.MessageReturned:
			returned[d.ID]++
		}
	}
	for id, n := range accepted {
		if n != 0 {
			t.Errorf("message %s: accepted and recorded differ by %d", id, n)
		}
	}
	for _, a := range who {
		got := drained[a.ID]
		for _, m := range of.boxes[a.ID].Drain() {
			got = append(got, m.ID)
		}
		var want []string
		for _, id := range sent[a.ID] {
			if returned[id] == 0 {
				want = append(want, id)
			}
			if returned[id] > 1 {
				t.Errorf("message %s was returned %d times", id, returned[id])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: box and log disagree (-log +box):\n%s", a.ID, diff)
		}
	}
	if len(returned) == 0 || notes == 0 {
		t.Error("nothing was returned; the test proves too little")
	}
}
