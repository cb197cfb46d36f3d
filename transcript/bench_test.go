package transcript_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// ordinary is a record of ordinary size.
var ordinary = event.MessageSent{
	ID: "out_uio_1_004", Kind: event.Progress, From: "uio_1", FromName: "UI Operator_1", To: "tl",
	Content: "The sign-up page has a field for the phone number and a button; next comes the text.",
}

func BenchmarkAppend(b *testing.B) {
	mask := transcript.NewMask("sk-live-0123456789", "ghp_abcdefghijklmnop")
	for _, bb := range []struct {
		name string
		data event.Data
		opts transcript.Options
	}{
		{"small", event.AgentState{From: event.Working, To: event.Waiting, Cause: "ask"}, unforced},
		{"message", ordinary, unforced},
		{"masked", ordinary, withMask(unforced, mask)},
		{"patterns", ordinary, withMask(unforced, mask.WithPatterns())},
		{"redact", ordinary, withMask(unforced, patterns)},
		{"chinese", event.MessageSent{ID: "m", Content: strings.Repeat("设计注册页并写接口文档。", 8)}, unforced},
		{"forced", ordinary, transcript.Options{}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			l := create(b, b.TempDir(), bb.opts)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Append("uio_1", 3, bb.data); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
	b.Run("memory", func(b *testing.B) {
		l := transcript.NewMemory(transcript.Options{})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := l.Append("uio_1", 3, ordinary); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	})
}

func withMask(o transcript.Options, m *transcript.Mask) transcript.Options {
	o.Mask = m
	return o
}

// Messages that many agents append at once share their syncs.
func BenchmarkAppendForcedParallel(b *testing.B) {
	l := create(b, b.TempDir(), transcript.Options{})
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Append("uio_1", 3, ordinary); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// An operation is a record that is appended and reaches all readers.
func BenchmarkFollow(b *testing.B) {
	for _, readers := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			l := create(b, b.TempDir(), unforced)
			var wg sync.WaitGroup
			for range readers {
				wg.Go(func() {
					for _, err := range l.Follow(b.Context(), 0) {
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Append("uio_1", 3, ordinary); err != nil {
					b.Fatal(err)
				}
			}
			l.Close()
			wg.Wait()
			b.ReportMetric(float64(b.N*readers)/b.Elapsed().Seconds(), "reads/s")
		})
	}
}

// An operation is a fold of 100,000 records.
func BenchmarkFold(b *testing.B) {
	const records = 100_000
	dir := b.TempDir()
	l := create(b, dir, unforced)
	for range records {
		if _, err := l.Append("uio_1", 3, ordinary); err != nil {
			b.Fatal(err)
		}
	}
	l.Close()
	b.Run("file", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, err := range transcript.ReadFile(b.Context(), l.Path(), transcript.ReadOptions{}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n != records {
				b.Fatalf("read %d records", n)
			}
		}
		b.ReportMetric(float64(b.N*records)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			l, err := transcript.Open(dir, unforced)
			if err != nil {
				b.Fatal(err)
			}
			l.Close()
		}
		b.ReportMetric(float64(b.N*records)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("memory", func(b *testing.B) {
		m := transcript.NewMemory(transcript.Options{})
		for range records {
			if _, err := m.Append("uio_1", 3, ordinary); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			for _, err := range m.Records(0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.N*records)/b.Elapsed().Seconds(), "records/s")
	})
}

// Masking by patterns of ordinary text, and of text with many escapes.
func BenchmarkPatterns(b *testing.B) {
	escaped := strings.Repeat(`{"path":"C:\\x","text":"a\nb \"c\""},`, 1<<13)
	mask := transcript.NewMask().WithPatterns()
	for _, bb := range []struct{ name, text string }{
		{"message", ordinary.Content},
		{"source", strings.Repeat("func (m *Mask) Text(s string) string { return m.key(s, 42) } // tokens and keys: see above\n", 3000)},
		{"escaped", escaped},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				mask.Text(bb.text)
			}
		})
	}
}
