package main

import (
	"io"
	"os"
	"time"
)

// Env is what a command has of the process. A test fills it in as it likes;
// main fills in the real one.
type Env struct {
	// Args are the arguments without the name of the program.
	Args []string
	// Stdin, Stdout and Stderr are the three streams.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Piped says that Stdin is a pipe or a file, which brings text.
	Piped bool
	// LookupEnv reads the environment, as [os.LookupEnv] does.
	LookupEnv func(string) (string, bool)
	// Getwd is the current folder.
	Getwd func() (string, error)
	// Now is the clock.
	Now func() time.Time
	// Signals brings the signals of the process; nil brings none.
	Signals <-chan os.Signal
	// IsTerminal reports whether one of the three streams is a terminal.
	IsTerminal func(stream any) bool
	// Size is the size of the terminal behind a stream in columns and lines,
	// zero when it is none.
	Size func(io.Writer) (width, height int)
	// Raw lets Stdin, a terminal, give each key at once, until the function
	// that it returns is called.
	Raw func() (restore func() error, err error)
}

// get is the value of a variable; empty when it is not set.
func (e Env) get(name string) string {
	value, _ := e.LookupEnv(name)
	return value
}
