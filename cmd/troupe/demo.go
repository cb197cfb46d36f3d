package main

import (
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// The scripted model of the demonstration.
const demoModel = "survey"

// demoTeam is the team that runs when nobody asked for a model: a script
// plays all of its agents.
func demoTeam(lang string, opts []leader.Option) (*leader.Leader, error) {
	client, info, err := model.Open(model.Spec{Provider: "scripted", Model: demoModel}, nil)
	if err != nil {
		return nil, err
	}
	return leader.New(leader.Team{
		Name: "demo", Model: leader.Model{Client: client, Name: info.Ref, Scripted: true},
	}, opts...)
}
