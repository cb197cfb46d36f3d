package mailbox_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

func TestMintCountsPerPrefixAndCode(t *testing.T) {
	ids := mailbox.NewIDs()
	for _, tt := range []struct {
		kind event.Kind
		code string
		want string
	}{
		{event.Question, "uio", "ask_uio_001"},
		{event.Question, "tl", "ask_tl_001"},
		{event.Question, "uio", "ask_uio_002"},
		{event.Task, "tl", "task_001"},
		{event.Task, "uio", "task_002"},
		{event.Progress, "uio", "out_uio_001"},
		{event.Completion, "uio", "out_uio_002"},
		{event.Note, "user", "msg_user_001"},
		{event.Answer, "fse", "ans_fse_001"},
	} {
		if got := ids.Mint(tt.kind, tt.code); got != tt.want {
			t.Errorf("Mint(%s, %q) = %q, want %q", tt.kind, tt.code, got, tt.want)
		}
	}
}

func TestMintOfTheZeroValue(t *testing.T) {
	var ids mailbox.IDs
	if got, want := ids.Mint(event.Note, "tl"), "msg_tl_001"; got != want {
		t.Errorf("first id is %q, want %q", got, want)
	}
}

func TestApprovalsHaveNumbersOfTheirOwn(t *testing.T) {
	ids := mailbox.NewIDs()
	ids.Mint(event.Question, "apr")
	if got, want := ids.MintApproval(), "apr_001"; got != want {
		t.Errorf("first approval is %q, want %q", got, want)
	}
	ids.Apply(event.Record{Data: event.ApprovalRequested{ID: "apr_041"}})
	if got, want := ids.MintApproval(), "apr_042"; got != want {
		t.Errorf("after apr_041 comes %q, want %q", got, want)
	}
}

func TestMintHasAtLeastThreeDigits(t *testing.T) {
	ids := mailbox.NewIDs()
	ids.Apply(event.Record{Data: event.MessageSent{ID: "msg_tl_999"}})
	if got, want := ids.Mint(event.Note, "tl"), "msg_tl_1000"; got != want {
		t.Errorf("the id after 999 is %q, want %q", got, want)
	}
}

func TestMintIsUniqueAmongGoroutines(t *testing.T) {
	ids := mailbox.NewIDs()
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		seen = make(map[string]int)
	)
	const each = 500
	for g := range 8 {
		wg.Go(func() {
			for range each {
				id := ids.Mint(event.Question, fmt.Sprintf("c%d", g%2))
				mu.Lock()
				seen[id]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 8*each {
		t.Errorf("%d different ids of %d", len(seen), 8*each)
	}
	if got := ids.Counters()["ask_c0_"]; got != 4*each {
		t.Errorf("counter is %d, want %d: numbers were skipped", got, 4*each)
	}
}

func TestIDsApply(t *testing.T) {
	for _, tt := range []struct {
		name string
		data event.Data
		want map[string]int
	}{
		{"message", event.MessageSent{ID: "out_uio_007"}, map[string]int{"out_uio_": 7}},
		{"task", event.MessageSent{ID: "task_012"}, map[string]int{"task_": 12}},
		{"question", event.QuestionOpened{ID: "ask_tl_003"}, map[string]int{"ask_tl_": 3}},
		{"answer", event.QuestionClosed{ID: "ask_tl_003", AnswerID: "ans_fse_002"}, map[string]int{"ans_fse_": 2}},
		{"summary", event.HistoryCompacted{ID: "msg_sys_005"}, map[string]int{"msg_sys_": 5}},
		{"no answer id", event.QuestionClosed{ID: "ask_tl_003"}, map[string]int{}},
		{"code with a number", event.MessageSent{ID: "msg_a1_004"}, map[string]int{"msg_a1_": 4}},
		{"no number", event.MessageSent{ID: "msg_tl_x"}, map[string]int{}},
		{"no stem", event.MessageSent{ID: "17"}, map[string]int{}},
		{"empty", event.MessageSent{}, map[string]int{}},
		{"beyond all runs", event.MessageSent{ID: "msg_tl_9223372036854775807"}, map[string]int{}},
		{"other record", event.Warning{Code: "x"}, map[string]int{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ids := mailbox.NewIDs()
			ids.Apply(event.Record{Data: tt.data})
			ids.Apply(event.Record{Data: event.MessageSent{ID: "out_uio_001"}})
			want := maps.Clone(tt.want)
			want["out_uio_"] = max(want["out_uio_"], 1)
			if diff := cmp.Diff(want, ids.Counters()); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
		})
	}
}
