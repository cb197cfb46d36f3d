package leader_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/transcript"
)

// BenchmarkQuestion is a question of one agent to another with all that belongs
// to it: ids, the record of the question, its message and the delivery, the
// frame that the addressee reads, the answer, its record, and the frame that
// the asker reads. "channels" is the floor: the same round trip over two
// channels.
func BenchmarkQuestion(b *testing.B) {
	b.Run("channels", benchmarkChannels)
	b.Run("memory", func(b *testing.B) { benchmarkQuestion(b, transcript.NewMemory(transcript.Options{})) })
	b.Run("file", func(b *testing.B) {
		log, err := transcript.Create(b.TempDir()+"/run", transcript.Options{Sync: transcript.SyncOff})
		if err != nil {
			b.Fatal(err)
		}
		benchmarkQuestion(b, log)
	})
}

const (
	benchQuestion = "接口返回哪些字段？错误码用哪一套？"
	benchAnswer   = "id、name、mail；错误码沿用网关的那一套。"
)

func benchmarkChannels(b *testing.B) {
	asks, answers := make(chan string), make(chan string)
	go func() {
		for range asks {
			answers <- benchAnswer
		}
		close(answers)
	}()
	b.ReportAllocs()
	for b.Loop() {
		asks <- benchQuestion
		<-answers
	}
	close(asks)
}

func benchmarkQuestion(b *testing.B, log *transcript.Log) {
	b.Helper()
	defer func() {
		if err := log.Close(); err != nil {
			b.Error(err)
		}
	}()
	asker := mailbox.Address{ID: "uio_1", Name: "UI Operator_1", Code: "uio"}
	other := mailbox.Address{ID: "fse_1", Name: "Full-Stack Engineer_1", Code: "fse"}
	ids := mailbox.NewIDs()
	x := mailbox.Exchange{
		IDs: ids, Post: mailbox.NewPost(log, ids, mailbox.PostOptions{}),
		Desk: mailbox.NewDesk(log, ids, mailbox.DeskOptions{Leader: event.Leader}),
	}
	box := mailbox.NewBox(mailbox.BoxOptions{})
	for a, box := range map[mailbox.Address]*mailbox.Box{asker: mailbox.NewBox(mailbox.BoxOptions{}), other: box} {
		if err := x.Post.Register(a, box); err != nil {
			b.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(b.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		addressee(ctx, b, log, x.Desk, box)
	}()
	words := prompts.In("zh")
	blocked := func(...string) func() { return func() {} }
	b.ReportAllocs()
	for b.Loop() {
		end, err := x.Ask(ctx, mailbox.Inquiry{From: asker, To: other, Kind: event.Question, Text: benchQuestion, Turn: 1}, func() {}, blocked)
		if err != nil {
			b.Fatal(err)
		}
		if text, err := subagent.Outcome(words, other.Name, end); err != nil || end.Text != benchAnswer {
			b.Fatal(text, end, err)
		}
	}
	b.StopTimer()
	stop()
	<-gone
}

// addressee takes each question out of its box, reads it and answers it.
func addressee(ctx context.Context, b *testing.B, log *transcript.Log, desk *mailbox.Desk, box *mailbox.Box) {
	b.Helper()
	for {
		select {
		case <-ctx.Done():
			return
		case <-box.News():
		}
		for _, m := range box.Drain() {
			if _, err := log.Append("fse_1", 1, event.MessageDelivered{ID: m.ID, Step: 1}); err != nil {
				b.Error(err)
			}
			if _, err := mailbox.Format(mailbox.Message{ID: m.ID, Kind: m.Kind, From: m.FromName, Content: m.Content}); err != nil {
				b.Error(err)
			}
			if _, err := desk.Answer("fse_1", "fse", m.ID, benchAnswer, 1); err != nil {
				b.Error(err)
			}
		}
	}
}
