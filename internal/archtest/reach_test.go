package archtest_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heavy is what an embedder must never pay for: the command line, servers,
// protocols and terminals.
var heavy = []string{
	bubbletea, cobra, lipgloss, mcp, pty, redis, term, websocket,
	"github.com/charmbracelet",
	"github.com/spf13",
}

func TestEmbeddersPayForNothingElse(t *testing.T) {
	for _, name := range heavyAmong(reachable(t, "./leader")) {
		t.Errorf("package leader reaches %s", name)
	}
}

// heavyAmong is what of names is, or is part of, something heavy.
func heavyAmong(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(heavy, func(root string) bool { return within(name, root) })
	})
}

// reachable are the paths of all packages that a package is built of.
func reachable(t *testing.T, pkg string) []string {
	t.Helper()
	return strings.Fields(goList(t, "-deps", pkg))
}

func TestReachSeesFaults(t *testing.T) {
	got := heavyAmong([]string{
		"context", "github.com/looplab/fsm", "github.com/redis/go-redis/v9/internal/pool",
		"github.com/spf13/cobra", "golang.org/x/term", "golang.org/x/terminal",
	})
	want := []string{"github.com/redis/go-redis/v9/internal/pool", "github.com/spf13/cobra", "golang.org/x/term"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heavy packages (-want +got):\n%s", diff)
	}
}

// TestReachableIsDeep shows that the list holds more than direct imports, so
// that a heavy package cannot hide behind another.
func TestReachableIsDeep(t *testing.T) {
	names := reachable(t, "./event")
	for _, want := range []string{module + "/event", "encoding/json", "reflect"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among what package event reaches", want)
		}
	}
}

// goList runs go list at the root of the project.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderrOf(err))
	}
	return string(out)
}
