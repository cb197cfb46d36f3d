package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/leader"
)

// serveTokenCommand is "troupe serve token": a token for a user, which a server
// with the same key takes for a while.
func (a *app) serveTokenCommand() *cobra.Command {
	var file, life string
	var params []string
	var asJSON bool
	cmd := &cobra.Command{Use: "token USER", Args: a.args(1, 1)}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		token, id, err := a.issueToken(file, life, params, args[0])
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(a.Stdout, issued{Token: token, User: id.User, Expires: id.Expires.UTC()})
		}
		_, err = fmt.Fprintln(a.Stdout, token)
		return err
	}
	f := a.flags(cmd)
	f.text(&file, "file", "f")
	f.list(&params, "param", "p")
	f.text(&life, "life", "")
	f.flag(&asJSON, "json", "")
	return cmd
}

// issued is a token as JSON.
type issued struct {
	Token   string    `json:"token"`
	User    string    `json:"user"`
	Expires time.Time `json:"expires"`
}

// issueToken makes a token with the key that the team file names.
func (a *app) issueToken(named, life string, given []string, user string) (string, gateway.Identity, error) {
	none := gateway.Identity{}
	file, err := a.findTeam(named)
	if err != nil {
		return "", none, err
	}
	if file == "" {
		return "", none, usageError(a.words.noTeamFile, "troupe init")
	}
	vars, err := a.readSettings(file)
	if err != nil {
		return "", none, err
	}
	params, err := a.parameters(given)
	if err != nil {
		return "", none, err
	}
	read, err := config.Load(file, leader.Known(vars.lookup, params))
	if err != nil {
		return "", none, a.teamError(err)
	}
	set := config.Serve{TokenKeyEnv: read.Serve.TokenKeyEnv, TokenLife: read.Serve.TokenLife}
	if set.TokenKeyEnv == "" {
		return "", none, usageError(a.words.serve["noKey"], a.words.serve["noKeyHint"])
	}
	if life != "" {
		if set.TokenLife, err = time.ParseDuration(life); err != nil || set.TokenLife <= 0 {
			return "", none, usageError(fmt.Sprintf(a.words.badSample, "life", life, "15m, 8h"), "")
		}
	}
	o, err := a.authOptions(vars, set)
	if err != nil {
		return "", none, err
	}
	auth, err := gateway.NewAuth(o)
	if err != nil {
		return "", none, usageError(unpackaged(err), "")
	}
	token, id, err := auth.Issue(user)
	if err != nil {
		return "", none, usageError(gateway.ErrorOf(err).Message, "")
	}
	return token, id, nil
}
