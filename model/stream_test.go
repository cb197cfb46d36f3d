package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// body is a response body that knows whether it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

// recorded is a response body on file and what it must become.
type recorded struct {
	Why     string
	Status  int
	Headers map[string]string
	Want    struct {
		Text, Reasoning string
		Calls           []event.Call
		Finish          event.Finish
		Usage           []int
		Class           string
		Retryable       bool
		Says            []string
		Partial         string
	}
	body []byte
}

func recordedStreams(t testing.TB) map[string]recorded {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("recorded streams: %v, %d files", err, len(files))
	}
	all := make(map[string]recorded, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r recorded
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		base := strings.TrimSuffix(file, ".json")
		if r.body, err = os.ReadFile(base + ".txt"); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(base)] = r
	}
	return all
}

// askRecorded makes a call that is answered with the body.
func askRecorded(t testing.TB, status int, headers map[string]string, content io.Reader) modeltest.Got {
	t.Helper()
	b := &body{Reader: content}
	c, err := model.NewOpenAI(model.Endpoint{
		Model: "m", BaseURL: "http://models.test/v1", Key: "sk-recorded",
		Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: b}
			for k, v := range headers {
				resp.Header.Set(k, v)
			}
			return resp, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := modeltest.Collect(c.Stream(t.Context(), model.Request{
		Messages: []model.Message{{Role: model.User, Content: "go on"}},
		Tools:    []model.Tool{{Name: "list_agents"}},
	}))
	if !b.closed {
		t.Error("the response body was not closed")
	}
	if got.AfterErr != 0 {
		t.Errorf("%d chunks after the error", got.AfterErr)
	}
	return got
}

func TestRecordedStreams(t *testing.T) {
	deliveries := map[string]func([]byte) io.Reader{
		"whole":   func(b []byte) io.Reader { return bytes.NewReader(b) },
		"by byte": func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
		"halves":  func(b []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(b)) },
		"late end": func(b []byte) io.Reader {
			return iotest.DataErrReader(bytes.NewReader(b))
		},
	}
	for name, r := range recordedStreams(t) {
		for how, deliver := range deliveries {
			t.Run(name+"/"+how, func(t *testing.T) {
				checkRecorded(t, r, askRecorded(t, r.Status, r.Headers, deliver(r.body)))
			})
		}
	}
}

func checkRecorded(t *testing.T, r recorded, got modeltest.Got) {
	t.Helper()
	want := r.Want
	if want.Class != "" {
		e, ok := errors.AsType[*model.Error](got.Err)
		if !ok {
			t.Fatalf("%s\nerror %v, want class %s", r.Why, got.Err, want.Class)
		}
		if e.Class != want.Class || e.Retryable != want.Retryable || e.Partial != want.Partial {
			t.Errorf("%s\nerror %+v, want %+v", r.Why, e, want)
		}
		for _, words := range want.Says {
			if !strings.Contains(e.Message, words) {
				t.Errorf("message %q does not say %q", e.Message, words)
			}
		}
		return
	}
	if got.Err != nil {
		t.Fatalf("%s\nerror %v, want none", r.Why, got.Err)
	}
	if got.Text != want.Text || got.Reasoning != want.Reasoning || got.Finish != want.Finish {
		t.Errorf("%s\ngot %q, %q, %q, want %q, %q, %q", r.Why, got.Text, got.Reasoning, got.Finish, want.Text, want.Reasoning, want.Finish)
	}
	if diff := cmp.Diff(want.Calls, got.Calls); diff != "" {
		t.Errorf("%s\ncalls (-want +got):\n%s", r.Why, diff)
	}
	switch {
	case got.Usage == nil:
		t.Error("no usage")
	case want.Usage == nil && !got.Usage.Estimated:
		t.Errorf("usage %+v, want an estimate", got.Usage)
	case want.Usage != nil && (got.Usage.Estimated || got.Usage.Input != want.Usage[0] || got.Usage.Output != want.Usage[1]):
		t.Errorf("usage %+v, want %v", got.Usage, want.Usage)
	}
}

