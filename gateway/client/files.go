package client

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// Files keeps files that clients send, each for its user alone, in a folder.
type Files struct {
	root          *os.Root
	perFile, user int64

	begin sync.Mutex // held while a file begins, so that each one is counted by the next
}

// Bounds of files, in bytes.
const (
	maxFile     = 16 << 20
	maxUserFile = 256 << 20
	maxFileName = 255
)

// transfer is how long a file may take on its way.
const transfer = 5 * time.Minute

// OpenFiles opens the folder dir, and makes it if need be. Close it.
func OpenFiles(dir string) (*Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("client: files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("client: files: %w", err)
	}
	return &Files{root: root, perFile: maxFile, user: maxUserFile}, nil
}

// Close lets go of the folder.
func (f *Files) Close() error { return f.root.Close() }

// folderOf is the folder of a user's files.
func folderOf(user string) string {
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:16])
}

// refPrefix begins the names of files, refDigits is how many letters and digits
// follow.
const (
	refPrefix = "file_"
	refDigits = 26
)

// path is where a file is; ok is false for what is no reference.
func (f *Files) path(user, ref string) (path string, ok bool) {
	digits, ok := strings.CutPrefix(ref, refPrefix)
	if !ok || len(digits) != refDigits || strings.Trim(digits, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", false
	}
	return filepath.Join(folderOf(user), ref), true
}

// put writes a file and returns its reference. another fails when a user with so
// many files may keep no other one.
func (f *Files) put(user string, body io.Reader, another func(kept int) error) (ref string, size int64, err error) {
	ref = newID(refPrefix)
	path, _ := f.path(user, ref)
	file, room, err := f.create(user, path, another)
	if err != nil {
		return "", 0, err
	}
	size, err = io.Copy(file, io.LimitReader(body, max(room, 0)+1))
	var used int64
	if err = errors.Join(err, file.Close()); err == nil && size <= room {
		_, used, err = f.kept(folderOf(user)) // once more: others may have come at the same time
	}
	if _, ours := errors.AsType[*fs.PathError](err); err != nil && !ours {
		err = gateway.NewError(gateway.StatusBad, "the file did not arrive whole").WithHint("send it again")
	}
	if err == nil && (size > room || used > f.user) {
		err = gateway.NewError(gateway.StatusTooLarge, "the file has more than %d bytes, or all of yours more than %d", f.perFile, f.user)
	}
	if err != nil {
		return "", 0, errors.Join(err, f.root.Remove(path))
	}
	return ref, size, nil
}

// create makes a file of a user. There may be room bytes in it.
func (f *Files) create(user, path string, another func(kept int) error) (file *os.File, room int64, err error) {
	f.begin.Lock()
	defer f.begin.Unlock()
	dir := folderOf(user)
	if err := f.root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, 0, err
	}
	number, used, err := f.kept(dir)
	if err != nil {
		return nil, 0, err
	}
	if err := another(number); err != nil {
		return nil, 0, err
	}
	file, err = f.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return file, min(f.perFile, f.user-used), err
}

// kept is how many files are in a folder, and how much they take, in bytes.
func (f *Files) kept(dir string) (number int, used int64, err error) {
	list, err := fs.ReadDir(f.root.FS(), dir)
	if err != nil {
		return 0, 0, err
	}
	for _, entry := range list {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // it became too large, or somebody cleans up
		}
		if err != nil {
			return 0, 0, err
		}
		number, used = number+1, used+info.Size()
	}
	return number, used, nil
}

// open opens a user's file.
func (f *Files) open(user, ref string) (*os.File, error) {
	missing := gateway.NewError(gateway.StatusNotFound, "there is no file %q", ref)
	if f == nil {
		return nil, missing
	}
	path, ok := f.path(user, ref)
	if !ok {
		return nil, missing
	}
	file, err := f.root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	return file, err
}

