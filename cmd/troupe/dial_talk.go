package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/render"
)

// Bounds of a connection that dial makes.
const (
	dialWait = 30 * time.Second
	maxHeard = 64 << 20 // bytes of one message
)

// converse makes a connection, says what is to be said first and then what the
// person says, until the server ends it.
func (d *dialCommand) converse(ctx context.Context, in *input, first ...string) error {
	ws, err := d.connect(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer func() { stop(); _ = ws.CloseNow() }()
	if hello := d.speaker.hello(); hello != nil {
		if err := d.say(ctx, ws, hello); err != nil {
			return err
		}
	}
	for _, text := range first {
		if err := d.say(ctx, ws, d.message(text)); err != nil {
			return err
		}
	}
	heard := make(chan []byte)
	end := make(chan error, 1) // of the connection, which nobody may wait for
	reading.Go(func() { end <- hear(context.WithoutCancel(ctx), ctx.Done(), ws, heard) })
	return d.exchange(ctx, ws, in, heard, end)
}

// exchange shows what comes and says what the person says, until the connection
// ends.
func (d *dialCommand) exchange(ctx context.Context, ws *websocket.Conn, in *input, heard <-chan []byte, end <-chan error) error {
	lines := in.lines
	for {
		if c, ok := d.speaker.(*clientSpeaker); ok && in.over && c.settled() {
			return errors.Join(ws.Close(websocket.StatusNormalClosure, ""), c.refusal())
		}
		select {
		case text := <-heard:
			over, err := d.hears(ctx, ws, text)
			if err != nil {
				return err
			}
			if over {
				lines = nil // the next line is for the next connection
			}
		case l, more := <-lines:
			if in.over = !more; in.over {
				lines = nil // what was asked may still be answered
				continue
			}
			if l.err != nil {
				return l.err
			}
			if err := d.say(ctx, ws, d.message(l.text)); errors.Is(err, net.ErrClosed) && d.speaker.oneByOne() {
				in.held, lines = l.text, nil // the server was faster
			} else if err != nil {
				return err
			}
		case err := <-end:
			return d.closed(err)
		case <-ctx.Done():
			_ = ws.Close(websocket.StatusNormalClosure, "")
			return context.Cause(ctx)
		}
	}
}

// hears shows a message, and answers it if the protocol wants that.
func (d *dialCommand) hears(ctx context.Context, ws *websocket.Conn, text []byte) (over bool, err error) {
	if err := d.show(text); err != nil {
		return false, err
	}
	answer, over := d.speaker.heard(text)
	if answer != nil {
		err = d.say(ctx, ws, answer)
	}
	return over, err
}

// connect opens the connection.
func (d *dialCommand) connect(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	header := http.Header{"User-Agent": {"troupe/" + version().Version}}
	ws, resp, err := websocket.Dial(ctx, d.url, &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // the library closes it
	if err == nil {
		ws.SetReadLimit(maxHeard)
		d.app.say(fmt.Sprintf(d.words.dial["connected"], d.url, d.protocol))
		return ws, nil
	}
	f := &failure{code: exitFailed, text: fmt.Sprintf(d.words.dial["noConnection"], d.url, innermost(err)), err: err}
	switch {
	case resp != nil && resp.StatusCode != 0:
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		f.text = strings.TrimSpace(fmt.Sprintf(d.words.dial["refused"], d.url, resp.Status, strings.TrimSpace(string(body))))
	case strings.Contains(err.Error(), refused):
		f.hint = "troupe serve --studio"
	}
	return nil, f
}

// innermost is the words of the first cause.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// hear reads messages until the connection ends.
func hear(ctx context.Context, done <-chan struct{}, ws *websocket.Conn, heard chan<- []byte) error {
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		select {
		case heard <- text:
		case <-done:
			return nil
		}
	}
}

// message is what is sent for a line: JSON as it is, and a text as the protocol
// wants it.
func (d *dialCommand) message(text string) []byte {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		return d.speaker.object([]byte(text))
	}
	return d.speaker.line(text)
}

// say sends a message, and shows it on stderr without the token.
func (d *dialCommand) say(ctx context.Context, ws *websocket.Conn, text []byte) error {
	d.app.say(d.words.dial["sent"] + " " + render.CleanLine(d.mask.Text(oneLine(text))))
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	err := ws.Write(ctx, websocket.MessageText, text)
	if errors.Is(err, context.DeadlineExceeded) {
		return &failure{code: exitFailed, text: fmt.Sprintf(d.words.dial["notSent"], d.timeout), hint: "--send-timeout 1m", err: err}
	}
	return err
}

// show writes what came to stdout, one message a line.
func (d *dialCommand) show(text []byte) error {
	out := oneLine(d.speaker.read(text))
	if d.pretty {
		out = indented(d.speaker.read(text))
	}
	if d.tee != nil {
		if _, err := io.WriteString(d.tee, out+"\n"); err != nil {
			return fmt.Errorf("--tee: %w", err)
		}
	}
	if d.IsTerminal(d.Stdout) {
		out = render.Clean(out)
	}
	_, err := io.WriteString(d.Stdout, out+"\n")
	return err
}

// oneLine is a message in one line: JSON that has several is put together.
func oneLine(text []byte) string {
	if bytes.ContainsAny(text, "\r\n") {
		var b bytes.Buffer
		if json.Compact(&b, text) == nil {
			return b.String()
		}
	}
	return strings.TrimRight(string(text), "\r\n")
}

// indented is a message as people read it.
func indented(text []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return oneLine(text)
	}
	return b.String()
}

// closed words how the server ended the connection.
func (d *dialCommand) closed(err error) error {
	ce, ok := errors.AsType[websocket.CloseError](err)
	if !ok {
		return &failure{code: exitFailed, text: fmt.Sprintf(d.words.dial["lost"], innermost(err)), err: err}
	}
	text := strings.TrimSpace(fmt.Sprintf(d.words.dial["closed"], int(ce.Code), ce.Reason))
	if ce.Code == websocket.StatusNormalClosure || ce.Code == websocket.StatusGoingAway {
		d.app.say(text)
		return nil
	}
	hint := ""
	if d.token == "" && (ce.Code == websocket.StatusPolicyViolation || ce.Code == client.CloseExpired) {
		hint = fmt.Sprintf(d.words.dial["wantsToken"], tokenVariable+"=… troupe dial "+shellWord(d.url))
	}
	return &failure{code: exitFailed, text: text, hint: hint, err: err}
}
