package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/gateway/studio"
)

// schemas are what there is a JSON Schema of, the usual one first.
var schemas = []struct {
	name string
	text func() ([]byte, error)
}{
	{"team", func() ([]byte, error) { return config.Schema(), nil }},
	{"record", recordSchema},
	{"export", exportSchema},
	{"client", clientSchema},
	{"studio", func() ([]byte, error) { return studio.Schema(), nil }},
	{"envelope", func() ([]byte, error) { return envelope.Schema(), nil }},
}

func schemaNames() (names []string) {
	for _, s := range schemas {
		names = append(names, s.name)
	}
	return names
}

// schemaCommand is "troupe schema": what a file or a record may contain, for
// editors and programs.
func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema [" + strings.Join(schemaNames(), "|") + "]", ValidArgs: schemaNames(),
		Args: a.args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error { return a.schema(args) },
	}
}

// schema prints the schema that args name.
func (a *app) schema(args []string) error {
	names, at := schemaNames(), 0
	if len(args) > 0 {
		at = slices.Index(names, args[0])
	}
	if at < 0 {
		return usageError(fmt.Sprintf(a.words.badChoice, args[0], strings.Join(names, ", ")), "")
	}
	text, err := schemas[at].text()
	if err != nil {
		return err
	}
	_, err = a.Stdout.Write(text)
	return err
}
