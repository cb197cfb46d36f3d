package model_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// lineOfLog is how long a record of the log may be, in bytes.
const lineOfLog = 64 << 20

// TestReplyWithoutEnd reads replies that never end, in each of the parts that a
// reply has: the call ends by itself.
func TestReplyWithoutEnd(t *testing.T) {
	long := strings.Repeat("x", 256<<10)
	first := called(`{"index":0,"id":"c1","function":{"name":"write_file","arguments":"{\"path\":\""}}`)
	for name, piece := range map[string]string{
		"text":               says(long),
		"text, rewritten":    choice(`"zz":1,"delta":{"content":"` + long + `"}`),
		"refusal":            choice(`"delta":{"refusal":"` + long + `"}`),
		"reasoning":          choice(`"delta":{"reasoning_content":"` + long + `"}`),
		"details":            choice(`"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"` + long + `"}]}`),
		"arguments":          called(`{"index":0,"function":{"arguments":"` + long + `"}}`),
		"arguments, extra":   called(`{"index":0,"sig":"` + long + `","function":{"arguments":""}}`),
		"calls":              called(strings.TrimSuffix(strings.Repeat(`{"function":{"name":"f","arguments":"{}"}},`, 8<<10), ",")),
		"text in one piece":  says(strings.Repeat("x", 9<<20)),
		"in tags of thought": says("<think>" + long),
	} {
		t.Run(name, func(t *testing.T) {
			endless := io.MultiReader(strings.NewReader(sse(first)), &repeated{text: sse(piece), left: 1 << 28})
			got := askBody(t, model.Profile{}, []model.Tool{writeFile}, http.StatusOK, nil, endless)
			e, ok := errors.AsType[*model.Error](got.Err)
			if !ok || e.Class != model.ClassProviderError || e.Retryable || !strings.Contains(e.Hint, "max_output_tokens") {
				t.Fatalf("error %.200v, want provider_error with a hint", got.Err)
			}
			if len(got.Text) > longest {
				t.Errorf("%d bytes of text came", len(got.Text))
			}
		})
	}
}

// longest is how long a reply may be, in bytes.
const longest = 8 << 20

// TestLongReply reads replies about as long as they may be.
func TestLongReply(t *testing.T) {
	for size, long := range map[int]bool{longest - 1: false, longest: false, longest + 1: true} {
		got := askRecorded(t, http.StatusOK, nil, strings.NewReader(sse(says(strings.Repeat("x", size)), stopped, done)))
		if (got.Err != nil) != long {
			t.Errorf("%d bytes: error %.200v", size, got.Err)
		}
	}
	rec := event.Record{V: event.Version, Seq: 1, Data: event.ModelReplied{Text: strings.Repeat("\x01", longest)}}
	if line, err := rec.AppendJSON(nil); err != nil || len(line) > lineOfLog {
		t.Errorf("the record of the longest reply has %d bytes, error %v", len(line), err)
	}
}

// repeated is a text again and again.
type repeated struct {
	text     string
	at, left int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), r.left)], r.text[r.at:])
	if r.left -= n; n == 0 {
		return 0, io.EOF
	}
	r.at = (r.at + n) % len(r.text)
	return n, nil
}