// text is the text of a content, with that of the files that it refers to.
func (f *Files) text(user string, content []Part) (string, error) {
	var b strings.Builder
	for _, p := range content {
		b.WriteString(p.Text)
		if p.Kind != partFile {
			continue
		}
		text, err := f.read(user, p.Ref)
		if err != nil {
			return "", err
		}
		if b.WriteString(text); b.Len() > maxWhole {
			return "", gateway.NewError(gateway.StatusTooLarge, "the texts have more than %d bytes", maxWhole)
		}
	}
	return b.String(), nil
}

// read reads the text of a file.
func (f *Files) read(user, ref string) (string, error) {
	file, err := f.open(user, ref)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxWhole+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxWhole:
		return "", gateway.NewError(gateway.StatusTooLarge, "the file %s has more than %d bytes, which is too much for a text", ref, maxWhole)
	case !utf8.Valid(text):
		return "", gateway.NewError(gateway.StatusBad, "the file %s is no UTF-8 text", ref)
	}
	return string(text), nil
}

// Uploaded is the answer to POST /files: what a part of content says of the file.
type Uploaded struct {
	Type string `json:"type"`
	Ref  string `json:"ref"`
	Name string `json:"name,omitempty"`
	Size int64  `json:"size"`
}

// upload takes a file.
func (h *Handler) upload(w http.ResponseWriter, r *http.Request) {
	c := &conn{h: h, out: newLatch(), remote: r.RemoteAddr, trace: newTrace()}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(transfer)) // a server that cannot has bounds of its own
	defer c.leave()
	err := h.visitor(c, r)
	if err == nil && h.opts.Files == nil {
		err = gateway.NewError(gateway.StatusNotFound, "this server keeps no files")
	}
	name := r.URL.Query().Get("name")
	if err == nil && (len(name) > maxFileName || !utf8.ValidString(name)) {
		err = gateway.NewError(gateway.StatusBad, "the name of the file is no text, or too long")
	}
	out := Uploaded{Type: partFile, Name: name}
	if err == nil {
		out.Ref, out.Size, err = h.opts.Files.put(c.user, http.MaxBytesReader(w, r.Body, maxFile+1), h.opts.Limits.File)
	}
	if err != nil {
		c.refuse(aboutFile(err), c.trace, err)
		writeError(w, err)
		return
	}
	text, _ := appendjson.Value(nil, out) // it has nothing without a JSON form
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(append(text, '\n')) // who has gone hears nothing
}

// download returns a file to who sent it.
func (h *Handler) download(w http.ResponseWriter, r *http.Request) {
	c := &conn{h: h, out: newLatch(), remote: r.RemoteAddr, trace: newTrace()}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(transfer)) // as above
	defer c.leave()
	err := h.visitor(c, r)
	var file *os.File
	if err == nil {
		file, err = h.opts.Files.open(c.user, r.PathValue("ref"))
	}
	if err != nil {
		c.refuse(aboutFile(err), c.trace, err)
		writeError(w, err)
		return
	}
	defer func() { _ = file.Close() }()
	// Nothing that somebody sent is shown by a browser as a page of the server.
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Disposition", "attachment")
	_, _ = io.Copy(w, file) // who has gone hears nothing
}

// visitor finds out who makes a request that is no WebSocket, and counts it.
func (h *Handler) visitor(c *conn, r *http.Request) error {
	if err := h.opts.Origins.Check(r); err != nil {
		return err
	}
	id, err := h.opts.Auth.Check(credentials(r))
	if err != nil {
		return err
	}
	c.user = id.User
	if c.release, err = h.opts.Limits.Connect(c.user); err != nil {
		return err
	}
	return h.opts.Limits.Message(c.user, 0) // how much a user may keep bounds the bytes
}

// aboutFile is what a refusal about a file is audited as.
func aboutFile(err error) gateway.AuditEvent {
	switch gateway.ErrorOf(err).Code {
	case gateway.StatusTooMany, gateway.StatusTooLarge:
		return gateway.AuditLimit
	default:
		return gateway.AuditAuth
	}
}
