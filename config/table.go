package config

import (
	"math"
	"time"
)

// teamTable lists the keys of team.yaml. Params come first: what follows may
// refer to them.
func teamTable() table[Team] {
	return table[Team]{"a team file", []field[Team]{
		key("params", "Parameters: ${param.NAME}, set with -p NAME=VALUE.", params(), func(t *Team) *map[string]Param { return &t.Params }),
		key("version", "The version of this format: 1.", integer(1, 1), func(t *Team) *int { return &t.Version }),
		key("name", "The name of the team, for people.", text(), func(t *Team) *string { return &t.Name }),
		key("description", "What the team is for.", prose(), func(t *Team) *string { return &t.Description }).or("about"),
		key("model", "The model of all who name none: a name under models, or provider/model.", modelRef(), func(t *Team) *string { return &t.Model }),
		key("models", "Models by name.", models(), func(t *Team) *map[string]Model { return &t.Models }),
		key("model_aliases", "Foreign names of models.", modelAliases(), func(t *Team) *map[string]string { return &t.ModelAliases }).or("aliases"),
		key("leader", "The leader.", object(leaderTable()), func(t *Team) *Leader { return &t.Leader }).or("lead", "master", "manager", "orchestrator"),
		key("roles", "The roles of sub-agents, by id.", roles(), func(t *Team) *[]Role { return &t.Roles }).or("agents", "members", "workers", "sub_agents", "team"),
		key("roles_from", "Folders with role files.", list(roleFolder()), func(t *Team) *[]string { return &t.RolesFrom }),
		key("context", "Files that every agent is given.", list(contextFile()), func(t *Team) *[]ContextFile { return &t.Context }),
		key("limits", "Bounds of a run; each new task of a chat or session has them anew.", object(limitsTable()), func(t *Team) *Limits { return &t.Limits }),
		key("permissions", "Which tool calls run, and which need a person's leave.", object(permissionsTable()), func(t *Team) *Permissions { return &t.Permissions }).or("permission", "rules"),
		key("transcript", "Where and how the log is kept.", object(transcriptTable()), func(t *Team) *Transcript { return &t.Transcript }).or("log"),
		key("serve", "What troupe serve serves, and to whom.", serve(), func(t *Team) *Serve { return &t.Serve }).or("server", "gateway"),
		key("display", "How a run is shown.", object(displayTable()), func(t *Team) *Display { return &t.Display }),
		later[Team]("tools"),
		later[Team]("mcp_from"),
		later[Team]("mcp").or("mcp_servers"),
		later[Team]("sandbox"),
		key("worker", "For whom troupe worker works.", object(workerTable()), func(t *Team) *Worker { return &t.Worker }).or("streams", "redis"),
	}}
}

// paramTable lists the keys of a parameter.
func paramTable() table[Param] {
	return table[Param]{"a parameter", []field[Param]{
		{name: "default", doc: "The value when none is given.", schema: schema{"type": []any{"string", "number", "boolean"}}, read: readDefault},
		key("help", "What the parameter is for.", prose(), func(p *Param) *string { return &p.Help }).or("description"),
	}}
}

