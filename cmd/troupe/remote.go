package main

import (
	"fmt"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
)

// remotes reaches the places where roles run elsewhere. A log keeps places
// without passwords, so they are looked up in the team file.
func (a *app) remotes(found *team) leader.Option {
	return leader.WithRemotes(func(p leader.Place) (leader.Remote, error) {
		p = inFile(found.config, p)
		switch p.Kind {
		default:
			return nil, fmt.Errorf(a.words.noSuchPlace, p.Kind)
		}
	})
}

// inFile is the place of the team file that a log names, with all that the file
// says of it; what the file does not have stays as it is.
func inFile(file *config.Team, p leader.Place) leader.Place {
	for _, r := range file.Roles {
		full := leader.PlaceOf(r.Remote)
		if full.Plain() == p.Plain() {
			return full
		}
	}
	return p
}

