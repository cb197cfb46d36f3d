package main

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/gateway/streams"
)

// app is one call of the program: the process, the language, and the flags
// that every command has.
type app struct {
	Env
	words *words
	stop  *interrupts

	lang    string // --lang as given: auto, zh or en
	color   string
	noInput bool

	declared map[*cobra.Command][]string // the names of each command's own flags
	order    []*cobra.Command            // the commands as the help lists them

	servers map[string]*streams.Connection // that roles elsewhere are reached by, by address
}

// Main runs the command that env.Args name and returns the exit code of the
// process.
func Main(ctx context.Context, env Env) int {
	ctx, cancel := context.WithCancelCause(ctx)
	a := &app{Env: env, stop: &interrupts{cancel: cancel}, declared: map[*cobra.Command][]string{}}
	a.words = wordsOf(a.guessLang())
	var watching sync.WaitGroup
	watching.Go(func() { a.stop.watch(ctx, env.Signals) })
	code := a.report(ctx, a.execute(ctx))
	a.hangUp()
	cancel(nil)
	watching.Wait()
	return code
}

// execute finds the command and runs it.
func (a *app) execute(ctx context.Context) error {
	root := a.root() //nolint:contextcheck // a command takes the context that it is executed with
	root.SetArgs(a.Args)
	if len(a.Args) > 0 && a.Args[0] == cobra.ShellCompRequestCmd {
		a.unquote()
	}
	return root.ExecuteContext(ctx)
}

// root is the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "troupe", SilenceErrors: true, SilenceUsage: true,
		Args:               a.subcommand,
		RunE:               func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE:  func(cmd *cobra.Command, _ []string) error { return a.settle(cmd) },
		CompletionOptions:  cobra.CompletionOptions{DisableDefaultCmd: true},
		DisableSuggestions: true,
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.help(cmd) })
	root.SetFlagErrorFunc(a.badFlag)
	f := a.persistent(root)
	f.text(&a.lang, "lang", "")
	f.text(&a.color, "color", "")
	f.flag(&a.noInput, "no-input", "")
	for _, id := range groups {
		root.AddGroup(&cobra.Group{ID: id, Title: a.words.groups[id]})
	}
	a.add(root, groupWork, a.runCommand(), a.chatCommand(), a.resumeCommand(), a.initCommand(), a.checkCommand())
	a.add(root, groupSteer, a.answerCommand())
	a.add(root, groupLook, a.runsCommand(), a.replayCommand(), a.diffCommand())
	a.add(root, groupServe, a.serveCommand(), a.workerCommand())
	a.add(root, groupTools, a.dialCommand(), a.queueCommand(), a.envelopeCommand())
	a.add(root, groupSetup, a.modelsCommand(), a.schemaCommand(), a.completionCommand(), a.versionCommand())
	help := a.helpCommand()
	root.SetHelpCommand(help)
	root.SetHelpCommandGroupID(groupSetup)
	a.describe(root, "")
	a.describe(help, help.Name()) // it comes below the root later
	return root
}

// describe gives each command its words.
func (a *app) describe(cmd *cobra.Command, path string) {
	cmd.Short = a.words.short[path]
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = a.words.helpFlag
	for _, c := range cmd.Commands() {
		a.describe(c, strings.TrimSpace(path+" "+c.Name()))
	}
}

// The groups of commands.
const (
	groupWork  = "work"
	groupSteer = "steer"
	groupLook  = "look"
	groupServe = "serve"
	groupTools = "tools"
	groupSetup = "setup"
)

// groups is their order.
var groups = [...]string{groupWork, groupSteer, groupLook, groupServe, groupTools, groupSetup}

// add puts commands into a group of the root.
func (a *app) add(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
	}
	a.below(root, commands...)
}

// below puts commands below another, in the order that the help has.
func (a *app) below(parent *cobra.Command, commands ...*cobra.Command) {
	a.order = append(a.order, commands...)
	parent.AddCommand(commands...)
}

// interactive reports whether a person can be asked: both ends are terminals
// and nobody forbade it.
func (a *app) interactive() bool {
	return !a.noInput && a.IsTerminal(a.Stdin) && a.IsTerminal(a.Stderr)
}

// say writes a line to stderr.
func (a *app) say(text string) {
	_, _ = io.WriteString(a.Stderr, text+"\n")
}
