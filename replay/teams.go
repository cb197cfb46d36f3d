package replay

import (
	"errors"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// teams are the teams that a run had: that of the header, and those with which
// it was resumed.
type teams struct {
	from []int // the index of the record from which on each counts, rising
	list []*leader.Rebuilt
}

// rebuildTeams makes all teams of the records anew; close frees them.
func rebuildTeams(records []event.Record, header event.RunStarted, opts ...leader.Option) (t teams, err error) {
	add := func(i int) error {
		team, err := leader.Rebuild(header, opts...)
		if err == nil {
			t.from, t.list = append(t.from, i), append(t.list, team)
		}
		return err
	}
	if err := add(0); err != nil {
		return t, err
	}
	for i, rec := range records {
		d, ok := rec.Data.(event.RunResumed)
		if !ok || len(d.Team) == 0 {
			continue
		}
		header.Team = d.Team
		if err := add(i); err != nil {
			return t, errors.Join(err, t.close())
		}
	}
	for _, rec := range records {
		if d, ok := rec.Data.(event.RoleCreated); ok {
			for _, team := range t.list {
				team.AddRole(d)
			}
		}
	}
	return t, nil
}

// at is the team at the record of index i.
func (t teams) at(i int) *leader.Rebuilt {
	found := t.list[0]
	for n, from := range t.from {
		if from <= i {
			found = t.list[n]
		}
	}
	return found
}

// close frees all teams.
func (t teams) close() error {
	var errs []error
	for _, team := range t.list {
		errs = append(errs, team.Close())
	}
	return errors.Join(errs...)
}
