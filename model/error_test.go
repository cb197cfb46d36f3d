package model_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

func TestErrorSaysWhatToDo(t *testing.T) {
	e := model.NewError(model.ClassQuota, "Insufficient Balance")
	e.Status, e.Hint, e.Err = 402, "top up", io.ErrUnexpectedEOF
	if got, want := e.Error(), "model: quota (status 402): Insufficient Balance (top up)"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Error("errors.Is does not find the cause")
	}
	want := event.Failure{Code: "quota", Who: "client", Message: "Insufficient Balance", Hint: "top up"}
	if diff := cmp.Diff(want, model.AsFailure(e)); diff != "" {
		t.Errorf("failure (-want +got):\n%s", diff)
	}
	if f := model.AsFailure(io.EOF); f.Code != model.ClassProviderError || f.Message != "EOF" {
		t.Errorf("failure %+v, want provider_error with the error's text", f)
	}
	if e := model.NewError("no such class", ""); e.Class != model.ClassProviderError || !e.Retryable {
		t.Errorf("error %+v, want a class of the closed set", e)
	}
}

func TestErrorWordsAreBounded(t *testing.T) {
	e := asError(t, askRecorded(t, 400, nil, strings.NewReader("x"+strings.Repeat("汉", 5000))).Err)
	if len(e.Message) > 2010 || !utf8.ValidString(e.Message) || !strings.HasSuffix(e.Message, "汉…") {
		t.Errorf("%d bytes ending in %q, want about 2000, cut between characters", len(e.Message), e.Message[len(e.Message)-9:])
	}
}

func TestNetworkHints(t *testing.T) {
	for hint, cause := range map[string]error{
		"host name":         &net.DNSError{Err: "no such host", Name: "models.test"},
		"check the network": &net.OpError{Op: "dial", Err: errors.New("no route to host")},
	} {
		c := newOpenAI(t, model.Endpoint{Model: "m", BaseURL: "https://models.test/v1?key=sk-in-address", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, cause
		})})
		e := asError(t, ask(t, c).Err)
		if e.Class != model.ClassTransport || e.Who != "network" || !strings.Contains(e.Hint, hint) || !errors.Is(e, cause) {
			t.Errorf("error %+v, want class transport with hint %q and its cause", e, hint)
		}
		if strings.Contains(e.Error(), "sk-in-address") {
			t.Errorf("error %q holds the address", e.Error())
		}
	}
}

func TestRefusedBeforeItIsSent(t *testing.T) {
	sent := 0
	transport := roundTrip(func(*http.Request) (*http.Response, error) { sent++; return nil, io.EOF })
	c := newOpenAI(t, model.Endpoint{Model: "gpt-6-sol", BaseURL: "http://x", Transport: transport, Extra: map[string]any{"reasoning_effort": "loud"}})
	if e := asError(t, ask(t, c).Err); e.Class != model.ClassBadRequest || e.Retryable || sent != 0 {
		t.Errorf("error %+v after %d requests, want bad_request and none", e, sent)
	}
}
