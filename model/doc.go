// Package model is the port to a chat model, the clients behind it, and what
// stands between a team and an endpoint.
//
// What it is for: one method, [Client.Stream]; the adapter to endpoints that
// speak the OpenAI chat protocol ([NewOpenAI]), and one that learns what its
// endpoint refuses ([NewAdaptive]); models that play a script ([NewScripted],
// for tests and demonstrations, format below); what stands above an adapter:
// other models for when one fails ([WithFallback]), retries ([WithRetry]), what
// an endpoint allows ([Limiter], [Limiters]) and a bound on calls at once
// ([Gate]); calls written down and answered again ([Recorder], [Replayer]); and
// finding the endpoint that a name such as "deepseek/deepseek-chat" means
// ([Open], [Local]) and what it can do ([Probe]).
//
// What it is not for: keeping a conversation (package agent), choosing which
// tools are on offer (package tools), or counting money (package leader).
// Package modeltest has helpers for tests of programs that embed a team.
//
// Where to start reading: [Client] and [Request] in model.go, then openai.go;
// for what endpoints do otherwise than the protocol says, [Profile] for the
// requests and package internal/repair for the replies.
// The usual chain is fallback, then retry, then limiter, then adapter:
//
//	client := model.WithRetry(limiter.Client(adapter), model.RetryPolicy{})
//	client = model.WithFallback(model.Named{Name: "a/m", Client: client}, other)
//
// Invariants: a failed call yields one error, last, an [*Error] unless the
// context ended it; a broken stream is never called a success; tool calls come
// complete, once, and only from a stream that ended well; no message holds the
// key; the attempts and the waits of a call are bounded, a long wait is told
// before it begins, and the end of the context ends it at once; nothing here
// starts a goroutine but [Local], which waits for them, and the timer of a
// reply that may stall, which ends with the reply.
//
// # Scripts
//
// A script is a JSON object with entries per agent. One client plays the parts
// of all agents, because it keeps no conversation: what it says follows from
// the request alone.
//
//	{
//	  "name": "signup page",
//	  "defaults": {"delay": "200ms", "chunk": 8, "pace": "20ms"},
//	  "roles": {
//	    "tl":  [ {"text": "…", "calls": [ … ]}, {"text": "…"} ],
//	    "uio": [ … ],
//	    "*":   [ {"when": {}, "text": "Done: {{.Task}}"} ]
//	  }
//	}
//
// The keys of "roles" are agent ids ("uio_1"), role ids ("uio") and "*" for
// everyone. The entries of the agent's id are tried first, then those of its
// role, then those of "*"; within a list in order, and the first entry that
// fits is played. If none fits, the call fails with class bad_request.
//
// An entry without "when" fits one reply: the first such entry of a list is
// the agent's first reply, the second one its second, and so on. The number of
// a reply is the count of assistant messages in the request plus one. An entry
// with "when" fits whenever all of its conditions hold; {} always does:
//
//	"number": 3        the reply's number; also "2-4" and "5-"
//	"last": "regexp"   the text of the last user message, with its frame or without
//	"any": "regexp"    the text of any message, the system prompt included
//	"tool": "ask_user" one of the tool results that came since the last reply
//	"new": "regexp"    the text of a user message that came since the last reply
//	"kind": "question" its kind, a word of package event
//	"from": "uio"      its sender: the id, or the id without its number
//
// The last three are tested together on one message, the newest one first, and
// the message that fits is .Last in the templates. Since they hold only once
// for a message, an entry with them does not repeat itself.
//
// What an entry says:
//
//	"text", "reasoning"  templates, see below
//	"calls"              [{"tool": "write_file", "args": {"path": "a.md", "content": "{{.Task}}"}}];
//	                     the strings in args are templates; in place of args,
//	                     "arguments" is a template for the exact text, which
//	                     may be broken JSON
//	"finish"             "stop", "tool_calls", "length", "content_filter", "unknown"; by
//	                     default tool_calls if there are calls, else stop
//	"usage"              {"input": 100, "cached_input": 0, "output": 20, "reasoning": 0}
//	"delay"              a duration before the first piece
//	"chunk", "pace"      characters in a piece (0: all at once), and a duration between pieces
//	"fault"              what goes wrong, see below
//
// Templates are those of text/template over [ScriptView]; besides the standard
// functions there are json (a value as JSON text), lines (the first n lines:
// {{lines 3 .Task}}), cut (the first n characters) and trim. A missing key
// fails the call.
//
// A fault is one of these, for the first "times" plays of the entry for the
// same reply (1 if not given; -1 for always), so that a retry can succeed. The
// count of faults is the only state of a scripted client. Keys that start with
// x- are ignored everywhere.
//
//	{"status": 429, "retry_after": "2s", "message": "…"}  a refused request
//	{"stop_after": 12}                                    the stream ends after so many characters of text
//	{"empty": true}                                       a reply without anything
package model
