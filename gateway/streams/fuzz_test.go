package streams_test

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/gateway/streams"
)

// FuzzCommand holds the codec to two promises: what is taken loses nothing when
// it is written again, and what is refused is refused with a reason.
func FuzzCommand(f *testing.F) {
	for _, c := range captures(f, "commands") {
		f.Add([]byte(c.Data))
	}
	f.Add([]byte(`{"action_type":"RESUME","header":{"message_id":"m","session_id":"s","trace_id":"t"},"body":{"status":"x","reply_data":NaN}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := streams.DecodeCommand(text)
		if err != nil {
			if _, ok := errors.AsType[*streams.WireError](err); !ok {
				t.Fatalf("got %T", err)
			}
			return
		}
		fixedPoint(t, c.Encode, func(text []byte) (func() ([]byte, error), error) {
			again, err := streams.DecodeCommand(text)
			return again.Encode, err
		})
	})
}

// FuzzEvent holds the codec of events to the same promises.
func FuzzEvent(f *testing.F) {
	for _, c := range captures(f, "events") {
		f.Add([]byte(c.Data))
	}
	f.Add([]byte(`{"eventType":"askUser","prompt":"x","header":{"messageId":"m"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := streams.DecodeEvent(text)
		if err != nil {
			if _, ok := errors.AsType[*streams.WireError](err); !ok {
				t.Fatalf("got %T", err)
			}
			return
		}
		_, _ = e.Text(), e.Kind()
		fixedPoint(t, e.Encode, func(text []byte) (func() ([]byte, error), error) {
			again, err := streams.DecodeEvent(text)
			return again.Encode, err
		})
	})
}

// fixedPoint writes, reads and writes again.
func fixedPoint(t *testing.T, write func() ([]byte, error), read func([]byte) (func() ([]byte, error), error)) {
	t.Helper()
	once, err := write()
	if err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	again, err := read(once)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, once)
	}
	twice, err := again()
	if err != nil || string(once) != string(twice) {
		t.Fatalf("got %s, then %s, %v", once, twice, err)
	}
}

// FuzzRecord holds the codecs of what the protocol keeps to the same promises.
func FuzzRecord(f *testing.F) {
	for _, c := range captures(f, "records") {
		f.Add([]byte(c.Data))
	}
	f.Add([]byte(`{"execution_id":"e","message_id":"m","session_id":"s","status":"RUNNING","troupe":{"request":{"message_id":"m","session_id":"s","trace_id":"t"},"work":{"key":"k","command":{"a":1}},"inbox":[],"done":null}}`))
	f.Add([]byte(`{"status":"COMPLETED","reply_data":1e400,"content":[{"text":"x"}],"token":"t","last_seen":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := streams.DecodeRecord(text); err == nil {
			_ = r.State()
			fixedPoint(t, r.Encode, func(text []byte) (func() ([]byte, error), error) {
				again, err := streams.DecodeRecord(text)
				return again.Encode, err
			})
		}
		if l, err := streams.DecodeLease(text); err == nil {
			fixedPoint(t, l.Encode, func(text []byte) (func() ([]byte, error), error) {
				again, err := streams.DecodeLease(text)
				return again.Encode, err
			})
		}
		if g, err := streams.DecodeGroupResult(text); err == nil {
			_ = g.Content.Text()
			fixedPoint(t, g.Encode, func(text []byte) (func() ([]byte, error), error) {
				again, err := streams.DecodeGroupResult(text)
				return again.Encode, err
			})
		}
	})
}
