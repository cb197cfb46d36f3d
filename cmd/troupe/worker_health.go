package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/troupe-go/troupe/gateway/streams"
)

// healthy runs the worker, with a server beside it that says how it is.
func (w *workerCommand) healthy(ctx context.Context, worker *streams.Worker, address string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return usageError(fmt.Sprintf(w.words.worker["noHealth"], address, err), "--health 127.0.0.1:8080")
	}
	srv := &http.Server{Handler: worker.Health(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	var serving sync.WaitGroup
	defer serving.Wait()
	defer func() { _ = srv.Close() }()
	serving.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.say(err.Error())
		}
	})
	return worker.Run(ctx)
}
