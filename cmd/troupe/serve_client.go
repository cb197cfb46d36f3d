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
	h, err := client.New(client.Options{Ground: sv.Ground, Files: files, Capabilities: client.Capabilities{
		Models: nameable(sv, team.Leader.Model.Name), Tools: team.Leader.Tools, ContextWindow: team.Leader.Model.ContextWindow,
		Concurrency: cmp.Or(sv.settings.MaxSessions, 64),
	}})
	if err != nil {
		return err
	}
	h.Mount(mux, path)
	return nil
}

// nameable are the models that clients can name here: the team's own, and those of
// the team file.
func nameable(sv *server, own string) []string {
	models := slices.Sorted(maps.Keys(sv.team.config.Models))
	if !slices.Contains(models, own) {
		models = append([]string{own}, models...)
	}
	return slices.DeleteFunc(models, func(name string) bool {
		_, ok := sv.ModelOf(name)
		return !ok
	})
}
