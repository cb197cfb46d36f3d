package streams

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// How long a party waits before it tries again what Redis could not do.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// persist makes op anew while Redis cannot be reached, until ctx ends: then its
// cause is returned. What op does must bear being done twice.
func persist(ctx context.Context, op func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := op()
		if err == nil || !passing(err) {
			return err
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

// wait returns after d, or with its cause when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// passingWords begin what Redis answers while it starts, is full, or changes its
// master or its slots.
var passingWords = []string{
	"LOADING", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "NOREPLICAS", "UNBLOCKED", "MISCONF", "OOM", "ERR max number of clients",
}

// passing reports whether an error may be gone a moment later.
func passing(err error) bool {
	if reply, ok := errors.AsType[redis.Error](err); ok {
		for _, word := range passingWords {
			if strings.HasPrefix(reply.Error(), word) {
				return true
			}
		}
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, ErrBusy)
}

// whole is the error of a transaction, or, of one that Redis did not begin, that of
// the command which it refused: only this one tells whether to try again.
func whole(cmds []redis.Cmder, err error) error {
	if err == nil || !redis.HasErrorPrefix(err, aborted) {
		return err
	}
	for _, cmd := range cmds {
		if refused := cmd.Err(); refused != nil && !redis.HasErrorPrefix(refused, aborted) {
			return refused
		}
	}
	return err
}

const aborted = "EXECABORT"
