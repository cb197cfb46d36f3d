package streams_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/gateway/streams"
)

func TestDial(t *testing.T) {
	for address, check := range map[string]func(redis.UniversalClient) bool{
		"redis://ann:pw@127.0.0.1:7000/3?dial_timeout=3s": func(c redis.UniversalClient) bool {
			r, ok := c.(*redis.Client)
			return ok && r.Options().Addr == "127.0.0.1:7000" && r.Options().DB == 3 && r.Options().Username == "ann" &&
				r.Options().Password == "pw" && r.Options().DialTimeout == 3*time.Second && r.Options().ContextTimeoutEnabled &&
				r.Options().PoolSize == 99 && r.Options().TLSConfig == nil
		},
		"rediss://127.0.0.1": func(c redis.UniversalClient) bool {
			r, ok := c.(*redis.Client)
			return ok && r.Options().TLSConfig != nil
		},
		"unix:///run/redis.sock?db=2": func(c redis.UniversalClient) bool {
			r, ok := c.(*redis.Client)
			return ok && r.Options().Network == "unix" && r.Options().DB == 2
		},
		"redis://127.0.0.1:26379?master_name=main&addr=127.0.0.2:26379": func(c redis.UniversalClient) bool {
			r, ok := c.(*redis.Client)
			return ok && r.Options().Addr == "FailoverClient" && r.Options().PoolSize == 99
		},
		"redis://127.0.0.1:7000?addr=127.0.0.2:7000": func(c redis.UniversalClient) bool {
			r, ok := c.(*redis.ClusterClient)
			return ok && len(r.Options().Addrs) == 2 && r.Options().ContextTimeoutEnabled && r.Options().PoolSize == 99
		},
		"rediss+cluster://127.0.0.1:7000": func(c redis.UniversalClient) bool {
			r, ok := c.(*redis.ClusterClient)
			return ok && len(r.Options().Addrs) == 1 && r.Options().TLSConfig != nil
		},
	} {
		c, host, err := streams.Dial(address, 99)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if !check(c) || strings.Contains(host, "pw") {
			t.Errorf("%s: got %T at %s with other settings", address, c, host)
		}
		_ = c.Close()
	}
}

func TestConnectRefuses(t *testing.T) {
	for want, addresses := range map[error][]string{
		streams.ErrAddress: {
			"", "127.0.0.1:6379", "http://ann:hunter2@127.0.0.1", "redis://ann:hunter2@127.0.0.1/x", "redis://ann:hunter2@[::1",
			"redis://ann:hunter2@127.0.0.1?no=1", "redis+cluster://ann:hunter2@127.0.0.1?no=1", "redis://ann:hunter2@127.0.0.1/x?master_name=m",
		},
		streams.ErrUnreachable: {
			"redis://ann:hunter2@127.0.0.1:1?max_retries=-1", "redis+cluster://ann:hunter2@127.0.0.1:1?addr=127.0.0.1:2",
		},
	} {
		for _, address := range addresses {
			_, err := streams.Connect(t.Context(), address, "", 0)
			if !errors.Is(err, want) {
				t.Errorf("%q: got %v, want %v", address, err, want)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the password: %v", err)
			}
		}
	}
	if _, err := streams.Connect(t.Context(), "redis://127.0.0.1:1", "v3", 0); !errors.Is(err, streams.ErrSchema) {
		t.Errorf("schema v3: %v", err)
	}
}

func TestConnect(t *testing.T) {
	s, _ := mini(t)
	c, err := streams.Connect(t.Context(), "redis://"+s.Addr(), "", 0)
	if err != nil || c.Schema != streams.V1 || c.Host != s.Addr() {
		t.Fatalf("got %+v, %v", c, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestSmallPool: a worker is refused whose blocked reads would hold all connections.
func TestSmallPool(t *testing.T) {
	for types, clients := range map[int][]redis.UniversalClient{
		1: {redis.NewClient(&redis.Options{PoolSize: 3}), redis.NewClusterClient(&redis.ClusterOptions{PoolSize: 3})},
		8: {redis.NewClient(&redis.Options{PoolSize: 10}), redis.NewFailoverClient(&redis.FailoverOptions{PoolSize: 10})},
	} {
		for _, rdb := range clients {
			t.Cleanup(func() { rdb.Close() })
			for more, want := range []error{nil, streams.ErrPool} {
				names := make([]string, types+more)
				for i := range names {
					names[i] = strconv.Itoa(i)
				}
				_, err := streams.NewWorker(rdb, streams.WorkerOptions{ID: "w", AgentTypes: names, Handler: echo, Schema: streams.V2})
				if !errors.Is(err, want) || want != nil && !strings.Contains(err.Error(), fmt.Sprintf("needs %d", types+more+2)) {
					t.Errorf("%T, %d types: %v, want %v", rdb, types+more, err, want)
				}
			}
		}
	}
}
