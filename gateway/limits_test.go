package gateway_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/gateway"
)

func TestConnectionsAreCounted(t *testing.T) {
	l := gateway.NewLimits(gateway.LimitOptions{Connections: 3, ConnectionsPerUser: 2})
	connect := func(user string) func() {
		t.Helper()
		release, err := l.Connect(user)
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	refused := func(user string) {
		t.Helper()
		_, err := l.Connect(user)
		if e := gateway.ErrorOf(err); e == nil || e.Code != gateway.StatusTooMany || e.Who != gateway.WhoLimit || !e.Retryable || e.RetryAfterMS == 0 {
			t.Errorf("a connection of %s: %v", user, err)
		}
	}
	first := connect("ann")
	connect("ann")
	refused("ann")
	connect("bob")
	refused("bob")
	refused("eve")
	first()
	first()
	connect("eve")
	refused("ann")
}

// TestWaitingIsEnough sends as fast as it may, always waiting as told: nothing is
// refused twice.
func TestWaitingIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := gateway.NewLimits(gateway.LimitOptions{Messages: 10, MessageBurst: 5, Bytes: 1000, ByteBurst: 2000})
		began := time.Now()
		refused := 0
		for range 100 {
			err := l.Message("ann", 10)
			if err == nil {
				continue
			}
			refused++
			time.Sleep(time.Duration(gateway.ErrorOf(err).RetryAfterMS) * time.Millisecond)
			if err := l.Message("ann", 10); err != nil {
				t.Fatalf("after the wait: %v", err)
			}
		}
		// 5 at once, then one in 100 ms.
		if took := time.Since(began); refused != 95 || took < 9500*time.Millisecond || took > 9700*time.Millisecond {
			t.Errorf("100 messages took %s, and %d were refused", took, refused)
		}
		if err := l.Message("bob", 5000); err != nil {
			t.Errorf("a large message of another: %v", err)
		}
		err := l.Message("bob", 1)
		if wait := gateway.ErrorOf(err).RetryAfterMS; wait != 3002 && wait != 3001 {
			t.Errorf("a message after one of 5000 bytes waits %d ms, want 3001", wait)
		}
	})
}

// TestNobodyGetsMore sends at random times, and holds what is taken to the rate.
func TestNobodyGetsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(0, 0)
		l := gateway.NewLimits(gateway.LimitOptions{
			Messages: 7, MessageBurst: 3, Bytes: 900, ByteBurst: 500, Now: func() time.Time { return now },
		})
		messages, bytes, largest := 0.0, 0.0, 0.0
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			now = now.Add(time.Duration(rapid.IntRange(-50, 400).Draw(t, "ms")) * time.Millisecond)
			size := rapid.IntRange(0, 1500).Draw(t, "bytes")
			if l.Message("ann", size) == nil {
				messages++
				bytes += float64(size)
				largest = max(largest, float64(size))
			}
			span := now.Sub(time.Unix(0, 0)).Seconds() + 10 // the clock goes back sometimes, by less
			if messages > 3+7*span || bytes > 500+900*span+largest {
				t.Fatalf("%v messages and %v bytes in %v s", messages, bytes, span)
			}
		}
	})
}

func TestAbuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := gateway.NewLimits(gateway.LimitOptions{Messages: 1, MessageBurst: 1, Patience: 3})
		for i, want := range []bool{false, false, false, true, true} {
			_ = l.Message("ann", 1) // the first is taken
			if got := l.Abusive("ann"); got != want {
				t.Errorf("after message %d abusive is %v", i+1, got)
			}
		}
		time.Sleep(time.Second)
		if err := l.Message("ann", 1); err != nil || l.Abusive("ann") || l.Abusive("eve") {
			t.Errorf("after a while: %v", err)
		}
	})
}

func TestFiles(t *testing.T) {
	for _, tt := range []struct{ most, kept, status int }{{0, 999, 0}, {0, 1000, 429}, {3, 2, 0}, {3, 3, 429}, {3, 4, 429}, {-1, 1e6, 0}} {
		err := gateway.NewLimits(gateway.LimitOptions{FilesPerUser: tt.most}).File(tt.kept)
		if e := gateway.ErrorOf(err); (err == nil) != (tt.status == 0) || err != nil && (int(e.Code) != tt.status || e.Retryable || e.Hint == "") {
			t.Errorf("%d files where %d may be: %+v", tt.kept, tt.most, err)
		}
	}
}

func TestUnlimited(t *testing.T) {
	l := gateway.NewLimits(gateway.LimitOptions{Connections: -1, ConnectionsPerUser: -1, Messages: -1, Bytes: -1, Patience: -1})
	for range 5000 {
		if _, err := l.Connect("ann"); err != nil {
			t.Fatal(err)
		}
		if err := l.Message("ann", 1<<20); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQuietUsersAreForgotten has many users come and go; those who owe something
// are remembered, so that nobody gets more by coming anew.
func TestQuietUsersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := gateway.NewLimits(gateway.LimitOptions{Messages: 1, MessageBurst: 1, Bytes: -1})
		if err := l.Message("owes", 1); err != nil {
			t.Fatal(err)
		}
		for i := range 10_000 {
			release, err := l.Connect(fmt.Sprint("user ", i))
			if err != nil {
				t.Fatal(err)
			}
			release()
		}
		if got := gateway.Known(l); got > 600 {
			t.Errorf("%d users are remembered", got)
		}
		if err := l.Message("owes", 1); err == nil {
			t.Error("a user was forgotten who owes something")
		}
	})
}
