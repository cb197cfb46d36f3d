package model_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func TestProbeLocalServers(t *testing.T) {
	one, two := modeltest.NewServer(t, say("")), modeltest.NewServer(t, say(""))
	one.SetModels("qwen3:8b", "llama3")
	empty := modeltest.NewServer(t, say(""))
	empty.SetModels()
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hanging.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write([]byte("<html>")); err != nil {
			t.Error(err)
		}
	}))
	defer other.Close()
	began := time.Now()
	got := model.ProbePlaces(t.Context(), []model.Found{
		{Provider: "a", BaseURL: hanging.URL},
		{Provider: "b", BaseURL: two.URL},
		{Provider: "c", BaseURL: empty.URL},
		{Provider: "d", BaseURL: other.URL},
		{Provider: "e", BaseURL: one.URL},
		{Provider: "f", BaseURL: hanging.URL},
		{Provider: "g", BaseURL: "http://127.0.0.1:1/v1"},
		{Provider: "h", BaseURL: ":no address"},
	})
	want := []model.Found{
		{Provider: "b", BaseURL: two.URL, Models: []string{modeltest.TestModel}},
		{Provider: "e", BaseURL: one.URL, Models: []string{"qwen3:8b", "llama3"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s, want the time of the slowest probe", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := model.ProbePlaces(ctx, []model.Found{{Provider: "b", BaseURL: two.URL}}); len(got) != 0 {
		t.Errorf("found %+v after the context ended, want nothing", got)
	}
}

func TestLocalHonoursOllamaHost(t *testing.T) {
	s := modeltest.NewServer(t, say(""))
	host := strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1")
	got := model.Local(t.Context(), environment("OLLAMA_HOST", host))
	if len(got) == 0 || got[0].Provider != "ollama" || got[0].BaseURL != s.URL {
		t.Errorf("found %+v, want the server at OLLAMA_HOST first", got)
	}
}
