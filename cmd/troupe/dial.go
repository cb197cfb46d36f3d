package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/transcript"
)

// dialCommand is "troupe dial": a client that shows what it gets as it is.
type dialCommand struct {
	*app
	dialFlags
	url     string
	speaker speaker
	token   string
	mask    *transcript.Mask
	tee     io.Writer // a copy of stdout; nil without one
	timeout time.Duration
}

// dialFlags are the flags of dial.
type dialFlags struct {
	protocol, tokenEnv, session, resume, model, project, workDir string
	send, teeFile, sendTimeout                                   string
	pretty                                                       bool
}

func (a *app) dialCommand() *cobra.Command {
	d := &dialCommand{app: a}
	cmd := &cobra.Command{
		Use: "dial URL [TEXT…]", Args: a.args(1, maxWords),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.url = args[0]
			return d.Run(cmd.Context(), strings.Join(args[1:], " "))
		},
	}
	f := a.flags(cmd)
	f.text(&d.protocol, "protocol", "")
	f.text(&d.tokenEnv, "token-env", "")
	f.text(&d.session, "session", "")
	f.text(&d.resume, "resume", "")
	f.text(&d.model, "model", "m")
	f.text(&d.project, "project", "")
	f.text(&d.workDir, "workdir", "")
	f.text(&d.send, "send", "")
	f.text(&d.teeFile, "tee", "")
	f.text(&d.sendTimeout, "send-timeout", "")
	f.flag(&d.pretty, "pretty", "")
	return cmd
}

// tokenVariable has the token unless --token-env names another variable: an
// argument could be seen by everybody on the machine.
const tokenVariable = "TROUPE_TOKEN"

// defaultSendTimeout is how long the server may take to accept a message.
const defaultSendTimeout = 10 * time.Second

// Run connects, sends, and shows what comes, until the server or the person ends
// it.
func (d *dialCommand) Run(ctx context.Context, text string) (err error) {
	if err := d.settle(); err != nil {
		return err
	}
	if d.teeFile != "" {
		file, err := os.OpenFile(d.teeFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return usageError(unpathed(d.teeFile, err), "")
		}
		defer file.Close()
		d.tee = file
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	in := d.input(ctx, text)
	once := text != "" || d.send != ""
	if !d.speaker.oneByOne() {
		return d.converse(ctx, in)
	}
	for {
		first, ok, err := in.first(ctx)
		if err != nil || !ok {
			return err
		}
		if err := d.converse(ctx, in, first); err != nil || in.held == "" && (once || in.over) {
			return err
		}
	}
}

// settle checks the flags.
func (d *dialCommand) settle() error {
	u, err := url.Parse(d.url)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return usageError(fmt.Sprintf(d.words.dial["badURL"], d.url), "troupe dial ws://127.0.0.1:8787/studio")
	}
	if err := d.oneOf("protocol", d.protocol); err != nil {
		return err
	}
	if d.protocol == "" {
		d.protocol = guessSpeaker(u.Path)
	}
	d.timeout = defaultSendTimeout
	if d.sendTimeout != "" {
		if d.timeout, err = time.ParseDuration(d.sendTimeout); err != nil || d.timeout <= 0 {
			return usageError(fmt.Sprintf(d.words.badSample, "send-timeout", d.sendTimeout, "10s, 1m"), "")
		}
	}
	d.token = d.get(cmp.Or(d.tokenEnv, tokenVariable))
	if d.tokenEnv != "" && d.token == "" {
		return usageError(fmt.Sprintf(d.words.dial["noToken"], d.tokenEnv), d.tokenEnv+"=… troupe dial "+shellWord(d.url))
	}
	d.mask = transcript.NewMask(d.token)
	d.speaker, err = speakers()[d.protocol](d)
	return err
}

// line is a message of the person, or why there is no other one.
type line struct {
	text string
	err  error
}

// input is what the person says: TEXT, then the file of --send, then stdin.
type input struct {
	lines chan line // closed at the end
	over  bool
	held  string // a line that came when the connection had ended; empty if none
}

// input begins to read.
func (d *dialCommand) input(ctx context.Context, text string) *input {
	in := &input{lines: make(chan line)}
	go func() {
		defer close(in.lines)
		if text != "" && !in.put(ctx, line{text: text}) {
			return
		}
		if d.send != "" && !d.sendFile(ctx, in) {
			return
		}
		if d.Piped || d.IsTerminal(d.Stdin) && !d.noInput {
			in.read(ctx, d.Stdin)
		}
	}()
	return in
}

// put hands on a line unless nobody waits for it any more.
func (in *input) put(ctx context.Context, l line) bool {
	select {
	case in.lines <- l:
		return l.err == nil
	case <-ctx.Done():
		return false
	}
}

// sendFile reads the messages of the file.
func (d *dialCommand) sendFile(ctx context.Context, in *input) bool {
	file, err := os.Open(d.send)
	if err != nil {
		return in.put(ctx, line{err: usageError(unpathed(d.send, err), "")})
	}
	defer file.Close()
	return in.read(ctx, file)
}

// maxSaid bounds a message of the person, in bytes.
const maxSaid = 4 << 20

// read reads messages, one a line, or JSON over several lines.
func (in *input) read(ctx context.Context, r io.Reader) bool {
	messages := newMessages(r, maxSaid)
	for {
		text, _, err := messages.next()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return in.put(ctx, line{err: err})
		case !in.put(ctx, line{text: string(text)}):
			return false
		}
	}
}

// first waits for the line with which a connection begins; ok is false when there
// is none any more.
func (in *input) first(ctx context.Context) (text string, ok bool, err error) {
	if text, in.held = in.held, ""; text != "" {
		return text, true, nil
	}
	select {
	case l, more := <-in.lines:
		in.over = !more
		return l.text, more, l.err
	case <-ctx.Done():
		return "", false, context.Cause(ctx)
	}
}
