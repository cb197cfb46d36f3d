package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// starter has the files of a new team in both languages.
//
//go:embed starter
var starter embed.FS

// starterFiles are the files that init writes, and where they come from.
var starterFiles = [...]struct{ name, source string }{
	{"team.yaml", "team.yaml"},
	{"roles/writer.md", "writer.md"},
	{".env.example", "env.example"},
}

// initCommand is "troupe init": a small team to begin with.
func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [DIR]", Args: a.args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = filepath.Clean(args[0])
			}
			return a.init(cmd.Context(), dir)
		},
	}
}

// init writes the files that are not there yet, tells which, and offers to run
// the team.
func (a *app) init(ctx context.Context, dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usageError(dir+": "+a.words.notAFolder, "troupe init my-team")
	}
	for _, f := range starterFiles {
		if err := a.begin(dir, f.name, f.source); err != nil {
			return usageError(err.Error(), "")
		}
	}
	cd := ""
	if dir != "." {
		cd = "cd " + shellWord(dir) + " && "
	}
	a.say("\n" + fmt.Sprintf(a.words.initNext, cd+"troupe check", cd+`troupe run "`+a.words.initTask+`"`))
	if !a.interactive() {
		return nil
	}
	_, _ = io.WriteString(a.Stderr, "\n"+a.words.initOffer+" ")
	answer, err := readLine(ctx, a.Stdin)
	if errors.Is(err, io.EOF) || err == nil && !isYes(answer) {
		return nil
	}
	if err != nil {
		return err
	}
	root := a.root() //nolint:contextcheck // a command takes the context that it is executed with
	root.SetArgs([]string{
		"run", "--lang", a.words.lang, "--color", cmp.Or(a.color, "auto"),
		"--file", filepath.Join(dir, "team.yaml"), "--workdir", dir, a.words.initTask,
	})
	return root.ExecuteContext(ctx)
}

// begin writes one file unless it is there.
func (a *app) begin(dir, name, source string) error {
	text, err := starter.ReadFile(path.Join("starter", a.words.lang, source))
	if err != nil {
		return err
	}
	target := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { //nolint:gosec // a project's folder, as mkdir makes it
		return err
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a project's file, without secrets
	if errors.Is(err, fs.ErrExist) {
		a.say(fmt.Sprintf(a.words.initKept, target))
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	a.say(fmt.Sprintf(a.words.initWrote, target))
	return nil
}

// isYes reads an answer to a question whose usual answer is yes.
func isYes(answer string) bool {
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "", "y", "yes", "是", "好":
		return true
	}
	return false
}
