package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the team file that is nearest to dir: team.yaml, team.yml or
// .troupe/team.yaml in dir or a folder above it, up to the root of the
// repository (the folder that holds .git) or of the file system. The error
// wraps [fs.ErrNotExist] when there is none.
func Find(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("config: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		for _, name := range []string{"team.yaml", "team.yml", filepath.Join(".troupe", "team.yaml")} {
			path := filepath.Join(at, name)
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return path, nil
			}
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil || at == filepath.Dir(at) {
			return "", fmt.Errorf("config: no team.yaml, team.yml or .troupe/team.yaml from %s up to %s: %w", start, at, fs.ErrNotExist)
		}
	}
}