// modelTable lists the keys of a model.
func modelTable() table[Model] {
	return table[Model]{"a model", []field[Model]{
		key("provider", "Who serves the model.", provider(), func(m *Model) *string { return &m.Provider }).must().or("type", "vendor"),
		key("model", "The name of the model at the provider.", text(), func(m *Model) *string { return &m.Model }).must().or("name", "id"),
		key("base_url", "The address of the endpoint.", webAddress(), func(m *Model) *string { return &m.BaseURL }).or("url", "endpoint", "api_base", "base"),
		key("api_key_env", "The name of the variable that holds the key; never a key.", keyVariable(), func(m *Model) *string { return &m.APIKeyEnv }).or("api_key", "key", "token", "api_key_var"),
		key("temperature", "From 0 to 2.", pointer(decimal(2)), func(m *Model) **float64 { return &m.Temperature }),
		key("max_output_tokens", "The longest reply.", integer(1, math.MaxInt32), func(m *Model) *int { return &m.MaxOutputTokens }).or("max_tokens", "max_completion_tokens"),
		key("timeout", "How long a reply may make no progress; instead of limits.stall.", duration(), func(m *Model) *time.Duration { return &m.Timeout }),
		key("retry", "How requests are repeated.", object(retryTable()), func(m *Model) *Retry { return &m.Retry }).or("retries"),
		key("price", "What a million tokens cost.", pointer(object(priceTable())), func(m *Model) **Price { return &m.Price }).or("cost", "pricing"),
		key("extra", "Put into the request body as it is.", extra(), func(m *Model) *map[string]any { return &m.Extra }).or("extra_body", "options", "parameters"),
		key("rate", "What the endpoint allows to one key; models of the same endpoint and key share it.", object(rateTable()), func(m *Model) *Rate { return &m.Rate }).or("rate_limit", "limits", "throttle"),
		key("fallback", "Models that are asked in turn when this one fails.", list(modelRef()), func(m *Model) *[]string { return &m.Fallback }).or("fallbacks", "backup"),
		key("profile", "In what the endpoint differs from others of its provider.", object(profileTable()), func(m *Model) *Profile { return &m.Profile }).or("quirks", "compat"),
		key("compact_at", "The share of the context window from which on older steps are folded into a summary; the window is profile.context_window or profile.num_ctx, else that of a well-known model.", decimal(1), func(m *Model) *float64 { return &m.CompactAt }),
	}}
}

// rateTable lists the keys of rate.
func rateTable() table[Rate] {
	count := integer(1, math.MaxInt32)
	return table[Rate]{"a rate", []field[Rate]{
		key("requests_per_minute", "Requests a minute.", count, func(r *Rate) *int { return &r.RequestsPerMinute }).or("rpm", "requests"),
		key("tokens_per_minute", "Tokens a minute, of prompts and replies.", count, func(r *Rate) *int { return &r.TokensPerMinute }).or("tpm", "tokens"),
		key("concurrent", "Requests at once.", count, func(r *Rate) *int { return &r.Concurrent }).or("concurrency", "parallel"),
	}}
}

// profileTable lists the keys of profile.
func profileTable() table[Profile] {
	flag := pointer(boolean())
	return table[Profile]{"a profile", []field[Profile]{
		key("echo_reasoning", "When reasoning goes back with the conversation.", oneOf("never", "tool_loop", "always"), func(p *Profile) *string { return &p.EchoReasoning }),
		key("reasoning_tags", "How reasoning is marked inside the text.", oneOf("off", "paired", "open"), func(p *Profile) *string { return &p.ReasoningTags }),
		key("tool_calls_as_text", "Whether tool calls are read out of the text.", flag, func(p *Profile) **bool { return &p.ToolCallsAsText }),
		key("max_tokens_field", "The name of the output limit.", oneOf("max_tokens", "max_completion_tokens"), func(p *Profile) *string { return &p.MaxTokensField }),
		key("no_temperature", "Leave the temperature out.", flag, func(p *Profile) **bool { return &p.NoTemperature }),
		key("no_stream_usage", "Leave stream_options out.", flag, func(p *Profile) **bool { return &p.NoStreamUsage }),
		key("no_parallel_tool_calls", "Leave parallel_tool_calls out.", flag, func(p *Profile) **bool { return &p.NoParallelToolCalls }),
		key("content_with_calls", "What stands for the text beside tool calls: none is null.", oneOf("none", "empty", "omit"), func(p *Profile) *string { return &p.ContentWithCalls }),
		key("merge_same_role", "Join user messages that follow each other.", flag, func(p *Profile) **bool { return &p.MergeSameRole }),
		key("assistant_between_tool_and_user", "Put an assistant message between a tool result and a user message.", flag, func(p *Profile) **bool { return &p.AssistantBetweenToolAndUser }),
		key("single_system", "Join all system messages into the first message.", flag, func(p *Profile) **bool { return &p.SingleSystem }),
		key("single_call", "Write an assistant message with several tool calls as several messages.", flag, func(p *Profile) **bool { return &p.SingleCall }),
		key("schema_dialect", "How tool schemas are written.", oneOf("full", "basic", "strict"), func(p *Profile) *string { return &p.SchemaDialect }),
		key("no_required_tool_choice", "Write a required tool choice as auto, with an instruction.", flag, func(p *Profile) **bool { return &p.NoRequiredToolChoice }),
		key("num_ctx", "The context size in tokens that the server is asked for.", integer(1, math.MaxInt32), func(p *Profile) *int { return &p.NumCtx }),
		key("context_window", "How many tokens the model can read; if absent num_ctx, else what is known of the model.", integer(1, math.MaxInt32), func(p *Profile) *int { return &p.ContextWindow }).or("context_length", "context_size"),
	}}
}

