package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
	Why      string
	Delivery []string
	Status   int
	Headers  map[string]string
	Want     want
	body     []byte
}

// want is what a body must become: a message, or an error with class.
type want struct {
	Text, Reasoning string
	TextSHA256      string `json:"text_sha256"` // in place of a long text
	Calls           []event.Call
	Finish          event.Finish
	Usage           []int // prompt and completion; nil means an estimate
	Warnings        []string
	Class, Like     string
	Retryable       bool
	Says            []string
	Partial         string
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
	return askBody(t, model.Profile{}, []model.Tool{{Name: "list_agents"}}, status, headers, content)
}

// askBody makes a call of an endpoint with the profile, which offers the tools
// and is answered with the body.
func askBody(t testing.TB, p model.Profile, tools []model.Tool, status int, headers map[string]string, content io.Reader) modeltest.Got {
	t.Helper()
	b := &body{Reader: content}
	c, err := model.NewOpenAI(model.Endpoint{
		Model: "m", BaseURL: "http://models.test/v1", Key: "sk-recorded", Profile: p,
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
		Messages: []model.Message{{Role: model.User, Content: "go on"}}, Tools: tools,
	}))
	if !b.closed {
		t.Error("the response body was not closed")
	}
	if got.AfterErr != 0 {
		t.Errorf("%d chunks after the error", got.AfterErr)
	}
	return got
}

// deliveries are the ways in which a body comes in.
var deliveries = map[string]func([]byte) io.Reader{
	"whole":      func(b []byte) io.Reader { return bytes.NewReader(b) },
	"byte":       func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
	"split-7":    func(b []byte) io.Reader { return pieces{bytes.NewReader(b), 7} },
	"split-1021": func(b []byte) io.Reader { return pieces{bytes.NewReader(b), 1021} },
	"late end":   func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
	"abrupt-close": func(b []byte) io.Reader {
		return io.MultiReader(bytes.NewReader(b), iotest.ErrReader(io.ErrUnexpectedEOF))
	},
}

// pieces reads at most size bytes at a time.
type pieces struct {
	r    io.Reader
	size int
}

func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.size)]) }

func TestRecordedStreams(t *testing.T) {
	for name, r := range recordedStreams(t) {
		for _, how := range append(r.Delivery, "split-1021", "late end") {
			t.Run(name+"/"+how, func(t *testing.T) {
				r.Want.check(t, r.Why, askRecorded(t, r.Status, r.Headers, deliveries[how](r.body)))
			})
		}
	}
}

