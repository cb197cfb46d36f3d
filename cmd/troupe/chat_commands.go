package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/internal/nearest"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// chatCommands are the commands of a chat, for the hint after a mistake.
var chatCommands = []string{"/help", "/agents", "/cost", "/tell", "/stop", "/quit"}

// command does what a line that begins with a slash asks for; run is the one
// under way, or nil. leave says that the person is done, text is what to show.
func (c *chatCommand) command(ctx context.Context, line string, run *leader.Run) (leave bool, text string) {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/help", "/?":
		return false, c.words.chatHelp + "\n"
	case "/quit", "/exit":
		return true, ""
	case "/agents":
		return false, c.accounts(ctx, func(acc *account) string { return (&runsCommand{app: c.app}).agentsText(acc.Agents) })
	case "/cost":
		return false, c.accounts(ctx, func(acc *account) string {
			return usageText(c.words, acc.Usage) + "  " + costText(acc.Cost, acc.guessed) + "\n"
		})
	case "/tell", "/stop":
		return false, c.steer(run, name, rest)
	}
	c.mistake = true
	hint := strings.Join(chatCommands, " ")
	if near := nearest.Of(name, chatCommands); near != "" {
		hint = fmt.Sprintf(c.words.didYouMean, near)
	}
	return false, fmt.Sprintf(c.words.unknownCommand, render.CleanLine(name)) + "\n  → " + hint + "\n"
}

// accounts tells what the log adds up to.
func (c *chatCommand) accounts(ctx context.Context, tell func(*account) string) string {
	if !c.begun {
		return c.words.chatEmpty + "\n"
	}
	run, err := transcript.Find(c.team.runs, c.run.Path)
	if err == nil {
		var acc *account
		if acc, err = tally(run, transcript.ReadFile(ctx, run.Path, transcript.ReadOptions{})); err == nil {
			return tell(acc)
		}
	}
	return render.Clean(unpackaged(err)) + "\n"
}

// steer says something to an agent at work, or stops it.
func (c *chatCommand) steer(run *leader.Run, name, rest string) string {
	if run == nil {
		return c.words.nobodyWorks + "\n"
	}
	var err error
	switch who, text, _ := strings.Cut(rest, " "); {
	case name == "/stop" && rest == "":
		c.stop.interrupt()
	case name == "/stop":
		err = run.Stop(rest, leader.Soft)
	case strings.TrimSpace(text) == "":
		return c.words.tellHow + "\n"
	default:
		err = run.Tell(who, strings.TrimSpace(text))
	}
	if err != nil {
		return render.Clean(unpackaged(err)) + "\n"
	}
	return ""
}
