package main

import (
	"cmp"
	"maps"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/troupe-go/troupe/gateway/client"
)

// mountClient mounts the client protocol at path, and the files of its clients at
// /files.
func mountClient(mux *http.ServeMux, sv *server, path string) error {
	files, err := client.OpenFiles(filepath.Join(sv.team.runs, "client-files"))
	if err != nil {
		return err
	}
	sv.files = files
	team := sv.team.leader.Team()
	models := slices.Sorted(maps.Keys(sv.team.config.Models))
	if !slices.Contains(models, team.Leader.Model.Name) {
		models = append([]string{team.Leader.Model.Name}, models...)
	}
	h, err := client.New(client.Options{Ground: sv.Ground, Files: files, Capabilities: client.Capabilities{
		Models: models, Tools: team.Leader.Tools, ContextWindow: team.Leader.Model.ContextWindow,
		Concurrency: cmp.Or(sv.settings.MaxSessions, 64),
	}})
	if err != nil {
		return err
	}
	h.Mount(mux, path)
	return nil
}
