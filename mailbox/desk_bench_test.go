package mailbox_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// stubLog appends without keeping anything.
type stubLog struct{ seq int64 }

func (l *stubLog) Append(agent string, turn int, d event.Data) (event.Record, error) {
	l.seq++
	return event.Record{V: event.Version, Seq: l.seq, Agent: agent, Turn: turn, Data: d}, nil
}

func (l *stubLog) Live(string, int, event.Data) {}

// BenchmarkBox puts messages into a box of the default size while a reader
// drains it; who finds it full waits for the reader. The ids are fresh, so the
// box remembers every one.
func BenchmarkBox(b *testing.B) {
	const run = 100_000
	msgs := make([]event.MessageSent, run)
	for i := range msgs {
		msgs[i] = event.MessageSent{ID: fmt.Sprintf("msg_uio_%03d", i), Kind: event.Note, From: "uio_1", To: "fse_1", Content: "text"}
	}
	b.ReportAllocs()
	var sent int
	for b.Loop() {
		box := mailbox.NewBox(mailbox.BoxOptions{})
		drained := make(chan struct{}, 1)
		go func() {
			for got := 0; got < run; {
				<-box.News()
				got += len(box.Drain())
				select {
				case drained <- struct{}{}:
				default:
				}
			}
			close(drained)
		}()
		for _, m := range msgs {
			for errors.Is(box.Put(m), mailbox.ErrBoxFull) {
				<-drained
			}
		}
		for range drained {
		}
		sent += run
	}
	b.ReportMetric(float64(sent)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkSend sends through the post and drains now and then.
func BenchmarkSend(b *testing.B) {
	p := mailbox.NewPost(&stubLog{}, mailbox.NewIDs(), mailbox.PostOptions{})
	box := mailbox.NewBox(mailbox.BoxOptions{})
	for a, box := range map[mailbox.Address]*mailbox.Box{uio: mailbox.NewBox(mailbox.BoxOptions{}), fse: box} {
		if err := p.Register(a, box); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := p.Send(mailbox.Outgoing{Kind: event.Note, From: "uio_1", To: "fse_1", Content: "text"}); err != nil {
			b.Fatal(err)
		}
		if n%100 == 0 {
			box.Drain()
		}
	}
}

// BenchmarkAskAnswer is the round trip of a question: ask and wait in one
// goroutine, answer in another.
func BenchmarkAskAnswer(b *testing.B) {
	ids := mailbox.NewIDs()
	d := mailbox.NewDesk(&stubLog{}, ids, mailbox.DeskOptions{Leader: event.Leader})
	asked := make(chan string)
	go func() {
		for id := range asked {
			if _, err := d.Answer("fse_1", "fse", id, "text", 1); err != nil {
				b.Error(err)
			}
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		id := ids.Mint(event.Question, "uio")
		if _, _, err := d.Ask(mailbox.Ask{ID: id, From: "uio_1", To: "fse_1"}); err != nil {
			b.Fatal(err)
		}
		asked <- id
		if e, err := d.Wait(b.Context(), id); err != nil || e.Outcome != event.Answered {
			b.Fatal(e, err)
		}
	}
	close(asked)
}

// BenchmarkAskInACrowd asks while a chain of so many others waits behind the
// one who is asked.
func BenchmarkAskInACrowd(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := mailbox.NewDesk(&stubLog{}, mailbox.NewIDs(), mailbox.DeskOptions{Leader: event.Leader})
			for i := range n {
				if _, _, err := d.Ask(mailbox.Ask{
					ID: fmt.Sprintf("ask_c_%03d", i), From: fmt.Sprintf("c_%d", i), To: fmt.Sprintf("c_%d", i+1),
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprintf("ask_x_%03d", i)
				if _, over, err := d.Ask(mailbox.Ask{ID: id, From: "x_1", To: "c_0"}); over || err != nil {
					b.Fatal(over, err)
				}
				if _, err := d.Close(id, event.Implicit, "", "", 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIdleBoxes tells what an idle agent's box costs.
func BenchmarkIdleBoxes(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		boxes := make([]*mailbox.Box, n)
		for i := range boxes {
			boxes[i] = mailbox.NewBox(mailbox.BoxOptions{})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "bytes/box")
		runtime.KeepAlive(boxes)
	}
}
