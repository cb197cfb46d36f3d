package envelope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/envelope"
)

// nobody is sessions in which no team works.
type nobody struct{ gateway.Sessions }

func (nobody) Open(_ context.Context, user, name string) (string, int64, error) {
	return user + "/" + name, 0, nil
}

func (nobody) Agents(context.Context, string) (json.RawMessage, error) {
	return json.RawMessage("[]"), nil
}

func (nobody) Submit(context.Context, string, string, string, map[string]string) error {
	return gateway.NewError(gateway.StatusUnavailable, "too many sessions work at once")
}

func (nobody) Answer(context.Context, string, string, string) error {
	return gateway.NewError(gateway.StatusNotFound, "there is no such session")
}

func (nobody) Records(context.Context, string, int64) iter.Seq2[event.Record, error] {
	return func(func(event.Record, error) bool) {}
}

// FuzzDoor: whatever comes in, in whatever dialect, is answered with JSON that says
// what became of it, and is one line in the log if it is refused.
func FuzzDoor(f *testing.F) {
	for i, c := range cases(f) {
		f.Add([]byte(c.Raw), uint8(i))
	}
	f.Add([]byte(`{"to":"executor","content":"x","session":"q3","question":"ask_tl_001"}`), uint8(1))
	auth, err := gateway.NewAuth(gateway.AuthOptions{Tokens: map[string]string{"planner": plannerToken}})
	if err != nil {
		f.Fatal(err)
	}
	space, err := gateway.OpenWorkspace(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	var log bytes.Buffer
	door, err := envelope.NewDoor(envelope.DoorOptions{
		Ground: gateway.Ground{
			Sessions: nobody{}, Auth: auth, Limits: gateway.NewLimits(gateway.LimitOptions{Messages: -1, Bytes: -1}), Workspace: space, Logger: zerolog.New(&log),
		},
		Team: "executor", Warn: func(context.Context, string, event.Warning) error { return nil }, MsgID: func() string { return "m-made" },
	})
	if err != nil {
		f.Fatal(err)
	}
	dialects := []string{"", "?dialect=to-content", "?dialect=target-task"}
	f.Fuzz(func(t *testing.T, raw []byte, dialect uint8) {
		log.Reset()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/envelope"+dialects[int(dialect)%len(dialects)], bytes.NewReader(raw))
		r.Header.Set("Authorization", "Bearer "+plannerToken)
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		var body struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Code != w.Code || body.Message == "" || w.Code < 400 || w.Code == http.StatusInternalServerError {
			t.Fatalf("%q: status %d: %s: %v", raw, w.Code, w.Body, err)
		}
		if n := strings.Count(log.String(), "an envelope is refused"); n != 1 {
			t.Fatalf("%q: %d lines in %s", raw, n, &log)
		}
	})
}
