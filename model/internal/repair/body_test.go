package repair_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// read is all that comes of a body.
type read struct {
	Out   string
	Kept  []repair.Kept
	Facts repair.Facts
	Err   error
}

// readAll reads a body event by event.
func readAll(tb testing.TB, r io.Reader) read {
	tb.Helper()
	b := repair.NewBody(io.NopCloser(r), func() {})
	var got read
	buf := make([]byte, 64<<10)
	for {
		n, err := b.Read(buf)
		if err != nil {
			got.Facts, got.Err = b.Facts(), err
			return got
		}
		if n == 0 {
			tb.Fatal("a read brought nothing and no error")
		}
		got.Out += string(buf[:n])
		got.Kept = append(got.Kept, b.Take())
	}
}

const (
	cleanText = `{"id":"c","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"一 \ud83d\ude00 \"x\""},"logprobs":null,"finish_reason":null}],"usage":null}`
	cleanCall = `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":"}}]},"index":0}]}`
	cleanStop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	cleanUse  = `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0}}}`
)

func TestCleanChunksPassByteForByte(t *testing.T) {
	var want string
	for _, payload := range []string{cleanText, cleanCall, cleanStop, cleanUse} {
		want += "data: " + payload + "\n"
	}
	body := ": hello\n\n" + strings.ReplaceAll(want, "\n", "\n\n") + "data: [DONE]\n\ndata: " + cleanText + "\n\n"
	got := readAll(t, iotest.OneByteReader(strings.NewReader(body)))
	if diff := cmp.Diff(want, got.Out); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !errors.Is(got.Err, io.EOF) || !got.Facts.Done || !got.Facts.Finished {
		t.Errorf("error %v and facts %+v, want the end, done and finished", got.Err, got.Facts)
	}
	for _, k := range got.Kept {
		if diff := cmp.Diff(repair.Kept{}, k); diff != "" {
			t.Errorf("kept of a clean chunk: %s", diff)
		}
	}
}

// TestUncleanChunks lists what must not pass: the library fails on it, or
// drops something.
func TestUncleanChunks(t *testing.T) {
	for _, payload := range []string{
		`{"choices":[{"delta":{"content":"half \ud83d"}}]}`,
		"{\"choices\":[{\"delta\":{\"content\":\"bad \xff\"}}]}",
		`{"choices":[{"delta":{"content":"a"},"logprobs":{}}]}`,
		`{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}`,
		`{"choices":[{"delta":{"content":"a"}}],"prompt_filter_results":{}}`,
		`{"created":1.5,"choices":[{"delta":{"content":"a"}}]}`,
		`{"created":12345678901234567890,"choices":[{"delta":{"content":"a"}}]}`,
		`{"id":7,"choices":[{"delta":{"content":"a"}}]}`,
		`{"choices":[{"delta":{"content":"a"},"usage":{"prompt_tokens":1}}]}`,
		`{"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":{}}}]}}]}`,
		`{"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"id":"x","extra_content":{"a":1},"function":{"name":"f","arguments":"{}"}}]}}]}`,
		`{"choices":[{"delta":{"content":"a","CONTENT":""}}]}`,
		`{"choices":[{"delta":{"content":"a","function_call":[]}}]}`,
	} {
		got := readAll(t, strings.NewReader("data: "+payload+"\n\n"))
		if strings.Contains(got.Out, payload) || !strings.Contains(got.Out, `"content":"`) {
			t.Errorf("%s\nbecame %s, want it rewritten", payload, got.Out)
		}
	}
}

func TestKeptBesideTheLibrary(t *testing.T) {
	body := `data: {"choices":[{"delta":{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}],"extra_content":{"g":1},` +
		`"tool_calls":[{"index":1,"id":"a","google":{"sig":"x"},"function":{"name":"f","arguments":{"n":1}}}]}}]}` + "\n"
	one := 1
	want := []repair.Kept{{
		Calls:          []repair.Piece{{Index: &one, ID: "a", Name: "f", Args: []byte(`{"n":1}`), Extra: map[string][]byte{"google": []byte(`{"sig":"x"}`)}}},
		ReasoningField: "reasoning",
		Details:        [][]byte{[]byte(`{"type":"reasoning.text","text":"hm"}`)},
		Fields:         map[string][]byte{"extra_content": []byte(`{"g":1}`)},
	}}
	got := readAll(t, strings.NewReader(body))
	if diff := cmp.Diff(want, got.Kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if want := `data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}` + "\n"; got.Out != want {
		t.Errorf("the library gets %s, want %s", got.Out, want)
	}
}

func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", repair.MaxLine+1)
	for name, body := range map[string]string{
		"line":      `data: {"choices":[{"delta":{"content":"` + long,
		"event":     "data: {\n" + strings.Repeat("data: "+strings.Repeat(" ", 1<<20)+"\n", 17),
		"JSON":      `{"choices":[{"message":{"content":"` + long,
		"no stream": "data: " + cleanText + "\n" + long,
	} {
		got := readAll(t, strings.NewReader(body))
		if !errors.Is(got.Err, repair.ErrTooLong) {
			t.Errorf("%s: error %v, want ErrTooLong", name, got.Err)
		}
		if e, ok := errors.AsType[*repair.Error](got.Err); !ok || e.Error() == "" {
			t.Errorf("%s: error %v of type %T, want a *repair.Error", name, got.Err, got.Err)
		}
	}
}

