package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/freeport"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// answering with these is what endpoints and what stands before them do when
// something is wrong.
func wrongEndpoint(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	page := func(title string) string {
		return "<!DOCTYPE html><html><head><title>" + title + "</title></head></html>"
	}
	status, body := http.StatusOK, ""
	switch name {
	case "error":
		body = `{"error":{"message":"something odd happened","type":"odd"}}`
	case "key":
		body = `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`
	case "login":
		w.Header().Set("Content-Type", "text/html")
		body = page("Sign in to the hotel's network")
	case "whole":
		body = `{"choices":[{"index":0,"message":{"role":"assistant","content":"in one piece"},"finish_reason":"stop"}]}`
	case "redirect":
		http.Redirect(w, r, "https://login.corp.test/sso?token=secret", http.StatusFound)
		return
	case "401":
		status, body = 401, `{"error":{"message":"Incorrect API key provided: sk-sec…4567"}}`
	case "403":
		status, body = 403, page("403 Forbidden")
	case "404":
		status, body = 404, "404 page not found\n"
	case "unknown":
		status, body = 404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}`
	case "413":
		status, body = 413, page("413 Request Entity Too Large")
	case "tls":
		status, body = 400, page("400 The plain HTTP request was sent to HTTPS port")
	case "500":
		status, body = 500, page("500 Internal Server Error")
	case "529":
		status = 529
	}
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, body)
}

// TestWhatAStrangerReads: when an endpoint fails, a person who sees the program
// for the first time reads what happened, where, and what to do next, and a
// script gets the exit code for it.
func TestWhatAStrangerReads(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(wrongEndpoint))
	defer server.Close()
	host := server.Listener.Addr().String()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(wrongEndpoint)) // with a certificate that nobody trusts
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	defer secure.Close()
	nobody := freeport.Address(t)
	later := "try " + host + " again later, or name a fallback for the model in the team file"
	tests := []struct {
		name, url string
		code      int
		status    string // the line that says what happened
		next      string // the way out
	}{
		{"an error in place of a reply", server.URL + "/error/v1", exitProvider, "failed  provider_error: something odd happened", later},
		{"a refused key in place of a reply", server.URL + "/key/v1", exitNoModel, "failed  auth: Incorrect API key provided", "check the key in HOUSE_KEY"},
		{
			"a login page", server.URL + "/login/v1", exitProvider, `failed  server_error: an HTML page titled "Sign in to the hotel's network" in place of an answer`,
			"the base URL http://" + host + "/login/v1 may be wrong, or a proxy or a login page answers in its place",
		},
		{"a whole reply where a stream was asked", server.URL + "/whole/v1", exitOK, "status  finished", "troupe replay"},
		{
			"a redirect to a login page", server.URL + "/redirect/v1", exitNoModel, "failed  no_model: the address redirects to https://login.corp.test/sso",
			"check the base URL http://" + host + "/redirect/v1; a login page or a proxy may stand before it",
		},
		{"nothing", server.URL + "/empty/v1", exitProvider, "failed  empty_response: the reply ended before anything came", host + " answers without a word; troupe models probe"},
		{"a refused key", server.URL + "/401/v1", exitNoModel, "failed  auth: Incorrect API key provided", "check the key in HOUSE_KEY"},
		{"a key without rights", server.URL + "/403/v1", exitNoModel, `failed  auth: an HTML page titled "403 Forbidden"`, "the key in HOUSE_KEY may not use this model, or a proxy before " + host},
		{
			"a wrong path", server.URL + "/404/v1", exitNoModel, "failed  no_model: 404 page not found",
			"check the base URL http://" + host + "/404/v1, which must end where /chat/completions begins",
		},
		{"an unknown model", server.URL + "/unknown/v1", exitNoModel, `failed  no_model: model "x" not found`, `check the model name "x" at the provider; troupe models list shows`},
		{"a request that is too large", server.URL + "/413/v1", exitFailed, "failed  bad_request: an HTML page titled \"413 Request Entity Too Large\"", "the request is too large for " + host},
		{"a failing server", server.URL + "/500/v1", exitProvider, `failed  server_error: an HTML page titled "500 Internal Server Error"`, later},
		{"an overloaded server", server.URL + "/529/v1", exitProvider, "failed  overloaded: the provider is overloaded", later},
		{"https to a server without", "https://" + host + "/whole/v1", exitNoModel, "failed  transport: ", "the server does not speak https; try http in the base URL"},
		{"http to a server with https", server.URL + "/tls/v1", exitNoModel, "failed  no_model: ", "the server speaks https; write https in the base URL"},
		{"a certificate that nobody trusts", secure.URL + "/whole/v1", exitNoModel, "failed  transport: ", "the server's certificate is not trusted"},
		{"nobody listens", "http://" + nobody + "/v1", exitNoModel, "failed  transport: ", "start the server at " + nobody},
	}
	p := newProcess(t)
	p.vars["HOUSE_KEY"] = "sk-secret-1234567"
	put(t, "team.yaml", "model: house\nroles: {a: {name: A, does: nothing}}\nmodels:\n"+
		"  house: {provider: openai-compatible, model: x, base_url: \"${URL}\", api_key_env: HOUSE_KEY, retry: {max: 1, base: 1ms, cap: 1ms}}\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.vars["URL"] = tt.url
			code := p.call(t.Context(), "run", "hello")
			said := p.stderr.String()
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range []string{tt.status, "next    " + tt.next} {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in:\n%s", want, said)
				}
			}
			if strings.Contains(said+p.stdout.String(), p.vars["HOUSE_KEY"]) || strings.Contains(said, "token=") {
				t.Errorf("a secret is shown:\n%s", said)
			}
			if tt.code != exitOK && p.stdout.Len() > 0 {
				t.Errorf("stdout has %q, want nothing", &p.stdout)
			}
		})
	}
}

// TestExitCodeOfAnAddressWithoutAServer: the record of a failed run has only the
// words of the system. The name of a host is asked of no server here, because
// not every machine has one.
func TestExitCodeOfAnAddressWithoutAServer(t *testing.T) {
	for words, want := range map[string]int{
		(&net.DNSError{Err: "no such host", Name: "house.invalid", IsNotFound: true}).Error():     exitNoModel,
		(&net.DNSError{Err: "server misbehaving", Name: "house.test", IsTemporary: true}).Error(): exitProvider,
		"read tcp 127.0.0.1:1: connection reset by peer":                                          exitProvider,
	} {
		failed := &leader.Error{Failure: event.Failure{Code: model.ClassTransport, Retryable: true, Message: words}}
		if got := exitCode(failed); got != want {
			t.Errorf("%s: exit code %d, want %d", words, got, want)
		}
	}
}

// TestWaysOutWithoutATeamFile: the same for a model that only -m names.
func TestWaysOutWithoutATeamFile(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(wrongEndpoint))
	defer server.Close()
	p := newProcess(t)
	p.vars["OLLAMA_HOST"] = server.URL + "/unknown"
	p.vars["OPENAI_BASE_URL"], p.vars["OPENAI_API_KEY"] = server.URL+"/whole/v1", "sk-secret-1234567"
	if code := p.call(t.Context(), "run", "-m", "ollama/x", "hello"); code != exitNoModel || !strings.Contains(p.stderr.String(), "next    ollama pull x, or take one that is there: troupe models list") {
		t.Errorf("exit code %d, want %d and the ways out:\n%s", code, exitNoModel, &p.stderr)
	}
	if code := p.call(t.Context(), "run", "-m", "openai-compatible/x", "hello"); code != exitOK || p.stdout.String() != "in one piece\n" {
		t.Errorf("exit code %d, stdout %q, want the answer:\n%s", code, &p.stdout, &p.stderr)
	}
}