// retryTable lists the keys of retry.
func retryTable() table[Retry] {
	return table[Retry]{"retry", []field[Retry]{
		key("max", "How often at most.", limit(integer(0, 1000)), func(r *Retry) *Limit[int] { return &r.Max }).or("attempts", "count"),
		key("base", "The first pause.", duration(), func(r *Retry) *time.Duration { return &r.Base }).or("delay", "wait"),
		key("cap", "The longest pause.", duration(), func(r *Retry) *time.Duration { return &r.Cap }).or("max_delay"),
	}}
}

// priceTable lists the keys of price.
func priceTable() table[Price] {
	amount := decimal(1_000_000)
	return table[Price]{"a price", []field[Price]{
		key("currency", "Three capitals, such as CNY.", name("a currency such as CNY or USD", currencyForm().String(), currencyForm()), func(p *Price) *string { return &p.Currency }).must(),
		key("input", "A million tokens of input.", amount, func(p *Price) *float64 { return &p.Input }).must().or("prompt"),
		key("cached_input", "A million tokens of input from a cache.", pointer(amount), func(p *Price) **float64 { return &p.CachedInput }).or("cache", "cache_read"),
		key("output", "A million tokens of output.", amount, func(p *Price) *float64 { return &p.Output }).must().or("completion"),
	}}
}

// leaderTable lists the keys of leader.
func leaderTable() table[Leader] {
	return table[Leader]{"the leader", []field[Leader]{
		key("model", "A name under models, or provider/model.", modelRef(), func(l *Leader) *string { return &l.Model }),
		key("prompt", "What the leader is told besides, or a .md or .txt file.", prompt(), func(l *Leader) *string { return &l.Prompt }).or("instructions", "instruction", "system_prompt", "system"),
		key("max_steps", "Steps a turn.", limit(integer(1, math.MaxInt32)), func(l *Leader) *Limit[int] { return &l.MaxSteps }).or("max_turns", "steps"),
		key("wake_on", "What wakes a leader that waits.", oneOf("completion", "progress"), func(l *Leader) *string { return &l.WakeOn }),
		key("tools", "Tools beside those of every leader.", list(leaderTool()), func(l *Leader) *[]string { return &l.Tools }),
	}}
}

// roleTable lists the keys of a role.
func roleTable() table[Role] {
	return table[Role]{"a role", []field[Role]{
		key("name", "Shown to people and agents: UI Operator.", roleName(), func(r *Role) *string { return &r.Name }).or("title", "display_name"),
		key("does", "What the role is good for; the leader reads it to choose.", prose(), func(r *Role) *string { return &r.Does }).or("description", "goal", "purpose", "role"),
		key("prompt", "The system prompt, or a .md or .txt file.", prompt(), func(r *Role) *string { return &r.Prompt }).or("instructions", "instruction", "system_prompt", "system", "backstory"),
		key("code", "The short code in message ids, 2 to 6 of a-z and 0-9.", roleCode(), func(r *Role) *string { return &r.Code }).or("short", "abbr"),
		key("model", "A name under models, or provider/model.", modelRef(), func(r *Role) *string { return &r.Model }),
		key("tools", "The tools of the role.", list(roleTool()), func(r *Role) *[]string { return &r.Tools }),
		key("max_instances", "Instances at once.", limit(integer(1, math.MaxInt32)), func(r *Role) *Limit[int] { return &r.MaxInstances }).or("instances", "count", "replicas"),
		key("max_steps", "Steps a turn.", limit(integer(1, math.MaxInt32)), func(r *Role) *Limit[int] { return &r.MaxSteps }).or("max_turns", "max_iter", "steps"),
		key("may_ask", "Ids of the roles that it may ask; without it all.", list(roleRef()), func(r *Role) *[]string { return &r.MayAsk }).or("can_ask", "asks"),
		key("workdir", "Where it may write, in the folder of the run.", workDir(), func(r *Role) *string { return &r.WorkDir }).or("dir", "cwd", "working_directory"),
		later[Role]("remote"),
	}}
}

