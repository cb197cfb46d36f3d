package model

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// surveyModel is the name after "scripted/" that opens [Survey], and
// surveyPace the pace that it opens with.
const (
	surveyModel = "survey"
	surveyPace  = 250 * time.Millisecond
)

// SurveyOptions say how [Survey] plays.
type SurveyOptions struct {
	// Pace is about how long a reply takes to stream, so that people can
	// watch; 0 sends each reply at once.
	Pace time.Duration
}

// Survey returns the client behind "scripted/survey": a script that plays a
// whole team which surveys the working folder with the real tools. The leader
// creates the two sub-agents of [SurveyTeam], answers their questions and
// writes the findings; they list, search and read. In a team without these
// roles the leader makes them itself.
//
// It keeps no conversation: each reply follows from the request alone, so it
// works under replay and resume. It counts no tokens.
func Survey(o SurveyOptions) Client { return survey{o.Pace} }

// SurveyRole is a role of the team that [Survey] plays.
type SurveyRole struct {
	// ID, Name, Code and Does are those of a role in a team file.
	ID, Name, Code, Does string
	// Tools are the names of its workspace tools.
	Tools []string
}

// The parts of the survey, which are ids of its roles too.
const (
	partScout  = "scout"
	partReader = "reader"
)

// SurveyTeam returns the two roles that [Survey] plays beside the leader, in
// Chinese if lang is "zh", else in English.
func SurveyTeam(lang string) []SurveyRole {
	l := tongue(lang)
	return []SurveyRole{
		{
			ID: partScout, Code: partScout, Name: l.say("Scout", "清点员"),
			Does:  l.say("Lists and measures the files of the working folder.", "列出并清点工作目录中的文件。"),
			Tools: []string{"list_dir"},
		},
		{
			ID: partReader, Code: partReader, Name: l.say("Reader", "阅读员"),
			Does:  l.say("Searches the files for TODO and FIXME and reads the README.", "在文件中查找 TODO 和 FIXME，并阅读 README。"),
			Tools: []string{"search_files", "read_file", "list_dir"},
		},
	}
}

type survey struct{ pace time.Duration }

// Stream plays the next move of the agent that asks; see [Client].
func (s survey) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(Chunk{}, cancelled(ctx))
			return
		}
		t := newTalk(req)
		s.line(t, nextMove(t)).play(ctx, yield)
	}
}

// nextMove finds the part that the agent plays.
func nextMove(t *talk) move {
	switch t.part() {
	case event.Leader:
		return playLeader(t)
	case partScout:
		return playScout(t)
	case partReader:
		return playReader(t)
	}
	if m, ok := t.answerAll(func(string) string { return t.lang.onlySurveys() }); ok {
		return m
	}
	return move{text: t.lang.label() + "\n\n" + t.lang.onlySurveys()}
}

// move is what an agent does next: it says something, calls tools, or both.
type move struct {
	text  string
	calls []event.Call
}

// call adds a call of a tool; the ids come later.
func (m *move) call(tool string, args map[string]any) {
	text, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("model: arguments of %s: %v", tool, err)) // strings, numbers and truth values only
	}
	m.calls = append(m.calls, event.Call{Name: tool, Arguments: string(text)})
}

// Pieces of a reply: as many as look like typing, none shorter than a few
// characters.
const (
	surveyPieces   = 20
	surveyMinPiece = 3
)

// line puts a move into the form in which replies are played.
func (s survey) line(t *talk, m move) *line {
	out := &line{text: m.text, last: Chunk{Finish: event.FinishStop}}
	for i, c := range m.calls {
		c.ID = fmt.Sprintf("call_%s_%d_%d", t.agent, t.number, i+1)
		out.last.Calls = append(out.last.Calls, c)
		out.last.Finish = event.FinishToolCalls
	}
	if s.pace > 0 {
		length := utf8.RuneCountInString(m.text)
		chunk := max(surveyMinPiece, (length+surveyPieces-1)/surveyPieces)
		pieces := max(1, (length+chunk-1)/chunk)
		wait := s.pace / time.Duration(pieces)
		out.pacing = pacing{delay: wait, chunk: chunk, pace: wait}
	}
	return out
}
