package config

import "time"

// Team is a checked team file: plain data, with all references expanded and
// all files read.
type Team struct {
	// File is the team file as it was named, Dir the folder that its relative
	// paths start from.
	File, Dir string
	// Version is the version of the format, 1.
	Version int
	// Name and Description are for people; both may be empty.
	Name, Description string
	// Params are the parameters, with their values.
	Params map[string]Param
	// Model is the model of all who name none: a key of Models or of
	// ModelAliases, or provider/model; empty when the file names none.
	Model string
	// Models are the models that the file defines, by their names.
	Models map[string]Model
	// ModelAliases maps foreign names of models to references.
	ModelAliases map[string]string
	// Leader holds the settings of the leader.
	Leader Leader
	// Roles are the roles in the order of the team file, then those of
	// RolesFrom, then those of the folder roles.
	Roles []Role
	// RolesFrom are further folders with role files.
	RolesFrom []string
	// Context are files that every agent is given.
	Context []ContextFile
	// Limits bound the run.
	Limits Limits
	// Permissions say which tool calls run.
	Permissions Permissions
	// Transcript says where and how the log is kept.
	Transcript Transcript
	// Display says how a run is shown.
	Display Display
	// Serve says what "troupe serve" serves.
	Serve Serve
	// Worker says for whom "troupe worker" works.
	Worker Worker
	// Warnings are what could not be honoured, in the order of the files.
	Warnings []Problem
}

// Param is a parameter of a team file, used as ${param.NAME}.
type Param struct {
	// Value is what was given from outside, or else the default; Set says
	// whether there is one.
	Value string
	Set   bool
	// Help says what the parameter is for.
	Help string
}

// Model is a model that a team file defines.
type Model struct {
	// Provider is one of the known providers; Model its name there.
	Provider, Model string
	// BaseURL is the address of the endpoint, empty for the provider's own.
	BaseURL string
	// APIKeyEnv is the name of the variable that holds the key, empty for the
	// provider's own.
	APIKeyEnv string
	// Temperature is from 0 to 2, nil when the provider decides.
	Temperature *float64
	// MaxOutputTokens bounds a reply, 0 when absent.
	MaxOutputTokens int
	// Timeout bounds how long a reply may make no progress, in place of
	// [Limits.Stall]; 0 when absent.
	Timeout time.Duration
	// Retry says how requests are repeated.
	Retry Retry
	// Price is what the model costs, nil when unknown.
	Price *Price
	// Extra is put into the request body as it is: JSON values.
	Extra map[string]any
	// Rate is what the endpoint allows; models of one endpoint and key share it.
	Rate Rate
	// Fallback are references as in [Team] to the models that are asked in turn
	// when this one fails; none leads back to a model whose fallback it is.
	Fallback []string
	// Profile says in what the endpoint differs from others of its provider.
	Profile Profile
	// CompactAt is the share of the context window, from 0 to 1, from which on
	// older steps of a conversation are folded into a summary; 0 when absent.
	CompactAt float64
}

// Rate is what an endpoint allows to one key; zero fields are absent.
type Rate struct {
	RequestsPerMinute, TokensPerMinute, Concurrent int
}

// Profile holds the switches of an endpoint that go over those of its
// provider; zero fields are absent.
type Profile struct {
	// EchoReasoning is "never", "tool_loop" or "always"; ReasoningTags "off",
	// "paired" or "open".
	EchoReasoning, ReasoningTags string
	// MaxTokensField is "max_tokens" or "max_completion_tokens".
	MaxTokensField string
	// ContentWithCalls is "none", "empty" or "omit"; SchemaDialect "full",
	// "basic" or "strict".
	ContentWithCalls, SchemaDialect string
	// The other switches are nil when absent.
	ToolCallsAsText, NoTemperature, NoStreamUsage, NoParallelToolCalls, NoRequiredToolChoice *bool
	MergeSameRole, AssistantBetweenToolAndUser, SingleSystem, SingleCall                     *bool
	// NumCtx is the context size in tokens that the server is asked for.
	NumCtx int
	// ContextWindow is how many tokens the model can read.
	ContextWindow int
}

