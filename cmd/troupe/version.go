package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/event"
)

// build says which program this is.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that were not committed
	Go       string `json:"go"`
	Log      int    `json:"log_version"` // of the logs that it writes
}

// version reads what the linker knows.
func version() build {
	b := build{Version: "(devel)", Log: event.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// versionCommand is "troupe version".
func (a *app) versionCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{Use: "version", Args: a.args(0, 0), RunE: func(*cobra.Command, []string) error {
		b := version()
		if asJSON {
			return writeJSON(a.Stdout, b)
		}
		text := "troupe " + b.Version
		if b.Revision != "" {
			text += " (" + b.Revision[:min(12, len(b.Revision))] + ")"
		}
		_, err := fmt.Fprintln(a.Stdout, text+" "+b.Go)
		return err
	}}
	a.flags(cmd).flag(&asJSON, "json", "")
	return cmd
}
