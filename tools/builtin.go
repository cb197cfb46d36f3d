package tools

import "github.com/troupe-go/troupe/event"

// LeaderNames returns the names of the tools that [LeaderTools] makes.
func LeaderNames() []string {
	return []string{
		"create_sub_agent", "send_message_to_sub_agent", "ask_sub_agent", "answer_sub_agent_question",
		"wait_sub_agent_output", "stop_sub_agent", "terminate_sub_agent", "create_custom_agent",
		"list_agents", "list_active_sub_agents", "get_sub_agent_status", "ask_user",
	}
}

// PeerNames returns the names of the tools that [PeerTools] makes.
func PeerNames() []string {
	return []string{"ask_master", "ask_other_agent", "answer_other_agent", "list_active_sub_agents"}
}

// RemoteNames returns the names of the tools that [RemoteTools] makes.
func RemoteNames() []string { return []string{event.CallAskMaster, event.CallGoOn} }

// WorkspaceNames returns the names of the tools that [Workspace.Tools] makes.
func WorkspaceNames() []string {
	return []string{"read_file", "list_dir", "search_files", "write_file", "edit_file"}
}

// WorkspaceSpecs describes the tools that [Workspace.Tools] makes, in English.
func WorkspaceSpecs() []Spec {
	var specs []Spec
	for _, t := range (&Workspace{}).Tools() {
		specs = append(specs, t.Spec())
	}
	return specs
}

// DefaultRoleTools returns the names of the workspace tools of a role that
// lists none: those that only read.
func DefaultRoleTools() []string {
	return []string{"read_file", "list_dir", "search_files"}
}
