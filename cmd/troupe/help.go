package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// helpCommand is "troupe help".
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", GroupID: groupSetup,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return a.unknownCommand(cmd.Root(), strings.Join(args, " "))
			}
			return found.Help()
		},
	}
}

// help prints what a command is for and how it is called. It was asked for,
// so it goes to stdout.
func (a *app) help(cmd *cobra.Command) {
	w := a.words
	var b strings.Builder
	path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "troupe"), " ")
	b.WriteString(w.short[path] + "\n")
	if long := w.long[path]; long != "" {
		b.WriteString("\n" + long + "\n")
	}
	if cmd.Runnable() {
		use := cmd.UseLine()
		switch {
		case cmd.HasSubCommands() && cmd != cmd.Root() && len(a.declared[cmd]) > 0:
			use += "\n  " + cmd.CommandPath() + " COMMAND"
		case cmd.HasSubCommands():
			use = cmd.CommandPath() + " [COMMAND]"
		}
		b.WriteString("\n" + w.usage + "\n  " + use + "\n")
	}
	if text := examples[path]; text != "" {
		b.WriteString("\n" + w.examples + "\n" + text)
	}
	a.helpCommands(&b, cmd, path)
	if text := cmd.LocalNonPersistentFlags().FlagUsages(); text != "" {
		b.WriteString("\n" + w.flagsTitle + "\n" + text)
	}
	if text := cmd.Root().PersistentFlags().FlagUsages(); text != "" {
		b.WriteString("\n" + w.globalFlags + "\n" + text)
	}
	if cmd == cmd.Root() {
		b.WriteString("\n" + w.exitCodes + "\n")
	}
	_, _ = io.WriteString(a.Stdout, b.String())
}

// helpCommands lists the commands below command, group by group.
func (a *app) helpCommands(b *strings.Builder, command *cobra.Command, path string) {
	list := func(title string, wanted func(*cobra.Command) bool) {
		var rows [][]string
		for _, c := range a.inOrder(command.Commands()) {
			if !c.Hidden && c.Name() != cobra.ShellCompRequestCmd && wanted(c) {
				rows = append(rows, []string{"  " + c.Name(), a.words.short[strings.TrimSpace(path+" "+c.Name())]})
			}
		}
		if len(rows) > 0 {
			b.WriteString("\n" + title + "\n" + table(rows, 0))
		}
	}
	if command != command.Root() {
		list(a.words.commands, func(*cobra.Command) bool { return true })
		return
	}
	for _, g := range groups {
		list(a.words.groups[g], func(c *cobra.Command) bool { return c.GroupID == g })
	}
}

// inOrder sorts commands as they were added; others follow.
func (a *app) inOrder(commands []*cobra.Command) []*cobra.Command {
	place := func(c *cobra.Command) int {
		if i := slices.Index(a.order, c); i >= 0 {
			return i
		}
		return len(a.order)
	}
	slices.SortStableFunc(commands, func(c, d *cobra.Command) int { return cmp.Compare(place(c), place(d)) })
	return commands
}

// examples are calls to copy, by command.
var examples = map[string]string{ //nolint:gosec // words about tokens, no tokens
	"": `  troupe run
  troupe init && troupe run "…"
  troupe replay last
`,
	"run": `  troupe run --demo
  troupe run "…" > out.md
  git diff | troupe run "review this change" -m ollama/qwen3:8b
  troupe run - --output-format jsonl < task.md
`,
	"chat": `  troupe chat
  troupe chat --resume
  troupe chat -m ollama/qwen3:8b < questions.txt > answers.txt
`,
	"resume": `  troupe resume last
  troupe resume last "now in blue, please"
  troupe resume last --limits tokens=4000000,deadline=1h
  troupe resume last --fork --from ask_uio_001 --edit ask_uio_001='Which fields are there?'
`,
	"init":         "  troupe init team\n",
	"answer":       "  troupe answer last ask_tl_001 blue\n  troupe answer last apr_001 deny not on this machine\n",
	"check":        "  troupe check --json\n",
	"replay":       "  troupe replay last --speed max\n  troupe replay last~1 --only uio_1,tool.* --view lines\n  troupe replay last --from ask_uio_001 --step\n  troupe replay last --json | jq .type\n  troupe replay --verify last\n",
	"diff":         "  troupe diff last~1 last\n  troupe diff last~1 last --only uio_1 --context 0\n  troupe diff last~1 last --json | jq .first\n",
	"runs":         "  troupe runs\n  troupe runs show last\n",
	"runs export":  "  troupe runs export last --format html -o run.html\n  troupe runs export last --format json | jq .usage\n",
	"models":       "  troupe models\n",
	"models probe": "  troupe models probe\n  troupe models probe ollama/qwen3:8b --json\n",
	"schema":       "  troupe schema > team.schema.json\n",

	"serve":       "  troupe serve --studio\n  troupe serve --studio=/chat --listen 127.0.0.1:9000 --workspace work\n",
	"serve token": "  TOKEN=$(troupe serve token alice --life 8h)\n",

	"dial": `  troupe dial ws://127.0.0.1:8787/studio "你好"
  troupe dial ws://127.0.0.1:8787/studio --session s1 < prompts.txt | jq -r 'select(.type=="chat-output").content // empty'
  ALICE=… troupe dial wss://agents.example.com/studio --token-env ALICE --tee log.jsonl
`,

	"queue send":    "  troupe queue send signup \"…\" --session s1 --follow > answer.md\n  troupe queue send signup - --extra '{\"location\": \"北京\"}' < task.md\n",
	"queue tail":    "  troupe queue tail s1\n  troupe queue tail s1 --reader me --json | jq .event.data\n",
	"queue pending": "  troupe queue pending signup\n",
	"queue claim":   "  troupe queue claim signup\n",
	"queue resume":  "  troupe queue resume s1 msg-1a2b3c4d 蓝色\n",
	"queue cancel":  "  troupe queue cancel s1 msg-1a2b3c4d --reason \"not needed\"\n",

	"worker": "  troupe worker --agent-type signup\n  troupe worker -t signup --redis redis://10.0.0.5:6379/0 --health 127.0.0.1:8080 --json\n",

	"envelope check":   "  troupe envelope check messages.jsonl\n  tail -f in.jsonl | troupe envelope check --json | jq 'select(.verdict != \"ok\")'\n",
	"envelope convert": "  troupe envelope convert --from to-content --to target-task < out.jsonl\n  troupe envelope convert --map house.yaml --from house messages.jsonl\n",
	"envelope explain": "  troupe envelope explain message.json\n",

	"completion": `  source <(troupe completion bash)
  troupe completion zsh > "${fpath[1]}/_troupe"
`,
}
