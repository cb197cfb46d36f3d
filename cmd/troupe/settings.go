package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/joho/godotenv"
)

// dotEnv is the file of settings beside a team file.
const dotEnv = ".env"

// settings are the variables that a command sees: those of the process, then
// those of the .env file. They are only looked up, never set in the process.
type settings struct {
	process func(string) (string, bool)
	file    map[string]string
}

// readSettings reads the .env file in the folder of the team file, if there
// is one; without a team file there is none.
func (a *app) readSettings(teamFile string) (settings, error) {
	s := settings{process: a.LookupEnv}
	if teamFile == "" {
		return s, nil
	}
	path := filepath.Join(filepath.Dir(teamFile), dotEnv)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, usageError(err.Error(), "")
	}
	if s.file, err = godotenv.UnmarshalBytes(text); err != nil {
		// The error quotes the file, which holds keys.
		return s, usageError(fmt.Sprintf(a.words.badDotEnv, path), "NAME=value")
	}
	return s, nil
}

// lookup finds a variable. An empty one of the process counts as unset, so
// that the file can fill it.
func (s settings) lookup(name string) (string, bool) {
	if value, ok := s.process(name); ok && value != "" {
		return value, true
	}
	if value, ok := s.file[name]; ok {
		return value, true
	}
	return s.process(name)
}

// fromFile is lookup in the .env file alone.
func (s settings) fromFile(name string) (string, bool) {
	value, ok := s.file[name]
	return value, ok
}

// The places that a variable comes from.
const (
	fromEnvironment = "environment"
	fromDotEnv      = dotEnv
)

// origin tells where a variable comes from; empty when it has no value.
func (s settings) origin(name string) string {
	if value, _ := s.process(name); value != "" {
		return fromEnvironment
	}
	if s.file[name] != "" {
		return fromDotEnv
	}
	return ""
}
