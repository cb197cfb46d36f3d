package client_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// TestFilesAtOnce sends files that come to more than a user may keep, all at the same
// time: what is kept is no more.
func TestFilesAtOnce(t *testing.T) {
	const each, most, files = 40, 100, 8
	r := newRig(t, func(r *rig) { r.tune = func(o *client.Options) { o.Files.Bound(each, most) } })
	var all, begun sync.WaitGroup
	statuses := make([]int, files)
	begun.Add(files)
	for i := range files {
		all.Go(func() {
			body, text := io.Pipe()
			all.Go(func() {
				_, _ = io.WriteString(text, strings.Repeat("x", each/2))
				begun.Done()
				begun.Wait() // all have passed the first look at what there is
				_, _ = io.WriteString(text, strings.Repeat("x", each/2))
				_ = text.Close()
			})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+client.FilesPath, body)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+annToken)
			resp, err := r.http().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
			statuses[i] = resp.StatusCode
		})
	}
	all.Wait()
	kept := 0
	for _, s := range statuses {
		switch s {
		case http.StatusCreated:
			kept += each
		case http.StatusRequestEntityTooLarge:
		default:
			t.Errorf("status %d", s)
		}
	}
	if kept > most {
		t.Errorf("%d bytes are kept, at most %d may be", kept, most)
	}
}

// TestFileThatStops sends a part of a file and hangs up: nothing is kept, and it is no
// fault of the server.
func TestFileThatStops(t *testing.T) {
	r := newRig(t, nil)
	address := strings.TrimPrefix(r.url, "http://")
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\nbegin", client.FilesPath, address, annToken)
	if err = errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	told := func(e gateway.AuditEntry) bool { return strings.Contains(e.Detail, "did not arrive whole") }
	for deadline := time.Now().Add(20 * time.Second); !slices.ContainsFunc(r.audited(), told); {
		if time.Now().After(deadline) {
			t.Fatalf("the audit is %+v", r.audited())
		}
		<-time.After(time.Millisecond)
	}
	if text := r.logged.String(); strings.Contains(text, `"level":"error"`) {
		t.Errorf("operators read %s", text)
	}
	if kept, err := filepath.Glob(filepath.Join(r.dir, "files", "*", "*")); len(kept) > 0 || err != nil {
		t.Errorf("there are %q, %v", kept, err)
	}
}
