package main

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/gateway/studio"
)

// face is one protocol that the server speaks, at a path of its own. Whoever
// adds one writes a row in faces, a key in config.Serve, and what its flag is for.
type face struct {
	name string // of the flag and of the key below serve:
	path string // where it is unless it is told otherwise
	// asked is the path of the team file, which may be empty, and whether the team
	// file switches the face on.
	asked func(config.Serve) (path string, on bool)
	// mount puts the face at path.
	mount func(mux *http.ServeMux, sv *server, path string) error
	// scheme of its address is ws or http, with an s for TLS.
	scheme string
	// try is a command that tries the face at an address, with the token of
	// TROUPE_TOKEN if it needs one.
	try func(address string, token bool) string
	// approves says that people can decide about tool calls over it.
	approves bool
	// files is a path beside path that the face takes, with all below; empty for
	// none.
	files string
}

// faces are all there are, in the order of the help.
func faces() []face {
	return []face{
		{
			name: "client", path: "/client", scheme: "ws", mount: mountClient, approves: true, files: client.FilesPath,
			asked: func(s config.Serve) (string, bool) {
				return pathOf(s.Client, func(f *config.ClientFace) string { return f.Path })
			},
			try: func(address string, token bool) string { return dialLine("client", address, token) },
		},
		{
			name: "studio", path: "/studio", scheme: "ws", mount: mountStudio,
			asked: func(s config.Serve) (string, bool) {
				return pathOf(s.Studio, func(f *config.StudioFace) string { return f.Path })
			},
			try: func(address string, token bool) string { return dialLine("studio", address, token) },
		},
		{
			name: "envelope", path: "/envelope", scheme: "http", mount: mountEnvelope,
			asked: func(s config.Serve) (string, bool) {
				return pathOf(s.Envelope, func(f *config.EnvelopeFace) string { return f.Path })
			},
			try: func(address string, token bool) string {
				if token {
					return `curl -H "Authorization: Bearer $` + tokenVariable + `" ` + address
				}
				return "curl " + address
			},
		},
	}
}

// dialLine is the command that speaks a protocol at an address.
func dialLine(protocol, address string, token bool) string {
	line := "troupe dial --protocol " + protocol + " " + address
	if token {
		return tokenVariable + "=… " + line
	}
	return line
}

// mountStudio mounts the studio protocol.
func mountStudio(mux *http.ServeMux, sv *server, path string) error {
	set := config.StudioFace{}
	if s := sv.settings.Studio; s != nil {
		set = *s
	}
	h, err := studio.New(studio.Options{
		Ground: sv.Ground, StopOnDisconnect: set.OnDisconnect == "stop", Verbose: set.Verbose,
		NoIterations: set.Iterations != nil && !*set.Iterations,
	})
	if err != nil {
		return err
	}
	mux.Handle(path, h)
	return nil
}

// pathOf is the path of a face that the team file has.
func pathOf[F any](f *F, path func(*F) string) (string, bool) {
	if f == nil {
		return "", false
	}
	return path(f), true
}

// face declares the flag that switches a face on, which may tell its path.
func (f flags) face(of face) {
	f.text(new(string), of.name, "")
	f.cmd.Flags().Lookup(of.name).NoOptDefVal = of.path
}

// mounted is a face that is switched on.
type mounted struct {
	face
	path string
}

// on are the faces that flags and team file switch on.
func (s *serveCommand) on(set config.Serve) ([]mounted, error) {
	var list []mounted
	for _, f := range faces() {
		path, on := f.asked(set)
		if flag := s.cmd.Flags().Lookup(f.name); flag.Changed {
			if path, on = flag.Value.String(), true; !config.IsFacePath(path) {
				return nil, usageError(fmt.Sprintf(s.words.serve["badPath"], f.name, path), "--"+f.name+"="+f.path)
			}
		}
		if on {
			list = append(list, mounted{f, cmp.Or(path, f.path)})
		}
	}
	if len(list) == 0 {
		return nil, usageError(s.words.serve["noFace"], "troupe serve "+faceFlags())
	}
	return list, nil
}

// mux is the handler of all faces that are switched on.
func (sv *server) mux(s *serveCommand) (http.Handler, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	taken := map[string]string{healthPath: "health"}
	for _, f := range sv.mounted {
		if other := taken[f.path]; other != "" {
			return nil, usageError(fmt.Sprintf(s.words.serve["samePath"], other, f.name, f.path), "--"+f.name+"=/PATH")
		}
		taken[f.path] = f.name
		if at := sv.filesAbove(f.path); at != "" {
			return nil, usageError(fmt.Sprintf(s.words.serve["filesPath"], f.name, f.path, at), "--"+f.name+"="+f.face.path)
		}
		if err := f.mount(mux, sv, f.path); err != nil {
			return nil, err
		}
	}
	return mux, nil
}

// filesAbove is the path of the files of a face if path is that or below it.
func (sv *server) filesAbove(path string) string {
	for _, f := range sv.mounted {
		if f.files != "" && strings.HasPrefix(path+"/", f.files+"/") {
			return f.files
		}
	}
	return ""
}

// healthPath answers whoever asks whether the server lives.
const healthPath = "/healthz"

// approves reports whether a face lets people decide about tool calls.
func approves(list []mounted) bool {
	return slices.ContainsFunc(list, func(m mounted) bool { return m.approves })
}

// faceFlags are the flags of the faces, for a hint.
func faceFlags() string {
	var names []string
	for _, f := range faces() {
		names = append(names, "--"+f.name)
	}
	return strings.Join(names, " ")
}
