package main

import (
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// demoTeam is the team that works when nobody asked for a model: a script
// plays all of its agents, with the real tools.
func demoTeam(lang string, opts []leader.Option) (*leader.Leader, error) {
	t := leader.Team{Name: "survey"}
	for _, r := range model.SurveyTeam(lang) {
		t.Roles = append(t.Roles, leader.Role{ID: r.ID, Name: r.Name, Code: r.Code, Does: r.Does, Tools: r.Tools})
	}
	return leader.New(t, append(opts, leader.WithModel("scripted/survey"))...)
}
