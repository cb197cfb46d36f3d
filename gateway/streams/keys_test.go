package streams_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/golden"
)

func TestKeys(t *testing.T) {
	var b strings.Builder
	for _, s := range []streams.Schema{streams.V1, streams.V2} {
		for _, key := range []string{
			s.TypeStream("echo"), s.WorkerStream("w-1"), s.DataStream("sess"), s.Registry("sess"), s.Checkpoint("sess", "ui"),
			s.Group("tg-1"), s.GroupResults("tg-1"), s.Lease("w-1"), s.Members("echo"), s.Denied("echo"), s.AgentTypes("w-1"),
			s.Workers(), s.Admin("w-1"), s.Circuit("echo"), s.Fallback("echo"), s.Quota("u-1"), s.DeadLetters(),
		} {
			fmt.Fprintln(&b, key)
		}
	}
	golden.Equal(t, "testdata/keys.golden", []byte(b.String()))
}

// TestKeysOfTheCaptures finds each captured key among ours.
func TestKeysOfTheCaptures(t *testing.T) {
	for _, c := range captures(t, "commands") {
		part := strings.SplitN(c.Key, ":", 4)
		want := streams.V1.TypeStream(part[3])
		if part[2] == "worker" {
			want = streams.V1.WorkerStream(part[3])
		}
		if c.Key != want {
			t.Errorf("got %s, want %s", want, c.Key)
		}
	}
	for _, c := range captures(t, "events") {
		e, err := streams.DecodeEvent([]byte(c.Data))
		if err != nil || streams.V1.DataStream(e.SessionID) != c.Key {
			t.Errorf("got %s, %v; want %s", streams.V1.DataStream(e.SessionID), err, c.Key)
		}
	}
}

// hashed is the part of a key by which a cluster places it.
func hashed(key string) string {
	if _, rest, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(rest, "}"); ok && tag != "" {
			return tag
		}
	}
	return key
}

// TestSessionsWhoseKeysLieApart sends tasks in sessions with braces in their names:
// those are refused, and no other ones, whose keys a cluster keeps in several places.
func TestSessionsWhoseKeysLieApart(t *testing.T) {
	for _, schema := range []streams.Schema{streams.V1, streams.V2} {
		_, rdb := mini(t)
		r := newRig(t, rdb, schema)
		for _, session := range []string{"s", "{", "}", "{}", "}{", "{s}", "}s{", "s}", "s}{t", "a{b}c", "{}s", "}}", "{{", " }"} {
			apart := schema == streams.V2 && hashed(schema.DataStream(session)) != hashed(schema.Registry(session))
			_, err := r.client.Send(t.Context(), streams.Request{AgentType: "echo", SessionID: session, Content: streams.TextContent("x"), Policy: streams.SendAnyway})
			if apart != (err != nil) || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("session %q begins with }", session)) {
				t.Errorf("%s, session %q, keys apart %v: %v", schema, session, apart, err)
			}
			if n := rdb.Exists(t.Context(), schema.Registry(session)).Val(); (n == 0) != apart {
				t.Errorf("%s, session %q: %d registries", schema, session, n)
			}
		}
	}
}

func TestParseSchema(t *testing.T) {
	for name, want := range map[string]streams.Schema{"": streams.V1, "v1": streams.V1, "v2": streams.V2} {
		if got, err := streams.ParseSchema(name); got != want || err != nil {
			t.Errorf("%q: got %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"v3", "V1", "1"} {
		if got, err := streams.ParseSchema(name); !errors.Is(err, streams.ErrSchema) {
			t.Errorf("%q: got %q, %v; want ErrSchema", name, got, err)
		}
	}
}
