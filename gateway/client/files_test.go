package client_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

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