// Retry says how often and how patiently a request is repeated; zero fields
// are absent.
type Retry struct {
	Max       Limit[int]
	Base, Cap time.Duration
}

// Price is what a million tokens cost.
type Price struct {
	// Currency is a code of three capitals, such as CNY.
	Currency string
	// Input and Output are amounts of the currency.
	Input, Output float64
	// CachedInput is the amount for input read from a cache, nil when it
	// costs as much as other input.
	CachedInput *float64
}

// Leader holds the settings of the leader.
type Leader struct {
	// Model is a reference as in [Team]; empty for the model of the team.
	Model string
	// Prompt is added to the leader's own prompt; empty when absent.
	Prompt string
	// MaxSteps bounds a turn.
	MaxSteps Limit[int]
	// WakeOn is "completion", "progress" or, when absent, empty.
	WakeOn string
	// Tools are the tools beside those of every leader; nil when absent, empty
	// when there are to be none.
	Tools []string
}

// Role is a kind of sub-agent.
type Role struct {
	// ID is the key of the role in the team file, or the name of its file.
	ID string
	// Name is shown to people and agents; it is never empty.
	Name string
	// Code is the short code in message ids, empty when it is to be minted.
	Code string
	// Does tells the leader what the role is good for.
	Does string
	// Prompt is the system prompt, empty when absent.
	Prompt string
	// Model is a reference as in [Team]; empty for the model of the team.
	Model string
	// Tools are the tools of the role: nil when absent, empty when there are
	// to be none.
	Tools []string
	// MaxInstances and MaxSteps (a turn) bound the instances of the role.
	MaxInstances, MaxSteps Limit[int]
	// MayAsk are the ids of the roles that it may ask: nil for every role,
	// empty for none.
	MayAsk []string
	// WorkDir is where the role may write, relative to the folder of the run;
	// empty for that folder itself.
	WorkDir string
	// Source is where the role is defined.
	Source Position
}

// Position is a place in a file; lines and columns (in characters) count from 1.
type Position struct {
	File         string
	Line, Column int
}

// ContextFile is a file that every agent is given.
type ContextFile struct {
	// Path is as the team file names it, Text its content.
	Path, Text string
}

// Limits bound a run; the defaults are the caller's.
type Limits struct {
	// Agents may work or wait at once; Spawns are creations a run; Depth is
	// how deep agents may create others.
	Agents, Spawns, Depth Limit[int]
	// MaxSteps bounds a turn of an agent without a bound of its own, Steps the run.
	MaxSteps, Steps Limit[int]
	// Tokens, Budget (money, in the currency of the prices) and Deadline bound
	// the run.
	Tokens   Limit[int]
	Budget   Limit[float64]
	Deadline Limit[time.Duration]
	// AskTimeout bounds a question, ToolTimeout a call of a tool.
	AskTimeout, ToolTimeout Limit[time.Duration]
	// Parallel model calls may run at once; Inbox messages may wait for an agent.
	Parallel, Inbox Limit[int]
	// Stall bounds how long a reply may make no progress, RetryWaitCap how long
	// a provider may ask to wait.
	Stall, RetryWaitCap Limit[time.Duration]
	// RetryAfterText says that a reply which broke off after its first text is
	// asked again.
	RetryAfterText bool
}

// Transcript says where and how the log of a run is kept.
type Transcript struct {
	// Dir is the folder of the runs, empty for the usual one.
	Dir string
	// Sync is "normal", "always", "off" or, when absent, empty.
	Sync string
	// Redact are regular expressions of package regexp for what is masked in
	// the log beside keys; none matches empty text.
	Redact []string
	// Keep is how long runs that ended are kept, 0 for ever.
	Keep time.Duration
}

// Display says how a run is shown; zero fields are absent.
type Display struct {
	// Lang is "auto", "zh" or "en".
	Lang string
	// View is "auto", "bubbles" or "lines".
	View string
	// AmbiguousWidth is the width of characters of ambiguous width, 1 or 2.
	AmbiguousWidth int
	// ASCII says that boxes are drawn without line-drawing characters.
	ASCII bool
}
