package main

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// key is what a person pressed.
type key int

// The keys that mean something.
const (
	keyNext key = iota // any other
	keyBack
	keyGo
	keySearch
	keyAgain
	keyQuit
	keyInterrupt
)

// keyboard reads keys and lines from a terminal, in the order in which they
// were typed, however many come at once.
type keyboard struct {
	in  io.Reader
	raw func() (restore func() error, err error)
	got []byte // typed, not yet taken
}

// Read brings what was typed; a line is read so.
func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.got) == 0 {
		return k.in.Read(p)
	}
	n := copy(p, k.got)
	k.got = k.got[n:]
	return n, nil
}

// press waits for a key. The terminal gives each key at once only meanwhile.
func (k *keyboard) press(ctx context.Context) (key, error) {
	if len(k.got) == 0 {
		restore, err := k.raw()
		if err != nil {
			return keyQuit, err
		}
		defer func() { _ = restore() }()
		buf := make([]byte, 64)
		n := 0
		if err := await(ctx, nil, func() (err error) { n, err = k.in.Read(buf); return err }); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return keyQuit, err
		}
		k.got = buf[:n]
	}
	return k.take(), nil
}

// take takes one key off what was typed.
func (k *keyboard) take() key {
	for _, arrow := range []struct {
		code string
		key  key
	}{{"\x1b[A", keyBack}, {"\x1b[D", keyBack}, {"\x1b[B", keyNext}, {"\x1b[C", keyNext}} {
		if rest, ok := bytes.CutPrefix(k.got, []byte(arrow.code)); ok {
			k.got = rest
			return arrow.key
		}
	}
	c := k.got[0]
	k.got = k.got[1:]
	switch c {
	case 'b', 0x7f:
		return keyBack
	case 'g':
		return keyGo
	case '/':
		return keySearch
	case 'n':
		return keyAgain
	case 'q', 0x1b, 0x04:
		return keyQuit
	case 0x03:
		return keyInterrupt
	}
	return keyNext
}
