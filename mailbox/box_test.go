package mailbox_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

func note(n int) event.MessageSent {
	return event.MessageSent{ID: fmt.Sprintf("msg_uio_%03d", n), Kind: event.Note, From: "uio_1", To: "fse_1"}
}

func fill(t *testing.T, b *mailbox.Box, msgs ...event.MessageSent) {
	t.Helper()
	for _, m := range msgs {
		if err := b.Put(m); err != nil {
			t.Fatalf("Put(%s): %v", m.ID, err)
		}
	}
}

func TestBoxKeepsOrderAndDeliversOnce(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	fill(t, b, note(1), note(2), note(1), note(3))
	want := []event.MessageSent{note(1), note(2), note(3)}
	if diff := cmp.Diff(want, b.Peek()); diff != "" {
		t.Errorf("Peek (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, b.Drain()); diff != "" {
		t.Errorf("Drain (-want +got):\n%s", diff)
	}
	fill(t, b, note(1), note(2), note(3))
	if got := b.Drain(); got != nil {
		t.Errorf("an id seen before was delivered again: %v", got)
	}
}

func TestBoxPeekIsACopy(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	fill(t, b, note(1))
	b.Peek()[0].Content = "forged"
	if got := b.Drain()[0].Content; got != "" {
		t.Errorf("content was changed through Peek to %q", got)
	}
}

func TestBoxLimit(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{Limit: 2})
	fill(t, b, note(1), note(2))
	refused := []event.MessageSent{
		note(3),
		{ID: "msg_user_001", Kind: event.Note, From: event.Person, To: event.Leader},
		{ID: "ask_uio_001", Kind: event.Question, From: "uio_1", To: event.Leader},
		{ID: "task_001", Kind: event.Task, From: event.Leader, To: "fse_1"},
	}
	for _, m := range refused {
		if err := b.Put(m); !errors.Is(err, mailbox.ErrBoxFull) {
			t.Errorf("Put(%s) to a full box: %v, want ErrBoxFull", m.ID, err)
		}
	}
	fits := []event.MessageSent{
		{ID: "msg_sys_001", Kind: event.Note, From: event.Runtime, To: "fse_1"},
		{ID: "out_uio_001", Kind: event.Progress, From: "uio_1", To: event.Leader},
		{ID: "out_uio_002", Kind: event.Completion, From: "uio_1", To: event.Leader},
		{ID: "msg_uio_009", Kind: event.Note, From: "uio_1", To: event.Leader},
	}
	fill(t, b, fits...)
	if got := len(b.Drain()); got != 2+len(fits) {
		t.Errorf("%d messages, want %d", got, 2+len(fits))
	}
	fill(t, b, note(3))
}

func TestBoxDefaultAndNoLimit(t *testing.T) {
	for limit, want := range map[int]int{0: 10_000, -1: 10_050} {
		b := mailbox.NewBox(mailbox.BoxOptions{Limit: limit})
		var got int
		for n := range 10_050 {
			if b.Put(note(n)) == nil {
				got++
			}
		}
		if got != want {
			t.Errorf("a box of limit %d took %d messages, want %d", limit, got, want)
		}
	}
}

func TestBoxNews(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	news := func() bool {
		select {
		case <-b.News():
			return true
		default:
			return false
		}
	}
	if news() {
		t.Error("news in an empty box")
	}
	fill(t, b, note(1), note(2))
	if !news() {
		t.Error("no news after two messages")
	}
	if news() {
		t.Error("the slot holds more than one signal")
	}
	fill(t, b, note(1))
	if news() {
		t.Error("a message seen before is news")
	}
}

func TestBoxWaking(t *testing.T) {
	progress := event.MessageSent{ID: "out_uio_001", Kind: event.Progress}
	b := mailbox.NewBox(mailbox.BoxOptions{Wakes: func(m event.MessageSent) bool { return m.Kind != event.Progress }})
	fill(t, b, progress)
	if b.Waking() {
		t.Error("progress wakes")
	}
	select {
	case <-b.News():
	default:
		t.Error("a message that does not wake is no news")
	}
	fill(t, b, note(1))
	if !b.Waking() {
		t.Error("a note does not wake")
	}
	b.Drain()
	if b.Waking() {
		t.Error("an empty box wakes")
	}
	plain := mailbox.NewBox(mailbox.BoxOptions{})
	fill(t, plain, progress)
	if !plain.Waking() {
		t.Error("without Wakes every message should wake")
	}
}

func TestBoxUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mailbox.NewBox(mailbox.BoxOptions{})
		if n, oldest := b.Unread(); n != 0 || !oldest.IsZero() {
			t.Errorf("Unread of an empty box = %d, %v", n, oldest)
		}
		start := time.Now()
		fill(t, b, note(1))
		time.Sleep(time.Minute)
		fill(t, b, note(2))
		if n, oldest := b.Unread(); n != 2 || !oldest.Equal(start) {
			t.Errorf("Unread = %d, %v, want 2, %v", n, oldest, start)
		}
	})
}

func TestBoxClose(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	fill(t, b, note(1), note(2))
	if diff := cmp.Diff([]event.MessageSent{note(1), note(2)}, b.Close()); diff != "" {
		t.Errorf("Close (-want +got):\n%s", diff)
	}
	if got := b.Close(); got != nil {
		t.Errorf("a second Close returned %v", got)
	}
	if err := b.Put(note(3)); !errors.Is(err, mailbox.ErrBoxClosed) {
		t.Errorf("Put to a closed box: %v, want ErrBoxClosed", err)
	}
}

// TestBoxLosesNothing races senders against a reader that sleeps on the news
// alone: a lost signal or message would leave the bubble blocked for ever.
func TestBoxLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const senders, each = 8, 500
		b := mailbox.NewBox(mailbox.BoxOptions{})
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for n := range each {
					m := event.MessageSent{ID: fmt.Sprintf("msg_c%d_%03d", s, n), From: fmt.Sprint(s), Content: fmt.Sprint(n)}
					if err := b.Put(m); err != nil {
						t.Error(err)
					}
				}
			})
		}
		next := make(map[string]int)
		for got := 0; got < senders*each; {
			<-b.News()
			for _, m := range b.Drain() {
				if want := fmt.Sprint(next[m.From]); m.Content != want {
					t.Fatalf("sender %s: message %s, want %s", m.From, m.Content, want)
				}
				next[m.From]++
				got++
			}
		}
		wg.Wait()
	})
}

func TestHushSilencesWhatWaits(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	put := func(id string) {
		t.Helper()
		if err := b.Put(event.MessageSent{ID: id, Kind: event.Note}); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := b.Hush(nil); err != nil || len(ids) != 0 {
		t.Errorf("an empty box silenced %q", ids)
	}
	put("msg_a_001")
	put("msg_a_002")
	if ids, err := b.Hush(nil); err != nil || !slices.Equal(ids, []string{"msg_a_001", "msg_a_002"}) || b.Waking() {
		t.Errorf("silenced %q, waking %t; want both, and none that wakes", ids, b.Waking())
	}
	put("msg_a_003")
	if !b.Waking() || len(b.Drain()) != 3 || b.Waking() {
		t.Error("a message that comes after Hush wakes, and all three are drained with it")
	}
}

func TestRingIsNewsWithoutAMessage(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	b.Ring()
	b.Ring()
	select {
	case <-b.News():
	default:
		t.Fatal("no news after Ring")
	}
	select {
	case <-b.News():
		t.Error("two signals for news that nobody had taken")
	default:
	}
	if n, _ := b.Unread(); n != 0 || b.Waking() {
		t.Errorf("%d messages after Ring, waking %v; want none", n, b.Waking())
	}
}

func TestPeekAfterLeavesOutWhatWasSeen(t *testing.T) {
	b := mailbox.NewBox(mailbox.BoxOptions{})
	for _, id := range []string{"msg_tl_001", "msg_tl_002", "msg_tl_003"} {
		if err := b.Put(event.MessageSent{ID: id, Kind: event.Note, From: event.Leader, To: "uio_1"}); err != nil {
			t.Fatal(err)
		}
	}
	all := b.Peek()
	for n := range 5 {
		want := all[min(n, len(all)):]
		if diff := cmp.Diff(want, b.PeekAfter(n), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("PeekAfter(%d) (-want +got):\n%s", n, diff)
		}
	}
}
