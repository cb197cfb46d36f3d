package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// completionCommand is "troupe completion": a script that lets a shell
// complete commands, flags and the ids of runs.
func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion " + strings.Join(shells, "|"), ValidArgs: shells, Args: a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Stdout)
			}
			return usageError(fmt.Sprintf(a.words.badChoice, args[0], strings.Join(shells, ", ")), "")
		},
	}
}

// unquote takes the marks that the help reads out of what flags are for, which a
// shell shows as it is.
func (a *app) unquote() {
	for cmd, names := range a.declared {
		for _, name := range names {
			f := cmd.Flag(name)
			f.Usage = strings.ReplaceAll(f.Usage, "`", "")
		}
	}
}
