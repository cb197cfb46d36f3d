package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe/config"
)

// findTeam is the team file that was named, or the nearest one; empty when
// there is none.
func (a *app) findTeam(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	here, err := a.Getwd()
	if err != nil {
		return "", usageError(fmt.Sprintf(a.words.noFolder, err), "")
	}
	path, err := config.Find(here)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", usageError(unpackaged(err), "")
	}
	if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
		return short, nil
	}
	return path, nil
}

// workFolder is the folder that the agents work in.
func (a *app) workFolder(named string) (string, error) {
	here, err := a.Getwd()
	if err != nil {
		return "", usageError(fmt.Sprintf(a.words.noFolder, err), "")
	}
	if named == "" {
		named = here
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(here, named)
	}
	dir, err := os.Open(named)
	if err == nil {
		if _, err = dir.ReadDir(1); errors.Is(err, io.EOF) {
			err = nil // the folder is empty
		}
		_ = dir.Close()
	}
	if err != nil {
		return "", usageError(fmt.Sprintf(a.words.noFolder, err), "troupe run --workdir DIR")
	}
	return named, nil
}

// runsFolder is where the runs are kept: as named, or the place of the XDG
// base folders.
func (a *app) runsFolder(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if state := a.get("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "troupe", "runs"), nil
	}
	home := a.get("HOME")
	if home == "" {
		home = a.get("USERPROFILE")
	}
	if home == "" {
		return "", usageError(a.words.noHome, "--run-dir DIR")
	}
	return filepath.Join(home, ".local", "state", "troupe", "runs"), nil
}

// shellWord quotes a word for a command line that a person copies.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./~:@%+=,"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
