package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// raceOptions are those of the race detector in the programs that tests start. It
// would sleep a second before each of their ends for goroutines that are left; the
// program waits for its own.
const raceOptions = "atexit_sleep_ms=20"

// TestMain lets this binary be the program too, for the scripts and for the
// tests that need a process, and looks for goroutines left behind.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"troupe": main})
}

type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestScripts runs the program as people do, each script in a folder of its
// own, without keys and with a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/scripts", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("XDG_STATE_HOME", env.WorkDir+"/state")
			env.Setenv("LANG", "C.UTF-8")
			// A port where nothing listens, so that no server of this machine answers.
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")
			env.Setenv("GORACE", raceOptions)
			return nil
		},
	})
}