// TestReadErrorComesLast: what was read before it counts.
func TestReadErrorComesLast(t *testing.T) {
	broken := errors.New("broken")
	for _, body := range []string{"data: " + cleanText + "\n\n", "data: " + cleanText} {
		got := readAll(t, io.MultiReader(strings.NewReader(body), iotest.ErrReader(broken)))
		if want := "data: " + cleanText + "\n"; got.Out != want || !errors.Is(got.Err, broken) {
			t.Errorf("got %q and %v, want %q and the error", got.Out, got.Err, want)
		}
	}
	if got := readAll(t, idle{}); !errors.Is(got.Err, io.ErrNoProgress) {
		t.Errorf("error %v of a body that brings nothing, want io.ErrNoProgress", got.Err)
	}
}

// idle is a reader that never brings anything.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestEventsLeaveAtOnce feeds a body that comes piece by piece and asks for
// each event before the next piece is there.
func TestEventsLeaveAtOnce(t *testing.T) {
	unclean := strings.Replace(cleanText, `"content"`, `"reasoning":"hm","content"`, 1)
	for _, event := range []string{"data: " + cleanText + "\n", "data: " + unclean + "\r", "data: " + cleanText + "\r\n"} {
		pr, pw := io.Pipe()
		b := repair.NewBody(pr, func() {})
		next := make(chan bool)
		go func() {
			for range next {
				_, _ = io.WriteString(pw, event)
			}
			_ = pw.Close()
		}()
		buf := make([]byte, 4096)
		for i := range 3 {
			next <- true
			if n, err := b.Read(buf); err != nil || n == 0 {
				t.Fatalf("event %d: %d bytes and %v", i, n, err)
			}
		}
		close(next)
		if _, err := b.Read(buf); !errors.Is(err, io.EOF) {
			t.Errorf("error %v, want the end", err)
		}
	}
}

// pieces reads pieces of the given sizes, again and again.
type pieces struct {
	text  []byte
	sizes []int
	n     int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := min(p.sizes[p.n%len(p.sizes)], len(b), len(p.text))
	p.n++
	copy(b, p.text[:n])
	p.text = p.text[n:]
	return n, nil
}

// TestLinesInAnyPieces writes lines with ends of all kinds and reads them in
// pieces of all sizes.
func TestLinesInAnyPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.StringMatching(`[a: ]{0,9}`)).Draw(t, "lines")
		var body []byte
		for i, l := range want {
			end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end")
			if l == "" && bytes.HasSuffix(body, []byte("\r")) && end == "\n" {
				end = "\r\n" // LF alone would belong to the line before
			}
			if i == len(want)-1 && l != "" && rapid.Bool().Draw(t, "open") {
				end = ""
			}
			body = append(append(body, l...), end...)
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 7), 1, 5).Draw(t, "sizes")
		got, err := repair.Lines(&pieces{text: body, sizes: sizes})
		if !errors.Is(err, io.EOF) || !slices.Equal(got, want) {
			t.Fatalf("%q\nread as %q, %v, want %q", body, got, err, want)
		}
	})
}

// FuzzBody reads any body whole and in pieces of one byte: both say the same,
// in events that are one line of valid JSON each, and end with one error.
func FuzzBody(f *testing.F) {
	for _, payload := range []string{cleanText, cleanCall, cleanStop, cleanUse, `{"error":"x"}`, `[1,{}]`, "[DONE]", `"text"`, "ping"} {
		f.Add([]byte("data: " + payload + "\n\ndata: " + payload))
		f.Add([]byte("\uFEFFdata: {\r\ndata: " + payload + "\r\r" + payload))
		f.Add([]byte(payload + "\n" + payload + " data: [DONE]"))
	}
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"\\ude00\xe6\"},\"finish_reason\":1}]}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		whole := readAll(t, bytes.NewReader(body))
		single := readAll(t, iotest.OneByteReader(bytes.NewReader(body)))
		if diff := cmp.Diff(outcome(whole), outcome(single)); diff != "" {
			t.Fatalf("whole and byte by byte (-whole +single):\n%s", diff)
		}
		for event := range strings.Lines(whole.Out) {
			payload, ok := strings.CutPrefix(strings.TrimSpace(event), "data:")
			if !ok || !json.Valid([]byte(payload)) {
				t.Fatalf("event %q is no line of JSON", event)
			}
		}
	})
}

// outcome is what two readings of a body must agree on.
func outcome(r read) string {
	return fmt.Sprintf("%s\n%+v\n%v", r.Out, r.Facts, r.Err)
}
