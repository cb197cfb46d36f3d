package prompts_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/prompts"
)

var langs = []string{"zh", "en"}

// tools makes tools of the given names, described by their name.
func tools(names ...string) []prompts.Tool {
	var ts []prompts.Tool
	for _, n := range names {
		ts = append(ts, prompts.Tool{Name: n, Description: "Description of " + n + ".\nMore of it."})
	}
	return ts
}

// leaderTools are the leader's communication tools (the mailbox protocol,
// section 4).
var leaderTools = []string{
	"create_sub_agent", "send_message_to_sub_agent", "ask_sub_agent",
	"answer_sub_agent_question", "wait_sub_agent_output", "stop_sub_agent",
	"terminate_sub_agent", "create_custom_agent", "list_agents",
	"list_active_sub_agents", "get_sub_agent_status", "ask_user",
}

// workerTools are a sub-agent's communication tools.
var workerTools = []string{
	"ask_master", "ask_other_agent", "answer_other_agent", "list_active_sub_agents",
}

// fileTools are the workspace tools of the samples.
var fileTools = []string{"read_file", "list_dir", "search_files", "write_file", "edit_file"}

// leaderSample fills every field.
func leaderSample(lang string) prompts.LeaderData {
	roles := prompts.BuiltinRoles(lang)
	roles[1].Code = "eng"
	roles[4].Tools, roles[4].Elsewhere = nil, "streams/qa_agent"
	return prompts.LeaderData{
		TeamName:        "signup-page",
		TeamDescription: "Builds the sign-up page.",
		Roles:           roles,
		Tools:           tools(append(slices.Clip(leaderTools), "read_file", "list_dir")...),
		Limits:          prompts.Limits{Agents: 8, Spawns: 32, Steps: 400},
		Extra:           "Keep every file under sub_agent_results/.",
		Context:         "# Notes\n\nThe service is written in Go.",
		WorkDir:         "/srv/signup",
	}
}

// workerSample fills every field.
func workerSample(lang string) prompts.WorkerData {
	role := prompts.BuiltinRoles(lang)[0]
	return prompts.WorkerData{
		Name:     role.Name + "_1",
		RoleName: role.Name,
		Does:     role.Does,
		Prompt:   role.Prompt,
		Tools:    tools(append(slices.Clip(workerTools), fileTools...)...),
		CanAsk:   []string{"Full-Stack Engineer", "Researcher"},
		Context:  "# Notes\n\nThe service is written in Go.",
		WorkDir:  "/srv/signup/design",
	}
}

func leader(t *testing.T, lang string, d prompts.LeaderData) string {
	t.Helper()
	text, err := prompts.Leader(lang, d)
	if err != nil {
		t.Fatalf("Leader(%q): %v", lang, err)
	}
	return text
}

func worker(t *testing.T, lang string, d prompts.WorkerData) string {
	t.Helper()
	text, err := prompts.Worker(lang, d)
	if err != nil {
		t.Fatalf("Worker(%q): %v", lang, err)
	}
	return text
}
