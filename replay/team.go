package replay

import (
	"errors"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/tools"
)

// team is the team of a run from a record on: a run may be resumed with another
// one, or in another language.
type team struct {
	*leader.Rebuilt
	lang string
	from int // the index of the record
}

// rebuild makes the teams that a run had, one after the other, with the roles
// that the leader made.
func rebuild(records []event.Record, header event.RunStarted, own []tools.Tool) (teams []team, err error) {
	add := func(from int) error {
		b, err := leader.Rebuild(header, leader.WithTools(own...))
		if err != nil {
			return err
		}
		teams = append(teams, team{Rebuilt: b, lang: header.Lang, from: from})
		return nil
	}
	err = add(0)
	for i, rec := range records {
		d, ok := rec.Data.(event.RunResumed)
		if err != nil || !ok || len(d.Team) == 0 && d.Lang == "" {
			continue
		}
		header = header.Resumed(d)
		err = add(i)
	}
	for _, rec := range records {
		if d, ok := rec.Data.(event.RoleCreated); ok {
			for _, t := range teams {
				t.AddRole(d)
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, stage{teams: teams}.close())
	}
	return teams, nil
}

// segment is a stretch of the log, with the team that the run has there and what
// the agent is made of.
type segment struct {
	stretch
	team   team
	cfg    agent.Config
	partly bool // digests are not compared
}
