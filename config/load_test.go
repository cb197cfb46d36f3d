package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/config"
)

// write makes files below a folder; a name that ends in / is a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadReadsTheFilesBesideTheTeam(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"team.yaml":      "params: {app: {default: web}}\nroles:\n  uio: {does: x, prompt: prompts/uio.md}\n",
		"prompts/uio.md": "Draw ${param.app}.\n",
		"roles/fse.md":   "---\nname: fse\ndescription: y\n---\nWrite.\n",
	})
	path := filepath.Join(dir, "team.yaml")
	k := known()
	k.Params = map[string]string{"app": "ios"}
	team, err := config.Load(path, k)
	if err != nil {
		t.Fatal(err)
	}
	if team.Dir != dir || team.File != path {
		t.Errorf("Dir, File = %q, %q, want %q, %q", team.Dir, team.File, dir, path)
	}
	if len(team.Roles) != 2 || team.Roles[0].Prompt != "Draw ios." || team.Roles[1].ID != "fse" {
		t.Errorf("Roles = %+v, want uio with its prompt, then fse", team.Roles)
	}
	if got, want := team.Roles[1].Source.File, filepath.Join(dir, "roles", "fse.md"); got != want {
		t.Errorf("Source.File = %q, want %q", got, want)
	}
}

func TestLoadOfNothingIsNotExist(t *testing.T) {
	if _, err := config.Load(filepath.Join(t.TempDir(), "team.yaml"), known()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load: %v, want fs.ErrNotExist", err)
	}
}

func TestLoadRefusesLargeFiles(t *testing.T) {
	dir := t.TempDir()
	good := "roles:\n  uio: {does: x}\n"
	limit := 1 << 20
	write(t, dir, map[string]string{
		"most.yaml": good + "#" + strings.Repeat("x", limit-len(good)-1),
		"more.yaml": good + "#" + strings.Repeat("x", limit-len(good)),
	})
	if _, err := config.Load(filepath.Join(dir, "most.yaml"), known()); err != nil {
		t.Errorf("Load of 1 MiB: %v, want it to load", err)
	}
	if _, err := config.Load(filepath.Join(dir, "more.yaml"), known()); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("Load of more than 1 MiB: %v, want an error that names the limit", err)
	}
}

func TestUnknownParamsAreRefused(t *testing.T) {
	k := known()
	k.Params = map[string]string{"ap": "ios"}
	_, err := config.Parse("team.yaml", []byte("params: {app: {default: web}}\nroles: {uio: {does: x}}\n"), nil, k)
	if err == nil || !strings.Contains(err.Error(), `there is no parameter "ap"`) || !strings.Contains(err.Error(), `did you mean "app"?`) {
		t.Errorf("Parse: %v, want it to name the parameter that was meant", err)
	}
}

func TestFindGoesUpToTheRepository(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"team.yaml":                "",
		"repo/.git/":               "",
		"repo/deep/er/":            "",
		"hidden/.troupe/team.yaml": "",
		"hidden/a/team.yml":        "",
		"hidden/b/team.yaml/":      "",
	})
	for from, want := range map[string]string{
		"repo/deep/er": "",
		"hidden":       "hidden/.troupe/team.yaml",
		"hidden/a":     "hidden/a/team.yml",
		"hidden/b":     "hidden/.troupe/team.yaml",
		".":            "team.yaml",
	} {
		got, err := config.Find(filepath.Join(dir, from))
		if want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Find(%s) = %q, %v, want fs.ErrNotExist", from, got, err)
			}
			continue
		}
		if err != nil || got != filepath.Join(dir, filepath.FromSlash(want)) {
			t.Errorf("Find(%s) = %q, %v, want %s", from, got, err, want)
		}
	}
}

func TestLimitTellsAbsentFromUnlimited(t *testing.T) {
	team, err := config.Parse("team.yaml", []byte("limits: {agents: 3, spawns: unlimited}\nroles: {uio: {does: x}}\n"), nil, known())
	if err != nil {
		t.Fatal(err)
	}
	got := [3]int{team.Limits.Agents.Or(8, -1), team.Limits.Spawns.Or(32, -1), team.Limits.Steps.Or(400, -1)}
	if want := [3]int{3, -1, 400}; got != want {
		t.Errorf("agents, spawns, steps = %v, want %v", got, want)
	}
}