// TestStreamCutAnywhere cuts each recorded stream at every byte, now as an end
// and now as a broken connection. What comes then is the whole message, a
// truncated stream with the text so far, or an empty response.
func TestStreamCutAnywhere(t *testing.T) {
	for name, r := range recordedStreams(t) {
		if r.Status != http.StatusOK || r.Want.Class != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for cut := range r.body {
				var end io.Reader = bytes.NewReader(r.body[:cut])
				if cut%4 == 0 {
					end = io.MultiReader(end, iotest.ErrReader(io.ErrUnexpectedEOF))
				}
				checkCut(t, cut, r, askRecorded(t, r.Status, r.Headers, end))
			}
		})
	}
}

func checkCut(t *testing.T, cut int, r recorded, got modeltest.Got) {
	t.Helper()
	if !strings.HasPrefix(r.Want.Text, got.Text) || !strings.HasPrefix(r.Want.Reasoning, got.Reasoning) {
		t.Fatalf("cut at %d: text %q and reasoning %q are no beginning of %q and %q", cut, got.Text, got.Reasoning, r.Want.Text, r.Want.Reasoning)
	}
	if got.Err == nil {
		if got.Text != r.Want.Text || got.Finish != r.Want.Finish || !cmp.Equal(got.Calls, r.Want.Calls) {
			t.Fatalf("cut at %d: success with %+v, want the whole message %+v or an error", cut, got, r.Want)
		}
		return
	}
	if len(got.Calls) != 0 {
		t.Fatalf("cut at %d: calls %+v beside error %v", cut, got.Calls, got.Err)
	}
	e, ok := errors.AsType[*model.Error](got.Err)
	if !ok || !e.Retryable {
		t.Fatalf("cut at %d: error %v, want a retryable *model.Error", cut, got.Err)
	}
	switch e.Class {
	case model.ClassTruncatedStream:
		if e.Partial != got.Text {
			t.Fatalf("cut at %d: partial %q, want the text so far %q", cut, e.Partial, got.Text)
		}
	case model.ClassEmptyResponse:
		if got.Text+got.Reasoning != "" {
			t.Fatalf("cut at %d: empty_response after text %q", cut, got.Text)
		}
	default:
		t.Fatalf("cut at %d: class %s, want truncated_stream or empty_response", cut, e.Class)
	}
}

// FuzzStream feeds any body to the adapter: the call ends, says so once, and
// never has damaged calls from a stream that did not end well.
func FuzzStream(f *testing.F) {
	for _, r := range recordedStreams(f) {
		f.Add(r.body)
	}
	f.Add([]byte("data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\ndata: [DONE]\n"))
	f.Add([]byte("data: null\n\ndata: []\n\ndata: [DONE]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := askRecorded(t, http.StatusOK, nil, bytes.NewReader(text))
		if (got.Err == nil) == (got.Finish == "") {
			if e, ok := errors.AsType[*model.Error](got.Err); !ok || got.Finish != event.FinishError || e.Class == "" {
				t.Errorf("error %v with finish %q", got.Err, got.Finish)
			}
		}
		if got.Err != nil && len(got.Calls) > 0 {
			t.Errorf("calls %+v beside error %v", got.Calls, got.Err)
		}
		if got.Finish == event.FinishUnknown && got.RawFinish == "" {
			for _, c := range got.Calls {
				if !json.Valid([]byte(c.Arguments)) {
					t.Errorf("damaged call %+v from a stream without a finish reason", c)
				}
			}
		}
	})
}

// bodies is a transport that answers each request with the next body.
func bodies(texts ...string) http.RoundTripper {
	n := 0
	return roundTrip(func(*http.Request) (*http.Response, error) {
		n++
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(texts[n-1]))}, nil
	})
}
