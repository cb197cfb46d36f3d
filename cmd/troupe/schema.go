package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/studio"
)

// schemaCommand is "troupe schema": what a file or a record may contain, for
// editors and programs.
func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema [team|record|export|client|studio]", ValidArgs: []string{"team", "record", "export", "client", "studio"},
		Args: a.args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error { return a.schema(args) },
	}
}

// schema prints the schema that args name, by default the team file's.
func (a *app) schema(args []string) error {
	what := "team"
	if len(args) > 0 {
		what = args[0]
	}
	var text []byte
	var err error
	switch what {
	case "team":
		text = config.Schema()
	case "record":
		text, err = recordSchema()
	case "export":
		text, err = exportSchema()
	case "client":
		text, err = clientSchema()
	case "studio":
		text = studio.Schema()
	default:
		err = usageError(fmt.Sprintf(a.words.badChoice, what, "team, record, export, client, studio"), "")
	}
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(text)
	return err
}
