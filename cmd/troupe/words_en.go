package main

import (
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

var wordsEN = words{ //nolint:gosec // names of variables that hold keys, no keys
	lang: en,
	short: map[string]string{ //nolint:gosec // words about tokens, no tokens
		"":             "Troupe runs teams of language-model agents.",
		"run":          "run one task with the team, show the work, print the answer",
		"chat":         "talk with the team in the terminal, several turns in one run",
		"resume":       "go on for real with a run that ended, whatever ended it",
		"init":         "write team.yaml, roles/ and .env.example to begin with",
		"check":        "resolve and validate everything, call no model",
		"answer":       "answer a question of a suspended run, or decide about a tool call",
		"runs":         "runs of the past: list, show, export, cost, repair, rm",
		"runs cost":    "tokens and money, by agent, by model and in total",
		"runs repair":  "save what is whole of a damaged log",
		"runs rm":      "remove runs for good",
		"runs list":    "list the runs, the newest first",
		"runs show":    "what one run did: agents, tokens, questions, files",
		"runs export":  "write a run as one document: Markdown, HTML or JSON",
		"replay":       "play a run back, without a model",
		"diff":         "where two runs first went apart, per agent, and what it cost",
		"models":       "which models there are, and which keys were found",
		"models probe": "ask an endpoint what works, and which profile fits it",
		"models list":  "list providers, keys, local servers and the team's models",
		"schema":       "JSON Schema of team.yaml, of a record of the log, or of a protocol",
		"completion":   "print the completion script for a shell",
		"version":      "print the version",
		"help":         "help about a command",

		"serve":       "serve the team to chat front ends and other programs",
		"serve token": "issue a token that a server takes for a while",

		"dial": "connect to a server, print what it says as it is, send what you type",

		"worker": "take tasks from Redis Streams, for agents and clients of by-framework",

		"queue":         "tasks for agents behind Redis Streams: send, tail, pending, claim, resume, cancel",
		"queue send":    "give an agent type a task",
		"queue tail":    "show what agents say in a session",
		"queue pending": "what workers have in hand or left behind",
		"queue claim":   "give what dead workers left to those that live",
		"queue resume":  "answer a task that waits for its user",
		"queue cancel":  "end a task and all below it, or a whole session",

		"envelope":         "messages in the standard envelope: check, convert, explain",
		"envelope check":   "check messages, one line for each: ok, missing, extra, text, repeat or invalid",
		"envelope convert": "translate messages between the envelope and other frameworks' names",
		"envelope explain": "go through a message step by step: names, extra fields, version, duplicates",
	},
	long: map[string]string{ //nolint:gosec // words about tokens, no tokens
		"run": `The task is what the arguments say, or what stdin brings; with both, the
arguments are the instruction and stdin is its context. The answer goes to
stdout, everything else to stderr. The team file is team.yaml in this folder or
above it. Without a team file and without -m a script plays a demonstration on
your folder; no model is called and nothing is paid. Ctrl-C stops gently, a
second one at once.`,
		"chat": `Each message after the first goes on in the same run: the leader and all agents
remember. While they work, what you type goes to the leader. Without a terminal each
line of stdin is a message, and the answers go to stdout. Ctrl-C stops the turn and
keeps the chat.`,
		"resume": `The run goes on in its log, with the team, the conversations and the inboxes
that it had: after a crash, Ctrl-C, a limit, a failure or a question. Instructions
are a message to the leader; one that had finished needs them. stdin is their
context, or with - the instructions themselves. Calls that were done are not done
again. The team is that of the log; -m and --limits change its models and limits,
and of the team file only keys (.env), display and transcript count.

--fork makes a new run of the beginning of this one, changed by --edit, and goes on
with that; this one stays as it is. What an --edit can change is the task, a message,
an answer, a tool's result, a model's reply, or the prompt or model of a role.`,
		"check": `Exit code 2 means a mistake in the files, 3 a model that cannot be used.`,
		"replay": `RUN is the beginning of a run id, last, last~1, or a path to a log. A run
that is still under way is followed to its end. FILE may also be what another
program recorded: chat messages in the form of OpenAI (JSON or JSON lines), or a
session of Claude Code (~/.claude/projects/…/SESSION.jsonl).
With --verify nothing is shown: each agent is run again on what the recording
says came from outside, and what it does is compared. No model and no tool is
called. Exit code 1 means that something differs.`,
		"runs export": `The document goes to stdout, or into the file of -o. Markdown and HTML are to
read: the task, every message, the calls of tools folded away, what each agent
cost, and the answer; the HTML page needs nothing else. JSON is one object with
the same facts and all records (troupe schema export). Values of keys that are
set now are masked once more. FILE may also be what another program recorded, as
for troupe replay.`,
		"diff": `A and B are runs as for replay. Agents are compared each in its own order:
how they took turns with each other, times and numbers in ids are no
difference. What one agent did because another had gone apart before is said to
follow from it. Equal runs print nothing. Exit code 1 means that they differ.`,
		"answer": `RUN is the beginning of a run id, last, last~1, or a path to a log; the run was
suspended, or its process is gone. ID is that of the question or the approval.
TEXT is the answer, - for stdin; for an approval it is allow, always (allow the
same for the rest of the run), or deny and a reason. The answer goes into the
log; troupe resume goes on with it.`,
		"models probe": `MODEL is a name of the team file or provider/model; without it the model of
the team is asked, or the one that a run would take. The questions are short and
harmless, and cost a few hundred tokens. Exit code 3 means that nothing answers
there or that the key is refused.`,
		"runs cost": `Without RUN all runs are added up. A tilde marks what was estimated because
the provider sent no count; — stands where no price is known.`,
		"runs repair": `The log as it was is kept beside it. Records that were lost are replaced by a
warning, so that all others keep their numbers.`,
		"runs rm": `A run that is under way is never removed. --older-than removes runs that ended;
those that can go on are named and kept.`,
		"serve": `Each protocol is switched on by its flag or by its key below serve: in the team
file. Without tokens the server listens on this machine only. A session is one run
in the folder of the runs: troupe replay shows it, and a server that starts goes on
with the sessions that the end of the last one interrupted. SIGTERM and Ctrl-C let
the steps under way end, for grace at most, and suspend the sessions.

Below serve: in the team file stand listen, tls_cert, tls_key, tokens (user: name of
a variable), token_key_env, token_life, workspace, audit, origins, hosts,
max_sessions, grace, limits (connections, connections_per_user, files_per_user,
messages_per_second, message_burst, bytes_per_second, byte_burst), client (path),
studio (path, on_disconnect, verbose, iterations) and envelope (path, tools,
dedupe_ttl, wait, dialects).`,
		"serve token": `The token is signed with the key in the variable that serve.token_key_env of the
team file names, and goes to stdout. It is good for serve.token_life, or --life.`,
		"dial": `Every message that comes is one line of stdout; what is sent, and the rest, goes to
stderr. TEXT, the messages of --send and the lines of stdin are sent in this order:
a JSON object as it is, a text as the protocol wants it. In the protocol studio a
text is a prompt, or more words for a response under way; when a response has ended
the next line begins another in the same session. In the protocol client it is a
prompt of the session; pings are answered. Without --protocol the path tells
it. The token is that of TROUPE_TOKEN or of the variable that --token-env names. Exit
code 1 means that the server refused something or went away.`,
		"queue send": `TYPE is that of the agents; TEXT is the task, or - for stdin. The id of the message
goes to stdout. A type for which no worker is online is an error, and nothing is
sent. A message id that was sent before is not sent again. With --follow the task is
shown on stderr and its answer goes to stdout; exit code 6 means that it asks its
user something.`,
		"queue tail": `The session is shown from its beginning, or from the entry behind --from. With
--reader the place is kept in Redis under that name, and the next time it goes on
there. It waits for more until Ctrl-C, unless --no-follow is given.`,
		"queue claim": `Workers take by themselves what dead ones left when it has rested for a while; this
does not wait. An entry whose worker lives is never taken.`,
		"queue resume": `MESSAGE is the id of the task that asks, as troupe queue tail shows it. TEXT is the
answer, or - for stdin. For a call that needs leave it is yes, always, or no and a
reason.`,
		"worker": `A task is one turn of the team, in the session of its user, its agent type and its
session id; what the team says, asks and makes goes to the data stream of the
session. Workers of one agent type with the same --run-dir take over from each other
when one of them dies. SIGTERM and Ctrl-C let tasks end, for --drain at most, and
hand the rest back; a second Ctrl-C hands them back at once. Each change of a task's
state is a line on stdout, the log is on stderr.

` + redisHelpEN + `

Below worker: in the team file stand redis, agent_type, id, group, schema, concurrency,
max_deliver, drain, lease, events and health.`,
		"queue": redisHelpEN,
		"envelope check": `FILE has one message a line, or is - for stdin, as without FILE; a message
over several lines begins with a line { and ends with a line }. A message with
the ids of an earlier one is a repeat. Exit code 1 means that messages were
refused (missing, invalid).`,
		"envelope convert": `A DIALECT is envelope, one of the built-in ones (to-content, target-task), or
that of a mapping file given with --map. The messages go to stdout, one a line;
those that cannot be converted are named on stderr, with exit code 1, and so are
the fields that the other form has no place for.`,
		"envelope explain": `FILE is as for check. Where the version is not known the rest does not matter:
such a message is read as text.`,
		"schema": `The schema is that of team.yaml unless record is asked for, export (what
troupe runs export --format json writes), or client, studio or envelope (the
messages of that protocol).`,
	},
	flags: map[string]string{ //nolint:gosec // words about tokens, no tokens
		"lang":          "`LANG` of the program and the prompts: zh, en or auto (by the locale)",
		"color":         "`WHEN` to use colours: auto, always or never",
		"no-input":      "never ask, never move the cursor",
		"file":          "the team `FILE`",
		"model":         "`MODEL` of everybody in place of the team file's: provider/model",
		"param":         "set a parameter of the team file: `NAME=VALUE`",
		"format":        "`FORM` of the document: md, html or json (default md)",
		"output":        "write to `FILE`: the answer of a run (also to stdout), or the document",
		"demo":          "the scripted demonstration, no model",
		"view":          "`VIEW` of the messages: auto, bubbles or lines",
		"output-format": "`FORM` of stdout: text, json (one result) or jsonl (the log's records)",
		"run-dir":       "`DIR` where the runs are kept",
		"listen":        "`ADDRESS` to listen at, host:port (default 127.0.0.1:8787)",
		"tls-cert":      "`FILE` with the certificate chain, in PEM form",
		"tls-key":       "`FILE` with the key of the certificate",
		"origins":       "`ORIGIN` of web pages that may use the server; with commas or repeated",
		"hosts":         "`NAME` under which the server is reached; with commas or repeated (default: any)",
		"workspace":     "`DIR` below which clients may have agents work (default: the current folder)",
		"audit":         "`FILE` in which stands who did what (default: audit.jsonl beside the runs)",
		"log-level":     "`LEVEL` of the log on stderr: debug, info, warn, error or off (default info)",
		"client":        "the client protocol, at `PATH`",
		"studio":        "the studio protocol, at `PATH`",
		"envelope":      "the door for standard envelopes over HTTP, at `PATH`",
		"life":          "`DURATION` for which the token is good (default 15m)",
		"protocol":      "`PROTOCOL` of the server: client, studio or raw (default: by the path of URL)",
		"token-env":     "`NAME` of the variable with the token (default TROUPE_TOKEN)",
		"session":       "`ID` of the session, to go on with it (default: a new one)",
		"dial resume":   "go on at `SESSION@SEQ`, where the protocol can",
		"dial model":    "preferred `MODEL`, provider:model",
		"dial workdir":  "`DIR` in the workspace of the server",
		"project":       "`ID` of the project",
		"send":          "`FILE` with messages to send, one a line",
		"tee":           "write what comes to `FILE` too",
		"send-timeout":  "`DURATION` that the server may take to accept a message (default 10s)",
		"pretty":        "indent what comes",
		"workdir":       "`DIR` that the agents work in (default: the current folder)",
		"sync":          "when the log is forced to the disk: `MODE` normal, always or off",
		"verbose":       "show states, deliveries, model calls and models too",
		"ascii":         "draw with ASCII characters only",
		"quiet":         "nothing but the answer, and errors",
		"json":          "print JSON",
		"speed":         "`N` times as fast as the run, or max (default: 8 on a terminal, else max)",
		"idle-cap":      "wait at most this `DURATION` between two entries (default 2s)",
		"step":          "wait for a key before each entry; keys go back, jump and search too",
		"from":          "begin at `SEQ|ID`: a record's number, or the id of a message, question, call or agent",
		"convert from":  "the `DIALECT` that the messages have (default envelope)",
		"convert to":    "the `DIALECT` that they shall have (default envelope)",
		"map":           "a mapping `FILE` that defines a dialect; repeatable",
		"to":            "end at `SEQ|ID`: a question or a call ends with its answer or its result",
		"only":          "only entries of these `AGENT|TYPE`: id, code, name; message.sent, tool.*; with commas or repeated",
		"follow":        "wait for more until the run has ended, even if no process here writes it",
		"verify":        "run the agents again on the recording and compare; takes several runs",
		"no-follow":     "do not wait for more of a run that is under way",
		"from-format":   "what FILE is: `FORM` openai, claude-code, troupe or auto",
		"limit":         "at most `N` runs",
		"older-than":    "remove the runs that ended longer ago than this `AGE`: 30d, 12h, …",
		"yes":           "do not ask",
		"waits":         "who waits for whom, after the last record or the one of --at",
		"context":       "`N` unchanged lines around a change (default 3)",
		"at":            "show the waits after record `SEQ`",

		"send session":   "`NAME` of the session (default: a new one)",
		"user":           "`CODE` of the user",
		"message-id":     "`ID` of the message; one that was sent before runs once (default: made up)",
		"extra":          "extra payload of the task: a `JSON` object",
		"queue-anyway":   "send also when no worker is online",
		"send follow":    "show the task until it ends, and print its answer",
		"tail from":      "begin behind the entry `ID` of the stream",
		"tail no-follow": "end where the session ends now",
		"reader":         "keep the place under this `NAME`, and go on there the next time",
		"status":         "`WORD` of the state that comes with the answer",
		"data":           "`JSON` that comes with the answer",
		"reason":         "`TEXT` that says why",
		"tail file":      "the team `FILE` whose worker: has the address of Redis",
		"agent-type":     "`TYPE` of agent whose tasks are taken; with commas or repeated",
		"redis":          "`URL` of Redis (default: REDIS_URL, else redis://127.0.0.1:6379/0)",
		"schema":         "key `SCHEMA`: v1 or v2; all parties must have the same (default v1, of a cluster v2)",
		"group":          "consumer `GROUP` of the workers (default agent_engines)",
		"id":             "`NAME` of the worker; no other one may have it (default: made up)",
		"concurrency":    "at most `N` tasks at once (default 4)",
		"max-deliver":    "give a task up after `N` deliveries (default 5)",
		"drain":          "how long tasks may go on when the worker stops: `DURATION` (default 30s)",
		"lease":          "how long the worker counts as alive without a sign of life: `DURATION` (default 30s)",
		"events":         "`FORMS` of events: sdk, or page for the flat ones of the protocol's page too",
		"health":         "`ADDRESS` of /healthz and /readyz, host:port (default: none)",

		"limits":         "set limits of the team: `NAME=VALUE`, with commas or repeated, e.g. tokens=4000000",
		"fork":           "make a new run that begins as this one, up to --from, and go on with that",
		"resume":         "come back to the chat of `RUN` (default: the last)",
		"resume from":    "fork at `SEQ|ID`: a record's number, or the id of a message, answer, call or agent (default: the end)",
		"edit":           "change `WHAT=TEXT` in the fork: 17='new text' (a record's number or id; @file), prompt:ROLE=…, model:ROLE=…",
		"resume file":    "the team `FILE` whose .env, display and transcript count; the team is that of the log",
		"resume workdir": "`DIR` that the agents work in (default: the folder of the run)",
	},
	groups: map[string]string{groupWork: "Work", groupSteer: "Steer", groupLook: "Look back", groupServe: "Serve", groupTools: "Protocol tools", groupSetup: "Setup"},

	helpFlag: "about this command",
	usage:    "Usage", examples: "Examples", commands: "Commands", flagsTitle: "Flags", globalFlags: "Flags of all commands",
	exitCodes: "Exit codes\n  0 finished   1 failed   2 wrong flags or files   3 no usable model\n" +
		"  4 the provider failed   5 a limit was reached   6 waits for a person\n  130 Ctrl-C   143 SIGTERM\n\n" +
		"Each flag has a variable: TROUPE_MODEL for --model.",

	unknownCommand: "there is no command %q", unknownFlag: "there is no flag %s", didYouMean: "did you mean: %s",
	missingArgument: "%s: an argument is missing", extraArgument: "%s: unexpected argument %q",
	badChoice: "%q is none of %s", flagAlone: "%s needs a value",
	badVariable: "%s: %q is no value for it", badValue: "--%s: %q is no value for it; it is one of %s",
	badParam: "-p %q has no name and value", badDotEnv: "%s: a line is no NAME=value",
	badOutput: "the answer cannot be written: %v", isAFolder: "is a folder", notAFolder: "is no folder",
	noFolder: "the folder cannot be read: %v", noHome: "no home folder is known, so there is no place for runs",
	stepNeedsTerminal: "--step waits for keys, and this is no terminal",
	stepHelp:          "any key: next   b: back   g: go to   /: search   n: again   q: end",
	stepGo:            "Record or id:", stepSearch: "Search:", stepNone: "there is none", stepEnd: "the end",
	noID: "nothing in this run has the id %q", noType: "there are no records of type %q", notBoth: "%s and %s exclude each other",
	badExport:  "the document cannot be written: %v",
	formatsAre: "troupe replay %s --from-format openai, claude-code or troupe",

	noTeamFile:  "there is no team.yaml in this folder or above it",
	noModel:     "no model is named, no key is set, and no local server answers",
	noModelHint: "set a key, e.g. DEEPSEEK_API_KEY (in the environment, or in .env beside the team file)\nor start a local server: ollama serve\nor name a model: -m ollama/qwen3:8b",
	noKey:       "%s needs a key: %s is not set",
	noKeyHint:   "set %s (in the environment, or in .env beside the team file)\nor name another variable: api_key_env, below models: in the team file\nor use a local model: -m ollama/qwen3:8b",
	demoHint:    "or look at the demonstration: troupe run --demo",
	manyKeys:    "several keys are set and no model is named: %s",
	nameModel:   "name one: -m provider/model, or model: in the team file",
	noUsual:     "%s is set, but no model is named",
	modelTaken:  "Model %s, by %s",
	checkHint:   "troupe check",

	emptyTask: "the task is empty", emptyTaskHint: `say what the team should do: troupe run "…", or pipe it in`,
	longTask: "the task is longer than %d MiB", longTaskHint: "put long material into a file that the team can read",
	fromStdin: "From standard input:", waitingForStdin: "Waiting for the end of stdin… (Ctrl-D, or start with < /dev/null)",
	askTask:  "Task:",
	demoTask: "Look through this folder and tell me what it holds: files by kind, the largest ones, open tasks, and what looks unusual.",

	banner: "Team %s   model %s   run %s", demoBanner: "DEMONSTRATION: a script plays all agents, no model is called.",
	scripted: "(script)", warning: "warning:",
	stopping:    "Stopping gently: agents finish their step. Ctrl-C again stops at once.",
	interrupted: "interrupted", terminated: "ended by SIGTERM",

	emptyAnswer: "the answer is empty", noDecision: "%q is no decision about a tool call",
	decisionHint:   "allow, always, or deny and a reason",
	runIsLive:      "run %s is under way in another process; answer at its terminal",
	answeredBefore: "%s was answered before", notToYou: "%s was not put to you but to another agent",
	nothingWaits: "nothing called %q waits in this run", noneWaits: "nothing waits for you in this run",
	stillWaits: "%d more wait:", noAlways: "such a call can be allowed once only; no rule can say it",
	askTitle: "%s asks you", approveTitle: "%s asks for leave: %s", promptCount: "%s (1 of %d)",
	answerPrompt: "Your answer", decisionPrompt: "Allow? y, n, a, ?",
	answerHelp:   "Type the answer and press Enter. Ctrl-U empties the line, Ctrl-C stops the run, which can be answered later.",
	decisionHelp: "y: allow this call once   n: deny, a reason may follow   any other text: deny for that reason",
	alwaysHelp:   "a: always allow %s in this run", notTaken: "not taken: %s",

	runFinished: "the run has finished; say what more is wanted, in quotes",
	runLive:     "the run goes on in another process: %s",
	tornCut:     "the log ended in the middle of a line; its %d bytes are in the file log.torn beside it",
	folderGone:  "%s, the folder of the run, is not here; the agents work in %s (--workdir DIR: in another)",
	fileLeft:    "%s has a mistake, so its display and transcript settings do not count: %s",
	badLimit:    "--limits %q has no name and value",

	neverRewritten: "%s would change what happened, and a log is never rewritten",
	addFork:        "--fork: make a new run that begins as this one, and leave this one as it is",
	badEdit:        "--edit does not say what",
	editForms:      "--edit 17='new text' (or @file), --edit prompt:ROLE='…', --edit model:ROLE=provider/model",
	noText:         "--edit %s has no text, and there is no terminal with an EDITOR",
	forkOf:         "A fork of %s, up to record %d",

	chatHelp: `/agents            who is in the team, and what each does
/cost              tokens and money so far
/tell AGENT TEXT   a message to an agent at work (a text alone goes to the leader)
/stop [AGENT]      stop an agent, or the turn, as Ctrl-C does
/quit              leave, as Ctrl-D does; troupe chat --resume comes back`,
	chatHint: "Type a message. /help for commands, Ctrl-C stops the turn, Ctrl-D leaves.",
	chatBack: "Back in run %s, after %d turns", chatNext: "To come back: %s", chatEmpty: "nothing has been said yet",
	turnStopped: "The turn was stopped. The next message goes on with it.", nobodyWorks: "nobody is at work now; just type a message",
	tellHow: "/tell AGENT TEXT", stopFirst: "the team is at work: /stop first",

	initWrote: "wrote  %s", initKept: "kept   %s (it was there)",
	initNext: "Next:\n  %s\n  %s", initTask: "Describe what this folder holds", initOffer: "Run it now? [Y/n]",

	colRun: "RUN", colWhen: "WHEN", colStatus: "STATUS", colTeam: "TEAM", colTask: "TASK", colTokens: "TOKENS", colCost: "COST", colLog: "LOG",
	colAgent: "AGENT", colName: "NAME", colState: "STATE", colSteps: "STEPS", colModel: "MODEL",
	colWaited: "WAITED", waitsHead: "Who waits for whom, after record %d (%s)", noWaits: "nobody waits", noRecord: "the log ends at record %d; there is no %d",
	colQuestion: "QUESTION", colFrom: "FROM", colTo: "TO", colOutcome: "OUTCOME", colText: "TEXT", colArtifacts: "FILES",
	colRuns: "RUNS", colRole: "ROLE", colTools: "TOOLS", colLimits: "LIMITS",
	colCheck: "QUESTION", colResult: "RESULT", colDetail: "DETAIL",
	probeWorks: "works", probeFails: "fails", probeProfile: "Profile: %s", probeUsual: "usual",
	probeLearned: "Learned: %s is now %s, because the endpoint says: %s", probeWrite: "Write into the team file, under the model: profile: %s",
	probeTokens: "The questions cost %d tokens.", probeScript: "%s is a script; there is no endpoint to ask",

	colProvider: "PROVIDER", colKey: "KEY", colFound: "FOUND", colAddress: "ADDRESS",

	diffEqual:    "no difference: %d agents did the same in both runs",
	diffDamaged:  "%s is damaged behind record %d; it is compared up to there: %s",
	diffNoEnd:    "%s has no end yet (%s); it is compared up to record %d",
	diffPrograms: "the runs are of different programs (%s, %s); their requests are not compared byte for byte",
	diffRecords:  "%d records", diffForked: "%s was forked from %s behind record %d.", diffForkedBoth: "Both were forked from %s; record %d is the last in common.",
	diffFirst: "First difference: %s", diffHeader: "the header, field %s", diffTeam: "Header", diffMore: "and %d more; --json shows all",
	diffPlace: "record %d  %s", diffNothing: "nothing more", diffTurn: "turn %d", diffStep: "step %d",
	diffOnly: "in %s only", diffIDs: "%s in A, %s in B", diffField: "field  %s", diffWhy: "why    %s", diffVia: ", by %s",
	diffSameRequest: ", and the requests were the same byte for byte", diffSame: "The same in both: %s", diffTotal: "Whole run, from the first difference on",
	colSince: "SINCE", colTime: "TIME",

	noRuns: "no runs in %s", noAgent: "no agent %q in this run", agentsAre: "its agents: %s", partial: "partial, limit %s", tokens: "%d in, %d out",
	checkOK: "All is well; no model was called.", ownTools: "its own (works elsewhere)", noToken: "the variable %s with its token is not set", noSuchPlace: "this version does not know the protocol %s",
	defaultTools: "(default)",
	keyMissing:   "not set", serverFound: "answers", serverMissing: "no answer",

	colCalls: "CALLS", colInput: "IN", colCached: "CACHED", colOutput: "OUT", colTotal: "TOTAL", runsCounted: "runs: %d",
	colTool: "TOOL", colBytes: "BYTES", colLongResult: "LONG RESULT",
	tornTail:    "The last line of the log is torn, as a crash leaves it; its %d bytes are left out.",
	repairWhole: "nothing to repair in %s: %d records", repairLine: "line %d dropped: %s",
	repairLost: "lost records: %s; a warning %s stands in the place of each", repairDone: "%d records kept in %s\nthe log as it was: %s",
	andMore: "and %d more", notInFolder: "%s is no run: its file is not named %s",
	rmLive: "run %s is under way; end it first", rmNone: "there is nothing to remove", rmKept: "nothing was removed", rmDone: "removed %s",
	rmResumable: "Kept, because they can go on or be repaired: %s", rmNeedsYes: "nobody can be asked here",
	rmAsk: "Remove for good? [y/N]", keptRemoved: "Removed, because they ended more than %s ago: %s",

	statuses: map[string]string{
		transcript.StatusRunning: "running", transcript.StatusInterrupted: "interrupted", transcript.StatusSuspended: "suspended",
		transcript.StatusFinished: "finished", transcript.StatusFailed: "failed", transcript.StatusDamaged: "damaged",
	},
	states: map[event.State]string{
		event.Created: "ready", event.Working: "working", event.Waiting: "waiting", event.Idle: "idle",
		event.Failing: "failed", event.Stopped: "stopped", event.Finished: "terminated",
	},
	outcomes: map[event.Outcome]string{
		"": "open", event.Answered: "answered", event.Implicit: "answered by output", event.Declined: "declined",
		event.CompletedWithoutAnswer: "ended without answer", event.Terminated: "terminated", event.Failed: "failed",
		event.OverBudget: "limit reached", event.Cancelled: "cancelled", event.TimedOut: "timed out", event.RefusedCycle: "refused: a circle",
	},
	causes: map[replay.CauseKind]string{
		replay.CauseAgent: "follows from %s", replay.CauseTeam: "it was set up differently", replay.CauseModel: "the model replied differently",
		replay.CauseTool: "a tool returned something else", replay.CausePerson: "a person said something else",
		replay.CauseLimit: "a limit", replay.CauseTiming: "the same things came in another order",
		replay.CauseRuntime: "Troupe itself said or asked something else", replay.CauseEnd: "one run ends here",
	},
	origins:  map[string]string{fromEnvironment: "environment", fromDotEnv: ".env"},
	envelope: envelopeWordsEN,
	serve:    serveWordsEN,
	dial:     dialWordsEN,
	worker:   workerWordsEN,
	queue:    queueWordsEN,
	verify: map[string]string{
		"run":           "run %s, %d records",
		"records":       "%d records",
		"requests":      "%d requests",
		"ok":            "ok",
		"at":            "differs at record %d",
		"unverified":    "requests not verifiable: custom tool %s is not here",
		"rules":         "rules",
		"broken":        "%d broken",
		"violation":     "  record %d: %s: %s",
		"first":         "%s first goes another way at record %d (%s, turn %d): %s",
		"request":       "the request that this reaches: record %d",
		"values":        "  recorded  %s\n  replayed  %s",
		"first request": "the beginning",
		"unseen":        "The conversation is the recorded one, and its digest is not: the recording was changed after it was made, or the descriptions of the tools differ. The last request that is the same: %s",
		"missing":       "The agent ended before it made this record.",
		"extra":         "The agent made one more record after this, its last recorded one.",
		"differs":       "not the same as recorded",
		"alone":         "%s shows a run; --verify does not",
	},
}
