package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/internal/nearest"
)

// subcommand checks the arguments of a command that is nothing but others, or does
// what one of them does: the first argument would have been one of those.
func (a *app) subcommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return a.unknownCommand(cmd, args[0])
	}
	return nil
}

// unknownCommand says that there is no command of that name below cmd, and
// which one may be meant.
func (a *app) unknownCommand(cmd *cobra.Command, name string) error {
	hint := cmd.CommandPath() + " --help"
	if len(name) > 2 || strings.HasPrefix(name, "v") {
		cmd.SuggestionsMinimumDistance = 2
		if near := cmd.SuggestionsFor(name); len(near) > 0 {
			hint = fmt.Sprintf(a.words.didYouMean, cmd.CommandPath()+" "+near[0])
		}
	}
	return usageError(fmt.Sprintf(a.words.unknownCommand, name), hint)
}

// badFlag words an error of the flags, with the flag that may be meant.
func (a *app) badFlag(cmd *cobra.Command, err error) error {
	text := err.Error()
	hint := cmd.CommandPath() + " --help"
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		text = fmt.Sprintf(a.words.unknownFlag, "--"+name)
		if near := nearest.Of(name, a.flagNames(cmd)); near != "" {
			hint = fmt.Sprintf(a.words.didYouMean, "--"+near)
		}
	}
	if _, of, ok := strings.Cut(text, "flag needs an argument: "); ok {
		text = fmt.Sprintf(a.words.flagAlone, of[strings.LastIndexByte(of, ' ')+1:])
	}
	var value, of string
	if n, _ := fmt.Sscanf(text, "invalid argument %q for %q flag", &value, &of); n == 2 { // what follows is in the words of a parser
		name := of[strings.LastIndexByte(of, '-')+1:]
		text = fmt.Sprintf(a.words.badValue, name, value, "true, false")
		if cmd.Flag(name).Value.Type() == "int" {
			text = fmt.Sprintf(a.words.badSample, name, value, "1, 20")
		}
	}
	return usageError(text, hint)
}

// args checks the number of arguments of a command.
func (a *app) args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usageError(fmt.Sprintf(a.words.missingArgument, cmd.CommandPath()), cmd.UseLine())
		case len(args) > most:
			return usageError(fmt.Sprintf(a.words.extraArgument, cmd.CommandPath(), args[most]), cmd.UseLine())
		}
		return nil
	}
}
