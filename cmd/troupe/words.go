package main

import (
	"cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay"
)

// words are what the program says in one language. Each table is complete; a
// test walks them. Texts with verbs are formats of package fmt.
type words struct {
	lang string

	short  map[string]string // what a command is for, by its path below troupe
	long   map[string]string // more about it, for the commands that need more
	flags  map[string]string // what a flag is for, by its name
	groups map[string]string // titles of the groups of commands

	// The frame of the help.
	usage, examples, commands, flagsTitle, globalFlags, exitCodes, helpFlag string

	// Wrong calls.
	unknownCommand, unknownFlag, didYouMean, missingArgument, extraArgument                string
	badVariable, badValue, badSample, badParam, badDotEnv, badOutput, badChoice, flagAlone string
	isAFolder, notAFolder, noFolder, noHome, stepNeedsTerminal, stepHelp                   string
	stepGo, stepSearch, stepNone, stepEnd, noID, noType, notBoth, badExport, formatsAre    string

	// Finding a team and a model.
	noTeamFile, noModel, noModelHint, noKey, noKeyHint, demoHint, manyKeys, nameModel, noUsual, modelTaken, checkHint string

	// The task.
	emptyTask, emptyTaskHint, longTask, longTaskHint, fromStdin, waitingForStdin, askTask, demoTask string

	// A run under way and its end.
	banner, demoBanner, scripted, warning, stopping, interrupted, terminated string

	// What waits for the person.
	emptyAnswer, noDecision, decisionHint, runIsLive, answeredBefore, notToYou string
	nothingWaits, noneWaits, stillWaits, noAlways                              string
	askTitle, approveTitle, answerPrompt, decisionPrompt, promptCount          string
	answerHelp, decisionHelp, alwaysHelp, notTaken                             string

	// A run that goes on.
	runFinished, runLive, tornCut, folderGone, fileLeft, badLimit string
	neverRewritten, addFork, badEdit, editForms, noText, forkOf   string

	// A chat.
	chatHelp, chatHint, chatBack, chatNext, chatEmpty, turnStopped, nobodyWorks, tellHow, stopFirst string

	// init.
	initWrote, initKept, initNext, initTask, initOffer string

	// Tables.
	colRun, colWhen, colStatus, colTeam, colTask, colTokens, colCost, colLog string
	colAgent, colName, colState, colSteps, colModel                          string
	colQuestion, colFrom, colTo, colOutcome, colText, colArtifacts           string
	colWaited, waitsHead, noWaits, noRecord                                  string
	colRuns, colRole, colTools, colLimits                                    string
	colProvider, colKey, colFound, colAddress                                string
	colCheck, colResult, colDetail                                           string

	// models probe.
	probeWorks, probeFails, probeProfile, probeUsual, probeLearned, probeWrite, probeTokens, probeScript string

	// diff.
	diffEqual, diffDamaged, diffNoEnd, diffPrograms                   string // on stderr
	diffRecords, diffForked, diffForkedBoth                           string
	diffFirst, diffHeader, diffTeam, diffMore                         string
	diffPlace, diffNothing, diffTurn, diffStep, diffOnly, diffIDs     string
	diffField, diffWhy, diffVia, diffSameRequest, diffSame, diffTotal string
	colSince, colTime                                                 string

	noRuns, noAgent, agentsAre, partial, tokens, checkOK, defaultTools, ownTools, noSuchPlace, noToken string
	keyMissing, serverFound, serverMissing                                                             string

	// runs cost, repair and rm.
	colCalls, colInput, colCached, colOutput, colTotal, runsCounted                 string
	colTool, colBytes, colLongResult                                                string
	tornTail, repairWhole, repairLine, repairLost, repairDone, andMore, notInFolder string
	rmLive, rmNone, rmKept, rmDone, rmResumable, rmNeedsYes, rmAsk, keptRemoved     string

	statuses map[string]string        // of runs
	states   map[event.State]string   // of agents
	outcomes map[event.Outcome]string // of questions; the empty one is open
	origins  map[string]string        // where a variable comes from

	causes map[replay.CauseKind]string // why an agent of one run went another way

	verify map[string]string // of replay --verify

	envelope map[string]string // of envelope: reasons, verdicts, steps, and the rest
	serve    map[string]string // of serve
	dial     map[string]string // of dial
	worker   map[string]string // of worker
	queue    map[string]string // of queue
}

// wordsOf are the words of a language: zh, or en for all others.
func wordsOf(lang string) *words {
	if lang == zh {
		return &wordsZH
	}
	return &wordsEN
}

func (w *words) status(s string) string { return cmp.Or(w.statuses[s], s) }

func (w *words) state(s event.State) string { return cmp.Or(w.states[s], string(s)) }

func (w *words) outcome(o event.Outcome) string { return cmp.Or(w.outcomes[o], string(o)) }

func (w *words) origin(o string) string { return cmp.Or(w.origins[o], o) }