// TestRecordedStreamsOverHTTP serves the streams over a socket, also with a
// connection that is broken off in place of its end.
func TestRecordedStreamsOverHTTP(t *testing.T) {
	all := recordedStreams(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, how, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		for k, v := range all[name].Headers {
			w.Header().Set(k, v)
		}
		w.WriteHeader(all[name].Status)
		_, _ = w.Write(all[name].body)
		if strings.HasPrefix(how, "abrupt-close") {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	defer s.Close()
	network := model.NewTransport(1)
	defer network.CloseIdleConnections()
	for name, r := range all {
		for _, how := range []string{"whole", "abrupt-close"} {
			if how == "abrupt-close" && !slices.Contains(r.Delivery, how) {
				continue
			}
			t.Run(name+"/"+how, func(t *testing.T) {
				c := newOpenAI(t, model.Endpoint{Model: "m", BaseURL: s.URL + "/" + name + "/" + how, Transport: network})
				r.Want.check(t, r.Why, modeltest.Collect(c.Stream(t.Context(), model.Request{
					Messages: []model.Message{{Role: model.User, Content: "go on"}}, Tools: []model.Tool{{Name: "list_agents"}},
				})))
			})
		}
	}
}

// check compares what came of a body with what it must become.
func (w want) check(t *testing.T, why string, got modeltest.Got) {
	t.Helper()
	if w.Class != "" {
		w.checkError(t, why, got)
		return
	}
	if got.Err != nil {
		t.Fatalf("%s\nerror %v, want none", why, got.Err)
	}
	if w.TextSHA256 != "" {
		if sum := sha256.Sum256([]byte(got.Text)); hex.EncodeToString(sum[:]) != w.TextSHA256 {
			t.Errorf("%s\n%d bytes with another digest", why, len(got.Text))
		}
		got.Text = w.Text
	}
	if got.Text != w.Text || got.Reasoning != w.Reasoning || got.Finish != w.Finish {
		t.Errorf("%s\ngot %q, %q, %q, want %q, %q, %q", why, got.Text, got.Reasoning, got.Finish, w.Text, w.Reasoning, w.Finish)
	}
	if diff := cmp.Diff(w.Calls, got.Calls); diff != "" {
		t.Errorf("%s\ncalls (-want +got):\n%s", why, diff)
	}
	switch {
	case got.Usage == nil:
		t.Error("no usage")
	case w.Usage == nil && !got.Usage.Estimated:
		t.Errorf("usage %+v, want an estimate", got.Usage)
	case w.Usage != nil && (got.Usage.Estimated || got.Usage.Input != w.Usage[0] || got.Usage.Output != w.Usage[1]):
		t.Errorf("usage %+v, want %v", got.Usage, w.Usage)
	}
	for _, code := range w.Warnings {
		if !slices.ContainsFunc(got.Notices, func(n event.Data) bool { w, ok := n.(event.Warning); return ok && w.Code == code }) {
			t.Errorf("%s\nnotices %+v, want the warning %s", why, got.Notices, code)
		}
	}
}

func (w want) checkError(t *testing.T, why string, got modeltest.Got) {
	t.Helper()
	e, ok := errors.AsType[*model.Error](got.Err)
	if !ok {
		t.Fatalf("%s\nerror %v after %q, want class %s", why, got.Err, got.Text, w.Class)
	}
	if e.Class != w.Class || e.Retryable != w.Retryable || e.Partial != w.Partial || len(got.Calls) > 0 {
		t.Errorf("%s\nerror %+v, want %+v", why, e, w)
	}
	if w.Like != "" && e.Like != w.Like {
		t.Errorf("%s\nerror like %q, want %q", why, e.Like, w.Like)
	}
	for _, words := range w.Says {
		if !strings.Contains(e.Message, words) {
			t.Errorf("message %q does not say %q", e.Message, words)
		}
	}
}

// everyCut is the length up to which a body is cut at every byte; longer ones
// are cut at randomCuts places.
const (
	everyCut   = 8 << 10
	randomCuts = 500
)

// cuts are the places to cut a body of n bytes at.
func cuts(n int) []int {
	if n <= everyCut {
		return slices.Collect(upTo(n))
	}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	var out []int
	for range randomCuts {
		out = append(out, random.IntN(n))
	}
	return out
}

// upTo yields the numbers from 0 up to n.
func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// TestStreamCutAnywhere cuts each recorded stream, now as an end and now as a
// broken connection. What comes then is the whole message, a truncated stream
// with the text so far, or an empty response; of a stream that holds an error,
// and of a body that is no stream, an error.
func TestStreamCutAnywhere(t *testing.T) {
	for name, r := range recordedStreams(t) {
		if r.Status != http.StatusOK {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole := askRecorded(t, r.Status, r.Headers, bytes.NewReader(r.body))
			for _, cut := range cuts(len(r.body)) {
				how := "whole"
				if cut%4 == 0 {
					how = "abrupt-close"
				}
				checkCut(t, cut, whole, askRecorded(t, r.Status, r.Headers, deliveries[how](r.body[:cut])))
			}
		})
	}
}

// checkCut checks what came of a body that was cut, given what came of all of
// it.
func checkCut(t *testing.T, cut int, whole, got modeltest.Got) {
	t.Helper()
	if !strings.HasPrefix(whole.Text, got.Text) || !strings.HasPrefix(whole.Reasoning, got.Reasoning) {
		t.Fatalf("cut at %d: text %q and reasoning %q are no beginning of %q and %q", cut, got.Text, got.Reasoning, whole.Text, whole.Reasoning)
	}
	if got.Err == nil {
		if whole.Err != nil || got.Text != whole.Text || got.Finish != whole.Finish || !cmp.Equal(got.Calls, whole.Calls) {
			t.Fatalf("cut at %d: success with %+v, want the whole message %+v or an error", cut, got, whole)
		}
		return
	}
	if len(got.Calls) != 0 {
		t.Fatalf("cut at %d: calls %+v beside error %v", cut, got.Calls, got.Err)
	}
	e, ok := errors.AsType[*model.Error](got.Err)
	if !ok || e.Partial != got.Text {
		t.Fatalf("cut at %d: error %v, want a *model.Error with the text so far %q", cut, got.Err, got.Text)
	}
	switch {
	case e.Class == model.ClassTruncatedStream && e.Retryable:
	case e.Class == model.ClassEmptyResponse && e.Retryable:
		if got.Text+got.Reasoning != "" {
			t.Fatalf("cut at %d: empty_response after text %q", cut, got.Text)
		}
	case whole.Err != nil && e.Class == asError(t, whole.Err).Class:
	default:
		t.Fatalf("cut at %d: error %+v, want truncated_stream or empty_response", cut, e)
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
		if isWhole(text) && strings.Contains(got.Text+got.Reasoning+fmt.Sprint(got.Calls), "\uFFFD") {
			t.Errorf("%+v holds U+FFFD, which the body does not", got)
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

// answering is a transport that keeps the body of the request and answers it.
func answering(sent *[]byte) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		var err error
		*sent, err = io.ReadAll(r.Body)
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(sse(says("ok"), stopped, done)))}, err
	})
}

