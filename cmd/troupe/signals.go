package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
)

// The causes of a context that a signal ended.
var (
	errInterrupted = errors.New("Ctrl-C")
	errTerminated  = errors.New("SIGTERM")
)

// hangUpError is the cause when the terminal was closed: an end as by SIGTERM.
type hangUpError struct{}

func (hangUpError) Error() string        { return "SIGHUP" }
func (hangUpError) Is(target error) bool { return target == errTerminated }

// interrupts turns signals into an end: of the whole command, or, while a
// gentle way is set, of its work first.
type interrupts struct {
	cancel context.CancelCauseFunc

	mu     sync.Mutex // guards gentle
	gentle func()
}

// watch serves the signals until ctx ends. The first Ctrl-C takes the gentle
// way if there is one; the next one, every SIGTERM and every SIGHUP cut.
func (i *interrupts) watch(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-signals:
			switch s {
			case os.Interrupt:
				i.interrupt()
			case syscall.SIGHUP:
				i.cancel(hangUpError{})
				return
			default:
				i.cancel(errTerminated)
				return
			}
		}
	}
}

// interrupt is what Ctrl-C does.
func (i *interrupts) interrupt() {
	if gentle := i.take(); gentle != nil {
		gentle()
		return
	}
	i.cancel(errInterrupted)
}

// onFirst sets the gentle way that the next Ctrl-C takes.
func (i *interrupts) onFirst(gentle func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.gentle = gentle
}

// take returns the gentle way, once.
func (i *interrupts) take() func() {
	i.mu.Lock()
	defer i.mu.Unlock()
	gentle := i.gentle
	i.gentle = nil
	return gentle
}
