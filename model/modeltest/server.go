package modeltest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/model"
)

// Server is an HTTP server on a loopback address that speaks the OpenAI chat
// protocol, streamed and plain.
type Server struct {
	// URL is the base URL, up to "/chat/completions".
	URL string

	handle    func(ChatRequest) Reply
	http      *httptest.Server
	transport *http.Transport

	mu        sync.Mutex // guards exchanges, open and models
	exchanges []*Exchange
	open      int
	models    []string
}

// Exchange is a request that the server got.
type Exchange struct {
	Request ChatRequest
	// Start is when the request was read, End when the reply was sent or
	// broken off; zero while it runs.
	Start, End time.Time
	// Overlap is how many requests were open when this one came, itself
	// included.
	Overlap int
}

// NewServer starts a server that asks handle for each reply and stops when the
// test ends. handle is called from many goroutines at once.
func NewServer(t testing.TB, handle func(ChatRequest) Reply) *Server {
	t.Helper()
	s := StartServer(handle)
	t.Cleanup(s.Close)
	return s
}

// StartServer is [NewServer] for programs that stop the server themselves,
// with [Server.Close].
func StartServer(handle func(ChatRequest) Reply) *Server {
	s := &Server{handle: handle, transport: model.NewTransport(model.DefaultMaxConns), models: []string{TestModel}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.list)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1"
	return s
}

// Close breaks open requests off and stops the server.
func (s *Server) Close() {
	s.transport.CloseIdleConnections()
	s.http.CloseClientConnections()
	s.http.Close()
}

// TestModel and TestKey are the model and the key of [Server.Endpoint].
const (
	TestModel = "test-model"
	TestKey   = "sk-test-0123456789"
)

// Endpoint is the server as package model wants it. Its transport is closed
// with the server.
func (s *Server) Endpoint() model.Endpoint {
	return model.Endpoint{Model: TestModel, BaseURL: s.URL, Key: TestKey, Transport: s.transport}
}

// Client returns a client of the server.
func (s *Server) Client() model.Client {
	c, err := model.NewOpenAI(s.Endpoint())
	if err != nil {
		panic("modeltest: " + err.Error()) // the address is ours
	}
	return c
}

// SetModels replaces the list of models that GET /v1/models returns.
func (s *Server) SetModels(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = slices.Clone(names)
}

// Exchanges returns the requests so far, in the order in which they came.
func (s *Server) Exchanges() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Exchange, len(s.exchanges))
	for i, x := range s.exchanges {
		out[i] = *x
	}
	return out
}

// MaxOverlap is the largest number of requests that were open at once.
func (s *Server) MaxOverlap() int {
	most := 0
	for _, x := range s.Exchanges() {
		most = max(most, x.Overlap)
	}
	return most
}

// begin records a request; end must be called when its reply is out.
func (s *Server) begin(req ChatRequest) (numbered ChatRequest, end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	req.Number = len(s.exchanges) + 1
	x := &Exchange{Request: req, Start: time.Now(), Overlap: s.open}
	s.exchanges = append(s.exchanges, x)
	return req, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		x.End = time.Now()
	}
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	req, err := parseRequest(r)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	req, end := s.begin(req)
	defer end()
	reply := s.handle(req)
	if wait(r.Context(), reply.Delay) != nil {
		return
	}
	reply.write(r.Context(), w, req)
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	names := slices.Clone(s.models)
	s.mu.Unlock()
	list := modelList{Object: "list"}
	for _, name := range names {
		list.Data = append(list.Data, listedModel{ID: name, Object: "model", OwnedBy: "test"})
	}
	writeJSON(w, http.StatusOK, list)
}