// limitsTable lists the keys of limits.
func limitsTable() table[Limits] {
	count := limit(integer(1, math.MaxInt32))
	wait := limit(duration())
	return table[Limits]{"limits", []field[Limits]{
		key("agents", "Agents that work or wait at once.", count, func(l *Limits) *Limit[int] { return &l.Agents }).or("max_agents"),
		key("spawns", "Agents that are created in a run.", count, func(l *Limits) *Limit[int] { return &l.Spawns }).or("max_spawns"),
		key("depth", "How deep agents may create others.", limit(integer(1, 1)), func(l *Limits) *Limit[int] { return &l.Depth }).or("max_depth"),
		key("max_steps", "Steps a turn of an agent.", count, func(l *Limits) *Limit[int] { return &l.MaxSteps }).or("max_turns", "max_rounds"),
		key("steps", "Steps of the run.", count, func(l *Limits) *Limit[int] { return &l.Steps }),
		key("tokens", "Tokens of the run.", count, func(l *Limits) *Limit[int] { return &l.Tokens }).or("max_tokens"),
		key("budget", "Money of the run, in the currency of the prices.", limit(decimal(math.MaxInt32)), func(l *Limits) *Limit[float64] { return &l.Budget }).or("money", "max_cost"),
		key("deadline", "How long the run may take.", wait, func(l *Limits) *Limit[time.Duration] { return &l.Deadline }).or("max_duration"),
		key("ask_timeout", "How long a question may be open.", wait, func(l *Limits) *Limit[time.Duration] { return &l.AskTimeout }),
		key("tool_timeout", "How long a call of a tool may take.", wait, func(l *Limits) *Limit[time.Duration] { return &l.ToolTimeout }).or("timeout"),
		key("parallel", "Model calls at once.", count, func(l *Limits) *Limit[int] { return &l.Parallel }).or("concurrency"),
		key("inbox", "Messages that wait for an agent.", count, func(l *Limits) *Limit[int] { return &l.Inbox }),
		key("stall", "How long a reply may make no progress.", wait, func(l *Limits) *Limit[time.Duration] { return &l.Stall }),
		key("retry_wait_cap", "The longest wait that a provider may ask for.", wait, func(l *Limits) *Limit[time.Duration] { return &l.RetryWaitCap }),
		key("retry_after_text", "Whether a reply that broke off after its first text is asked again.", boolean(), func(l *Limits) *bool { return &l.RetryAfterText }),
	}}
}

// transcriptTable lists the keys of transcript.
func transcriptTable() table[Transcript] {
	return table[Transcript]{"transcript", []field[Transcript]{
		key("dir", "The folder of the runs.", text(), func(t *Transcript) *string { return &t.Dir }).or("path", "folder"),
		key("sync", "When records are forced to the disk.", oneOf("normal", "always", "off"), func(t *Transcript) *string { return &t.Sync }),
		key("redact", "Regular expressions of what must not stand in the log.", list(expression()), func(t *Transcript) *[]string { return &t.Redact }).or("mask", "hide", "secrets"),
		key("keep", "How long runs of this team are kept after their end.", age(), func(t *Transcript) *time.Duration { return &t.Keep }).or("retention", "max_age"),
	}}
}

// displayTable lists the keys of display.
func displayTable() table[Display] {
	return table[Display]{"display", []field[Display]{
		key("lang", "The language of the interface.", oneOf("auto", "zh", "en"), func(d *Display) *string { return &d.Lang }).or("language", "locale"),
		key("view", "How messages are drawn.", oneOf("auto", "bubbles", "lines"), func(d *Display) *string { return &d.View }),
		key("ambiguous_width", "Columns of characters of ambiguous width: 1 or 2.", integer(1, 2), func(d *Display) *int { return &d.AmbiguousWidth }),
		key("ascii", "Draw boxes with ASCII only.", boolean(), func(d *Display) *bool { return &d.ASCII }),
	}}
}
