package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

func main() {
	signals := make(chan os.Signal, 2) // Ctrl-C twice in a row is two wishes
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP) // the terminal was closed
	}
	os.Exit(Main(context.Background(), processEnv(signals)))
}

// processEnv is the process that we are.
func processEnv(signals <-chan os.Signal) Env {
	return Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		LookupEnv: os.LookupEnv, Getwd: os.Getwd, Now: time.Now, Signals: signals,
		Piped: isPiped(os.Stdin),
		IsTerminal: func(s any) bool {
			f, ok := s.(*os.File)
			return ok && term.IsTerminal(int(f.Fd()))
		},
		Size: func(w io.Writer) (width, height int) {
			if f, ok := w.(*os.File); ok {
				width, height, _ = term.GetSize(int(f.Fd()))
			}
			return width, height
		},
		Raw: func() (func() error, error) {
			fd := int(os.Stdin.Fd())
			state, err := term.MakeRaw(fd)
			return func() error { return term.Restore(fd, state) }, err
		},
	}
}

// isPiped reports whether f brings text: a pipe or a file, and not a terminal
// or an empty device.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}
