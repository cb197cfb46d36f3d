package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"
)

// patience is how long a silent stdin is waited for before a person is told
// what is waited for.
const patience = 2 * time.Second

// readAll reads r to its end, at most limit bytes and one, which tells that
// there was more. It calls slow when the end is not there after a while, and
// gives up when ctx ends; the read itself then ends with the process.
func readAll(ctx context.Context, r io.Reader, limit int64, slow func()) ([]byte, error) {
	var text []byte
	err := await(ctx, slow, func() (err error) {
		text, err = io.ReadAll(io.LimitReader(r, limit+1))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stdin: %w", err)
	}
	return text, nil
}

// readLine reads one line byte by byte, so that nothing behind it is taken.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	var line []byte
	err := await(ctx, nil, func() error {
		for b := make([]byte, 1); ; {
			n, err := r.Read(b)
			switch {
			case n == 1 && b[0] == '\n':
				return nil
			case n == 1:
				line = append(line, b[0])
			case err == io.EOF && len(line) > 0:
				return nil
			case err != nil:
				return err
			}
		}
	})
	if err != nil {
		return "", fmt.Errorf("stdin: %w", err)
	}
	return string(bytes.TrimSuffix(line, []byte("\r"))), nil
}

// await runs read and returns its error, or the cause of ctx if that ends
// before.
func await(ctx context.Context, slow func(), read func() error) error {
	done := make(chan error, 1) // so that a read that nobody waits for can end
	go func() { done <- read() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			if slow != nil {
				slow()
			}
		}
	}
}
