package envelope

import "slices"

// aliases are the names that other frameworks use for our fields.
var aliases = map[string][]string{
	fieldMsgID:           {"id", "message_id", "messageId", "uuid"},
	fieldSender:          {"from", "from_agent", "source", "src", "author"},
	fieldReceiver:        {"to", "to_agent", "target", "target_agent", "recipient", "dest"},
	fieldType:            {"kind", "message_type", "msg_type"},
	fieldTS:              {"timestamp", "time", "created_at"},
	fieldPayload:         {"content", "body", "data", "task", "text", "message"},
	"payload.name":       {"tool", "tool_name", "function"},
	"payload.params":     {"arguments", "args", "parameters", "input"},
	"payload.request_id": {"call_id", "tool_call_id", "id"},
}

// alias is the member that may be meant by a field that is missing; empty for
// none.
func alias(field string, members []member) string {
	for _, name := range aliases[field] {
		if slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			return name
		}
	}
	return ""
}
