package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// flags declares the flags of one command. What a flag is for comes from the
// words of the language by the flag's name; its variable is TROUPE_NAME.
type flags struct {
	app        *app
	cmd        *cobra.Command
	group      string // the command above cmd, if its flags have words of their own
	persistent bool
}

func (a *app) flags(cmd *cobra.Command) flags { return flags{app: a, cmd: cmd} }

func (a *app) persistent(cmd *cobra.Command) flags { return flags{app: a, cmd: cmd, persistent: true} }

// declare notes the name and returns what the flag is for, which may be
// something of its own for the command or its group.
func (f flags) declare(name string) string {
	f.app.declared[f.cmd] = append(f.app.declared[f.cmd], name)
	words := f.app.words.flags
	return cmp.Or(words[f.group+" "+name], words[f.cmd.Name()+" "+name], words[name])
}

func (f flags) text(p *string, name, short string) {
	usage := f.declare(name)
	set := f.cmd.Flags()
	if f.persistent {
		set = f.cmd.PersistentFlags()
	}
	set.StringVarP(p, name, short, "", usage)
	if values := choices[name]; values != nil {
		_ = f.cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	}
}

func (f flags) flag(p *bool, name, short string) {
	usage := f.declare(name)
	if f.persistent {
		f.cmd.PersistentFlags().BoolVarP(p, name, short, false, usage)
		return
	}
	f.cmd.Flags().BoolVarP(p, name, short, false, usage)
}

func (f flags) list(p *[]string, name, short string) {
	f.cmd.Flags().StringArrayVarP(p, name, short, nil, f.declare(name))
}

func (f flags) number(p *int, name string) {
	f.cmd.Flags().IntVar(p, name, 0, f.declare(name))
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "TROUPE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// flagNames are the flags that cmd takes.
func (a *app) flagNames(cmd *cobra.Command) []string {
	names := slices.Clone(a.declared[cmd])
	if cmd != cmd.Root() {
		names = append(names, a.declared[cmd.Root()]...)
	}
	return names
}

// fromVariables fills in the flags of cmd that the command line left out from
// what lookup knows.
func (a *app) fromVariables(cmd *cobra.Command, lookup func(string) (string, bool), except ...string) error {
	for _, name := range a.flagNames(cmd) {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || flag.Changed || slices.Contains(except, name) {
			continue
		}
		value, ok := lookup(variable(name))
		if !ok || value == "" {
			continue
		}
		if err := cmd.Flags().Set(name, value); err != nil {
			return usageError(fmt.Sprintf(a.words.badVariable, variable(name), value), "")
		}
	}
	return nil
}

// settle completes the flags of cmd from the environment and checks those that
// all commands have.
func (a *app) settle(cmd *cobra.Command) error {
	if err := a.fromVariables(cmd, a.LookupEnv); err != nil {
		return err
	}
	if err := a.oneOf("color", a.color); err != nil {
		return err
	}
	return a.oneOf("lang", a.lang)
}
