package envelope

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/gateway"
)

// body reads the message of a request.
func (d *Door) body(v *visit) ([]byte, error) {
	if encoding := v.r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, gateway.NewError(http.StatusUnsupportedMediaType, "the message is encoded: %s", encoding).WithHint("send it as it is, without Content-Encoding")
	}
	if _, p, err := mime.ParseMediaType(v.r.Header.Get("Content-Type")); err == nil && !utf8Name(p["charset"]) {
		return nil, gateway.NewError(http.StatusUnsupportedMediaType, "the message is in %s", p["charset"]).WithHint("send it in UTF-8")
	}
	deadline := http.NewResponseController(v.w)
	_ = deadline.SetReadDeadline(d.opts.Now().Add(d.opts.BodyTimeout))
	raw, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, int64(d.opts.MaxBytes)))
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case large:
		return nil, &Error{Invalid, []Remark{{Reason: TooLarge, Offset: d.opts.MaxBytes}}}
	case errors.Is(err, os.ErrDeadlineExceeded):
		e := gateway.NewError(http.StatusRequestTimeout, "the message took longer than %s to arrive", d.opts.BodyTimeout)
		e.Retryable = true
		return nil, e
	case err != nil:
		return nil, gateway.NewError(gateway.StatusBad, "the message did not arrive whole").WithHint("send it again")
	}
	_ = deadline.SetReadDeadline(time.Time{})
	return raw, nil
}

// utf8Name reports whether a charset is UTF-8, or none is named.
func utf8Name(charset string) bool {
	switch strings.ToLower(charset) {
	case "", "utf-8", "utf8", "us-ascii":
		return true
	}
	return false
}

// patience is how long the answer to a request waits for the result: what its
// header Prefer says (RFC 7240), or as the door does.
func (d *Door) patience(r *http.Request) time.Duration {
	async := false
	for _, line := range r.Header.Values("Prefer") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "respond-async":
				async = true
			case "wait":
				if n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(value), `"`)); err == nil && n >= 0 {
					return min(time.Duration(min(n, 1<<20))*time.Second, d.opts.MaxWait)
				}
			}
		}
	}
	if async {
		return 0
	}
	return d.opts.Wait
}