// isWhole reports whether nothing in a body can become U+FFFD.
func isWhole(body []byte) bool {
	return utf8.Valid(body) && !bytes.Contains(body, []byte("\uFFFD")) && !bytes.Contains(bytes.ToLower(body), []byte(`\u`))
}

// TestRewrittenLikeClean adds a field to each chunk that go-openai would read
// well, so that it is rewritten: what comes of it is the same.
func TestRewrittenLikeClean(t *testing.T) {
	for name, r := range recordedStreams(t) {
		if r.Status != http.StatusOK {
			continue
		}
		body := bytes.ReplaceAll(r.body, []byte("data: {\""), []byte("data: {\"zz\":1,\""))
		got, want := askRecorded(t, 200, nil, bytes.NewReader(body)), askRecorded(t, 200, nil, bytes.NewReader(r.body))
		got.Pieces, want.Pieces = 0, 0
		if got.Err != nil && want.Err != nil && got.Err.Error() != "" {
			got.Err, want.Err = nil, nil
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
			t.Errorf("%s (-clean +rewritten):\n%s", name, diff)
		}
	}
}

// TestFirstPieceLeavesAtOnce: the server waits with the second piece until the
// first one was seen.
func TestFirstPieceLeavesAtOnce(t *testing.T) {
	for name, first := range map[string]string{
		"clean": sse(says("one")), "rewritten": sse(choice(`"delta":{"reasoning":"","content":"one","x":1}`)), "bare line": "data: " + says("one") + "\r",
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan bool)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, first)
				_ = http.NewResponseController(w).Flush()
				select {
				case <-seen:
				case <-r.Context().Done():
				}
				_, _ = io.WriteString(w, sse(says("two"), stopped, done))
			}))
			defer s.Close()
			network := model.NewTransport(1)
			defer network.CloseIdleConnections()
			var all []string
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			req := model.Request{Messages: []model.Message{{Role: model.User, Content: "hi"}}}
			for c, err := range newOpenAI(t, model.Endpoint{Model: "m", BaseURL: s.URL, Transport: network}).Stream(ctx, req) {
				if err != nil {
					t.Fatal(err)
				}
				if c.Text != "" {
					if all = append(all, c.Text); len(all) == 1 {
						close(seen)
					}
				}
			}
			if diff := cmp.Diff([]string{"one", "two"}, all); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
		})
	}
}

// patience bounds what must not wait, on a slow machine.
const patience = 10 * time.Second

// bodies is a transport that answers each request with the next body.
func bodies(texts ...string) http.RoundTripper {
	n := 0
	return roundTrip(func(*http.Request) (*http.Response, error) {
		n++
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(texts[n-1]))}, nil
	})
}
